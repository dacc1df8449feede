// SIGKILL out of nested calls: a lower bound that says how much is missing at most.
// signal 9
// quality lower bound: signal 9
// expect f calls=6
#include <signal.h>
#include <unistd.h>
static volatile int work;
static void f(int n) {
    work++;
    if (n == 0) kill(getpid(), SIGKILL);
    f(n - 1);
    work++;
}
int main(void) {
    f(5);
}
