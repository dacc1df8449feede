// C11 threads, one that ends by thrd_exit three frames deep.
// flags --threads --cflag -pthread
// expect work calls=3
// expect leave calls=9
#include <stdio.h>
#include <threads.h>
static _Thread_local volatile int own;
static void leave(int depth) {
    if (depth == 0) thrd_exit(own);
    leave(depth - 1);
    own = 0; // 0 x 2
}
static int work(void *argument) {
    own += *(int *)argument;
    leave(2);
    return 0;
}
int main(void) {
    thrd_t threads[3];
    int numbers[3] = {1, 2, 3}, sum = 0, result;
    for (int i = 0; i < 3; i++) thrd_create(&threads[i], work, &numbers[i]);
    for (int i = 0; i < 3; i++) {
        thrd_join(threads[i], &result);
        sum += result;
    }
    printf("%d\n", sum);
}
