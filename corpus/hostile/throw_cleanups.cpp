// An exception through three frames with cleanups, caught, thrown again, caught outside.
// expect thrower(int) calls=20
// expect Guard::~Guard() calls=60
// expect outer(int) calls=20
#include <cstdio>
static volatile int work;
struct Guard {
    ~Guard() { work++; } // 60 x 4
};
static void thrower(int i) {
    work++; // 20 x 3
    if (i % 4 == 0) throw i;
    work++; // 15 x 3
}
static void third(int i) { Guard guard; thrower(i); work++; }
static void second(int i) {
    Guard guard;
    third(i);
    work += 5; // 15 x 3
}
static void first(int i) {
    Guard guard;
    try {
        second(i);
        work += 6; // 15 x 3
    } catch (int caught) {
        work += caught; // 5 x 4
        throw;
    }
    work += 7; // 15 x 3
}
static void outer(int i) {
    try {
        first(i);
        work += 8; // 15 x 3
    } catch (...) {
        work -= 1; // 5 x 3
    }
}
int main() {
    for (int i = 0; i < 20; i++) outer(i);
    std::printf("%d\n", work);
}
