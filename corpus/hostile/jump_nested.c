// Two targets on one stack; jumps to the inner one, to the outer one past it, and within one frame.
// expect inner calls=3
// expect choose calls=8
// expect own calls=6
#include <setjmp.h>
#include <stdio.h>
static jmp_buf outside, inside, here;
static volatile int work;
static void choose(int n) {
    if (n & 1) longjmp(inside, 1); // 8 x 4 + 4 x 1
    if (n == 6) longjmp(outside, n); // 4 x 3 + 1 x 2
    work++; // 3 x 3
}
static void inner(volatile int *n) {
    if (setjmp(inside))
        work += 100; // 4 x 4
    while (*n < 8)
        choose((*n)++); // 8 x 5
    work += 1000; // 2 x 3
}
static void own(volatile int *n) {
    work++; // 6 x 3
    if (*n < 5) {
        ++*n; // 5 x 4
        longjmp(here, 1); // 5 x 1
    }
}
int main(void) {
    volatile int n = 0, m = 0, i;
    for (i = 0; i < 2; i++) {
        if (setjmp(outside)) work += 10000; // 2 x 1 + 3 x 2 + 1 x 4
        inner(&n);
    }
    if (setjmp(here)) work += 7; // 1 x 1 + 6 x 2 + 5 x 4
    own(&m);
    printf("%d\n", work);
    return 0;
}
