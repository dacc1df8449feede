// A program whose function `work` can be replaced by writing the word `current`.
#include <cstdio>
#include <exception>
#include <stdexcept>

extern "C" {
int work(int);
int (*volatile current)(int) = work;
int shared_variable = 7;
long calls;
#ifndef NO_THREADS
__thread int counted = 5;
__thread long other __attribute__((aligned(64))) = 11;
#endif
int helper(int x) { calls++; return x * 2 + shared_variable; }
int apply(int (*f)(int), int x) { return f(x) + (f == helper); }
}

struct Mistake : std::runtime_error { using std::runtime_error::runtime_error; };
extern "C" void make_mistake(int x) { if (x % 3 == 0) throw Mistake("of three"); }

int main() {
    for (int x = 0; x < 12; x++) {
        try { printf("%d: %d\n", x, current(x)); }
        catch (const std::exception &e) { printf("%d: exception %s\n", x, e.what()); }
        catch (int e) { printf("%d: int %d\n", x, e); }
    }
#ifndef NO_THREADS
    printf("%d %ld\n", counted, other);
#endif
    printf("%d %ld\n", shared_variable, calls);
}
