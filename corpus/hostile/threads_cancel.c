// A thread is cancelled in a wait three frames deep; its cleanup handler counts.
// flags --threads --cflag -pthread
// expect wait_for_it calls=3
// expect cleanup calls=1
#include <pthread.h>
#include <stdio.h>
#include <semaphore.h>
#include <unistd.h>
static volatile int work;
static void cleanup(void *unused) { (void)unused; work += 100; }
static sem_t ready;
static void wait_for_it(int n) {
    char byte;
    if (n) {
        wait_for_it(n - 1);
    } else {
        sem_post(&ready);
        for (;;) pause(); // 1 x 2
    }
    work = byte = 0; // 0 x 2
}
static void *start(void *unused) {
    pthread_cleanup_push(cleanup, NULL);
    wait_for_it(2); // 1 x 1
    pthread_cleanup_pop(0);
    return unused;
}
int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, NULL, start, NULL);
    sem_wait(&ready);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d %d\n", work, result == PTHREAD_CANCELED);
}
