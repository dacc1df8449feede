// Rejected: sum:8: takes variable arguments
// Registers, stack, slots: each machine passes them in its own way.
#include <stdarg.h>
#include <stdio.h>

int sum(int n, ...);

__attribute__((noinline)) int sum(int n, ...) {
  va_list rest;
  va_start(rest, n);
  int all = 0;
  for (int i = 0; i < n; i++) all += va_arg(rest, int);
  va_end(rest);
  return all;
}

int main(void) { printf("%d\n", sum(3, 1, 2, 3)); }
