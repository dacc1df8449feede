// pthread_exit four frames deep, with a cleanup handler; main leaves by pthread_exit too.
// flags --threads --cflag -pthread
// expect deep calls=4
// expect cleanup calls=1
// expect last calls=1
#include <pthread.h>
#include <stdio.h>
static volatile int work;
static void cleanup(void *unused) { (void)unused; work += 100; }
static void deep(int n) {
    if (n == 0) pthread_exit(NULL);
    deep(n - 1);
    work = 0; // 0 x 1
}
static void *start(void *unused) {
    pthread_cleanup_push(cleanup, NULL);
    deep(3); // 1 x 1
    pthread_cleanup_pop(0);
    work = 0; // 0 x 1
    return unused;
}
__attribute__((destructor)) static void last(void) { printf("%d\n", work); }
static void leave(void) { pthread_exit(NULL); }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, NULL);
    leave(); // 1 x 1
    work = 0; // 0 x 1
}
