// main returns while another thread still counts: a lower bound.
// flags --threads --cflag -pthread
// quality lower bound: other threads
// expect main calls=1
#include <pthread.h>
#include <unistd.h>
static volatile int work;
static int pipes[2];
static void step(void) { work++; }
static void *start(void *unused) {
    for (int i = 0; ; i++) {
        step();
        if (i == 1000) write(pipes[1], "x", 1);
    }
    return unused;
}
int main(void) {
    pthread_t thread;
    char byte;
    if (pipe(pipes)) return 1;
    pthread_create(&thread, NULL, start, NULL);
    read(pipes[0], &byte, 1);
}
