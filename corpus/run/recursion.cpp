// Functions that call themselves: pure ones, some with objects, with ends by exceptions, in tail calls, through others.
//
//     recursion ROUNDS
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

static uint64_t moves, checks;

static unsigned long fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static void hanoi(int n, int from, int to) {
    if (n == 0) return;
    hanoi(n - 1, from, 6 - from - to);
    moves = moves * 31 + from * 4 + to;
    hanoi(n - 1, 6 - from - to, to);
}
static uint64_t last(uint64_t n, uint64_t sum) { return n == 0 ? sum : last(n - 1, sum * 3 + n); }

// Each activation has an array of its own, and its callee writes into it.
static int digits(int n, int *into) {
    int own[4] = {n, n + 1, n + 2, n + 3};
    if (n > 0) into[n & 3] += digits(n - 1, own) + digits(n / 2, own);
    return own[0] ^ own[3];
}

// What ends it passes through levels, and each has something to clean up.
struct Counted {
    Counted() { checks += 1; }
    ~Counted() { checks = checks * 7 + 1; }
};
static int falls(int n) {
    Counted one;
    if (n == 0) throw std::runtime_error("the end");
    try {
        return falls(n - 1) + 1;
    } catch (const std::logic_error &) {
        return -1;
    }
}

static bool is_odd(unsigned n);
static bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
static bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

// Its own address is what it compares.
static uint64_t by_pointer(uint64_t (*self)(void *, unsigned), unsigned n);
static uint64_t direct(void *self, unsigned n) {
    if (n == 0) return self == reinterpret_cast<void *>(&direct);
    return direct(self, n - 1) * 5 + by_pointer(&direct, n - 1);
}
static uint64_t by_pointer(uint64_t (*self)(void *, unsigned), unsigned n) { return self(reinterpret_cast<void *>(self), n / 2); }

int main(int argc, char **argv) {
    int rounds = argc > 1 ? std::atoi(argv[1]) : 8;
    for (int i = 0; i < rounds; i++) {
        std::printf("%lu %u %lu\n", fibonacci(22 + i % 3), ackermann(2, 40 + i), (unsigned long)last(3000 + i, i));
        hanoi(12 + i % 2, 1, 3);
        int into[4] = {0};
        int all = digits(17 + i % 4, into);
        for (int fall = 0; fall < 60; fall++) {
            try {
                falls(12 + i);
            } catch (const std::runtime_error &) {
                checks++;
            }
        }
        std::printf("%lu %d %d %lu %d %lu\n", (unsigned long)moves, all, into[1], (unsigned long)checks,
                    is_even(2000 + i) + 2 * is_odd(999 + i), (unsigned long)direct(reinterpret_cast<void *>(&direct), 14));
    }
    return 0;
}
