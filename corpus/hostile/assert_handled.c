// A failed assertion whose SIGABRT the program's own handler leaves by exit.
// status 9
// expect f calls=4
// expect handler calls=1
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
static volatile int work;
static void handler(int number) {
    work += number; // 1 x 4
    exit(9);
}
static void f(int i) {
    assert(i != 3);
    work++; // 3 x 3
}
int main(void) {
    signal(SIGABRT, handler);
    for (int i = 0; i < 10; i++)
        f(i); // 4 x 2 + 3 x 1
}
