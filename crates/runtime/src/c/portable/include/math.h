// Mathematics. A `long double` is a double.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

typedef double double_t;
typedef float float_t;

#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VALL __builtin_huge_vall()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling 0
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf(x)
#define isnan(x) __builtin_isnan(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)

double acos(double);
float acosf(float);
double asin(double);
float asinf(float);
double atan(double);
float atanf(float);
double cos(double);
float cosf(float);
double sin(double);
float sinf(float);
double tan(double);
float tanf(float);
double acosh(double);
float acoshf(float);
double asinh(double);
float asinhf(float);
double atanh(double);
float atanhf(float);
double cosh(double);
float coshf(float);
double sinh(double);
float sinhf(float);
double tanh(double);
float tanhf(float);
double exp(double);
float expf(float);
double exp2(double);
float exp2f(float);
double expm1(double);
float expm1f(float);
double exp10(double);
float exp10f(float);
double log(double);
float logf(float);
double log2(double);
float log2f(float);
double log10(double);
float log10f(float);
double log1p(double);
float log1pf(float);
double cbrt(double);
float cbrtf(float);
double erf(double);
float erff(float);
double erfc(double);
float erfcf(float);
double tgamma(double);
float tgammaf(float);
double lgamma(double);
float lgammaf(float);
double sqrt(double);
float sqrtf(float);
double fabs(double);
float fabsf(float);
double floor(double);
float floorf(float);
double ceil(double);
float ceilf(float);
double trunc(double);
float truncf(float);
double round(double);
float roundf(float);
double rint(double);
float rintf(float);
double nearbyint(double);
float nearbyintf(float);
double atan2(double, double);
float atan2f(float, float);
double pow(double, double);
float powf(float, float);
double hypot(double, double);
float hypotf(float, float);
double fmod(double, double);
float fmodf(float, float);
double remainder(double, double);
float remainderf(float, float);
double fmin(double, double);
float fminf(float, float);
double fmax(double, double);
float fmaxf(float, float);
double fdim(double, double);
float fdimf(float, float);
double copysign(double, double);
float copysignf(float, float);
double nextafter(double, double);
float nextafterf(float, float);
double fma(double, double, double);
float fmaf(float, float, float);
double ldexp(double, int);
float ldexpf(float, int);
double scalbn(double, int);
double frexp(double, int *);
float frexpf(float, int *);
double modf(double, double *);
float modff(float, float *);
long lround(double);
long lroundf(float);
long lrint(double);
long lrintf(float);
long long llround(double);
long long llroundf(float);
long long llrint(double);
long long llrintf(float);
void sincos(double, double *, double *);
void sincosf(float, float *, float *);

// A `long double` is a double here, so its functions are those of a double.
#define OPC_LONG(result, function, ...) result function##l(__VA_ARGS__) __asm__(#function);
OPC_LONG(long double, acos, long double)
OPC_LONG(long double, asin, long double)
OPC_LONG(long double, atan, long double)
OPC_LONG(long double, cos, long double)
OPC_LONG(long double, sin, long double)
OPC_LONG(long double, tan, long double)
OPC_LONG(long double, acosh, long double)
OPC_LONG(long double, asinh, long double)
OPC_LONG(long double, atanh, long double)
OPC_LONG(long double, cosh, long double)
OPC_LONG(long double, sinh, long double)
OPC_LONG(long double, tanh, long double)
OPC_LONG(long double, exp, long double)
OPC_LONG(long double, exp2, long double)
OPC_LONG(long double, expm1, long double)
OPC_LONG(long double, log, long double)
OPC_LONG(long double, log2, long double)
OPC_LONG(long double, log10, long double)
OPC_LONG(long double, log1p, long double)
OPC_LONG(long double, cbrt, long double)
OPC_LONG(long double, erf, long double)
OPC_LONG(long double, erfc, long double)
OPC_LONG(long double, tgamma, long double)
OPC_LONG(long double, lgamma, long double)
OPC_LONG(long double, sqrt, long double)
OPC_LONG(long double, fabs, long double)
OPC_LONG(long double, floor, long double)
OPC_LONG(long double, ceil, long double)
OPC_LONG(long double, trunc, long double)
OPC_LONG(long double, round, long double)
OPC_LONG(long double, rint, long double)
OPC_LONG(long double, nearbyint, long double)
OPC_LONG(long double, atan2, long double, long double)
OPC_LONG(long double, pow, long double, long double)
OPC_LONG(long double, hypot, long double, long double)
OPC_LONG(long double, fmod, long double, long double)
OPC_LONG(long double, remainder, long double, long double)
OPC_LONG(long double, fmin, long double, long double)
OPC_LONG(long double, fmax, long double, long double)
OPC_LONG(long double, fdim, long double, long double)
OPC_LONG(long double, copysign, long double, long double)
OPC_LONG(long double, nextafter, long double, long double)
OPC_LONG(long double, fma, long double, long double, long double)
OPC_LONG(long double, ldexp, long double, int)
OPC_LONG(long double, scalbn, long double, int)
OPC_LONG(long double, frexp, long double, int *)
OPC_LONG(long double, modf, long double, long double *)
OPC_LONG(long, lround, long double)
OPC_LONG(long, lrint, long double)
OPC_LONG(long long, llround, long double)
OPC_LONG(long long, llrint, long double)
#undef OPC_LONG
float scalbnf(float, int) __asm__("ldexpf");

// Not there; declared, so that whoever uses them is told by name.
int ilogb(double);
double logb(double);
double nan(const char *);
double nexttoward(double, long double);
double remquo(double, double, int *);
double scalbln(double, long);
int ilogbf(float);
float logbf(float);
float nanf(const char *);
float nexttowardf(float, long double);
float remquof(float, float, int *);
float scalblnf(float, long);
int ilogbl(long double);
long double logbl(long double);
long double nanl(const char *);
long double nexttowardl(long double, long double);
long double remquol(long double, long double, int *);
long double scalblnl(long double, long);

#ifdef __cplusplus
}
#endif
