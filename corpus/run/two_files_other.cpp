#include "two_files.h"
int tab[8] = {1, 2, 3, 4, 5, 6, 7, 8};
int *addr2() { return &counter(); }
__attribute__((noinline)) unsigned o2(int n) {
  if (n < 0)
    throw -n;
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 8; k++)
      s = s * 7 + tab[k];
    s += inl(i);
    counter() += s & 1;
    if (i == n - 3)
      tab[2] = s;
  }
  return s + Tm<int>::f(1000);
}
__attribute__((noinline)) void nx(int i) {
  if ((i & 0xffff) == 0xffff)
    throw i;
  for (int k = 0; k < 3; k++)
    counter() ^= k;
}
__attribute__((noinline)) void nn(int n) noexcept {
  for (int i = 0; i < 30000000; i++) {
    for (int k = 0; k < 3; k++)
      counter() ^= k;
    if (i == 29999999)
      nx(0xffff);
  }
}
