// longjmp out of a recursion 100,000 deep.
// expect down calls=200002
// expect home calls=1
#include <setjmp.h>
#include <stdio.h>
static jmp_buf target;
static volatile int work;
static void down(int n) {
    work++; // 200002 x 3
    if (n == 0) longjmp(target, 1);
    down(n - 1);
    work--; // 0 x 3
}
static void home(void) { printf("%d\n", work); }
int main(void) {
    volatile int times = 0;
    setjmp(target);
    if (times++ < 2) down(100000);
    home();
}
