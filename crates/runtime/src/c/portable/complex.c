// Multiplication and division of complex numbers, as compilers call them: C11 annex G.5.1.
// A product or quotient that comes out as NaN in both parts though an operand is infinite is computed once more, with
// infinities as ones.

// The larger of two sizes; what is no number is none.
static double opc_larger(double a, double b) {
  a = __builtin_fabs(a), b = __builtin_fabs(b);
  return __builtin_isnan(b) || a > b ? a : b;
}

// The power of two of a number that is finite and not 0.
static int opc_power_of(double number) {
  int power;
  LIBRARY(frexp)(number, &power);
  return power - 1;
}

#define OPC_COMPLEX(TYPE, MULTIPLY, DIVIDE, COPYSIGN) \
  static TYPE opc_box_##MULTIPLY(TYPE part) { return COPYSIGN((TYPE)(__builtin_isinf(part) ? 1 : 0), part); } \
  static TYPE opc_zero_##MULTIPLY(TYPE part) { return __builtin_isnan(part) ? COPYSIGN((TYPE)0, part) : part; } \
  TYPE _Complex LIBRARY(MULTIPLY)(TYPE a, TYPE b, TYPE c, TYPE d) { \
    TYPE ac = a * c, bd = b * d, ad = a * d, bc = b * c; \
    TYPE _Complex product; \
    __real__ product = ac - bd; \
    __imag__ product = ad + bc; \
    if (!__builtin_isnan(__real__ product) || !__builtin_isnan(__imag__ product)) return product; \
    int again = 0; \
    if (__builtin_isinf(a) || __builtin_isinf(b)) { \
      a = opc_box_##MULTIPLY(a), b = opc_box_##MULTIPLY(b); \
      c = opc_zero_##MULTIPLY(c), d = opc_zero_##MULTIPLY(d); \
      again = 1; \
    } \
    if (__builtin_isinf(c) || __builtin_isinf(d)) { \
      c = opc_box_##MULTIPLY(c), d = opc_box_##MULTIPLY(d); \
      a = opc_zero_##MULTIPLY(a), b = opc_zero_##MULTIPLY(b); \
      again = 1; \
    } \
    if (!again && (__builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) || __builtin_isinf(bc))) { \
      a = opc_zero_##MULTIPLY(a), b = opc_zero_##MULTIPLY(b); \
      c = opc_zero_##MULTIPLY(c), d = opc_zero_##MULTIPLY(d); \
      again = 1; \
    } \
    if (again) { \
      __real__ product = (TYPE)__builtin_inf() * (a * c - b * d); \
      __imag__ product = (TYPE)__builtin_inf() * (a * d + b * c); \
    } \
    return product; \
  } \
  TYPE _Complex LIBRARY(DIVIDE)(TYPE a, TYPE b, TYPE c, TYPE d) { \
    int scale = 0; \
    double size = opc_larger(c, d); \
    if (__builtin_isfinite(size) && size != 0) { \
      scale = opc_power_of(size); \
      c = (TYPE)LIBRARY(ldexp)(c, -scale), d = (TYPE)LIBRARY(ldexp)(d, -scale); \
    } \
    TYPE below = c * c + d * d; \
    TYPE _Complex quotient; \
    __real__ quotient = (TYPE)LIBRARY(ldexp)((a * c + b * d) / below, -scale); \
    __imag__ quotient = (TYPE)LIBRARY(ldexp)((b * c - a * d) / below, -scale); \
    if (!__builtin_isnan(__real__ quotient) || !__builtin_isnan(__imag__ quotient)) return quotient; \
    if (below == 0 && (!__builtin_isnan(a) || !__builtin_isnan(b))) { \
      __real__ quotient = COPYSIGN((TYPE)__builtin_inf(), c) * a; \
      __imag__ quotient = COPYSIGN((TYPE)__builtin_inf(), c) * b; \
    } else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) { \
      a = opc_box_##MULTIPLY(a), b = opc_box_##MULTIPLY(b); \
      __real__ quotient = (TYPE)__builtin_inf() * (a * c + b * d); \
      __imag__ quotient = (TYPE)__builtin_inf() * (b * c - a * d); \
    } else if (__builtin_isinf(size) && __builtin_isfinite(a) && __builtin_isfinite(b)) { \
      c = opc_box_##MULTIPLY(c), d = opc_box_##MULTIPLY(d); \
      __real__ quotient = 0 * (a * c + b * d); \
      __imag__ quotient = 0 * (b * c - a * d); \
    } \
    return quotient; \
  }

OPC_COMPLEX(double, __muldc3, __divdc3, __builtin_copysign)
OPC_COMPLEX(float, __mulsc3, __divsc3, __builtin_copysignf)
