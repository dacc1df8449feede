#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int T[16] = {1, 2, 3, 4, 5, 6, 7, 8};
static int st(int x) { return x * 3; }
__attribute__((noinline)) static unsigned loop(int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 16; k++)
      s = s * 3 + T[k] * i;
    s += st(i);
  }
  return s;
}
unsigned other(int n);
unsigned ali(int n);
extern int weakv __attribute__((weak));
int weakf(int) __attribute__((weak));
int weakd(int x) { return x + 2; }
static char heap[1 << 22];
static size_t hp;
void *malloc(size_t n) {
  n = (n + 15) & ~15UL;
  static volatile int lk;
  while (__sync_lock_test_and_set(&lk, 1))
    ;
  void *p = heap + hp;
  hp += n;
  if (hp > sizeof heap) {
    hp = 0;
    p = heap;
  }
  __sync_lock_release(&lk);
  return p;
}
void free(void *p) {}
void *calloc(size_t a, size_t b) {
  void *p = malloc(a * b);
  for (size_t i = 0; i < a * b; i++)
    ((volatile char *)p)[i] = 0;
  return p;
}
void *realloc(void *p, size_t n) {
  void *q = malloc(n);
  if (p)
    for (size_t i = 0; i < n && (char *)p + i < heap + sizeof heap; i++)
      ((volatile char *)q)[i] = ((char *)p)[i];
  return q;
}
size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n]) {
    __asm__ volatile("");
    n++;
  }
  return n;
}
void *memcpy(void *restrict d, const void *restrict s, size_t n) {
  char *a = d;
  const char *b = s;
  while (n--) {
    __asm__ volatile("");
    *a++ = *b++;
  }
  return d;
}
static unsigned imp1(int n) { return loop(n) + 1; }
static void *res(void) { return imp1; }
unsigned ifn(int n) __attribute__((ifunc("res")));
__attribute__((constructor(101))) static void c1(void) { T[9] = loop(3000000); }
__attribute__((constructor(200))) static void c2(void) { T[10] = T[9] * 3 + loop(3000000); }
__attribute__((destructor)) static void d(void) { printf("dtor %u\n", loop(3000000)); }
static void ae(void) { printf("atexit %u\n", loop(3000000)); }
__asm__(".text\n.globl asmf\n.type asmf,@function\nasmf: lea 5(%rdi,%rdi,2),%eax\nret\n.section "
        ".rodata\n.globl asmd\nasmd: .long 42\n.text");
int asmf(int);
extern const int asmd;
static _Thread_local int tl = 5;
__attribute__((section("mysec"), used)) static int ms[] = {1, 2, 3};
extern int __start_mysec[], __stop_mysec[];
__attribute__((noinline)) unsigned mix(int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    s = s * 3 + asmf(i) + asmd + tl++;
    for (int k = 0; k < 4; k++)
      s ^= T[k] << k;
    char b[32];
    memcpy(b, "hello world", 12);
    s += strlen(b + (i & 7));
  }
  return s;
}
__attribute__((noinline, naked)) int nk(int x) { __asm__("lea 1(%rdi),%eax\nret"); }
__attribute__((noinline)) unsigned tail(unsigned n, unsigned s) {
  if (!n)
    return s;
  __attribute__((musttail)) return tail(n - 1, s * 3 + nk(n));
}
__attribute__((preserve_most, noinline)) void pm(int *x) { *x = *x * 3 + 1; }
__attribute__((noinline, regcall)) int rc(int a, int b, double c) { return a * b + c; }
__attribute__((ms_abi, noinline)) int msa(int a, int b, double c, int d, int e, int f) {
  int s = 0;
  for (int i = 0; i < 3; i++)
    s += a * b + c * d + e - f + st(i);
  return s;
}
__attribute__((noinline)) unsigned abis(int n) {
  unsigned s = 0;
  int x = 1;
  for (int i = 0; i < n; i++) {
    pm(&x);
    s = s * 3 + rc(x, i, 2.5) + msa(i & 7, x & 15, 1.5, i & 3, 3, 4);
  }
  return s;
}
int main(int c, char **v) {
  atexit(ae);
  printf("%u %u %u\n", loop(10000000), other(10000000), ali(10000000));
  printf("%d %d\n", &weakv != 0, weakf ? weakf(3) : -1);
  printf("%u\n", ifn(10000000));
  printf("%u\n", mix(6000000));
  printf("%u\n", tail(100000000, 1));
  printf("%u\n", abis(10000000));
  printf("%d\n", (int)(__stop_mysec - __start_mysec));
  char *p = strdup("abc");
  puts(p);
  printf("%s\n", strrchr(v[0], '/') ? "path" : "nopath");
  unsigned (*fp)(int) = loop, (*fq)(int) = loop;
  printf("%d\n", fp == fq);
  return loop(5) & 127;
}
