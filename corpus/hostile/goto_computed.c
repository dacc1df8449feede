// Computed goto with 300 targets, dispatch at the end of each: one indirectbr with hundreds of ways.
// expect run calls=2
#include <stdio.h>
// How many targets, as hundreds: each(0) each(1) each(2).
#ifndef HUNDREDS
#define HUNDREDS(each) each(0) each(1) each(2)
#endif
#define TEN(one, tens) one(tens##0) one(tens##1) one(tens##2) one(tens##3) one(tens##4) \
    one(tens##5) one(tens##6) one(tens##7) one(tens##8) one(tens##9)
#define HUNDRED(one, h) TEN(one, h##0) TEN(one, h##1) TEN(one, h##2) TEN(one, h##3) TEN(one, h##4) \
    TEN(one, h##5) TEN(one, h##6) TEN(one, h##7) TEN(one, h##8) TEN(one, h##9)
#define ADDRESS(n) &&l##n,
#define ADDRESSES(h) HUNDRED(ADDRESS, h)
// A number that begins with 0 would be octal.
#define TARGET(n) l##n: work += 1 + (1##n - 1000) % 7; NEXT;
#define TARGETS(h) HUNDRED(TARGET, h)
#define NEXT seed = seed * 1103515245u + 12345u; if (steps-- == 0) return (int)(seed >> 8); \
    goto *targets[(seed >> 8) % (sizeof targets / sizeof *targets)]
static volatile int work;
static int run(unsigned seed, int steps) {
    static void *const targets[] = { HUNDREDS(ADDRESSES) };
    NEXT;
    HUNDREDS(TARGETS)
}
int main(void) {
    int a = run(1, 20000), b = run(2, 1);
    printf("%d %d %d\n", a, b, work);
}
