/* How does a program end, and what must be noted before it does?
 *
 * The instrumenter renames calls of these functions to opc_wrap_*. Each notes
 * the frames that will not return, then calls the real one. An exec that
 * fails returns: its notes are taken back. abort raises SIGABRT; a handler of
 * ours (only where the program had none) sees the aborts of libc and of the
 * C++ runtime too. Whether another thread is in counted code is asked then, too
 * (others.c). */

/* The library (library/) says by calls of it what is to be charged. */
OPC_HIDDEN void opc_libc_charge(size_t bytes) { (void)bytes; }

/* How many variables the environment has. opcost's own differ between what counts and what pays. */
OPC_HIDDEN size_t opc_environment_size(void) {
    extern char **environ;
    size_t size = 0;
    for (char **one = environ; one && *one; one++) {
        const char *own = "OPCOST_", *name = *one;
        while (*own && *own == *name) own++, name++;
        size += *own != 0;
    }
    return size;
}

static void opc_note_end(void) {
    struct opc_thread *thread = opc_this_thread();
    if (!thread) return;
    if (opc_is_unsettled(thread)) opc_flag(OPC_FLAG_UNSETTLED_JUMP);
    thread->kept_count = 0;
    opc_note_stack(thread, NULL, 1);
}

/* The end state is set by the destructor, when exit has done its work. */
OPC_HIDDEN __attribute__((noreturn)) void opc_wrap_exit(int status) {
    opc_note_end();
    exit(status);
}

OPC_HIDDEN __attribute__((noreturn)) void opc_wrap__exit(int status) {
    opc_note_end();
    opc_finish(OPC_END_IMMEDIATE_EXIT);
    _exit(status);
}

/* A system call that ends the process ends it as _exit does. Six words are always passed on; the
 * kernel reads as many as the call has. One that ends a thread ends the process if it is the
 * only one. */
OPC_HIDDEN long opc_wrap_syscall(long number, long a, long b, long c, long d, long e, long f) {
    if (number == SYS_exit_group) opc_wrap__exit((int)a);
    if (number == SYS_exit && opc_thread_count() == 1) opc_wrap__exit((int)a);
    return syscall(number, a, b, c, d, e, f);
}

OPC_HIDDEN __attribute__((noreturn)) void opc_wrap__Exit(int status) {
    opc_note_end();
    opc_finish(OPC_END_IMMEDIATE_EXIT);
    _Exit(status);
}

/* Its handlers still count, into the mapped section. */
OPC_HIDDEN __attribute__((noreturn)) void opc_wrap_quick_exit(int status) {
    opc_note_end();
    opc_finish(OPC_END_QUICK_EXIT);
    quick_exit(status);
}

OPC_HIDDEN __attribute__((noreturn)) void opc_wrap_abort(void) {
    opc_note_end();
    opc_finish(OPC_END_ABORT);
    abort();
}

/* The default action follows on return, when the signal is unblocked again:
 * status and core file are those of the program without us. */
static void opc_on_abort(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    int error = errno;
    if (info->si_code == SI_TKILL && info->si_pid == getpid()) {
        opc_note_end();
        opc_finish(OPC_END_ABORT);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    errno = error;
}

static void opc_watch_abort(void) {
    struct sigaction present, ours = {.sa_sigaction = opc_on_abort, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaction(SIGABRT, NULL, &present) == 0 && present.sa_handler == SIG_DFL)
        sigaction(SIGABRT, &ours, NULL);
}

static void opc_unwatch_abort(void) {
    struct sigaction present;
    if (sigaction(SIGABRT, NULL, &present) == 0 && (present.sa_flags & SA_SIGINFO)
        && present.sa_sigaction == opc_on_abort)
        signal(SIGABRT, SIG_DFL);
}

/* What an exec must take back if it returns. */
struct opc_attempt {
    struct opc_thread *thread;
    struct opc_frame noted;
};

static void opc_mark_exec(uint32_t from, uint32_t to) {
    for (struct opc_image *image = opc_process->images; image; image = image->next)
        if (image->header && image->header->end_state == from) image->header->end_state = to;
}

__attribute__((noinline)) static struct opc_attempt opc_before_exec(void) {
    struct opc_attempt attempt = {.thread = opc_this_thread()};
    if (!attempt.thread) return attempt;
    attempt.noted = attempt.thread->noted;
    opc_note_end();
    opc_finish(OPC_END_EXEC);
    return attempt;
}

__attribute__((noinline)) static int opc_after_exec(struct opc_attempt attempt) {
    int error = errno;
    if (attempt.thread) {
        attempt.thread->noted = attempt.noted;
        opc_note_stack(attempt.thread, NULL, -1);
        opc_mark_exec(OPC_END_EXEC, OPC_END_NONE);
        __atomic_store_n(&opc_process->ender, 0, __ATOMIC_SEQ_CST);
    }
    errno = error;
    return -1;
}

/* Where counters go must reach every program that is begun from here, whatever environment it is
 * given: one that lacks the variable gets it in a copy on the caller's stack. */
static const char opc_place_name[] = "OPCOST_RAW=";

static size_t opc_environment_count(char *const environment[]) {
    size_t count = 0;
    for (; environment && environment[count]; count++)
        if (strncmp(environment[count], opc_place_name, sizeof opc_place_name - 1) == 0) return 0;
    return count + 1;
}

#define OPC_PLACED(environment, placed)                                                         \
    size_t placed##_count = opc_process ? opc_environment_count(environment) : 0;               \
    char *placed##_room[placed##_count + 1];                                                    \
    char placed##_text[placed##_count ? sizeof opc_place_name + PATH_MAX : 1];                  \
    char *const *placed = environment;                                                          \
    if (placed##_count) {                                                                       \
        if (placed##_count > 1)                                                                 \
            memcpy(placed##_room, environment, (placed##_count - 1) * sizeof *placed##_room);   \
        memcpy(placed##_text, opc_place_name, sizeof opc_place_name);                           \
        strcat(placed##_text, opc_process->directory);                                          \
        placed##_room[placed##_count - 1] = placed##_text;                                      \
        placed##_room[placed##_count] = NULL;                                                   \
        placed = placed##_room;                                                                 \
    }

OPC_HIDDEN int opc_wrap_execve(const char *path, char *const arguments[], char *const environment[]);
OPC_HIDDEN int opc_wrap_execvpe(const char *file, char *const arguments[], char *const environment[]);

OPC_HIDDEN int opc_wrap_execv(const char *path, char *const arguments[]) {
    return opc_wrap_execve(path, arguments, environ);
}

OPC_HIDDEN int opc_wrap_execve(const char *path, char *const arguments[], char *const environment[]) {
    OPC_PLACED(environment, placed);
    struct opc_attempt attempt = opc_before_exec();
    execve(path, arguments, placed);
    return opc_after_exec(attempt);
}

OPC_HIDDEN int opc_wrap_execvp(const char *file, char *const arguments[]) {
    return opc_wrap_execvpe(file, arguments, environ);
}

OPC_HIDDEN int opc_wrap_execvpe(const char *file, char *const arguments[], char *const environment[]) {
    OPC_PLACED(environment, placed);
    struct opc_attempt attempt = opc_before_exec();
    execvpe(file, arguments, placed);
    return opc_after_exec(attempt);
}

OPC_HIDDEN int opc_wrap_fexecve(int fd, char *const arguments[], char *const environment[]) {
    OPC_PLACED(environment, placed);
    struct opc_attempt attempt = opc_before_exec();
    fexecve(fd, arguments, placed);
    return opc_after_exec(attempt);
}

/* The arguments up to the null pointer, as an array on the caller's stack. */
#define OPC_COLLECT(first, list, arguments)                                                     \
    va_list list, again;                                                                        \
    va_start(list, first);                                                                      \
    va_copy(again, list);                                                                       \
    size_t count = 1;                                                                           \
    if (first)                                                                                  \
        while (va_arg(again, char *)) count++;                                                  \
    va_end(again);                                                                              \
    char *arguments[count + 1];                                                                 \
    arguments[0] = (char *)first;                                                               \
    for (size_t i = 1; first && i <= count; i++) arguments[i] = va_arg(list, char *)

OPC_HIDDEN int opc_wrap_execl(const char *path, const char *first, ...) {
    OPC_COLLECT(first, list, arguments);
    va_end(list);
    return opc_wrap_execv(path, arguments);
}

OPC_HIDDEN int opc_wrap_execlp(const char *file, const char *first, ...) {
    OPC_COLLECT(first, list, arguments);
    va_end(list);
    return opc_wrap_execvp(file, arguments);
}

OPC_HIDDEN int opc_wrap_execle(const char *path, const char *first, ...) {
    OPC_COLLECT(first, list, arguments);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return opc_wrap_execve(path, arguments, environment);
}

OPC_HIDDEN int opc_wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                                    const posix_spawnattr_t *attributes, char *const arguments[],
                                    char *const environment[]) {
    OPC_PLACED(environment, placed);
    return posix_spawn(pid, path, actions, attributes, arguments, placed);
}

OPC_HIDDEN int opc_wrap_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                                     const posix_spawnattr_t *attributes, char *const arguments[],
                                     char *const environment[]) {
    OPC_PLACED(environment, placed);
    return posix_spawnp(pid, file, actions, attributes, arguments, placed);
}

/* Stacks that are switched away from are not walked at the end. */
OPC_HIDDEN int opc_wrap_swapcontext(ucontext_t *from, const ucontext_t *to) {
    opc_flag(OPC_FLAG_CONTEXT_SWITCHED);
    return swapcontext(from, to);
}

OPC_HIDDEN int opc_wrap_setcontext(const ucontext_t *to) {
    opc_flag(OPC_FLAG_CONTEXT_SWITCHED);
    return setcontext(to);
}

/* Sixteen arguments are always passed on; the real one reads as many as
 * `count` says, as words, since programs pass pointers by it. */
OPC_HIDDEN void opc_wrap_makecontext(ucontext_t *context, void (*start)(void), int count, ...) {
    long a[16] = {0};
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count && i < 16; i++) a[i] = va_arg(list, long);
    va_end(list);
    opc_flag(OPC_FLAG_CONTEXT_SWITCHED);
    makecontext(context, start, count, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
                a[11], a[12], a[13], a[14], a[15]);
}
