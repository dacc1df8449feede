// A failed assertion: abort comes from the C library.
// signal 6
// expect f calls=4
#include <assert.h>
static volatile int work;
static void f(int i) {
    assert(i != 3);
    work++; // 3 x 3
}
int main(void) {
    for (int i = 0; i < 10; i++)
        f(i); // 4 x 2 + 3 x 1
    work = 1; // 0 x 1
}
