// The operations on doubles that are exact, so that there is one answer, and that
// machines' libraries still differ in: what they do with zeros, with numbers that
// are none, or with results that do not fit.
#include "portable.h"

static uint64_t opc_bits(double number) {
  uint64_t bits;
  __builtin_memcpy(&bits, &number, 8);
  return bits;
}

static double opc_of_bits(uint64_t bits) {
  double number;
  __builtin_memcpy(&number, &bits, 8);
  return number;
}

// The one that is a number, else the smaller; of two zeros the one below.
double LIBRARY(fmin)(double a, double b) {
  if (a != a) return b;
  if (b != b) return a;
  return a < b || (a == b && opc_bits(a) >> 63) ? a : b;
}
double LIBRARY(fmax)(double a, double b) {
  if (a != a) return b;
  if (b != b) return a;
  return a > b || (a == b && !(opc_bits(a) >> 63)) ? a : b;
}
float LIBRARY(fminf)(float a, float b) { return (float)LIBRARY(fmin)(a, b); }
float LIBRARY(fmaxf)(float a, float b) { return (float)LIBRARY(fmax)(a, b); }

#define EXPONENT(bits) ((int)((bits) >> 52 & 0x7ff))
#define MANTISSA(bits) ((bits) & ((UINT64_C(1) << 52) - 1))
#define SIGN (UINT64_C(1) << 63)
#define NO_NUMBER __builtin_nan("")

// A number's mantissa with its highest bit at 52, and its power of two.
static uint64_t opc_take_apart(uint64_t bits, int *power) {
  uint64_t mantissa = MANTISSA(bits);
  *power = EXPONENT(bits);
  if (*power) return mantissa | UINT64_C(1) << 52;
  int shift = __builtin_clzll(mantissa) - 11;
  *power = 1 - shift;
  return mantissa << shift;
}

// Bit by bit, as on paper; the rest has the sign of the dividend.
double LIBRARY(fmod)(double a, double b) {
  uint64_t sign = opc_bits(a) & SIGN, left = opc_bits(a) & ~SIGN, right = opc_bits(b) & ~SIGN;
  if (right == 0 || EXPONENT(left) == 0x7ff || right > UINT64_C(0x7ff) << 52) return NO_NUMBER;
  if (left < right) return a;
  int power, other;
  left = opc_take_apart(left, &power);
  right = opc_take_apart(right, &other);
  for (; power > other; power--) {
    if (left >= right) left -= right;
    left <<= 1;
  }
  if (left >= right) left -= right;
  if (left == 0) return opc_of_bits(sign);
  int shift = __builtin_clzll(left) - 11;
  left <<= shift;
  power -= shift;
  left = power > 0 ? MANTISSA(left) | (uint64_t)power << 52 : left >> (1 - power);
  return opc_of_bits(sign | left);
}
float LIBRARY(fmodf)(float a, float b) { return (float)LIBRARY(fmod)(a, b); }

// In steps that round at most once: the first ones stay among the normal numbers.
double LIBRARY(ldexp)(double number, int power) {
  const double up = opc_of_bits(UINT64_C(2046) << 52), down = opc_of_bits(UINT64_C(54) << 52); // 2^1023, 2^-969
  for (int step = 0; power > 1023 && step < 2; step++) number *= up, power -= 1023;
  for (int step = 0; power < -1022 && step < 2; step++) number *= down, power += 969;
  if (power > 1023) power = 1023;
  if (power < -1022) power = -1022;
  return number * opc_of_bits((uint64_t)(power + 1023) << 52);
}
float LIBRARY(ldexpf)(float number, int power) { return (float)LIBRARY(ldexp)(number, power); }
double LIBRARY(scalbn)(double number, int power) { return LIBRARY(ldexp)(number, power); }

double LIBRARY(frexp)(double number, int *power) {
  uint64_t bits = opc_bits(number) & ~SIGN;
  *power = 0;
  if (bits == 0 || EXPONENT(bits) == 0x7ff) return number;
  uint64_t mantissa = opc_take_apart(bits, power);
  *power -= 1022;
  return opc_of_bits((opc_bits(number) & SIGN) | MANTISSA(mantissa) | UINT64_C(1022) << 52);
}

double LIBRARY(modf)(double number, double *whole) {
  *whole = __builtin_trunc(number);
  double rest = __builtin_isinf(number) ? 0 : number - *whole;
  return __builtin_copysign(rest, number);
}

float LIBRARY(frexpf)(float number, int *power) { return (float)LIBRARY(frexp)(number, power); }
float LIBRARY(modff)(float number, float *whole) {
  double wide, rest = LIBRARY(modf)(number, &wide);
  *whole = (float)wide;
  return (float)rest;
}

// Whole numbers; what does not fit is the nearest that does.
static long opc_whole(double number) {
  if (number != number) return 0;
  if (number >= 0x1p63) return INT64_MAX;
  return number < -0x1p63 ? INT64_MIN : (long)number;
}
long LIBRARY(lround)(double number) { return opc_whole(__builtin_round(number)); }
long LIBRARY(lrint)(double number) { return opc_whole(__builtin_rint(number)); }
long long LIBRARY(llround)(double number) { return LIBRARY(lround)(number); }
long long LIBRARY(llrint)(double number) { return LIBRARY(lrint)(number); }
long LIBRARY(lroundf)(float number) { return LIBRARY(lround)(number); }
long LIBRARY(lrintf)(float number) { return LIBRARY(lrint)(number); }
long long LIBRARY(llroundf)(float number) { return LIBRARY(lround)(number); }
long long LIBRARY(llrintf)(float number) { return LIBRARY(lrint)(number); }

// One instruction on every machine, or as exact.
#define ONE(name)                                                         \
  double LIBRARY(name)(double number) { return __builtin_##name(number); } \
  float LIBRARY(name##f)(float number) { return __builtin_##name##f(number); }
ONE(sqrt)
ONE(fabs)
ONE(floor)
ONE(ceil)
ONE(trunc)
ONE(round)
ONE(rint)
ONE(nearbyint)
double LIBRARY(copysign)(double number, double sign) { return __builtin_copysign(number, sign); }
float LIBRARY(copysignf)(float number, float sign) { return __builtin_copysignf(number, sign); }

// The size and the angle of a complex number, as <complex> asks for them.
// (Weak: both come with the mathematics, which a test of C alone leaves out.)
__attribute__((weak)) double LIBRARY(hypot)(double a, double b);
__attribute__((weak)) double LIBRARY(atan2)(double a, double b);
double LIBRARY(cabs)(double _Complex number) { return LIBRARY(hypot)(__real__ number, __imag__ number); }
double LIBRARY(carg)(double _Complex number) { return LIBRARY(atan2)(__imag__ number, __real__ number); }
float LIBRARY(cabsf)(float _Complex number) { return (float)LIBRARY(hypot)(__real__ number, __imag__ number); }
float LIBRARY(cargf)(float _Complex number) { return (float)LIBRARY(atan2)(__imag__ number, __real__ number); }
