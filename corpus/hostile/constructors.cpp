// Constructors before main, destructors behind it, with priorities, atexit from a constructor.
// expect early() calls=1
// expect Global::Global(int) calls=3
// expect Global::~Global() calls=3
// expect handler() calls=1
// expect function() calls=2
#include <cstdio>
#include <cstdlib>
static volatile int work;
static void handler() { work += 3; }
__attribute__((constructor(101))) static void early() { work++; std::atexit(handler); }
struct Global {
    explicit Global(int n) { work += n; } // 3 x 5
    ~Global() { work--; std::printf("%d\n", work); }
};
static Global one(1), two(2);
static void function() { static Global local(5); work++; }
int main() { function(); function(); }
