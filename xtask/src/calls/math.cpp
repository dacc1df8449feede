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
    number = at_remquo(x, y, &power);
    number = __real__ at___muldc3(x, y, y, u), number = __real__ at___divdc3(x, y, y, u);
    number = at___addtf3(x, y), number = at___subtf3(x, y), number = at___multf3(x, y);
    number = at___divtf3(x, y), number = at___lttf2(x, y);
  }
}
