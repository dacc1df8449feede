/* What do instructions, calls of the library and memory take on this machine?
 *
 * Each line of output is: table, tab, name, tab, nanoseconds at the 3/4 quantile of the
 * repetitions, tab, nanoseconds at the 1/4 quantile. Time is that of this thread, so
 * that what other processes do counts as little as it can.
 *
 * A template is one operation many times over. Empty statements of assembly stand between its
 * copies: they have no code, and the compiler may not look through them. `irinst` is a chain, where
 * each copy waits for the one before; `irinst-max` has eight chains side by side. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define FLOATING "x"
#else
#define FLOATING "w"
#endif

enum { REPEATS = 61, STEPS = 16, WIDE = 8, TURNS = 8000, DATA = 4096, LINE = 64 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void tell(const char *table, const char *name, double *times, int count, double each) {
  qsort(times, (size_t)count, sizeof *times, by_size);
  printf("%s\t%s\t%.6g\t%.6g\n", table, name, times[count * 3 / 4] / each, times[count / 4] / each);
  fflush(stdout);
}

#define LAUNDER(how, x) __asm__ volatile("" : "+" how(x))
#define FOUR(x) x x x x
#define SIXTEEN(x) FOUR(FOUR(x))

/* One operation on values a and b of a type: a chain, and eight of them. */
#define TEMPLATE(function, T, how, first, second, operation)                                     \
  static void function(const char *name, double operations) {                                    \
    double times[REPEATS];                                                                       \
    T b = second;                                                                                \
    LAUNDER(how, b);                                                                             \
    for (int repeat = 0; repeat < REPEATS; repeat++) {                                           \
      T a = first;                                                                               \
      double start = now();                                                                      \
      for (int turn = 0; turn < TURNS; turn++) { SIXTEEN(LAUNDER(how, a); a = operation(T, a, b);) } \
      LAUNDER(how, a);                                                                           \
      times[repeat] = now() - start;                                                             \
    }                                                                                            \
    tell("irinst", name, times, REPEATS, (double)TURNS * STEPS * operations);                    \
    for (int repeat = 0; repeat < REPEATS; repeat++) {                                           \
      T c = first, d = first, e = first, f = first, g = first, h = first, i = first, j = first;  \
      double start = now();                                                                      \
      for (int turn = 0; turn < TURNS; turn++) {                                                 \
        FOUR(LAUNDER(how, c); c = operation(T, c, b); LAUNDER(how, d); d = operation(T, d, b);   \
             LAUNDER(how, e); e = operation(T, e, b); LAUNDER(how, f); f = operation(T, f, b);   \
             LAUNDER(how, g); g = operation(T, g, b); LAUNDER(how, h); h = operation(T, h, b);   \
             LAUNDER(how, i); i = operation(T, i, b); LAUNDER(how, j); j = operation(T, j, b);)  \
      }                                                                                          \
      LAUNDER(how, c); LAUNDER(how, d); LAUNDER(how, e); LAUNDER(how, f);                        \
      LAUNDER(how, g); LAUNDER(how, h); LAUNDER(how, i); LAUNDER(how, j);                        \
      times[repeat] = now() - start;                                                             \
    }                                                                                            \
    tell("irinst-max", name, times, REPEATS, (double)TURNS * 4 * WIDE * operations);             \
  }

#define ADD(T, a, b) ((T)(a + b))
#define SUB(T, a, b) ((T)(a - b))
#define MUL(T, a, b) ((T)(a * b))
#define DIV(T, a, b) ((T)(a / b))
#define REM(T, a, b) ((T)(a % b))
#define AND(T, a, b) ((T)(a & b))
#define OR(T, a, b) ((T)(a | b))
#define XOR(T, a, b) ((T)(a ^ b))
#define SHL(T, a, b) ((T)(a << (b & 7)))
#define SHR(T, a, b) ((T)(a >> (b & 7)))
#define NEG(T, a, b) (-(a))
#define CHOOSE(T, a, b) (a < b ? (T)(b) : (T)(a))
#define OVER_DOUBLE(T, a, b) ((T)as_double((double)a))
#define OVER_FLOAT(T, a, b) ((T)as_float((float)a))
#define ADDRESS(T, a, b) ((T)(a + 8 * b))
#define SHORTER(T, a, b) (shorter(a))
#define LONGER(T, a, b) (longer(a))

/* A conversion and back, by way of a value that the compiler may not look through. */
static inline double as_double(double a) {
  LAUNDER(FLOATING, a);
  return a;
}
static inline float as_float(float a) {
  LAUNDER(FLOATING, a);
  return a;
}
static inline int64_t shorter(int64_t a) {
  int32_t narrow = (int32_t)a;
  LAUNDER("r", narrow);
  return narrow;
}
static inline uint64_t longer(uint64_t a) {
  uint32_t narrow = (uint32_t)a;
  LAUNDER("r", narrow);
  return narrow;
}

#define INTEGERS(suffix, T, U)                                                     \
  TEMPLATE(add_##suffix, T, "r", (T)12345, (T)3, ADD)                                    \
  TEMPLATE(sub_##suffix, T, "r", (T)12345, (T)3, SUB)                                    \
  TEMPLATE(mul_##suffix, T, "r", (T)12345, (T)3, MUL)                                    \
  TEMPLATE(sdiv_##suffix, T, "r", (T)12345, (T)1, DIV)                                   \
  TEMPLATE(srem_##suffix, T, "r", (T)12345, (T)23456, REM)                               \
  TEMPLATE(udiv_##suffix, U, "r", (U)12345, (U)1, DIV)                                   \
  TEMPLATE(urem_##suffix, U, "r", (U)12345, (U)23456, REM)                               \
  TEMPLATE(and_##suffix, T, "r", (T)12345, (T)0x7fff, AND)                               \
  TEMPLATE(or_##suffix, T, "r", (T)12345, (T)3, OR)                                      \
  TEMPLATE(xor_##suffix, T, "r", (T)12345, (T)3, XOR)                                    \
  TEMPLATE(shl_##suffix, T, "r", (T)1, (T)1, SHL)                                        \
  TEMPLATE(ashr_##suffix, T, "r", (T)12345, (T)1, SHR)                                   \
  TEMPLATE(lshr_##suffix, U, "r", (U)12345, (U)1, SHR)                                   \
  TEMPLATE(choose_##suffix, T, "r", (T)12345, (T)3, CHOOSE)

INTEGERS(i8, int8_t, uint8_t)
INTEGERS(i16, int16_t, uint16_t)
INTEGERS(i32, int32_t, uint32_t)
INTEGERS(i64, int64_t, uint64_t)

typedef double double2 __attribute__((vector_size(16)));
typedef float float4 __attribute__((vector_size(16)));
typedef int64_t long2 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));

#define FLOATS(suffix, T, first, second)                        \
  TEMPLATE(fadd_##suffix, T, FLOATING, first, second, ADD)      \
  TEMPLATE(fsub_##suffix, T, FLOATING, first, second, SUB)      \
  TEMPLATE(fmul_##suffix, T, FLOATING, first, second, MUL)      \
  TEMPLATE(fdiv_##suffix, T, FLOATING, first, second, DIV)      \
  TEMPLATE(fneg_##suffix, T, FLOATING, first, second, NEG)

FLOATS(float, float, 1.5f, 1.0001f)
FLOATS(double, double, 1.5, 1.0001)
FLOATS(double2, double2, ((double2){1.5, 2.5}), ((double2){1.0001, 1.0002}))
FLOATS(float4, float4, ((float4){1.5f, 2.5f, 3.5f, 4.5f}), ((float4){1.01f, 1.02f, 1.03f, 1.04f}))
TEMPLATE(choose_float, float, FLOATING, 1.5f, 1.0f, CHOOSE)
TEMPLATE(choose_double, double, FLOATING, 1.5, 1.0, CHOOSE)
TEMPLATE(add_long2, long2, FLOATING, ((long2){1, 2}), ((long2){3, 4}), ADD)
TEMPLATE(add_int4, int4, FLOATING, ((int4){1, 2, 3, 4}), ((int4){5, 6, 7, 8}), ADD)
TEMPLATE(mul_int4, int4, FLOATING, ((int4){1, 2, 3, 4}), ((int4){5, 6, 7, 8}), MUL)
TEMPLATE(and_long2, long2, FLOATING, ((long2){1, 2}), ((long2){3, 4}), AND)

TEMPLATE(i64_double, int64_t, "r", 12345, 1, OVER_DOUBLE)
TEMPLATE(i32_double, int32_t, "r", 12345, 1, OVER_DOUBLE)
TEMPLATE(i32_float, int32_t, "r", 12345, 1, OVER_FLOAT)
TEMPLATE(double_float, double, FLOATING, 1.5, 1.0, OVER_FLOAT)
TEMPLATE(i64_short, int64_t, "r", 12345, 1, SHORTER)
TEMPLATE(u64_short, uint64_t, "r", 12345, 1, LONGER)
TEMPLATE(address, uint64_t, "r", 12345, 1, ADDRESS)

/* Two names for one template: what the compiler makes of both together is halved. */
#define PAIR(function, first, second) (function(first, 2), function(second, 2))
#define ALL_INTEGERS(suffix)                                                                         \
  (add_##suffix("add " #suffix, 1), sub_##suffix("sub " #suffix, 1), mul_##suffix("mul " #suffix, 1), \
   sdiv_##suffix("sdiv " #suffix, 1), srem_##suffix("srem " #suffix, 1),                             \
   udiv_##suffix("udiv " #suffix, 1), urem_##suffix("urem " #suffix, 1),                             \
   and_##suffix("and " #suffix, 1), or_##suffix("or " #suffix, 1), xor_##suffix("xor " #suffix, 1),  \
   shl_##suffix("shl " #suffix, 1), ashr_##suffix("ashr " #suffix, 1),                               \
   lshr_##suffix("lshr " #suffix, 1), PAIR(choose_##suffix, "icmp " #suffix, "select " #suffix))
#define ALL_FLOATS(suffix, type)                                                                     \
  (fadd_##suffix("fadd " type, 1), fsub_##suffix("fsub " type, 1), fmul_##suffix("fmul " type, 1),   \
   fdiv_##suffix("fdiv " type, 1), fneg_##suffix("fneg " type, 1))

static void instructions(void) {
  ALL_INTEGERS(i8);
  ALL_INTEGERS(i16);
  ALL_INTEGERS(i32);
  ALL_INTEGERS(i64);
  ALL_FLOATS(float, "float");
  ALL_FLOATS(double, "double");
  ALL_FLOATS(double2, "<2 x double>");
  ALL_FLOATS(float4, "<4 x float>");
  PAIR(choose_float, "fcmp float", "select float");
  PAIR(choose_double, "fcmp double", "select double");
  add_long2("add <2 x i64>", 1);
  add_int4("add <4 x i32>", 1);
  mul_int4("mul <4 x i32>", 1);
  and_long2("and <2 x i64>", 1);
  PAIR(i64_double, "sitofp double", "fptosi i64");
  PAIR(i32_double, "uitofp double", "fptosi i32");
  PAIR(i32_float, "sitofp float", "fptoui i32");
  PAIR(double_float, "fpext double", "fptrunc float");
  PAIR(i64_short, "sext i64", "trunc i32");
  PAIR(u64_short, "zext i64", "trunc i16");
  address("getelementptr i8", 1);
}

/* Loads and stores in the first level of the cache. */
#define ACCESS(type, T, how)                                                           \
  do {                                                                                 \
    static T data[DATA / sizeof(T)];                                                   \
    for (int repeat = 0; repeat < REPEATS; repeat++) {                                 \
      double start = now();                                                            \
      for (int turn = 0; turn < TURNS; turn++)                                         \
        for (int at = 0; at < 32; at += 4) {                                           \
          T a = data[at], b = data[at + 1], c = data[at + 2], d = data[at + 3];        \
          LAUNDER(how, a);                                                             \
          LAUNDER(how, b);                                                             \
          LAUNDER(how, c);                                                             \
          LAUNDER(how, d);                                                             \
        }                                                                              \
      times[repeat] = now() - start;                                                   \
    }                                                                                  \
    tell("irinst-max", "load " type, times, REPEATS, (double)TURNS * 32);              \
    for (int repeat = 0; repeat < REPEATS; repeat++) {                                 \
      T a = data[0];                                                                   \
      LAUNDER(how, a);                                                                 \
      double start = now();                                                            \
      for (int turn = 0; turn < TURNS; turn++) {                                       \
        for (int at = 0; at < 32; at++) data[at] = a;                                  \
        __asm__ volatile("" ::"r"(data) : "memory");                                   \
      }                                                                                \
      times[repeat] = now() - start;                                                   \
    }                                                                                  \
    tell("irinst-max", "store " type, times, REPEATS, (double)TURNS * 32);             \
    tell("irinst", "store " type, times, REPEATS, (double)TURNS * 32);                 \
  } while (0)

static void *chain[64];

static void accesses(void) {
  double times[REPEATS];
  for (int at = 0; at < 64; at++) chain[at] = &chain[(at + 1) % 64];
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    void **at = chain;
    double start = now();
    for (int turn = 0; turn < TURNS; turn++) { SIXTEEN(at = (void **)*at;) }
    LAUNDER("r", at);
    times[repeat] = now() - start;
  }
  const char *names[] = {"load ptr", "load i8", "load i16", "load i32", "load i64", "load float", "load double"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) tell("irinst", names[i], times, REPEATS, TURNS * 16.0);
  ACCESS("ptr", intptr_t, "r");
  ACCESS("i8", int8_t, "r");
  ACCESS("i16", int16_t, "r");
  ACCESS("i32", int32_t, "r");
  ACCESS("i64", int64_t, "r");
  ACCESS("float", float, FLOATING);
  ACCESS("double", double, FLOATING);
}

__attribute__((noinline)) static void nothing(void) { __asm__ volatile(""); }

static void control(void) {
  double times[REPEATS];
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double start = now();
    for (int turn = 0; turn < TURNS * STEPS; turn++) __asm__ volatile("");
    times[repeat] = now() - start;
  }
  tell("irinst", "br", times, REPEATS, TURNS * STEPS);
  tell("irinst-max", "br", times, REPEATS, TURNS * STEPS);
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double start = now();
    for (int turn = 0; turn < TURNS; turn++) { SIXTEEN(nothing();) }
    times[repeat] = now() - start;
  }
  tell("irinst", "call", times, REPEATS, TURNS * STEPS);
  tell("irinst-max", "call", times, REPEATS, TURNS * STEPS);
}

/* A branch that is taken at random, against one that is always: half of the first are mispredicted. */
static uint64_t scramble(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void mispredictions(void) {
  enum { COUNT = 1 << 16 };
  static uint8_t bits[COUNT];
  double times[2][REPEATS];
  uint64_t state = 88172645463325252u;
  for (int random = 0; random < 2; random++)
    for (int repeat = 0; repeat < REPEATS; repeat++) {
      for (int at = 0; at < COUNT; at++) bits[at] = random ? (scramble(&state) >> 20) & 1 : 0;
      long one = 0, other = 0;
      double start = now();
      for (int at = 0; at < COUNT; at++) {
        if (bits[at]) {
          one++;
          __asm__ volatile("" : "+r"(one));
        } else {
          other++;
          __asm__ volatile("" : "+r"(other));
        }
      }
      times[random][repeat] = now() - start;
    }
  qsort(times[0], REPEATS, sizeof(double), by_size);
  double straight = times[0][REPEATS / 2];
  for (int repeat = 0; repeat < REPEATS; repeat++) times[1][repeat] -= straight;
  tell("schedule", "mispredicted", times[1], REPEATS, COUNT / 2.0);
}

static double arguments[256];
static volatile double sink;

#define LIBRARY(name, call)                                                             \
  do {                                                                                  \
    for (int repeat = 0; repeat < REPEATS; repeat++) {                                  \
      double sum = 0, start = now();                                                    \
      for (int turn = 0; turn < 4; turn++)                                              \
        for (int at = 0; at < 256; at++) {                                              \
          double x = arguments[at];                                                     \
          LAUNDER(FLOATING, x);                                                         \
          sum += (double)(call);                                                        \
        }                                                                               \
      sink = sum;                                                                       \
      times[repeat] = now() - start;                                                    \
    }                                                                                   \
    tell("libfn", name, times, REPEATS, 4 * 256);                                       \
  } while (0)

#define BYTES(name, count, call)                                                        \
  do {                                                                                  \
    for (int repeat = 0; repeat < REPEATS; repeat++) {                                  \
      double start = now();                                                             \
      for (int turn = 0; turn < TURNS; turn++) {                                        \
        size_t size = count;                                                            \
        LAUNDER("r", size);                                                             \
        call;                                                                           \
        __asm__ volatile("" ::"r"(to), "r"(from) : "memory");                           \
      }                                                                                 \
      times[repeat] = now() - start;                                                    \
    }                                                                                   \
    tell("libfn", name, times, REPEATS, TURNS);                                         \
  } while (0)

static void library(void) {
  double times[REPEATS];
  static char to[1 << 16], from[1 << 16];
  for (int at = 0; at < 256; at++) arguments[at] = 0.25 + at / 97.0;
  memset(from, 'x', sizeof from - 1);
  LIBRARY("log", log(x));
  LIBRARY("logf", logf((float)x));
  LIBRARY("log2", log2(x));
  LIBRARY("log10", log10(x));
  LIBRARY("exp", exp(x));
  LIBRARY("expf", expf((float)x));
  LIBRARY("pow", pow(x, 1.37));
  LIBRARY("powf", powf((float)x, 1.37f));
  LIBRARY("sqrt", sqrt(x));
  LIBRARY("fabs", fabs(x));
  LIBRARY("sin", sin(x));
  LIBRARY("cos", cos(x));
  LIBRARY("sinf", sinf((float)x));
  LIBRARY("cosf", cosf((float)x));
  LIBRARY("tan", tan(x));
  LIBRARY("atan", atan(x));
  LIBRARY("atan2", atan2(x, 0.7));
  LIBRARY("cbrt", cbrt(x));
  LIBRARY("hypot", hypot(x, 0.7));
  LIBRARY("fmod", fmod(x, 0.7));
  LIBRARY("floor", floor(x));
  BYTES("memcpy", 32, memcpy(to, from, size));
  BYTES("memcpy 4096", 4096, memcpy(to, from, size));
  BYTES("memcpy 65536", 65536, memcpy(to, from, size));
  BYTES("memmove", 32, memmove(to, from, size));
  BYTES("memset", 32, memset(to, 1, size));
  BYTES("memset 4096", 4096, memset(to, 1, size));
  BYTES("memcmp", 32, sink = memcmp(to, from, size));
  BYTES("strlen", 0, sink = (double)strlen(from + sizeof from - 33 + size));
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    void *held[64];
    double start = now();
    for (int turn = 0; turn < 16; turn++) {
      for (int at = 0; at < 64; at++) held[at] = malloc((size_t)(16 + at * 8));
      for (int at = 0; at < 64; at++) {
        LAUNDER("r", held[at]);
        free(held[at]);
      }
    }
    times[repeat] = now() - start;
  }
  tell("libfn", "malloc", times, REPEATS, 16 * 64 * 2);
  tell("libfn", "free", times, REPEATS, 16 * 64 * 2);
  FILE *nowhere = fopen("/dev/null", "w");
  if (!nowhere) return;
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double start = now();
    for (int at = 0; at < 64; at++) fprintf(nowhere, "%d %s\n", at, "word");
    times[repeat] = now() - start;
  }
  tell("libfn", "printf", times, REPEATS, 64);
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double start = now();
    for (int at = 0; at < 64; at++) putc('x', nowhere);
    times[repeat] = now() - start;
  }
  tell("libfn", "putchar", times, REPEATS, 64);
  fclose(nowhere);
}

/* A line of a working set: in random order, each address read from the line before; in order; and each
 * more than a page after the one before, as a column of a matrix. */
static void memory(size_t bytes) {
  enum { TIMES = 9 };
  double times[TIMES];
  char name[64];
  size_t lines = bytes / LINE;
  char *data = aligned_alloc(4096, bytes);
  size_t *order = malloc(lines * sizeof *order);
  if (!data || !order) exit(2);
  for (size_t at = 0; at < lines; at++) order[at] = at;
  uint64_t state = 88172645463325252u;
  /* One cycle through all lines. */
  for (size_t at = lines - 1; at > 0; at--) {
    size_t other = scramble(&state) % at, held = order[at];
    order[at] = order[other];
    order[other] = held;
  }
  for (size_t at = 0; at < lines; at++) *(void **)(data + order[at] * LINE) = data + order[(at + 1) % lines] * LINE;
  free(order);
  size_t steps = lines < 20000 ? 20000 : lines > 200000 ? 200000 : lines;
  void **at = (void **)data;
  for (size_t step = 0; step < lines; step++) at = (void **)*at;
  for (int repeat = 0; repeat < TIMES; repeat++) {
    double start = now();
    for (size_t step = 0; step < steps; step++) at = (void **)*at;
    LAUNDER("r", at);
    times[repeat] = now() - start;
  }
  snprintf(name, sizeof name, "random %zu", bytes);
  tell("memory", name, times, TIMES, (double)steps);
  size_t turns = steps / lines ? steps / lines : 1;
  for (int repeat = 0; repeat < TIMES; repeat++) {
    uint64_t sum = 0;
    double start = now();
    for (size_t turn = 0; turn < turns; turn++)
      for (size_t line = 0; line < lines; line++) {
        sum += *(uint64_t *)(data + line * LINE);
        LAUNDER("r", sum);
      }
    times[repeat] = now() - start;
  }
  snprintf(name, sizeof name, "streamed %zu", bytes);
  tell("memory", name, times, TIMES, (double)(turns * lines));
  /* A step that shares no factor with the lines comes to each of them. */
  size_t stride = 67;
  while (lines % stride == 0) stride += 2;
  enum { WALKS = 4 }; /* at once, so that no line waits for the place of the next */
  size_t part = lines / WALKS;
  for (int repeat = 0; repeat < TIMES; repeat++) {
    uint64_t sum = 0;
    size_t places[WALKS];
    for (size_t walk = 0; walk < WALKS; walk++) places[walk] = walk * part * stride % lines;
    double start = now();
    for (size_t step = 0; step < turns * part; step++)
      for (size_t walk = 0; walk < WALKS; walk++) {
        sum += *(uint64_t *)(data + places[walk] * LINE);
        LAUNDER("r", sum);
        places[walk] += stride;
        if (places[walk] >= lines) places[walk] -= lines;
      }
    times[repeat] = now() - start;
  }
  snprintf(name, sizeof name, "strided %zu", bytes);
  tell("memory", name, times, TIMES, (double)(turns * part * WALKS));
  free(data);
}

/* Bytes of a level of the cache of the first core. The kernel knows which cores share it; the C
 * library adds up all of them. */
static long cache(int level, int which, long otherwise) {
  for (int index = 0; index < 8; index++) {
    char path[96];
    int found = 0, kilobytes = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", index);
    FILE *file = fopen(path, "r");
    if (!file) break;
    if (fscanf(file, "%d", &found) != 1) found = 0;
    fclose(file);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
    file = found == level && !(level == 1 && index == 1) ? fopen(path, "r") : NULL;
    if (!file) continue;
    if (fscanf(file, "%dK", &kilobytes) != 1) kilobytes = 0;
    fclose(file);
    if (kilobytes > 0) return (long)kilobytes << 10;
  }
  long size = sysconf(which);
  return size > 0 ? size : otherwise;
}

static size_t whole_pages(long size) { return size < 4096 ? 4096 : (size_t)size / 4096 * 4096; }

static void memories(void) {
  long first = cache(1, _SC_LEVEL1_DCACHE_SIZE, 32 << 10), second = cache(2, _SC_LEVEL2_CACHE_SIZE, 512 << 10);
  long third = cache(3, _SC_LEVEL3_CACHE_SIZE, 8 << 20);
  long far = third > (32 << 20) ? 256l << 20 : third * 4;
  printf("level\tL1\t%ld\t%ld\nlevel\tL2\t%ld\t%ld\nlevel\tL3\t%ld\t%ld\n", first, first, second, second, third, third);
  memory(whole_pages(first / 2));
  memory(whole_pages(second / 2));
  /* From there on by factors of two: how much of a shared level is at hand is seen in no table. */
  for (long size = second * 2; size <= far; size *= 2) memory(whole_pages(size));
}

/* A cycle is what a dependent addition takes. */
static void cycle(const char *name) {
  double times[REPEATS];
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    uint64_t a = 1, b = 3;
    LAUNDER("r", b);
    double start = now();
    for (int turn = 0; turn < TURNS / 4; turn++) { SIXTEEN(SIXTEEN(LAUNDER("r", a); a += b;)) }
    LAUNDER("r", a);
    times[repeat] = now() - start;
  }
  tell("cycle", name, times, REPEATS, TURNS / 4 * 256.0);
}

int main(void) {
  cycle("warm up");
  cycle("before");
  instructions();
  accesses();
  control();
  mispredictions();
  cycle("between");
  library();
  memories();
  cycle("after");
  return 0;
}
