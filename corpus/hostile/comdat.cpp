// Inline functions, templates and weak symbols in two files: one copy runs, and counts once.
// with parts/comdat_b.cpp
// expect shared(int) calls=12
// expect weak_one() calls=5
// expect int twice<int>(int) calls=12
// expect own() calls=17
#include <cstdio>
int from_b(int n);
volatile int work;
__attribute__((noinline)) inline int shared(int n) { static int calls; return ++calls + n; }
template <class T> __attribute__((noinline)) T twice(T n) { return n + n; }
extern "C++" __attribute__((weak)) void weak_one();
__attribute__((weak, noinline)) void weak_one() { work = 0; }
static __attribute__((noinline)) void own() { work++; }
int main() {
    int sum = 0;
    for (int i = 0; i < 5; i++) { sum += shared(i) + twice(i); weak_one(); own(); own(); }
    sum += from_b(7);
    std::printf("%d %d\n", sum, work);
}
