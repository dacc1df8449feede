// exit is called by the C library: error(3) prints and ends the program.
// status 4
// expect f calls=3
#include <error.h>
static volatile int work;
static void f(int i) {
    work++; // 3 x 3
    if (i == 2) error(4, 0, "the end");
    work++; // 2 x 3
}
int main(void) {
    for (int i = 0; i < 10; i++)
        f(i); // 3 x 2 + 2 x 1
}
