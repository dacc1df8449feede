// SIGSEGV in the middle of a block.
// signal 11
// quality lower bound: signal 11
// expect f calls=1
static volatile int work;
static void f(volatile int *place) {
    work++;
    *place = 1;
    work++;
}
int main(void) {
    for (int i = 0; i < 5; i++) work++;
    f((volatile int *)16);
}
