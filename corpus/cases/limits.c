#include <stdio.h>
#include <stdlib.h>
static int cells[1 << 14];
__attribute__((noinline)) static int step(int a, int b) {
  a += b * 7;
  return a ^ (a >> 5);
}
__attribute__((noinline)) static int fold(const int *p, int n) {
  int a = 1;
  for (int i = 0; i < n; i++) a = step(a, p[i]);
  return a;
}
__attribute__((noinline)) static int peaks(const int *p, int n) {
  int found = 0;
  for (int i = 1; i + 1 < n; i++)
    if (p[i] > p[i - 1] && p[i] > p[i + 1]) found++;
  return found;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 9000;
  for (int i = 0; i < n; i++) cells[i] = (i * 37) % 101;
  printf("%d %d\n", fold(cells, n), peaks(cells, n));
  return 0;
}
