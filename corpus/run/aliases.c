#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NI __attribute__((noinline))
static int T[16];
static struct S {
  int a, b, c, d;
  int x[4];
} G;
static double D[8];
static char C8[16];
NI void *al(void *p) {
  __asm__ volatile("" : "+r"(p)::"memory");
  return p;
}
NI int help(int x) { return x * 7 + (x >> 5); }
#define WORK(s)                                                                                              \
  for (int j = 0; j < m; j++)                                                                                \
    for (int k = 0; k < 16; k++)                                                                             \
      s = s * 31 + T[k] * (j ^ k);
// 1 pointer walks backward into table
NI unsigned f1(int n, int m, int *p) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    WORK(s) s += help(i);
    *p-- = s;
  }
  return s;
}
// 2 memcpy of struct over table at end
NI unsigned f2(int n, int m, char *p, const char *q, int w) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    WORK(s) if (i % w == w - 1) memcpy(p + (i / w) % 3, q + (i & 7), 5);
  }
  return s;
}
// 3 memset inner reverse loop
NI unsigned f3(int n, int m, unsigned char *p, int lo, int hi) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    WORK(s) for (int k = hi; k >= lo; k--) p[k] = s >> (k & 31);
  }
  return s;
}
// 4 u32 wraparound index
NI unsigned f4(int n, int m, int *p, uint32_t st) {
  unsigned s = 0;
  uint32_t ix = st;
  for (int i = 0; i < n; i++) {
    WORK(s) p[ix] = s;
    ix += 0x10000001u;
    ix &= 0xff;
  }
  return s;
}
NI unsigned f4b(int n, int m, int *p, uint32_t st, int w) {
  unsigned s = 0;
  uint32_t ix = st;
  for (int i = 0; i < n; i++) {
    WORK(s) p[(uint32_t)(ix + i * (uint32_t)w) % 64u] = s;
  }
  return s;
}
// 5 struct copy
NI unsigned f5(int n, int m, struct S *p, struct S *q) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      s = s * 31 + G.a * j + G.b * (j ^ 3) + G.c + G.x[j & 3];
    q->b = s;
    *p = *q;
    s += help(i);
  }
  return s;
}
// 6 volatile
NI unsigned f6(int n, int m, volatile int *p) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    WORK(s) p[i & 15] = s;
  }
  return s;
}
// 7 unsigned char idx
NI unsigned f7(int n, int m, unsigned char *p, unsigned char c, unsigned char d) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    WORK(s) p[c] = s;
    c += d;
  }
  return s;
}
// 8 doubles & char
NI double f8(int n, int m, double *p, int st) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      for (int k = 0; k < 8; k++)
        s = s * 0.5 + D[k] * (j - k);
    p[(n - i) * st] = s;
  }
  return s;
}
// 9 inner affine with outer row
NI unsigned f9(int n, int m, int *p, int rows, int ld) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    WORK(s) for (int r = 0; r < rows; r++) for (int c = 0; c < 4; c++) p[r * ld + c] = s + r + c;
  }
  return s;
}
// 10 stack array
NI unsigned f10(int n, int m, int sel, int *out) {
  int L[16];
  for (int i = 0; i < 16; i++)
    L[i] = i * sel + 1;
  int *p = al(sel & 1 ? (void *)(L + 8) : (void *)out);
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      for (int k = 0; k < 16; k++)
        s = s * 31 + L[k] * (j ^ k);
    p[-(i & 7)] = s;
  }
  return s;
}
// 11 qsort callback writes
static int cmp(const void *a, const void *b) {
  T[3]++;
  return *(int *)a - *(int *)b;
}
NI unsigned f11(int n, int m) {
  unsigned s = 0;
  int v[8];
  for (int i = 0; i < n; i++) {
    WORK(s) for (int k = 0; k < 8; k++) v[k] = (s >> k) & 255;
    if (i % 50 == 0)
      qsort(v, 8, 4, cmp);
    s += v[0];
  }
  return s;
}
// 12 function pointer
static void wr(int x) { T[x & 15] ^= x; }
static void nw(int x) { (void)x; }
NI unsigned f12(int n, int m, void (*fp)(int), void (*fq)(int)) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    WORK(s) if (i == n - 5) fq(i);
    else fp(i);
  }
  return s;
}
static void rst() {
  for (int i = 0; i < 16; i++)
    T[i] = i * 3 + 1;
  for (int i = 0; i < 8; i++)
    D[i] = i * .3 + 1;
  G = (struct S){1, 2, 3, 4, {5, 6, 7, 8}};
}
int main() {
  int m = 400, n = 3000;
#define R(...)                                                                                               \
  rst();                                                                                                     \
  fprintf(stderr, #__VA_ARGS__ "\n");                                                                        \
  printf(#__VA_ARGS__ " %u\n", (unsigned)__VA_ARGS__);
  static int out[70000];
  static unsigned char oc[4096];
  static double od[200000];
  for (int rep = 0; rep < 2; rep++) {
    R(f1(n, m, out + 60000))
    R(f1(10, m, (int *)al(T) + 9)) R(f1(100, m, out + 60000)) R(f2(n, m, (char *)oc, (char *)oc + 1000, 10))
        R(f2(n, m, al((char *)T + 20), (char *)oc, 10)) R(f2(n, m, al((char *)T + 20), (char *)oc, n - 3))
            R(f3(n, m, oc, 3, 40)) R(f3(n, m, al(T), 3, 40)) R(f3(n, m, al(T), 60, 63))
                R(f3(n, m, (unsigned char *)al(T) + 100, -45, -40)) R(f4(n, m, out, 3))
                    R(f4b(n, m, out, 0xfffffff0u, 3)) R(f4b(n, m, (int *)al(T) - 40, 0xfffffff0u, 0))
                        R(f4b(n, m, out, 0, 0x40000000)) R(f5(n, m, &(struct S){0}, &(struct S){9, 8, 7}))
                            R(f5(n, m, al(&G), &(struct S){9, 8, 7})) R(f5(n, m, &(struct S){9}, al(&G)))
                                R(f6(n, m, out)) R(f6(n, m, al(T))) R(f7(n, m, oc, 3, 255))
                                    R(f7(n, m, al(T), 3, 0)) R(f7(4, m, al((char *)T - 250), 251, 1))
                                        R(f7(n, m, (unsigned char *)al((char *)T) - 240, 251, 0))
                                            R(f7(n, m, oc + 300, 0, 13)) rst();
    printf("%a\n", f8(n, m, od, 1));
    rst();
    printf("%a\n", f8(n, m, od + 50000, -1));
    rst();
    printf("%a\n", f8(n, m, al(D), 0));
    R(f9(n, m, out, 10, 100))
    R(f9(n, m, (int *)al(T) + 4, 2, -3)) R(f9(n, m, (int *)al(T) + 0, 3, 5)) R(f10(n, m, 2, out + 100))
        R(f10(n, m, 1, out + 100)) R(f11(n, m)) R(f12(n, m, nw, wr)) R(f12(n, m, wr, nw))
  }
}
