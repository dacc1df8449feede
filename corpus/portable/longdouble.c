// A long double has 64, 80 or 128 bits elsewhere; here it is a double.
#include <stdio.h>
int main(void) {
  long double x = 1;
  int n = 0;
  while (x + 1 != x) x *= 2, n++;
  printf("%d %.3Lf %zu\n", n, x / 3, sizeof x);
  return 0;
}
