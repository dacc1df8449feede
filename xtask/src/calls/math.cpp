// libm in three widths, on arguments that programs give: angles of some turns,
// distances, small powers.
#include "at.h"

#define EACH_UNARY(X)                                                                              \
  X(sin, x) X(cos, x) X(tan, x) X(asin, u) X(acos, u) X(atan, x) X(sinh, x) X(cosh, x) X(tanh, x)  \
  X(asinh, x) X(acosh, x + 1) X(atanh, u) X(exp, x) X(exp2, x) X(exp10, x) X(expm1, x) X(log, x)   \
  X(log2, x) X(log10, x) X(log1p, x) X(logb, x) X(sqrt, x) X(cbrt, x) X(erf, x) X(erfc, x)         \
  X(tgamma, x) X(lgamma, x) X(floor, x) X(ceil, x) X(trunc, x) X(round, x) X(roundeven, x)         \
  X(rint, x) X(nearbyint, x) X(fabs, x)
#define EACH_BINARY(X)                                                                    \
  X(pow, x, u * 5) X(atan2, x, y) X(hypot, x, y) X(fmod, y, x) X(remainder, y, x)         \
  X(fdim, x, y) X(fmax, x, y) X(fmin, x, y) X(copysign, x, y) X(nextafter, x, y)
#define EACH_TO_INTEGER(X) \
  X(lround, long) X(llround, long long) X(lrint, long) X(llrint, long long) X(ilogb, int)

#define UNARY(name, argument)                        \
  AT(name, double, (double x), (x))                  \
  AT(name##f, float, (float x), (x))                 \
  AT(name##l, long double, (long double x), (x))
#define BINARY(name, first, second)                                      \
  AT(name, double, (double x, double y), (x, y))                         \
  AT(name##f, float, (float x, float y), (x, y))                         \
  AT(name##l, long double, (long double x, long double y), (x, y))
#define TO_INTEGER(name, type)                 \
  AT(name, type, (double x), (x))              \
  AT(name##f, type, (float x), (x))            \
  AT(name##l, type, (long double x), (x))
#define THREE(name, parameters, arguments)   \
  AT(name, double, parameters(double), arguments)  \
  AT(name##f, float, parameters(float), arguments) \
  AT(name##l, long double, parameters(long double), arguments)

EACH_UNARY(UNARY)
EACH_BINARY(BINARY)
EACH_TO_INTEGER(TO_INTEGER)
#define X_N(type) (type x, int n)
THREE(ldexp, X_N, (x, n))
THREE(scalbn, X_N, (x, n))
#define X_P(type) (type x, int *p)
THREE(frexp, X_P, (x, p))
#define X_I(type) (type x, type *p)
THREE(modf, X_I, (x, p))
#define X_Y_Z(type) (type x, type y, type z)
THREE(fma, X_Y_Z, (x, y, z))
AT(sincos, void, (double x, double *s, double *c), (x, s, c))
AT(sincosf, void, (float x, float *s, float *c), (x, s, c))
AT(sincosl, void, (long double x, long double *s, long double *c), (x, s, c))
AT(__powidf2, double, (double x, int n), (x, n))
AT(__powisf2, float, (float x, int n), (x, n))
AT(__powixf2, long double, (long double x, int n), (x, n))
AT(cabs, double, (_Complex double x), (x))
AT(cexp, _Complex double, (_Complex double x), (x))
AT(csqrt, _Complex double, (_Complex double x), (x))
AT(cpow, _Complex double, (_Complex double x, _Complex double y), (x, y))
AT(j0, double, (double x), (x))
AT(j1, double, (double x), (x))
AT(remquo, double, (double x, double y, int *p), (x, y, p))
AT(remquof, float, (float x, float y, int *p), (x, y, p))
AT(remquol, long double, (long double x, long double y, int *p), (x, y, p))
AT(__muldc3, _Complex double, (double a, double b, double c, double d), (a, b, c, d))
AT(__divdc3, _Complex double, (double a, double b, double c, double d), (a, b, c, d))
AT(__addtf3, __float128, (__float128 x, __float128 y), (x, y))
AT(__subtf3, __float128, (__float128 x, __float128 y), (x, y))
AT(__multf3, __float128, (__float128 x, __float128 y), (x, y))
AT(__divtf3, __float128, (__float128 x, __float128 y), (x, y))
AT(__lttf2, int, (__float128 x, __float128 y), (x, y))

void mathematics() {
  for (int i = 0; i < TIMES; i++) {
    double x = 0.37 + 0.31 * i, y = 20.7 - 0.43 * i, u = (i + 0.5) / TIMES;
    int n = i % 12, power;
    double part;
    float small_part;
    long double long_part;
#define CALL_1(name, argument) \
  number = at_##name(argument), number = at_##name##f(argument), number = at_##name##l(argument);
#define CALL_2(name, first, second)                                             \
  number = at_##name(first, second), number = at_##name##f(first, second),      \
  number = at_##name##l(first, second);
#define CALL_INTEGER(name, type) CALL_1(name, y)
    EACH_UNARY(CALL_1)
    EACH_BINARY(CALL_2)
    EACH_TO_INTEGER(CALL_INTEGER)
    CALL_2(ldexp, x, n)
    CALL_2(scalbn, x, n)
    CALL_2(frexp, x, &power)
    number = at_modf(x, &part), number = at_modff(x, &small_part), number = at_modfl(x, &long_part);
    number = at_fma(x, y, u), number = at_fmaf(x, y, u), number = at_fmal(x, y, u);
    double other;
    float small_other;
    long double long_other;
    at_sincos(x, &part, &other), at_sincosf(x, &small_part, &small_other);
    at_sincosl(x, &long_part, &long_other);
    number = at___powidf2(x, n), number = at___powisf2(x, n), number = at___powixf2(x, n);
    _Complex double complex = {x, y};
    number = at_cabs(complex), number = __real__ at_cexp(complex), number = __real__ at_csqrt(complex);
    number = __real__ at_cpow(complex, complex), number = at_j0(x), number = at_j1(x);
    number = at_remquo(x, y, &power), number = at_remquof(x, y, &power), number = at_remquol(x, y, &power);
    number = __real__ at___muldc3(x, y, y, u), number = __real__ at___divdc3(x, y, y, u);
    number = at___addtf3(x, y), number = at___subtf3(x, y), number = at___multf3(x, y);
    number = at___divtf3(x, y), number = at___lttf2(x, y);
  }
}

#ifdef WORST
// Every power of two and ten there is in steps, what is next to zeros, poles and multiples of pi, what is no
// number, and numbers drawn.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#pragma clang diagnostic ignored "-Wdeprecated-volatile"

static std::vector<double> arguments(int drawn) {
  std::vector<double> all = {0.0, 5e-324, 1e-310, 2.2250738585072014e-308, 1e-300, 1e-200, 1e-30, 1e-10, 1e-5, 0.01, 0.1,
      0.5, 0.78539816339744828, 0.9999999, 0.99999999999999989, 1.0, 1.0000000000000002, 1.1, 1.5, 1.5707963267948966,
      2, 2.5, 3, 3.1415926535897931, 7.5, 10, 22.3, 27, 36, 100, 141.5, 700, 709.7, 745.1, 1e3, 1e4, 1e5, 1e6, 1e8, 1e10, 1e15,
      4503599627370495.5, 9007199254740993.0, 1e19, 1e22, 1e30, 1e38, 1e39, 1e100, 1e200, 1e300,
      5.319372648326541e255, 1.7976931348623157e308, INFINITY, NAN};
  uint64_t seed = 7;
  for (int i = 0; i < drawn; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = i % 2 ? seed : (seed >> 12 | (uint64_t)(1003 + seed % 41) << 52);
    double x;
    memcpy(&x, &bits, 8);
    all.push_back(x);
  }
  size_t count = all.size();
  for (size_t i = 0; i < count; i++) all.push_back(-all[i]);
  return all;
}

void worst_mathematics() {
  int power;
  double part, other;
  float small, small_other;
  long double wide, wide_other;
  for (double x : arguments(12)) {
#define WORST_1(name, argument) number = at_##name(x), number = at_##name##f(x), number = at_##name##l(x);
    EACH_UNARY(WORST_1)
    EACH_TO_INTEGER(WORST_1)
    number = at_frexp(x, &power), number = at_frexpf(x, &power), number = at_frexpl(x, &power);
    number = at_modf(x, &part), number = at_modff(x, &small), number = at_modfl(x, &wide);
    at_sincos(x, &part, &other), at_sincosf(x, &small, &small_other), at_sincosl(x, &wide, &wide_other);
    number = at_j0(x), number = at_j1(x);
    for (int n : {0, -1, 100, -1000, 2147483647}) {
      number = at_ldexp(x, n), number = at_ldexpf(x, n), number = at_ldexpl(x, n);
      number = at_scalbn(x, n), number = at_scalbnf(x, n), number = at_scalbnl(x, n);
      number = at___powidf2(x, n), number = at___powisf2(x, n), number = at___powixf2(x, n);
    }
  }
  auto few = arguments(0);
  for (size_t i = 0; i < few.size(); i++)
    for (size_t j = i % 29; j < few.size(); j += 29) {
      double x = few[i], y = few[j];
#define WORST_2(name, a, b) number = at_##name(x, y), number = at_##name##f(x, y), number = at_##name##l(x, y);
      EACH_BINARY(WORST_2)
      number = at_remquo(x, y, &power), number = at_remquof(x, y, &power), number = at_remquol(x, y, &power);
      number = at_fma(x, y, x), number = at_fmaf(x, y, x), number = at_fmal(x, y, x);
      _Complex double complex = {x, y};
      number = at_cabs(complex), number = __real__ at_cexp(complex), number = __real__ at_csqrt(complex);
      number = __real__ at_cpow(complex, complex);
      number = __real__ at___muldc3(x, y, y, x), number = __real__ at___divdc3(x, y, y, x);
      number = at___addtf3(x, y), number = at___subtf3(x, y), number = at___multf3(x, y);
      number = at___divtf3(x, y), number = at___lttf2(x, y);
    }
}

// Numbers of every class in each of the three widths, alone and in pairs that are near each other, far from each
// other, and multiples.
#include "draw.h"

#define NAME_OF_WIDE(name, ...) #name "l",
const char *const wide_functions[] = {EACH_UNARY(NAME_OF_WIDE) EACH_BINARY(NAME_OF_WIDE) EACH_TO_INTEGER(NAME_OF_WIDE)
    "ldexpl", "scalbnl", "frexpl", "modfl", "fmal", "sincosl", "__powixf2", nullptr};

template <class Number> static Number partner(Number x, Number any) {
  switch (draw(6)) {
  case 0: return x;
  case 1: return x * (Number)(1 + draw(1000));
  case 2: return std::ldexp(x, (int)draw(140) - 70) * (1 + (Number)draw(100) / 128);
  case 3: return std::nextafter(x, any);
  case 4: return (Number)((int)draw(200) - 100) / (one_in(2) ? 2 : 1);
  default: return any;
  }
}

static void drawn_alone() {
  int power;
  double part, other;
  float small, small_other;
  long double wide, wide_other;
  for (Draws draws; draws.go_on();) {
    change_rounding();
    double x = any_double();
    float f = any_float();
    long double w = any_wide();
    argue("%a, %a, %La", x, (double)f, w);
#define DRAWN_1(name, argument) number = at_##name(x), number = at_##name##f(f), number = at_##name##l(w);
    EACH_UNARY(DRAWN_1)
    EACH_TO_INTEGER(DRAWN_1)
    number = at_frexp(x, &power), number = at_frexpf(f, &power), number = at_frexpl(w, &power);
    number = at_modf(x, &part), number = at_modff(f, &small), number = at_modfl(w, &wide);
    at_sincos(x, &part, &other), at_sincosf(f, &small, &small_other), at_sincosl(w, &wide, &wide_other);
    number = at_j0(x), number = at_j1(x);
    int n = any_int();
    argue("%a, %a, %La and %d", x, (double)f, w, n);
    number = at_ldexp(x, n), number = at_ldexpf(f, n), number = at_ldexpl(w, n);
    number = at_scalbn(x, n), number = at_scalbnf(f, n), number = at_scalbnl(w, n);
    number = at___powidf2(x, n), number = at___powisf2(f, n), number = at___powixf2(w, n);
  }
}

static void drawn_in_pairs() {
  int power;
  for (Draws draws; draws.go_on();) {
    change_rounding();
    double x = any_double(), y = partner(x, any_double()), z = partner(one_in(2) ? -x * y : y, any_double());
    float f = any_float(), g = partner(f, any_float()), h = partner(one_in(2) ? -f * g : g, any_float());
    long double w = any_wide(), v = partner(w, any_wide()), u = partner(one_in(2) ? -w * v : v, any_wide());
    argue("%a %a, %a %a, %La %La", x, y, (double)f, (double)g, w, v);
#define DRAWN_2(name, a, b) number = at_##name(x, y), number = at_##name##f(f, g), number = at_##name##l(w, v);
    EACH_BINARY(DRAWN_2)
    number = at_remquo(x, y, &power), number = at_remquof(f, g, &power), number = at_remquol(w, v, &power);
    _Complex double complex = {x, y}, other = {y, z};
    number = at_cabs(complex), number = __real__ at_cexp(complex), number = __real__ at_csqrt(complex);
    number = __real__ at_cpow(complex, other);
    __float128 a = w, b = v;
    if (one_in(4)) a = a * a, b = b / a;
    if (one_in(8)) a = a * (__float128)0x1p-16382L * (__float128)0x1p-16440L;
    number = at___addtf3(a, b), number = at___subtf3(a, b), number = at___multf3(a, b);
    number = at___divtf3(a, b), number = at___lttf2(a, b);
    argue("%a %a %a, %a %a %a, %La %La %La", x, y, z, (double)f, (double)g, (double)h, w, v, u);
    number = at_fma(x, y, z), number = at_fmaf(f, g, h), number = at_fmal(w, v, u);
    number = __real__ at___muldc3(x, y, z, x), number = __real__ at___divdc3(x, y, z, x);
  }
}

void drawn_mathematics() { drawn_alone(), drawn_in_pairs(); }
#endif
