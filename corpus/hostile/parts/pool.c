/* A library whose worker never goes: it waits, spins, or blocks every signal.
 *
 * Built without opcost, as a shared library. `pool_do` has the worker call a
 * function `times` times and returns when the last call has returned. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void (*task)(int);
static atomic_int wanted, done;
static atomic_int is_spinning, is_late;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void wait_for_work(void) {
    if (atomic_load(&is_spinning)) {
        while (atomic_load(&wanted) == atomic_load(&done)) {}
        return;
    }
    pthread_mutex_lock(&mutex);
    while (atomic_load(&wanted) == atomic_load(&done)) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *style) {
    if (strstr(style, "deaf")) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, NULL);
    }
    for (;;) {
        wait_for_work();
        task(atomic_load(&done));
        atomic_fetch_add(&done, 1);
    }
}

void pool_begin(const char *style) {
    pthread_t thread;
    atomic_store(&is_spinning, strstr(style, "spin") != NULL);
    atomic_store(&is_late, strstr(style, "late") != NULL);
    if (pthread_create(&thread, NULL, work, (void *)style) == 0) pthread_detach(thread);
}

void pool_do(void (*what)(int), int times) {
    task = what;
    pthread_mutex_lock(&mutex);
    atomic_fetch_add(&wanted, times);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    while (atomic_load(&wanted) != atomic_load(&done)) usleep(100);
}

/* Called by what the worker runs: never returns. */
void pool_stop(void) {
    atomic_fetch_add(&done, 1);
    for (;;) pause();
}

static pthread_t interrupted;

static void stop(int number) {
    (void)number;
    pool_stop();
}

static void *interrupt(void *unused) {
    usleep(20000);
    pthread_kill(interrupted, SIGUSR1);
    return unused;
}

/* Called by what the worker runs: a signal comes soon, whose handler never returns. */
void pool_interrupt(void) {
    pthread_t thread;
    signal(SIGUSR1, stop);
    interrupted = pthread_self();
    if (pthread_create(&thread, NULL, interrupt, NULL) == 0) pthread_detach(thread);
}

/* Runs when the program's own end is over. */
__attribute__((destructor)) static void end(void) {
    if (atomic_load(&is_late)) pool_do(task, 5);
}
