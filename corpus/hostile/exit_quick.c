// quick_exit with two handlers; atexit's handler does not run.
// status 6
// expect quick calls=2
// expect slow calls=0
#include <stdlib.h>
static volatile int work;
static void quick(void) { work++; } // 2 x 4
static void slow(void) { work = 9; }
static void leave(int n) {
    for (int i = 0; i < n; i++)
        work++; // 10 x 4
    quick_exit(6);
}
int main(void) {
    atexit(slow);
    at_quick_exit(quick);
    at_quick_exit(quick);
    leave(10); // 1 x 1
    work = 1; // 0 x 1
}
