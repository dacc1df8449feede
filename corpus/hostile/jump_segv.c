// siglongjmp out of a handler of SIGSEGV: the frame was left between two instructions.
// quality lower bound: in the middle of an instruction stream
// expect handler calls=1
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf target;
static volatile int work;
static void handler(int number) {
    work += number;
    siglongjmp(target, 1);
}
static void fault(volatile int *place) {
    work++;
    *place = 1;
    work++;
}
int main(void) {
    signal(SIGSEGV, handler);
    if (!sigsetjmp(target, 1)) fault((volatile int *)16);
    printf("%d\n", work);
}
