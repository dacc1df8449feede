#include <cstdio>
#include <cstdlib>
#include <new>
#include "elided.h"
static int budget = 5;
void *operator new(std::size_t size) {
    if (budget-- == 0) throw std::bad_alloc();
    return std::malloc(size);
}
void operator delete(void *place) noexcept { std::free(place); }
void operator delete(void *place, std::size_t) noexcept { std::free(place); }
__attribute__((noinline)) int maybe_by_pointer(int (*function)(int), int n) { return function(n); }
int use(int n);
static volatile int work;
int main() {
    int sum = 0;
    for (int i = 0; i < 10; i++) try {
        sum += use(i);
        work++;
    } catch (const std::bad_alloc &) {
        work += 100;
    }
    std::printf("%d %d\n", sum, work);
    return maybe_by_pointer(maybe, 0) - 1;
}
