// Exceptions out of a constructor half-way, out of a member's, and out of a destructor.
// expect Part::~Part() calls=3
// expect Whole::~Whole() calls=1
// expect Loud::~Loud() calls=2
#include <cstdio>
static volatile int work;
struct Part {
    explicit Part(int n) { if (n == 3) throw n; work++; }
    ~Part() { work--; }
};
struct Whole {
    Part a, b;
    explicit Whole(int n) : a(n), b(n + 1) { if (n == 7) throw 'w'; work += 10; }
    ~Whole() { work++; }
};
struct Loud {
    bool throws;
    ~Loud() noexcept(false) { if (throws) throw 1.5; }
};
int main() {
    try { Whole whole(2); } catch (int) { work += 100; }
    try { Whole whole(3); } catch (int) { work += 200; }
    try { Loud loud{true}; Loud quiet{false}; work++; } catch (double) { work += 300; }
    { Whole whole(10); }
    std::printf("%d\n", work);
}
