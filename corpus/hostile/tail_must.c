// musttail mutual recursion a million deep, out of which one jump and one exit lead.
// returns open
// status 4
// expect even calls=1000002
// expect odd calls=1000000
// expect stop calls=2
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf target;
static volatile int work;
static int odd(int n);
static int stop(int n) {
    if (work++ == 0) longjmp(target, 1);
    exit(4 + n);
}
static int even(int n) {
    if (n == 0)
        __attribute__((musttail)) return stop(n);
    __attribute__((musttail)) return odd(n - 1);
}
static int odd(int n) { __attribute__((musttail)) return even(n - 1); }
int main(void) {
    setjmp(target);
    printf("%d\n", work);
    fflush(stdout);
    even(1000000);
}
