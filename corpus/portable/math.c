// Operations that are exact, so that every library has one answer.
// System: the same output.
#include <math.h>
#include <stdio.h>
volatile double values[] = {0.0, -0.0, 1.5, -2.5, 1e300, 5e-324, 3.0, -7.25, 1e18, 0.1};
int main(void) {
  for (int i = 0; i < 10; i++) {
    double x = values[i], y = values[(i + 3) % 10];
    int power;
    double whole, part = frexp(x, &power), rest = modf(x, &whole);
    printf("%g %g %g %g %g %g|", floor(x), ceil(x), trunc(x), round(x), rint(x), sqrt(fabs(x)));
    printf("%g %g %g %g %d %g %g|", fmod(x, y ? y : 0.7), fmin(x, y), fmax(x, -y), part, power, whole, rest);
    printf("%ld %ld %g %g %d\n", lround(x < 1e18 ? x : 1), lrint(x < 1e18 ? x : 1), ldexp(x, 1040 - 100 * i), ldexp(x, -1070 + i), signbit(fmin(0.0, -0.0)) != 0);
  }
  return 0;
}
