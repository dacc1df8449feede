// __builtin_trap in the middle of a loop is a signal without notice.
// signal 4
// quality lower bound: signal 4
// expect f calls=4
#include <signal.h>
static volatile int work;
static void f(int i) {
    work++;
    if (i == 3) __builtin_trap();
}
int main(void) {
    for (int i = 0; i < 10; i++) f(i);
}
