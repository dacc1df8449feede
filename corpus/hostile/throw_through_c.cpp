// An exception passes C frames, which have no personality, and the C library's qsort.
// returns open
// with parts/through_c.c
// expect through_c calls=24
// expect compare calls=3
// expect thrower(int) calls=6
#include <cstdio>
#include <cstdlib>
extern "C" int through_c(int depth, void (*call)(int), int value);
static volatile int work;
static void thrower(int value) {
    work++; // 6 x 3
    if (value & 1) throw value;
    work++; // 3 x 3
}
static int seen;
extern "C" int compare(const void *a, const void *b) {
    if (++seen == 3) throw 'c';
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}
int main() {
    for (int i = 0; i < 6; i++) try {
        work += through_c(3, thrower, i); // 6 x 2 + 3 x 3
    } catch (int caught) {
        work += caught; // 3 x 4
    }
    int numbers[] = {5, 3, 8, 1, 9};
    try {
        std::qsort(numbers, 5, sizeof *numbers, compare);
        work = 0; // 0 x 1
    } catch (char) {
        work++; // 1 x 3
    }
    std::printf("%d\n", work);
}
