// The C library: memory, streams, time, text. Each function that a program
// calls for bytes gets a few of them; what is charged by length comes on top.
#include "at.h"
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/time.h>
#include <unistd.h>

AT(malloc, void *, (size_t n), (n))
AT_BULK(calloc, void *, (size_t n, size_t m), (n, m), n * m)
AT_BULK(realloc, void *, (void *p, size_t n), (p, n), n)
AT_BULK(reallocarray, void *, (void *p, size_t n, size_t m), (p, n, m), n * m)
AT(aligned_alloc, void *, (size_t a, size_t n), (a, n))
AT(memalign, void *, (size_t a, size_t n), (a, n))
AT(posix_memalign, int, (void **p, size_t a, size_t n), (p, a, n))
AT(free, void, (void *p), (p))
AT(malloc_usable_size, size_t, (void *p), (p))

void memory() {
  void *made[MANY];
  // Half are given back at once, half when as many are there.
#define MAKE(call, drop)                                          \
  for (int i = 0; i < MANY; i++) {                                \
    size_t n = 16 + (size_t)(i * 37 % 40) * (i % 32 ? 2 : 64);    \
    made[i] = call;                                               \
    if (i % 2) drop(made[i]);                                     \
  }                                                               \
  for (int i = 0; i < MANY; i += 2) drop(made[i]);
  MAKE(at_malloc(n), at_free)
  MAKE(at_calloc(n / 8, 8), free)
  MAKE(at_realloc(malloc(16), n), free)
  MAKE(at_reallocarray(malloc(16), n, 1), free)
  MAKE(at_aligned_alloc(64, n), free)
  MAKE(at_memalign(64, n), free)
  MAKE((at_posix_memalign(&made[i], 64, n), made[i]), free)
  for (int i = 0; i < TIMES; i++) number = at_malloc_usable_size(made[i] = malloc(20)), free(made[i]);
}

#define ONE_STREAM(name) AT(name, int, (FILE *f), (f))
#define PUT(name) AT(name, int, (int c, FILE *f), (c, f))
#define ALL_PUT(X) X(putc) X(fputc) X(putc_unlocked) X(fputc_unlocked)
#define ALL_ONE_STREAM(X) \
  X(getc) X(fgetc) X(getc_unlocked) X(fgetc_unlocked) X(feof) X(ferror) X(fileno) X(fflush)
ALL_PUT(PUT)
ALL_ONE_STREAM(ONE_STREAM)
AT(putchar, int, (int c), (c))
AT(putchar_unlocked, int, (int c), (c))
AT(getchar, int, (), ())
AT(getchar_unlocked, int, (), ())
AT(ungetc, int, (int c, FILE *f), (c, f))
AT(clearerr, void, (FILE *f), (f))
AT(fopen, FILE *, (const char *n, const char *m), (n, m))
AT(fopen64, FILE *, (const char *n, const char *m), (n, m))
AT(fclose, int, (FILE *f), (f))
AT(fseek, int, (FILE *f, long at, int from), (f, at, from))
AT(ftell, long, (FILE *f), (f))
AT(rewind, void, (FILE *f), (f))
AT(setvbuf, int, (FILE *f, char *b, int m, size_t n), (f, b, m, n))
AT(fgets, char *, (char *to, int n, FILE *f), (to, n, f))
AT(getline, ssize_t, (char **to, size_t *n, FILE *f), (to, n, f))
AT(getdelim, ssize_t, (char **to, size_t *n, int c, FILE *f), (to, n, c, f))
AT_LENGTH(fread, size_t, (void *p, size_t n, size_t m, FILE *f), (p, n, m, f), n * m)
AT_LENGTH(fwrite, size_t, (const void *p, size_t n, size_t m, FILE *f), (p, n, m, f), n * m)
AT_LENGTH(fread_unlocked, size_t, (void *p, size_t n, size_t m, FILE *f), (p, n, m, f), n * m)
AT_LENGTH(fwrite_unlocked, size_t, (const void *p, size_t n, size_t m, FILE *f), (p, n, m, f), n * m)
AT(puts, int, (const char *p), (p))
AT(fputs, int, (const char *p, FILE *f), (p, f))
AT_LENGTH(write, ssize_t, (int d, const void *p, size_t n), (d, p, n), n)
AT_LENGTH(read, ssize_t, (int d, void *p, size_t n), (d, p, n), n)
AT(isatty, int, (int d), (d))

// What reads and writes by a format; a list of arguments stands for the rest.
int real_scanf(const char *, ...) __asm__("scanf");
int real_fscanf(FILE *, const char *, ...) __asm__("fscanf");
int real_sscanf(const char *, const char *, ...) __asm__("sscanf");
#define SEVEN(to) to[0], to[1], to[2], to[3], to[4], to[5], to[6]
ROW int at_scanf(const char *format, void *const *to) { MEASURE("scanf") return real_scanf(format, SEVEN(to)); }
ROW int at_fscanf(FILE *f, const char *format, void *const *to) { MEASURE("fscanf") return real_fscanf(f, format, SEVEN(to)); }
ROW int at_sscanf(const char *p, const char *format, void *const *to) { MEASURE("sscanf") return real_sscanf(p, format, SEVEN(to)); }
AT(vprintf, int, (const char *format, va_list list), (format, list))
AT(vfprintf, int, (FILE *f, const char *format, va_list list), (f, format, list))
AT(vsprintf, int, (char *p, const char *format, va_list list), (p, format, list))
AT(vsnprintf, int, (char *p, size_t n, const char *format, va_list list), (p, n, format, list))

AT(vscanf, int, (const char *format, va_list list), (format, list))
AT(vfscanf, int, (FILE *f, const char *format, va_list list), (f, format, list))
AT(vsscanf, int, (const char *p, const char *format, va_list list), (p, format, list))

static void reads_text(const char *text, const char *format, ...) {
  va_list list;
  va_start(list, format), at_vsscanf(text, format, list), va_end(list);
}

static void reads(FILE *in, const char *format, ...) {
  va_list list;
  va_start(list, format);
  in == stdin ? at_vscanf(format, list) : at_vfscanf(in, format, list);
  va_end(list);
}

static void formats(FILE *out, char *text, const char *format, ...) {
  va_list list;
#define LISTED(call) va_start(list, format), (call), va_end(list);
  LISTED(at_vprintf(format, list))
  LISTED(at_vfprintf(out, format, list))
  LISTED(at_vsprintf(text, format, list))
  LISTED(at_vsnprintf(text, 40, format, list))
}

void streams() {
  FILE *out = fopen("/dev/null", "w"), *in = fopen("input.txt", "r");
  char text[80], *line = nullptr;
  size_t room = 0;
  int got;
  void *places[7] = {&got};
  for (int i = 0; i < TIMES; i++) {
    // Fills and empties what the first call would.
    number = fgetc(in), fputc('a', out), number = getchar(), putchar('a');
#define CALL_PUT(name) at_##name('a', out);
    ALL_PUT(CALL_PUT)
    at_putchar('a'), at_putchar_unlocked('a'), at_getchar(), at_getchar_unlocked();
#define CALL_GET(name) number = at_##name(in);
    ALL_ONE_STREAM(CALL_GET)
    at_ungetc(at_getc(in), in), at_clearerr(in);
    number = at_fseek(in, i * 7, SEEK_SET), number = at_ftell(in);
    at_fgets(text, 80, in), at_getline(&line, &room, in), at_getdelim(&line, &room, '\n', in);
    at_fread(text, 1, 8, in), at_fwrite(text, 1, 8, out);
    at_fread_unlocked(text, 1, 8, in), at_fwrite_unlocked(text, 1, 8, out);
    at_puts("some words\n"), at_fputs("some words\n", out);
    number = at_write(fileno(out), text, 8), number = at_read(fileno(in), text, 8), number = at_isatty(1);
    while (getchar() != '\n') {}
    at_scanf("%d", places), at_rewind(in), at_fscanf(in, "%d", places), at_sscanf("8191", "%d", places);
    reads(stdin, "%d", &got), reads(in, "%s", text), reads_text("8191", "%d", &got), at_rewind(in);
    formats(out, text, i % 2 ? "%d\n" : "%d %s\n", i * 4099, "word");
    formats(out, text, "%.3f\n", i * 1.7);
    FILE *again = i % 2 ? at_fopen("input.txt", "r") : at_fopen64("input.txt", "r");
    at_setvbuf(again, text, _IOFBF, sizeof text), at_fclose(again);
  }
  free(line), fclose(in), fclose(out);
}

#define NUMBER(name, type) AT(name, type, (const char *p, char **end, int base), (p, end, base))
#define DECIMAL(name, type) AT(name, type, (const char *p, char **end), (p, end))
#define WHOLE(name, type) AT(name, type, (const char *p), (p))
#define ALL_NUMBER(X) X(strtol, long) X(strtoul, long) X(strtoll, long) X(strtoull, long)
#define ALL_DECIMAL(X) X(strtod, double) X(strtof, float) X(strtold, long double)
#define ALL_WHOLE(X) X(atoi, int) X(atol, long) X(atoll, long)
#define LETTER(name) AT(name, int, (int c), (c))
#define ALL_LETTER(X)                                                                           \
  X(isalnum) X(isalpha) X(isblank) X(iscntrl) X(isdigit) X(isgraph) X(islower) X(isprint)       \
  X(ispunct) X(isspace) X(isupper) X(isxdigit) X(tolower) X(toupper) X(abs) X(ffs)
ALL_NUMBER(NUMBER)
ALL_DECIMAL(DECIMAL)
ALL_WHOLE(WHOLE)
WHOLE(atof, double)
ALL_LETTER(LETTER)
AT(__ctype_b_loc, void *, (), ())
AT(__ctype_tolower_loc, void *, (), ())
AT(__ctype_toupper_loc, void *, (), ())
AT(__errno_location, void *, (), ())
AT(labs, long, (long n), (n))
AT(llabs, long, (long n), (n))
AT(div, div_t, (int n, int m), (n, m))
AT(ldiv, ldiv_t, (long n, long m), (n, m))
AT(lldiv, lldiv_t, (long long n, long long m), (n, m))
AT(rand, int, (), ())
AT(srand, void, (unsigned n), (n))
AT(rand_r, int, (unsigned *n), (n))
AT(random, long, (), ())
AT(srandom, void, (unsigned n), (n))
AT(drand48, double, (), ())
AT(lrand48, long, (), ())
AT(mrand48, long, (), ())
AT(srand48, void, (long n), (n))
AT(time, time_t, (time_t * p), (p))
AT(clock, clock_t, (), ())
AT(clock_gettime, int, (int c, timespec *p), (c, p))
AT(gettimeofday, int, (timeval * p, void *z), (p, z))
AT(timespec_get, int, (timespec * p, int c), (p, c))
AT(localtime, tm *, (const time_t *p), (p))
AT(gmtime, tm *, (const time_t *p), (p))
AT(mktime, time_t, (tm * p), (p))
AT(difftime, double, (time_t a, time_t b), (a, b))
AT(strftime, size_t, (char *to, size_t n, const char *p, const tm *t), (to, n, p, t))
AT(getenv, char *, (const char *p), (p))
AT(getpid, int, (), ())
AT(strerror, char *, (int n), (n))

// `setjmp` comes back twice: it stays where it is called.
ROW int at__setjmp(jmp_buf &place) { MEASURE("_setjmp") return _setjmp(place); }
ROW int at___sigsetjmp(sigjmp_buf &place) { MEASURE("__sigsetjmp") return sigsetjmp(place, 0); }
void real_longjmp(jmp_buf &place, int n) __asm__("longjmp");
ROW void at_longjmp(jmp_buf &place, int n) { real_longjmp(place, n); }

void system_and_text() {
  char text[80], *end;
  unsigned seed = 1;
  timespec now;
  timeval today;
  for (int i = 0; i < TIMES; i++) {
    snprintf(text, sizeof text, "%d", i * i * 7919);
#define CALL_NUMBER(name, type) number = at_##name(text, &end, 10);
#define CALL_WHOLE(name, type) number = at_##name(text);
#define CALL_DECIMAL(name, type) number = at_##name(text, &end);
#define CALL_LETTER(name) number = at_##name('0' + i);
    ALL_NUMBER(CALL_NUMBER)
    ALL_WHOLE(CALL_WHOLE)
    snprintf(text, sizeof text, "%.3f", i * 7.19);
    ALL_DECIMAL(CALL_DECIMAL)
    number = at_atof(text);
    ALL_LETTER(CALL_LETTER)
    pointer = at___ctype_b_loc(), pointer = at___ctype_tolower_loc();
    pointer = at___ctype_toupper_loc(), pointer = at___errno_location();
    number = at_labs(-i), number = at_llabs(-i);
    number = at_div(i * 777, 7).quot, number = at_ldiv(i * 777, 7).quot, number = at_lldiv(i * 777, 7).quot;
    number = at_rand(), number = at_rand_r(&seed), number = at_random(), number = at_drand48();
    number = at_lrand48(), number = at_mrand48(), at_srand48(i);
    number = at_time(nullptr), number = at_clock(), at_clock_gettime(CLOCK_MONOTONIC, &now);
    at_gettimeofday(&today, nullptr), at_timespec_get(&now, TIME_UTC);
    time_t day = 1'700'000'000 + i * 86'477;
    tm *parts = at_gmtime(&day);
    parts = at_localtime(&day);
    number = at_mktime(parts), number = at_difftime(day, 0);
    at_strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", parts);
    pointer = at_getenv("HOME"), number = at_getpid(), pointer = at_strerror(i % 30);
    sigjmp_buf with_signals;
    at___sigsetjmp(with_signals);
    jmp_buf place;
    at__setjmp(place);
    volatile bool is_back = false;
    // Measured where it comes back.
    MEASURE("longjmp")
    if (_setjmp(place) == 0 && !is_back) is_back = true, at_longjmp(place, 1);
  }
  at_srand(1), at_srandom(1);
}

#ifdef WORST
#include <climits>
#include <cstring>
#include <string>

static void worst_formats(FILE *out, char *text, const char *format, ...) {
  va_list list;
  LISTED(at_vprintf(format, list))
  LISTED(at_vfprintf(out, format, list))
  LISTED(at_vsprintf(text, format, list))
  va_start(list, format), at_vsnprintf(text, 40, format, list), va_end(list);
}

// Numbers and lines of every length, the same for sizes of memory.
static void worst_of_length(size_t n, FILE *out) {
  char *end;
  for (std::string text : {std::string(n, '9'), std::string(n, '0'), std::string(n, ' ') + "1", "0." + std::string(n, '0') + "1",
                           "1." + std::string(n, '9') + "e-300", std::string(n, '9') + "e-" + std::to_string(n + 310),
                           std::string(n, '7') + "e300", "0x" + std::string(n, 'f'), std::string(n, 'x')}) {
#define WORST_NUMBER(name, type) number = at_##name(text.c_str(), &end, 10), number = at_##name(text.c_str(), &end, 0);
#define WORST_WHOLE(name, type) number = at_##name(text.c_str());
#define WORST_DECIMAL(name, type) number = at_##name(text.c_str(), &end);
    ALL_NUMBER(WORST_NUMBER)
    ALL_WHOLE(WORST_WHOLE)
    ALL_DECIMAL(WORST_DECIMAL)
    number = at_atof(text.c_str());
    int got;
    void *places[7] = {&got};
    at_sscanf(text.c_str(), "%d", places);
    std::string word(text.size() + 1, 0);
    double decimal;
    reads_text(text.c_str(), "%d", &got), reads_text(text.c_str(), "%s", &word[0]);
    reads_text(text.c_str(), "%lf", &decimal), reads_text(text.c_str(), "%[0-9a-z .]", &word[0]);
    at_puts(text.c_str()), at_fputs(text.c_str(), out);
    at_fwrite(text.data(), 1, n, out), at_fwrite_unlocked(text.data(), n, 1, out);
    std::string room(2 * n + 400, 0);
    worst_formats(out, &room[0], "%s", text.c_str());
    FILE *file = fopen("line.txt", "w+");
    fputs(text.c_str(), file), fputs(" \n", file), rewind(file), fgetc(file);
    at_fgets(&room[0], (int)n, file), rewind(file), fgetc(file);
    char *line = nullptr;
    size_t size = 0;
    at_getline(&line, &size, file), rewind(file), fgetc(file);
    at_getdelim(&line, &size, 'z', file), rewind(file), fgetc(file);
    at_fread(&room[0], 1, n, file), rewind(file), fgetc(file);
    at_fread_unlocked(&room[0], n, 1, file), rewind(file);
    // Of the file as much as its buffer holds.
    if (n <= 1000) at_fscanf(file, "%d", places), rewind(file), reads(file, "%s", &word[0]), rewind(file), reads(file, "%lf", &decimal);
    fclose(file), free(line);
  }
  std::string room(n + 6000, 0);
  worst_formats(out, &room[0], "%*d", (int)n, 1), worst_formats(out, &room[0], "%*s", (int)n, "a");
  worst_formats(out, &room[0], "%.*d", (int)n, 1), worst_formats(out, &room[0], "%.*f", (int)n, 0.1);
  worst_formats(out, &room[0], "%.*f", (int)n, 5e-324), worst_formats(out, &room[0], "%.*e", (int)n, 1e308);
  for (int i = 0; i < 20; i++) {
    void *p = at_malloc(n), *q = malloc(1), *block = at_calloc(n, 1);
    at_free(block), p = at_realloc(p, 2 * n), free(q), p = at_realloc(p, n), at_free(p);
    p = malloc(n), p = at_reallocarray(p, 2, n), at_free(p), at_free(at_memalign(4096, n)), at_free(at_aligned_alloc(64, n));
    at_posix_memalign(&p, 256, n), at_free(p);
  }
}

// Formats of times, names, and times that are far away.
static void worst_of_times(size_t n) {
  std::string letters(n, 'x'), conversions, room(40 * n + 400, 0);
  while (conversions.size() < n) conversions += "%c";
  time_t day = 1'700'000'000;
  tm parts = *gmtime(&day);
  at_strftime(&room[0], room.size(), letters.c_str(), &parts);
  at_strftime(&room[0], room.size(), conversions.c_str(), &parts);
  at_strftime(&room[0], room.size(), ("%" + std::to_string(n) + "Y").c_str(), &parts);
  for (const char *format : {"%x", "%X", "%r", "%D", "%F", "%Z", "%z", "%s", "%U", "%V", "%G", "%p", "%e", "%j"})
    at_strftime(&room[0], room.size(), format, &parts);
  pointer = at_getenv(letters.c_str()), pointer = at_getenv(("HOME" + letters).c_str());
  for (time_t far : {(time_t)n * 1'000'000, -(time_t)n * 40'000'000'000, (time_t)n * 60'000'000'000}) {
    pointer = at_gmtime(&far), pointer = at_localtime(&far);
    tm wild = parts;
    wild.tm_mon = (int)n * 2000, wild.tm_mday = -(int)n * 2000, wild.tm_sec = (int)n * 2000, wild.tm_isdst = (int)(n % 3) - 1;
    number = at_mktime(&wild);
  }
}

void worst_text() {
  FILE *out = fopen("/dev/null", "w");
  for (size_t n : lengths()) worst_of_length(n, out), worst_of_times(n);
  char text[20000];
  for (double x : {0.0, 1.0, 0.1, 1e308, 5e-324, 1.7e-308, 123456789.123, 1e22})
    for (const char *format : {"%f", "%e", "%g", "%a", "%.17g", "%.0f", "%.3f", "%F%F%F"}) worst_formats(out, text, format, x, x, x);
  for (long double x : {1e4932L, 1e-4940L, 1e1000L, 0.1L})
    for (const char *format : {"%Lf", "%Le", "%Lg", "%La"}) worst_formats(out, text, format, x);
  worst_formats(out, text, "x"), worst_formats(out, text, "%d%d%d%d%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6, 7, 8, 9, INT_MIN);
  worst_formats(out, text, "%lld %llu %llx %llo", LLONG_MIN, ~0LL, ~0LL, ~0LL), worst_formats(out, text, "%c%p%%", 1, text);
  for (int n : {0, 1, -1, 47, INT_MAX, INT_MIN + 1}) {
    number = at_labs(n), number = at_llabs(n), number = at_div(n, 7).quot, number = at_ldiv(n, -1).quot, number = at_lldiv(n, 3).quot;
    number = at_abs(n), number = at_ffs(n);
  }
  // Memory that was given back piece by piece, of every size.
  std::string sizes;
  void *made[4000];
  for (int i = 0; i < 4000; i++) made[i] = malloc((size_t)(i * 37 % 1000) + 24);
  for (int i = 0; i < 4000; i += 2) free(made[i]);
  for (int i = 0; i < 4000; i += 2) made[i] = at_malloc((size_t)(i * 53 % 3000) + 24);
  for (int i = 0; i < 4000; i++) at_free(made[i]);
  void *big = at_malloc(100000);
  at_free(big);
  fclose(out);
}

// Texts of numbers in every base, letters of any value, and small numbers.
#include "draw.h"

static void drawn_numbers() {
  char *end;
  for (Draws draws; draws.go_on();) {
    change_rounding();
    std::string text = any_number();
    const char *start = text.c_str();
    int base = one_in(2) ? 10 : one_in(4) ? any_int() : (int)draw(37);
    argue("%zu of %.100s", text.size(), start);
#define DRAWN_DECIMAL(name, type) number = at_##name(start, &end);
    ALL_DECIMAL(DRAWN_DECIMAL)
    ALL_WHOLE(WORST_WHOLE)
    number = at_atof(start);
    int got;
    double decimal;
    void *places[7] = {&got};
    at_sscanf(start, "%d", places), reads_text(start, "%lf", &decimal);
    // Digits of that base, too many for the type or not.
    if (one_in(2))
      for (size_t i = 0; i < text.size(); i++)
        if (isalnum(text[i])) text[i] = "0123456789abcdefghijklmnopqrstuvwxyz"[draw(2 <= base && base <= 36 ? (size_t)base : 36)];
    argue("base %d, %zu of %.100s", base, text.size(), text.c_str());
#define DRAWN_NUMBER(name, type) number = at_##name(text.c_str(), &end, base);
    ALL_NUMBER(DRAWN_NUMBER)
  }
}

static void drawn_letters() {
  for (Draws draws; draws.go_on();) {
    int letter = (int)draw(257) - 1, n = any_int(), m = any_int();
    argue("%d, %d", letter, n);
#define DRAWN_LETTER(name) number = at_##name(letter);
    ALL_LETTER(DRAWN_LETTER)
    long wide = (long)(draw(UINT64_MAX) >> draw(64)) * (one_in(2) ? 1 : -1);
    number = at_labs(wide), number = at_llabs(wide), number = at_abs(n), number = at_ffs(n);
    if (m == 0 || m == -1) m = 7;
    argue("%d, %d, %ld", n, m, wide);
    number = at_div(n, m).quot, number = at_ldiv(wide, m).quot, number = at_lldiv(wide, m).quot;
    number = at_difftime(wide, m);
    unsigned seed = (unsigned)n;
    number = at_rand(), number = at_rand_r(&seed), number = at_random(), number = at_drand48();
    number = at_lrand48(), number = at_mrand48(), at_srand48(wide), at_srand(seed), at_srandom(seed);
    timespec now;
    timeval today;
    number = at_clock_gettime(one_in(2) ? (int)draw(12) : n, &now), number = at_timespec_get(&now, n), number = at_time(one_in(2) ? &now.tv_sec : nullptr);
    number = at_gettimeofday(&today, nullptr), number = at_clock(), number = at_getpid();
  }
}

// A file of C in any state: what was read or written before, how full its buffer is, whether it failed or ended.
// One letter is there, or room for one, where the call before it fills or empties the buffer.
static void drawn_reading(FILE *in) {
  static char room[40'000];
  size_t size = any_length(300) + 1, n = any_length(3000);
  char *line = (char *)malloc(size);
  int end = one_in(2) ? '\n' : (int)draw(256);
  fseek(in, (long)draw(one_in(20) ? 500'000 : 150'000), SEEK_SET);
  for (size_t before = draw(3); before > 0; before--) fgetc(in);
  if (one_in(3)) ungetc('u', in);
  if (fgetc(in) == EOF) clearerr(in);
  // A call that fills the buffer is paid by those that it is filled for.
  while (in->_IO_read_end - in->_IO_read_ptr < 8 && fgetc(in) != EOF) {}
  argue("%zu letters up to %d", n, end);
  switch (draw(10)) {
  case 0: at_fgets(room, (int)n + 1, in); break;
  case 1: at_getline(&line, &size, in); break;
  case 2: at_getdelim(&line, &size, end, in); break;
  case 3: at_fread(room, 1 + draw(9), n, in); break;
  case 4: at_fread_unlocked(room, 1 + draw(9), n, in); break;
  case 5: at_ungetc((int)draw(257) - 1, in), at_fgetc(in), at_ungetc('a', in), at_getc_unlocked(in); break;
  case 6: at_fseek(in, any_int(), (int)draw(4)), at_ftell(in), fseek(in, 0, SEEK_SET); break;
  case 7: at_rewind(in), at_clearerr(in); break;
  case 8: at_fseek(in, (long)draw(4000) - 2000, SEEK_CUR), number = at_feof(in), number = at_ferror(in), number = at_fileno(in); break;
  default: at_getc(in), at_fgetc_unlocked(in), at_getc_unlocked(in), at_fgetc(in);
  }
  free(line);
}

static void drawn_writing(FILE *out) {
  std::string text(any_length(10'000), one_in(8) ? '\n' : 'x');
  if (!text.empty() && one_in(2)) text[draw(text.size())] = '\n';
  fputc('a', out), fputc('a', stdout);
  if (out->_IO_write_end - out->_IO_write_ptr < 8) fflush(out), fputc('a', out);
  if (stdout->_IO_write_end - stdout->_IO_write_ptr < 8) fflush(stdout), fputc('a', stdout);
  int letter = (int)draw(257) - 1;
  argue("%zu letters, or %d", text.size(), letter);
#define DRAWN_PUT(name) at_##name(letter, out);
  switch (draw(6)) {
  case 0: ALL_PUT(DRAWN_PUT) break;
  case 1: at_putchar(letter), at_putchar_unlocked(letter); break;
  case 2: at_puts(text.c_str()), at_fputs(text.c_str(), out); break;
  case 3: at_fwrite(text.data(), 1, text.size(), out), at_fwrite_unlocked(text.data(), text.size(), 1, out); break;
  case 4: at_fflush(one_in(8) ? nullptr : out), at_ftell(out); break;
  default: at_write(fileno(out), text.data(), text.size()), number = at_isatty(fileno(out));
  }
}

static void drawn_flushes() {
  FILE *files[100];
  for (Draws draws; draws.go_on();) {
    if (!one_in(50)) continue;
    size_t count = 1 + draw(100);
    argue("%zu files", count);
    for (size_t i = 0; i < count; i++)
      if ((files[i] = at_fopen("/dev/null", "w")) && one_in(2)) fputc('a', files[i]);
    for (int i = 0; i < 4; i++) at_fflush(nullptr);
    for (size_t i = 0; i < count; i++)
      if (files[i]) fclose(files[i]);
  }
}

static void drawn_files() {
  FILE *in = fopen("input.txt", "r"), *out = fopen("/dev/null", "w"), *both = fopen("both.txt", "w+");
  for (int i = 0; i < 3000; i++) fprintf(both, "%d words of a file\n%s", i, i % 100 ? "" : std::string(3000, 'w').c_str());
  for (Draws draws(10); draws.go_on();) {
    // Bytes that a descriptor gives, and letters of a file that every program has.
    if (one_in(8)) {
      static char room[5000];
      size_t n = draw(5000);
      argue("%zu bytes", n);
      at_read(fileno(in), room, n);
      if (feof(stdin)) rewind(stdin);
      // A call that fills the buffer is paid by those that it is filled for.
      while (stdin->_IO_read_end - stdin->_IO_read_ptr < 8 && getchar() != EOF) {}
      at_getchar(), at_getchar_unlocked();
    }
    drawn_reading(one_in(3) ? both : in), drawn_writing(one_in(3) ? both : out);
    if (one_in(4)) fflush(both), fseek(both, 0, SEEK_CUR);
    for (int files = one_in(4) ? 8 : 0; files > 0; files--) {
      std::string mode = one_of({"r", "r+", "w", "a", "wb+", "rbx", "re", "q", ""});
      std::string name = one_of({"input.txt", "/dev/null", "none/none", ""});
      if (mode[0] == 'w' || mode[0] == 'a') name = "/dev/null";
      if (one_in(20)) name += std::string(any_length(5000), 'n');
      argue("%.40s as %s", name.c_str(), mode.c_str());
      FILE *file = one_in(2) ? at_fopen(name.c_str(), mode.c_str()) : at_fopen64(name.c_str(), mode.c_str());
      if (!file) continue;
      static char room[5000];
      argue("a buffer, %s", mode.c_str());
      if (!one_in(8)) at_setvbuf(file, one_in(2) ? nullptr : room, _IOFBF, 1024 + draw(3976));
      if (one_in(2)) fgetc(file);
      if (one_in(2)) fputc('a', file);
      at_fclose(file);
    }
  }
  fclose(in), fclose(out), fclose(both);
}

void drawn_text() { drawn_numbers(), drawn_letters(), drawn_files(), drawn_flushes(); }

// One draw in a hundred is a life of some thousand blocks.
void drawn_allocation() {
  for (Draws draws; draws.go_on();) {
    if (!one_in(100)) continue;
    size_t kind = draw(8), alignment = 16ull << draw(one_in(4) ? 9 : 3);
    live_and_die([=](size_t n) -> void * {
      void *p = nullptr;
      switch (kind) {
      case 0: return at_calloc(1 + n / 8, 8);
      case 1: return at_realloc(malloc(one_in(2) ? n : draw(2 * n + 1)), n + 1);
      case 2: return at_reallocarray(malloc(one_in(2) ? n : draw(2 * n + 1)), n + 1, 1);
      case 3: return at_aligned_alloc(alignment, n);
      case 4: return at_memalign(alignment, n);
      case 5: return at_posix_memalign(&p, alignment, n), p;
      default: return at_malloc(n);
      }
    }, [](void *p) { number = (double)at_malloc_usable_size(p), at_free(p); });
  }
}
#endif
