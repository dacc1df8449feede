// The program's own handler of SIGABRT counts, and returns: abort kills all the same.
// signal 6
// expect handler calls=1
// expect f calls=4
#include <signal.h>
#include <stdlib.h>
static volatile int work;
static void handler(int number) { work += number; } // 1 x 5
static void f(int i) {
    if (i == 3)
        abort(); // 1 x 1
    work++; // 3 x 3
}
int main(void) {
    signal(SIGABRT, handler);
    for (int i = 0; i < 10; i++)
        f(i); // 4 x 2 + 3 x 1
}
