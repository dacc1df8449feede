// Structures by value, wide integers, many parameters, functions in tables.
// System: the same output.
#include <stdio.h>
struct big { long a[4]; };
struct mixed { double x; int y; float z; };
__attribute__((noinline)) long sum(struct big s, double d, __int128 q) { return s.a[0] + s.a[3] + (long)d + (long)(q >> 70); }
__attribute__((noinline)) struct big make(int i) { return (struct big){{i, 2, 3, 4}}; }
__attribute__((noinline)) struct mixed mix(struct mixed m, short s, signed char c, unsigned char u, _Bool b) {
  return (struct mixed){m.x + s, m.y * c - u, m.z + b};
}
__attribute__((noinline)) long many(long a, int b, short c, double d, char e, float f, long g, long h, int i, double j, long k, char l) {
  return a + b + c + (long)d + e + (long)f + g * h + i + (long)j + k * l;
}
static int twice(int x) { return 2 * x; }
static int minus(int x) { return -x; }
static int (*const table[])(int) = {twice, minus};
int main(int count, char **v) {
  (void)v;
  struct mixed m = mix((struct mixed){1.5, 7, 2.5f}, (short)(-3 * count), -5, 250, 1);
  unsigned __int128 q = ((unsigned __int128)1 << 100) / (unsigned)(count + 6) % 1000000007u;
  printf("%ld %g %d %g %ld %d %llu\n", sum(make(count), 2.5, (__int128)count << 72), m.x, m.y, m.z,
         many(1, -2, 3, 4.5, -5, 6.5f, 7, 8, 9, 10.5, -11, 12), table[count & 1](21) + table[0](count),
         (unsigned long long)q);
  return 0;
}
