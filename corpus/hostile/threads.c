// Four threads on shared functions, joined; counters for every thread.
// flags --threads --cflag -pthread
// expect work calls=4
// expect step calls=40000
#include <pthread.h>
#include <stdio.h>
static int sums[4];
static __thread volatile int own;
static void step(int i) { own += i; }
static void *work(void *argument) {
    int *sum = argument;
    for (int i = 0; i < 10000; i++)
        step(i); // 40000 x 3
    *sum = own;
    return argument;
}
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, &sums[i]);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    printf("%d\n", sums[0] + sums[3]);
}
