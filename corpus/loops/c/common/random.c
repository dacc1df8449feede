/* x := a x mod 2^46, in pieces of 23 bits so that nothing overflows in 64.
   The state is an integer; what comes out lies in (0, 1). */
#include "common.h"

#define HALF 8388608LL
#define WHOLE 70368744177664LL

double uniform(long long *x, long long a) {
  long long a1 = a / HALF, a0 = a - a1 * HALF;
  long long x1 = *x / HALF, x0 = *x - x1 * HALF;
  long long middle = (a1 * x0 + a0 * x1) % HALF;
  *x = (middle * HALF + a0 * x0) % WHOLE;
  return (double)*x / (double)WHOLE;
}

void uniforms(int n, long long *x, long long a, double y[]) {
  int i;
  for (i = 0; i < n; i++) {
    y[i] = uniform(x, a);
  }
}

/* a^n mod 2^46 by squaring: the loop halves n. */
long long power(long long a, int n) {
  long long result = 1, base = a, same;
  while (n > 0) {
    if (n % 2 == 1) {
      uniform(&result, base);
    }
    same = base;
    uniform(&base, same);
    n = n / 2;
  }
  return result;
}
