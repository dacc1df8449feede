// longjmp out of a hot loop three frames deep, many times.
// expect leaf calls=2600
// expect again calls=100
#include <setjmp.h>
#include <stdio.h>
static jmp_buf target;
static volatile int work;
static void leaf(int i) {
    if (i == 25)
        longjmp(target, 1); // 100 x 1
    work++; // 2500 x 3
}
static void middle(void) {
    for (int i = 0; i < 50; i++)
        leaf(i); // 2600 x 2 + 2500 x 1
    work = 0; // 0 x 1
}
static void again(void) { work++; } // 100 x 4
int main(void) {
    for (volatile int round = 0; round < 100; round++)
        if (!setjmp(target))
            middle(); // 100 x 1
        else
            again(); // 100 x 1
    printf("%d\n", work);
}
