// _exit three frames deep: no handler, no destructor runs.
// status 5
// expect f calls=8
// expect never calls=0
#include <stdlib.h>
#include <unistd.h>
static volatile int work;
__attribute__((destructor)) static void never(void) { work = 9; }
static void f(int n) {
    if (n == 0)
        _exit(5); // 1 x 1
    work++; // 7 x 3
    f(n - 1);
    work++; // 0 x 3
}
int main(void) {
    atexit(never);
    f(7); // 1 x 1
    work = 1; // 0 x 1
    return 0;
}
