// abort below a loop.
// signal 6
// expect f calls=4
#include <stdlib.h>
static volatile int work;
static void f(int i) {
    work++; // 4 x 3
    if (i == 3)
        abort(); // 1 x 1
    work++; // 3 x 3
}
int main(void) {
    for (int i = 0; i < 10; i++)
        f(i); // 4 x 2 + 3 x 1
    work = 1; // 0 x 1
}
