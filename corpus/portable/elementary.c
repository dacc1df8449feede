// Sines, powers and logarithms, whose last digits differ from library to library.
#include <math.h>
#include <stdio.h>
#include <string.h>
volatile double from = 0.1;
static unsigned long long mix(unsigned long long hash, double x) {
  unsigned long long bits;
  memcpy(&bits, &x, 8);
  return (hash ^ bits) * 0x9e3779b97f4a7c15u;
}
int main(void) {
  unsigned long long hash = 0;
  for (int i = 1; i < 400; i++) {
    double x = from * i * i;
    hash = mix(hash, sin(x) + cos(x * 1e5) * tan(x));
    hash = mix(hash, exp(-x / 50) * log(x) + log2(x) - log10(x) + log1p(x) + expm1(from / i));
    hash = mix(hash, pow(x, 0.37) + cbrt(x) + hypot(x, i) + atan2(x, -i) + asin(1.0 / i) + acos(1.0 / i) + atan(x));
    hash = mix(hash, sinh(from) + cosh(1.0 / i) + tanh(x) + erf(x / 100) + tgamma(1 + 1.0 / i) + lgamma(x));
    hash = mix(hash, fma(x, x, -x * x) + remainder(x, 0.3) + exp2(x / 1000) + fdim(x, i));
    hash = mix(hash, sinf((float)x) + powf((float)x, 0.5f) + expf(-(float)i) + logf((float)x));
  }
  printf("%016llx %.17g %.17g\n", hash, sin(1.0), pow(2.0, 0.5));
  return 0;
}
