// __builtin_unreachable on ways that are not taken, a noreturn function of our own.
// status 2
// expect choose calls=10
// expect leave calls=1
#include <stdlib.h>
static volatile int work;
_Noreturn static void leave(int status) {
    work = status; // 1 x 2
    exit(status); // 1 x 2
}
static int choose(int n) {
    switch (n % 3) {
    case 0: return work + 1; // 4 x 4
    case 1: work++; break; // 3 x 4
    case 2: work--; break; // 3 x 4
    default: __builtin_unreachable(); // 0 x 1
    }
    return 2; // 6 x 2
}
int main(void) {
    for (int i = 0; i < 10; i++) choose(i);
    if (work == 99) return 1;
    leave(2); // 1 x 1
}
