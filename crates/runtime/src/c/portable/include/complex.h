// Complex numbers of C; those of C++ are its library's.
#pragma once
#define complex _Complex
#define _Complex_I (__extension__ 1.0iF)
#define I _Complex_I
#define CMPLX(real, imaginary) __builtin_complex((double)(real), (double)(imaginary))
#define CMPLXF(real, imaginary) __builtin_complex((float)(real), (float)(imaginary))
double cabs(double _Complex);
float cabsf(float _Complex);
double carg(double _Complex);
float cargf(float _Complex);
#define creal(number) ((double)__real__(double _Complex)(number))
#define crealf(number) ((float)__real__(float _Complex)(number))
#define cimag(number) ((double)__imag__(double _Complex)(number))
#define cimagf(number) ((float)__imag__(float _Complex)(number))
#define conj(number) (~(double _Complex)(number))
#define conjf(number) (~(float _Complex)(number))

// Not there; declared, so that whoever uses them is told by name.
double _Complex cexp(double _Complex);
double _Complex clog(double _Complex);
double _Complex cpow(double _Complex, double _Complex);
double _Complex cproj(double _Complex);
double _Complex csqrt(double _Complex);
double _Complex cacos(double _Complex);
double _Complex casin(double _Complex);
double _Complex catan(double _Complex);
double _Complex ccos(double _Complex);
double _Complex csin(double _Complex);
double _Complex ctan(double _Complex);
double _Complex ccosh(double _Complex);
double _Complex csinh(double _Complex);
double _Complex ctanh(double _Complex);
