// longjmp out of, and setjmp inside, functions with call-free loops whose counters may live in registers.
// expect spin calls=30
// expect jump calls=10
#include <setjmp.h>
#include <stdio.h>
static jmp_buf target;
static volatile int work;
static void jump(void) { longjmp(target, 1); }
static void spin(int n) {
    for (int i = 0; i < n; i++)
        work++; // 4230 x 4
    if (n == 23)
        jump(); // 10 x 1
    for (int i = 0; i < n; i++)
        work--; // 4000 x 4
}
int main(void) {
    volatile int rounds = 0;
    if (setjmp(target)) work += 1000; // 1 x 1 + 11 x 2 + 10 x 4
    while (rounds < 10) {
        for (int i = 0; i < 7; i++)
            work++; // 70 x 4
        spin(200); // 10 x 1
        spin(200); // 10 x 1
        rounds++;
        for (int i = 0; i < 5; i++)
            work--; // 50 x 4
        spin(23); // 10 x 1
        work = 0; // 0 x 1
    }
    printf("%d\n", work);
}
