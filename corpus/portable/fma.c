// A product and a sum in one rounding or in two: the loop ends when they meet.
// System: the same output.
#include <stdio.h>
__attribute__((noinline)) int steps(double x, double y) {
  int n = 0;
  while (n < 20000) {
    double z = x * y - 1.0;
    if (z == 0) break;
    x = x + z * 0.37;
    y = 1.0 / x;
    n++;
  }
  return n;
}
int main(void) {
  long total = 0;
  for (int i = 3; i < 200; i++) total += steps(i / 7.0, 7.0 / i);
  printf("%ld\n", total);
  return 0;
}
