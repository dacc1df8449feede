// Memory, numbers as text, sorting, ends.
#pragma once
#include <alloca.h>
#include <stddef.h>
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX ((size_t)1)

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;

void *malloc(size_t) __attribute__((malloc, alloc_size(1)));
void *calloc(size_t, size_t) __attribute__((malloc, alloc_size(1, 2)));
void *realloc(void *, size_t) __attribute__((alloc_size(2)));
void *reallocarray(void *, size_t, size_t);
void free(void *);

int atoi(const char *);
long atol(const char *);
long long atoll(const char *);
double atof(const char *);
long strtol(const char *__restrict, char **__restrict, int);
unsigned long strtoul(const char *__restrict, char **__restrict, int);
long long strtoll(const char *__restrict, char **__restrict, int);
unsigned long long strtoull(const char *__restrict, char **__restrict, int);
double strtod(const char *__restrict, char **__restrict);
float strtof(const char *__restrict, char **__restrict);
long double strtold(const char *__restrict, char **__restrict) __asm__("strtod");

void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));

int rand(void);
void srand(unsigned);
int abs(int);
long labs(long);
long long llabs(long long);
div_t div(int, int);
ldiv_t ldiv(long, long);
lldiv_t lldiv(long long, long long);

void abort(void) __attribute__((noreturn));
void exit(int) __attribute__((noreturn));
void _Exit(int) __attribute__((noreturn));
int atexit(void (*)(void));

// Not there; declared, so that whoever uses them is told by name.
char *getenv(const char *);
int setenv(const char *, const char *, int);
int system(const char *);
void *aligned_alloc(size_t, size_t);
int posix_memalign(void **, size_t, size_t);
void quick_exit(int) __attribute__((noreturn));
int at_quick_exit(void (*)(void));
int rand_r(unsigned *);
long random(void);
void srandom(unsigned);
double drand48(void);
long lrand48(void);
void srand48(long);
int mblen(const char *, size_t);
int mbtowc(wchar_t *, const char *, size_t);
int wctomb(char *, wchar_t);
size_t mbstowcs(wchar_t *, const char *, size_t);
size_t wcstombs(char *, const wchar_t *, size_t);

#ifdef __cplusplus
}
#endif
