// Plain tail calls between functions that call each other: only as jumps do they fit on the stack.
// anchors optimized
// levels 2 3
// expect even calls=5000002
// expect odd calls=5000001
#include <stdio.h>
static volatile int work;
int even(unsigned n);
int odd(unsigned n);
__attribute__((noinline)) int even(unsigned n) {
    work++;
    if (n == 0) return 1;
    if (n & 0x10000000) { work += 3; return odd(n + 1); }
    return odd(n - 1);
}
__attribute__((noinline)) int odd(unsigned n) {
    work--;
    if (n == 0) return 0;
    return even(n - 1);
}
__attribute__((noinline)) void walk_b(unsigned n);
__attribute__((noinline)) void walk_a(unsigned n) { if (n) { work += 2; walk_b(n - 1); } }
__attribute__((noinline)) void walk_b(unsigned n) { work -= 2; if (n > 1) walk_a(n - 1); else work++; }
int main(void) {
    int both = even(10000000) + odd(1);
    walk_a(10000000);
    printf("%d %d\n", both, work);
}
