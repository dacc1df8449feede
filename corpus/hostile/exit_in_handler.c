// A handler of atexit ends the program once more, by _exit.
// status 8
// expect g calls=3
// expect handler calls=1
#include <stdlib.h>
#include <unistd.h>
static volatile int work;
static void handler(void) {
    work++; // 1 x 3
    _exit(8); // 1 x 1
}
static void g(int n) {
    if (n == 0)
        exit(1); // 1 x 1
    g(n - 1);
    work = 1; // 0 x 1
}
int main(void) {
    atexit(handler);
    g(2); // 1 x 1
    work = 2; // 0 x 1
}
