// sigsetjmp and siglongjmp out of a handler that raise runs: a call, so exact.
// expect handler calls=6
// expect raises calls=6
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf target;
static volatile int work;
static void handler(int number) {
    work += number; // 6 x 4
    siglongjmp(target, 1);
}
static void raises(void) {
    raise(SIGUSR1); // 6 x 1
    work = 0; // 0 x 1
}
int main(void) {
    signal(SIGUSR1, handler);
    for (volatile int i = 0; i < 6; i++)
        if (!sigsetjmp(target, 1))
            raises(); // 6 x 1
        else
            work++; // 6 x 3
    printf("%d\n", work);
}
