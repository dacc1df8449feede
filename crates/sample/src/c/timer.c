/* Samples a process by timers of its own where the kernel's counters are refused.
 *
 * Preloaded into the program. Each thread has a timer on its own processor
 * time, which sends SIGPROF to that very thread (the kernel looks at it on its
 * ticks only, 250 a second as a rule); the handler writes the interrupted
 * address into a ring in a shared mapped file, so that nothing is lost when
 * the process is killed. Ring and records are laid out as the kernel's: head
 * at byte 1024, tail at 1032, data behind the first page; a record of type 9
 * is a sample, of type 10 a mapping, of type 3 a thread's new name. One decoder
 * reads both.
 *
 * Not ITIMER_PROF: it goes on over exec, where the handler does not, and its
 * signal would end what the process became.
 *
 * Mappings are written at the begin, before each dlclose and at the end. A
 * mapping goes away by dlclose only, so what is seen has been there, alone,
 * since the look before: that is the time that its record has.
 *
 * Not seen: programs that handle SIGPROF themselves (they win), and threads
 * that are not made by pthread_create.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { HEAD = 1024, TAIL = 1032, LOST = 64, CPU = 72, LOOKED = 80, READY = 88 };

static unsigned char *base;
static uint64_t page, capacity, rate;
static char folder[3072];
static atomic_flag writing = ATOMIC_FLAG_INIT;
static uint64_t looked;
/* The name of this thread that was told; the handler must not allocate it. */
static _Thread_local __attribute__((tls_model("initial-exec"))) char told[16];

static _Atomic uint64_t *word(int offset) { return (_Atomic uint64_t *)(base + offset); }

static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void append(uint64_t *head, const void *bytes, uint64_t length) {
    for (uint64_t i = 0; i < length; i++) {
        base[page + *head % capacity] = ((const unsigned char *)bytes)[i];
        ++*head;
    }
}

/* A record, if there is room for it. */
static int put(uint32_t kind, uint16_t flags, const void *body, uint64_t length, const void *more, uint64_t rest) {
    uint64_t bytes = 8 + length + rest;
    if (atomic_flag_test_and_set_explicit(&writing, memory_order_acquire)) {
        atomic_fetch_add(word(LOST), 1);
        return 0;
    }
    uint64_t head = atomic_load_explicit(word(HEAD), memory_order_relaxed);
    int has_room = head + bytes - atomic_load_explicit(word(TAIL), memory_order_acquire) <= capacity;
    if (!has_room) {
        atomic_fetch_add(word(LOST), 1);
    } else {
        uint16_t size = (uint16_t)bytes;
        append(&head, &kind, 4);
        append(&head, &flags, 2);
        append(&head, &size, 2);
        append(&head, body, length);
        append(&head, more, rest);
        atomic_store_explicit(word(HEAD), head, memory_order_release);
    }
    atomic_flag_clear_explicit(&writing, memory_order_release);
    return has_room;
}

static uint64_t task(void) {
    return (uint64_t)(uint32_t)getpid() | (uint64_t)(uint32_t)syscall(SYS_gettid) << 32;
}

/* This thread's name, if it is another than was told; the time is that of
 * the sample or mapping behind it. */
static void name(uint16_t flags, uint64_t time) {
    char current[16] = {0};
    prctl(PR_GET_NAME, current);
    if (!flags && memcmp(current, told, sizeof current) == 0)
        return;
    uint64_t body[3] = {task()}, stamp[2] = {task(), time};
    memcpy(body + 1, current, sizeof current);
    if (put(3, flags, body, sizeof body, stamp, sizeof stamp))
        memcpy(told, current, sizeof current);
}

static void tick(int number, siginfo_t *facts, void *machine) {
    (void)number, (void)facts;
    if (!base)
        return;
    int error = errno;
    const ucontext_t *context = machine;
#if defined(__x86_64__)
    uint64_t ip = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    uint64_t ip = context->uc_mcontext.pc;
#elif defined(__riscv)
    uint64_t ip = context->uc_mcontext.__gregs[REG_PC];
#else
#error "where does this machine keep the address of the next instruction?"
#endif
    uint64_t sample[3] = {ip, task(), now(CLOCK_MONOTONIC)};
    name(0, sample[2]);
    put(9, 2, sample, sizeof sample, 0, 0);
    atomic_store_explicit(word(CPU), now(CLOCK_PROCESS_CPUTIME_ID), memory_order_relaxed);
    errno = error;
}

/* One line of maps: a record, if it is code. */
static void mapping(char *line, uint64_t since) {
    unsigned long long start, end, offset, inode;
    unsigned major, minor;
    char rights[5];
    int path = 0;
    if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, rights, &offset, &major, &minor, &inode,
               &path) < 7 ||
        rights[2] != 'x')
        return;
    uint64_t body[8] = {task(), start, end - start, offset, (uint64_t)major | (uint64_t)minor << 32,
                        inode, 0, 5 | (uint64_t)2 << 32};
    char text[4096 + 24] = {0};
    uint64_t length = strnlen(line + path, 4095);
    memcpy(text, line + path, length);
    length = length / 8 * 8 + 8;
    uint64_t stamp[2] = {task(), since};
    memcpy(text + length, stamp, sizeof stamp);
    put(10, 2, body, sizeof body, text, length + sizeof stamp);
}

static void look(void) {
    uint64_t since = looked, began = now(CLOCK_MONOTONIC);
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    /* The handler must not find the ring taken by the thread it interrupts. */
    sigset_t prof, before;
    sigemptyset(&prof);
    sigaddset(&prof, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &prof, &before);
    char line[4352];
    size_t used = 0;
    for (;;) {
        ssize_t got = read(file, line + used, sizeof line - 1 - used);
        if (got <= 0)
            break;
        used += (size_t)got;
        char *begin = line, *end;
        while ((end = memchr(begin, '\n', (size_t)(line + used - begin)))) {
            *end = 0;
            mapping(begin, since);
            begin = end + 1;
        }
        used = (size_t)(line + used - begin);
        memmove(line, begin, used);
    }
    close(file);
    looked = began;
    atomic_store(word(LOOKED), began);
    pthread_sigmask(SIG_SETMASK, &before, 0);
}

static pthread_key_t armed;

/* Timers are numbered from 0, which a key could not tell from none. */
static void disarm(void *timer) { timer_delete((timer_t)((char *)timer - 1)); }

/* A timer for this thread; it dies with the thread, and at exec. */
static void arm(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    timer_t timer;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0)
        return;
    struct timespec each = {.tv_sec = (time_t)(1 / rate), .tv_nsec = (long)(rate > 1 ? 1000000000 / rate : 0)};
    struct itimerspec often = {each, each};
    timer_settime(timer, 0, &often, 0);
    pthread_setspecific(armed, (char *)timer + 1);
}

/* A file of this process's own, and the timer. */
static void begin(void) {
    char path[3200];
    snprintf(path, sizeof path, "%s/%d.%llu", folder, (int)getpid(), (unsigned long long)now(CLOCK_MONOTONIC));
    base = 0;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    /* Room that is promised now: a full disk is told here and not later, and a
     * limit on the size of files must not end the program. */
    void *memory = MAP_FAILED;
    struct sigaction ignored = {.sa_handler = SIG_IGN}, limit;
    sigemptyset(&ignored.sa_mask);
    sigaction(SIGXFSZ, &ignored, &limit);
    int refused = posix_fallocate(file, 0, (off_t)(page + capacity));
    sigaction(SIGXFSZ, &limit, 0);
    if (refused == 0)
        memory = mmap(0, page + capacity, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED)
        return;
    base = memory;
    atomic_flag_clear(&writing);
    /* Whatever this process was before is gone; no sample is older than this. */
    looked = now(CLOCK_MONOTONIC);
    name(1 << 13, looked);
    look();
    atomic_store_explicit(word(READY), 1, memory_order_release);
    struct sigaction action = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGPROF, &action, 0);
    arm();
}

/* A child has no timer and must not write into its parent's ring. */
static void begin_in_child(void) {
    if (base)
        munmap(base, page + capacity);
    begin();
}

__attribute__((constructor)) static void enter(void) {
    const char *where = getenv("OPCOST_TIMER_FOLDER"), *often = getenv("OPCOST_TIMER_RATE");
    const char *pages = getenv("OPCOST_TIMER_PAGES");
    if (!where || !often || !pages || strlen(where) >= sizeof folder)
        return;
    strcpy(folder, where);
    page = (uint64_t)sysconf(_SC_PAGESIZE);
    capacity = strtoull(pages, 0, 10) * page;
    rate = strtoull(often, 0, 10);
    if (!capacity || !rate || rate > 1000000)
        return;
    if (pthread_key_create(&armed, disarm) != 0)
        return;
    begin();
    pthread_atfork(0, 0, begin_in_child);
}

__attribute__((destructor)) static void leave(void) {
    if (!base)
        return;
    look();
    atomic_store(word(CPU), now(CLOCK_PROCESS_CPUTIME_ID));
}

int dlclose(void *handle) {
    if (base)
        look();
    static int (*real)(void *);
    if (!real)
        real = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    return real(handle);
}

struct thread {
    void *(*start)(void *);
    void *argument;
};

static void *run(void *memory) {
    struct thread thread = *(struct thread *)memory;
    free(memory);
    arm();
    return thread.start(thread.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT,
                                                                                         "pthread_create");
    struct thread *memory = base ? malloc(sizeof *memory) : 0;
    if (!memory)
        return real(thread, attributes, start, argument);
    *memory = (struct thread){start, argument};
    int error = real(thread, attributes, run, memory);
    if (error)
        free(memory);
    return error;
}
