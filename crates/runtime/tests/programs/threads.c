/* Eight threads at a time count one cell a million times each, twice. */
#include "counted.h"

#ifndef SHARED
static const char by_thread __attribute__((section("opc_thr"), used, retain)) = 1;
#endif

NOINLINE void work(int times) {
    intptr_t delta = opc_thread_delta;
    if (delta == INTPTR_MIN) delta = opc_thread_start();
    volatile uint64_t *mine = (void *)((char *)cells + delta);
    for (int i = 0; i < times; i++) mine[0]++;
}
static pthread_key_t late;
static void at_the_end(void *times) { work((int)(intptr_t)times); } /* perhaps after the slab is given back */
static void *run(void *times) {
    work((int)(intptr_t)times);
    pthread_setspecific(late, (void *)1);
    return NULL;
}
static void *forks(void *unused) {
    work(5);
    pid_t pid = fork();
    work(pid ? 1 : 2);
    if (!pid) _exit(0);
    waitpid(pid, NULL, 0);
    return unused;
}

int main(int count, char **arguments) {
    pthread_t threads[8];
    if (count > 1 && !strcmp(arguments[1], "fork")) {
        opc_wrap_pthread_create(&threads[0], NULL, forks, NULL);
        pthread_join(threads[0], NULL);
        return 0;
    }
    work(3);
    pthread_key_create(&late, at_the_end);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 8; i++)
            opc_wrap_pthread_create(&threads[i], NULL, run, (void *)1000000);
        for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
    }
    return 0;
}
