#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int tab[16];
static unsigned char *alias(void *p) {
  __asm__ volatile("" : "+r"(p));
  return p;
}
__attribute__((noinline)) int helper(int x) { return (x * 1103515245 + 12345) >> 3; }
__attribute__((noinline)) unsigned f(int n, int m, unsigned char *p, int every) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      for (int k = 0; k < 16; k++)
        s = s * 31 + tab[k] * (j + k);
    s += helper(i);
    if (i % every == every - 1)
      p[(i * 7) & 63] ^= i;
  }
  return s;
}
__attribute__((noinline)) unsigned g(int n, int m, int *p, long stride) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      for (int k = 0; k < 16; k++)
        s = s * 31 + tab[k] * (j + k);
    p[i * stride] = s;
  }
  return s;
}
__attribute__((noinline)) unsigned h(int n, int m, unsigned char start, unsigned char *p) {
  unsigned s = 0;
  unsigned char c = start;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      for (int k = 0; k < 16; k++)
        s = s * 31 + tab[k] * (j + k);
    p[c++] = s;
  }
  return s;
}
int main() {
  for (int i = 0; i < 16; i++)
    tab[i] = i * 3 + 1;
  printf("%u\n", f(20000, 1000 / 2, alias(tab), 997));
  int *big = malloc(400000 * 4 * 2);
  printf("%u\n", g(20000, 500, big, 2));
  // negative stride walks into tab
  char *b = (char *)alias(tab);
  static int arr[40000];
  printf("%u\n", g(20000, 500, arr + 39999, -1));
  printf("%u\n", g(10, 500, (int *)b + 9, -1));
  printf("%u\n", g(1000, 500, (int *)b + 4, 0));
  printf("%u\n", h(2000, 500, 250, alias(tab) - 0));
  static unsigned char other[256];
  printf("%u\n", h(20000, 500, 250, other));
  for (int i = 0; i < 16; i++)
    printf("%d ", tab[i]);
  puts("");
}
