// asm goto (callbr): its ways cannot be cut, so they are counted where they arrive.
// expect way calls=12
// expect even calls=6
// expect third calls=2
#include <stdio.h>
static volatile int work;
static void even(void) { work++; }
static void third(void) { work += 3; }
static int way(int n) {
    __asm__ goto("test $1, %0; jz %l[is_even]; cmp $7, %0; jg %l[is_third]" : : "r"(n) : "cc" : is_even, is_third);
    work += 10; // 4 x 3
    return 0;
is_even:
    even(); // 6 x 1
    return 1;
is_third:
    third(); // 2 x 1
    return 2;
}
static int both(int n) {
    int copy;
    __asm__ goto("mov %1, %0; test $1, %1; jz %l[out]" : "=r"(copy) : "r"(n) : "cc" : out);
    copy += 100;
out:
    return copy;
}
int main(void) {
    int sum = 0;
    for (int i = 0; i < 12; i++) sum += way(i) + both(i);
    printf("%d %d\n", sum, work);
}
