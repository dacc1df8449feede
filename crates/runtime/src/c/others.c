/* Is another thread inside counted code while the program ends?
 *
 * Then its counts are cut short, and a flag says so. A thread that never
 * counted, or that waits in a library which no counted function called, takes
 * nothing away: workers of OpenMP and helpers of MPI wait like that.
 *
 * Method. Each thread that counts left a record (threads.c). First its
 * distance is withdrawn: whoever enters counted code from now on comes to
 * opc_thread_start, which sets the flag. Then each stack is searched from its
 * stack pointer to its top for return addresses in counted images. The kernel
 * tells the stack pointer of a thread that waits (/proc/self/task/N/syscall);
 * one that runs is asked by a signal, whose handler answers and waits until
 * its stack was read. A return address is a word behind a call instruction.
 * A frame that a signal interrupted has none, so a signal frame counts too.
 * Whatever cannot be read counts as inside.
 *
 * Cost: nothing while the program runs; at its end some 30 microseconds for
 * each thread that waits, 100 for one that runs. Limits: x86-64 only, elsewhere
 * every other thread counts as inside. Old words on a stack can look like a
 * frame; the flag is then set for nothing. */

#ifdef __x86_64__

enum { OPC_RANGES = 4000, OPC_PATIENCE_MS = 500 };

struct opc_range {
    uintptr_t start, end;
};

/* What the process has mapped, and a way to read what may vanish. */
struct opc_space {
    struct opc_range code[OPC_RANGES];
    size_t code_count;
    int memory; /* /proc/thread-self/mem */
};

/* Where a thread stands. */
struct opc_stand {
    uintptr_t sp, pc;
};

enum opc_answer_state { OPC_ASKED, OPC_ANSWERED, OPC_RELEASED };

/* One thread is asked at a time. */
static struct opc_question {
    pid_t tid;
    int state; /* of opc_answer_state; a futex */
    struct opc_stand stand;
} opc_question;
static int opc_questions_locked;

static bool opc_wait(int *word, int while_it_is, long milliseconds) {
    struct timespec most = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    const int wait_private = 128; /* FUTEX_WAIT, of this process only */
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == while_it_is)
        if (syscall(SYS_futex, word, wait_private, while_it_is, &most, NULL, 0) < 0 && errno == ETIMEDOUT)
            return false;
    return true;
}

static void opc_set(int *word, int value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    syscall(SYS_futex, word, 129 /* FUTEX_WAKE, of this process only */, INT_MAX, NULL, NULL, 0);
}

static void opc_on_question(int signal_number, siginfo_t *info, void *context) {
    (void)signal_number, (void)info;
    int error = errno;
    struct opc_question *question = &opc_question;
    if (__atomic_load_n(&question->tid, __ATOMIC_ACQUIRE) == (pid_t)syscall(SYS_gettid)
        && __atomic_load_n(&question->state, __ATOMIC_ACQUIRE) == OPC_ASKED) {
        const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
        question->stand = (struct opc_stand){(uintptr_t)registers[REG_RSP], (uintptr_t)registers[REG_RIP]};
        opc_set(&question->state, OPC_ANSWERED);
        opc_wait(&question->state, OPC_ANSWERED, 2 * OPC_PATIENCE_MS);
    }
    errno = error;
}

/* A signal that the program does not use; 0: there is none. */
static int opc_free_signal(void) {
    for (int number = SIGRTMAX; number >= SIGRTMIN; number--) {
        struct sigaction present;
        if (sigaction(number, NULL, &present) == 0 && !(present.sa_flags & SA_SIGINFO)
            && present.sa_handler == SIG_DFL)
            return number;
    }
    return 0;
}

/* Field by field: neither stdio nor the locale may be used here. */
static const char *opc_hex(const char *at, uintptr_t *value) {
    *value = 0;
    for (;; at++) {
        int digit = *at >= '0' && *at <= '9' ? *at - '0' : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10 : -1;
        if (digit < 0) return at;
        *value = *value << 4 | (uintptr_t)digit;
    }
}

/* "running", or as last fields the stack pointer and the address. */
static bool opc_waits_at(pid_t tid, struct opc_stand *stand) {
    char text[256];
    if (opc_read_task(tid, "syscall", text, sizeof text) <= 0 || text[0] == 'r') return false;
    const char *address = strrchr(text, ' '), *before = address;
    if (!address) return false;
    do before--;
    while (before > text && *before != ' ');
    if (strncmp(before, " 0x", 3) != 0 || strncmp(address, " 0x", 3) != 0) return false;
    opc_hex(before + 3, &stand->sp);
    opc_hex(address + 3, &stand->pc);
    return stand->sp != 0;
}

/* Ranges of code. */
static bool opc_read_maps(struct opc_space *space) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return false;
    char text[4096];
    size_t length = 0;
    bool is_whole = true;
    for (;;) {
        ssize_t more = syscall(SYS_read, fd, text + length, sizeof text - 1 - length);
        if (more <= 0) break;
        length += (size_t)more;
        text[length] = 0;
        char *line = text, *end;
        while ((end = strchr(line, '\n'))) {
            struct opc_range range;
            const char *at = opc_hex(line, &range.start);
            at = opc_hex(at + 1, &range.end); /* behind it: " rwxp" */
            if (at[3] == 'x') {
                if (space->code_count < OPC_RANGES)
                    space->code[space->code_count++] = range;
                else
                    is_whole = false;
            }
            line = end + 1;
        }
        length -= (size_t)(line - text);
        memmove(text, line, length);
    }
    syscall(SYS_close, fd);
    return is_whole && length == 0;
}

static bool opc_peek(const struct opc_space *space, uintptr_t at, void *bytes, size_t count) {
    return syscall(SYS_pread64, space->memory, bytes, count, at) == (long)count;
}

static const struct opc_range *opc_code_at(const struct opc_space *space, uintptr_t address) {
    for (size_t i = 0; i < space->code_count; i++)
        if (space->code[i].start <= address && address < space->code[i].end) return &space->code[i];
    return NULL;
}

/* mov $15, %rax or %eax: where the kernel lets a handler return to. */
static bool opc_is_return_of_signal(const struct opc_space *space, uintptr_t address) {
    unsigned char bytes[7];
    if (!opc_peek(space, address, bytes, sizeof bytes)) return true;
    return memcmp(bytes, "\x48\xc7\xc0\x0f\0\0\0", 7) == 0 || memcmp(bytes, "\xb8\x0f\0\0\0", 5) == 0;
}

static bool opc_is_frame(const struct opc_space *space, uintptr_t word) {
    const struct opc_range *range = opc_code_at(space, word);
    if (!range) return false;
    if (opc_is_return_of_signal(space, word)) return true;
    return opc_image_of(word) && opc_is_behind_call((const unsigned char *)word, word - range->start);
}

/* Searches a stack from where its thread stands to its top. A pointer above
 * its top, or a gap below it: the thread runs on another stack. */
static bool opc_stack_counts(const struct opc_space *space, const struct opc_stand *stand, uintptr_t top) {
    uintptr_t words[512];
    if (opc_image_of(stand->pc + 1)) return true;
    for (uintptr_t at = stand->sp & -(uintptr_t)8; at < top;) {
        size_t bytes = top - at < sizeof words ? (top - at) & -(size_t)8 : sizeof words;
        if (bytes == 0) break;
        if (!opc_peek(space, at, words, bytes)) return true;
        for (size_t i = 0; i < bytes / 8; i++)
            if (opc_is_frame(space, words[i])) return true;
        at += bytes;
    }
    return stand->sp >= top;
}

/* Asks a thread that runs. It stays where it is until it is released. */
static bool opc_asked_stands_at(pid_t tid, int signal_number, struct opc_stand *stand) {
    opc_question.state = OPC_ASKED;
    __atomic_store_n(&opc_question.tid, tid, __ATOMIC_RELEASE);
    if (syscall(SYS_tgkill, getpid(), tid, signal_number) != 0) return false;
    if (!opc_wait(&opc_question.state, OPC_ASKED, OPC_PATIENCE_MS)) return false;
    *stand = opc_question.stand;
    return true;
}

static bool opc_is_inside(const struct opc_space *space, const struct opc_slab *slab, int signal_number) {
    struct opc_stand stand;
    pid_t tid = slab->tid;
    if (opc_waits_at(tid, &stand)) return opc_stack_counts(space, &stand, slab->top);
    if (opc_has_ended(tid)) return false;
    bool is_inside = true;
    if (signal_number && opc_asked_stands_at(tid, signal_number, &stand))
        is_inside = opc_stack_counts(space, &stand, slab->top);
    else if (opc_waits_at(tid, &stand)) /* meanwhile; it blocks signals */
        is_inside = opc_stack_counts(space, &stand, slab->top);
    else if (opc_has_ended(tid))
        is_inside = false;
    __atomic_store_n(&opc_question.tid, 0, __ATOMIC_RELEASE);
    opc_set(&opc_question.state, OPC_RELEASED);
    return is_inside;
}

/* The thread has to come to opc_thread_start when it enters counted code again. */
static void opc_withdraw(const struct opc_space *space, const struct opc_slab *slab) {
    intptr_t unknown = INTPTR_MIN;
    syscall(SYS_pwrite64, space->memory, &unknown, sizeof unknown, (uintptr_t)slab->delta);
}

static bool opc_some_thread_is_inside(struct opc_space *space) {
    pid_t self = (pid_t)syscall(SYS_gettid);
    for (struct opc_image *image = opc_process->images; image; image = image->next)
        for (struct opc_slab *slab = image->header ? image->slabs : NULL; slab; slab = slab->next)
            if (slab->tid && slab->tid != self) opc_withdraw(space, slab);
    int signal_number = opc_free_signal();
    struct sigaction ours = {.sa_sigaction = opc_on_question, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    struct sigaction before;
    if (signal_number && sigaction(signal_number, &ours, &before) != 0) signal_number = 0;
    bool is_inside = false;
    for (struct opc_image *image = opc_process->images; image && !is_inside; image = image->next)
        for (struct opc_slab *slab = image->header ? image->slabs : NULL; slab && !is_inside; slab = slab->next)
            if (slab->tid && slab->tid != self) is_inside = opc_is_inside(space, slab, signal_number);
    /* One that did not answer may still get the signal: the handler has to stay for it. */
    if (signal_number && !is_inside) sigaction(signal_number, &before, NULL);
    return is_inside;
}

static bool opc_others_are_inside(void) {
    struct opc_space *space = opc_memory(sizeof *space);
    if (!space) return true;
    bool is_inside = true;
    space->memory = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/mem", O_RDWR | O_CLOEXEC, 0);
    if (space->memory >= 0 && !__atomic_exchange_n(&opc_questions_locked, 1, __ATOMIC_ACQUIRE)) {
        is_inside = !opc_read_maps(space) || opc_some_thread_is_inside(space);
        __atomic_store_n(&opc_questions_locked, 0, __ATOMIC_RELEASE);
    }
    if (space->memory >= 0) syscall(SYS_close, space->memory);
    munmap(space, sizeof *space);
    return is_inside;
}

#else

static bool opc_others_are_inside(void) { return true; }

#endif

/* Whether counts of other threads may be cut short by this thread's end of the program. Where
 * threads share counters nobody knows which of them count. */
static bool opc_others_may_count(void) {
    __atomic_store_n(&opc_process->ender, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
    long threads = opc_thread_count();
    if (threads == 1) return false;
    for (struct opc_image *image = opc_process->images; image; image = image->next)
        if (image->header && (threads ? image->is_shared : image->slabs != NULL)) return true;
    return threads && opc_others_are_inside();
}
