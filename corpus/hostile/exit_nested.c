// exit four frames deep, out of a loop, with a destructor and two atexit handlers behind it.
// status 3
// expect deep calls=15
// expect first calls=1
// expect second calls=1
// expect last calls=1
// expect step calls=15
#include <stdio.h>
#include <stdlib.h>
static volatile int work;
static void first(void) { work++; } // 1 x 4
static void second(void) { work++; } // 1 x 4
__attribute__((destructor)) static void last(void) { printf("%d\n", work); }
static void step(int i) {
    work++; // 15 x 3
    if (i == 11)
        exit(3); // 1 x 1
    work++; // 14 x 3
}
static void deep(int depth, int i) {
    if (depth)
        deep(depth - 1, i); // 12 x 4 + 8 x 1
    else
        step(i); // 3 x 2
    work++; // 10 x 3
}
int main(void) {
    atexit(first);
    atexit(second);
    for (int i = 0; i < 12; i++)
        step(i < 10 ? i : 0); // 12 x 3 + 10 x 2 + 2 x 1 + 12 x 2
    for (int i = 9; i < 12; i++)
        deep(4, i); // 3 x 2 + 2 x 1
    work = 100; // 0 x 1
    return 0;
}
