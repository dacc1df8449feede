// Input: 1.5 -2 0.25 3
// System: the same output.
// Products and quotients of complex numbers are calls of the compiler's library, whose code
// machines have each their own; so are hexadecimal digits of a printed number.
#include <complex>
#include <cstdio>

using Number = std::complex<double>;

int main() {
  double part[4];
  for (double &one : part)
    if (std::scanf("%lf", &one) != 1) return 1;
  Number one(part[0], part[1]), two(part[2], part[3]);
  for (int round = 0; round < 40; round++) {
    one = one * two;
    if (std::abs(one) > 100) one *= 0.0078125;
    std::printf("%a %a %.3A %08.1a\n", one.real(), one.imag(), one.real(), one.imag());
    Number quotient = one / (two + Number(round, -1));
    std::printf("%.9f %.9f\n", quotient.real(), quotient.imag());
  }
  std::complex<float> small(part[0], part[3]);
  small = small * small / std::complex<float>(3, 4);
  std::printf("%.4f %.4f\n", small.real(), small.imag());
  Number zero(0, 0);
  std::printf("%a %d\n", 0.0, (one / zero).real() != (one / zero).real());
}
