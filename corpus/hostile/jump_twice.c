// One setjmp that returns five more times, with values of its own; three buffers from one call site.
// expect jump calls=8
// expect returned calls=6
#include <setjmp.h>
#include <stdio.h>
static jmp_buf one, many[3];
static volatile int work, jumps;
static void returned(int value) { work += value; }
static void jump(jmp_buf to, int value) { longjmp(to, value); }
int main(void) {
    volatile int value = 0, at = 0;
    value = setjmp(one);
    returned(value); // 6 x 2
    if (value < 5)
        jump(one, value + 1); // 5 x 3
    for (at = 0; at < 3; at++)
        if (setjmp(many[at]))
            work += 100; // 3 x 4
    if (jumps < 3)
        jump(many[jumps++], 1); // 3 x 7
    printf("%d %d\n", work, at);
}
