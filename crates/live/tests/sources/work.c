#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef V
#define V 1
#endif
extern int shared_variable, helper(int), apply(int (*)(int), int);
extern __attribute__((weak)) int nobody_defines_this(int);
extern __attribute__((weak)) int nor_this;
#ifndef NO_THREADS
extern _Thread_local int counted;
extern _Thread_local long other;
#endif
static const char *const names[] = {"zero", "one", "two", "three", "four", "five"};
static int twice(int x) { return 2 * x + V; }
static int square(int x) { return x * x + V; }
static int (*const table[])(int) = {twice, square, helper, twice};
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static __attribute__((noinline)) int choose(int x) {
    switch (x) {
    case 0: return puts("nought");
    case 1: return 17 * V;
    case 2: return helper(x);
    case 3: return apply(helper, x);
    case 4: return apply(square, x);
    case 9: return apply(abs, x);
    case 5: return (int)strlen(names[x]);
    case 6: return printf("%s\n", names[x - 2]);
    case 7: return nobody_defines_this ? nobody_defines_this(x) : -V;
    case 8: return &nor_this ? nor_this : V;
    default: return x;
    }
}
static __attribute__((noinline)) double floats(int x) {
    float a[32]; double s = 0;
    for (int i = 0; i < 32; i++) a[i] = (float)i * 1.5f + (float)x;
    for (int i = 0; i < 32; i++) s += sqrt(a[i]) * 0.25 + sin(s) + V;
    return s;
}
static __attribute__((noinline)) int wide(int x) {
    long double l = x; __float128 q = x;
    for (int i = 0; i < 3; i++) { l = l * 1.25L + 0.5L; q = q * 1.0625Q + (__float128)0.5Q / (q + 3); }
    return (int)(l * 100) + (int)(q * 1000) + V;
}
static __attribute__((noinline)) int sorted(int x) {
    int a[9], s = 0; char text[40], copy[40];
    for (int i = 0; i < 9; i++) a[i] = (i * 7 + x) % 9;
    qsort(a, 9, sizeof *a, compare);
    for (int i = 0; i < 9; i++) s = s * 3 + a[i];
    snprintf(text, sizeof text, "%d-%s", x, names[x % 6]);
    memcpy(copy, text, (size_t)x + 4); copy[x + 3] = 0;
    errno = 0; strtol("99999999999999999999999999", 0, 10);
    return s + (int)strlen(copy) + (errno == ERANGE) + (memchr(text, 45, 20) != 0);
}
int work(int x) {
    int s = choose(x) + (int)floats(x) + wide(x) + table[x % 4](x);
    shared_variable += V;
#ifndef NO_THREADS
    counted += x; other -= V; s += counted;
#endif
    char *line = malloc(64); snprintf(line, 64, "x=%d v=%d", x, V); fputs(line, stdout); fputc('\n', stdout); free(line);
    return s + sorted(x);
}
