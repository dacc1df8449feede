// The jump is made by code that nobody counts: what it left cannot be told.
// object parts/jump_foreign_object.c
// segments exact
// quality lower bound: could not be determined
// expect f calls=1
#include <setjmp.h>
#include <stdio.h>
void foreign_jump(jmp_buf to);
static jmp_buf target;
static volatile int work;
__attribute__((noinline)) static void f(void) {
    work++;
    foreign_jump(target);
    work++;
}
int main(void) {
    if (!setjmp(target)) f();
    printf("%d\n", work);
}
