// What do functions cost that read and write numbers and lines as text?
//
// The C library does the work; what it walks along is charged before: the
// characters of a number, a line, a format, the widths and precisions that stand
// in the format or are arguments, and how far a floating-point number is from 1.
// What comes out beyond that is charged when it is known, and so is what reading
// takes from a file. Limits: of a file, what one call reads beyond the rest of its
// buffer and the next one; letters of more than a byte ("%ls").
#include "library.h"

#include <float.h>
#include <wchar.h>

// The power of two of a number; of what is none, the highest.
static int opc_power(long double number) {
#if LDBL_MANT_DIG == 53
  uint64_t bits;
  __builtin_memcpy(&bits, &number, sizeof bits);
  return (int)(bits >> 52 & 0x7ff) - 1022;
#else
  char bytes[sizeof number] = {0};
  uint16_t bits;
  __builtin_memcpy(bytes, &number, sizeof number);
  __builtin_memcpy(&bits, bytes + (LDBL_MANT_DIG == 64 ? 8 : 14), sizeof bits);
  return (bits & 0x7fff) - 16382;
#endif
}

// Digits are worked out one by one, each over all words of the number.
static size_t opc_digits_cost(int power, size_t precision, int is_whole) {
  size_t distance = (size_t)(power < 0 ? -power : power), words = distance / 64 + 2;
  size_t digits = precision + (is_whole && power > 0 ? distance * 3 / 10 : 0);
  if (digits > SIZE_MAX / 8192) return SIZE_MAX / 32;
  return digits * (30 + 6 * words) + words * words / 2;
}

// A conversion: digits of a format are read from `format` on, a star is an argument.
static size_t opc_size_of(const char **format) {
  size_t number = 0;
  for (; **format >= '0' && **format <= '9'; ++*format)
    if (number < 1 << 30) number = number * 10 + (size_t)(**format - '0');
  return number;
}

enum { PER_CONVERSION = 150, PER_PLACED = 40000, EACH_WIDE_LETTER = 30, EACH_VARIABLE = 6, EACH_MESSAGE = 1000 };

// Every conversion of a format, and what its arguments say of it. The list is a copy.
static void opc_charge_format(const char *format, va_list list) {
  size_t units = 0;
  const char *start = format;
  for (; *format; format++) {
    if (*format != '%') continue;
    format++;
    while (*format == '-' || *format == '+' || *format == ' ' || *format == '#' || *format == '0' ||
           *format == '\'' || *format == 'I')
      format++;
    size_t width = 0, precision = 6, has_precision = 0, longs = 0;
    if (*format == '*') {
      int given = va_arg(list, int);
      width = given < 0 ? -(size_t)given : (size_t)given;
      format++;
    } else {
      width = opc_size_of(&format);
    }
    if (*format == '$') {
      // Arguments in an order of their own: each conversion may be the dearest.
      for (format = start; *format; format++)
        if (*format == '%') units += PER_PLACED;
      break;
    }
    if (*format == '.') {
      format++, has_precision = 1;
      if (*format == '*') {
        int given = va_arg(list, int);
        if (given < 0) has_precision = 0;
        else precision = (size_t)given;
        format++;
      } else {
        precision = opc_size_of(&format);
      }
    }
    int is_wide = 0;
    for (;; format++) {
      if (*format == 'l' || *format == 'j' || *format == 'z' || *format == 'Z' || *format == 't' || *format == 'q') longs++;
      else if (*format == 'L') is_wide = 1, longs = 2;
      else if (*format != 'h') break;
    }
    if (*format == 'q') longs = 2;
    units += PER_CONVERSION + 4 * width;
    switch (*format) {
    case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': case 'b': case 'B': case 'c':
      if (has_precision) units += 4 * precision;
      if (longs) (void)va_arg(list, long long);
      else (void)va_arg(list, int);
      break;
    case 'm': units += EACH_MESSAGE; break;
    case 'C': (void)va_arg(list, int); break;
    case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A': {
      long double number = is_wide ? va_arg(list, long double) : (long double)va_arg(list, double);
      size_t cost = opc_digits_cost(opc_power(number), precision, (*format | 32) == 'f');
      units = cost < SIZE_MAX / 32 - units ? units + cost : SIZE_MAX / 32;
      break;
    }
    case 's': case 'S': {
      const char *text = va_arg(list, const char *);
      int letters_are_wide = longs || *format == 'S';
      if (!letters_are_wide && text) opc_charge_copy(LIBRARY(strnlen)(text, has_precision ? precision : SIZE_MAX));
      if (letters_are_wide && text) {
        // Each letter becomes a byte or more, so of more letters than the precision none is looked at.
        const wchar_t *wide = (const wchar_t *)text;
        size_t most = has_precision ? precision : SIZE_MAX, length = 0;
        while (length < most && wide[length]) length++;
        units += length * EACH_WIDE_LETTER;
      }
      break;
    }
    case 'p':
      if (has_precision) units += 4 * precision;
      (void)va_arg(list, void *);
      break;
    case 'n': (void)va_arg(list, void *); break;
    case '%': break;
    default: format--; break; // the end, or no conversion
    }
    if (!*format) break;
  }
  opc_libc_charge((size_t)(format - start));
  opc_charge_units(units);
}

// What did not fit is formatted in small pieces and thrown away.
static int opc_charge_rest(int written, size_t size) {
  if (written > 0 && (size_t)written > size) opc_charge_units(((size_t)written - size) * 12);
  return written;
}

static int opc_charge_result(int written) {
  opc_libc_charge(written > 0 ? (size_t)written : 0);
  return written;
}

#define OUTPUT(name, parameters, call)        \
  int LIBRARY(name) parameters {              \
    va_list copy;                             \
    va_copy(copy, arguments);                 \
    opc_charge_format(format, copy);          \
    va_end(copy);                             \
    return opc_charge_result(call);           \
  }

#define OUTPUT_VARIADIC(name, parameters, call) \
  int LIBRARY(name) parameters {                \
    va_list arguments;                          \
    va_start(arguments, format);                \
    opc_charge_format(format, arguments);       \
    va_end(arguments);                          \
    va_start(arguments, format);                \
    int written = call;                         \
    va_end(arguments);                          \
    return opc_charge_result(written);          \
  }

OUTPUT(vprintf, (const char *format, va_list arguments), vprintf(format, arguments))
OUTPUT(vfprintf, (FILE *stream, const char *format, va_list arguments), vfprintf(stream, format, arguments))
OUTPUT(vsprintf, (char *to, const char *format, va_list arguments), vsprintf(to, format, arguments))
OUTPUT(vsnprintf, (char *to, size_t size, const char *format, va_list arguments),
       opc_charge_rest(vsnprintf(to, size, format, arguments), size))
OUTPUT_VARIADIC(printf, (const char *format, ...), vprintf(format, arguments))
OUTPUT_VARIADIC(fprintf, (FILE *stream, const char *format, ...), vfprintf(stream, format, arguments))
OUTPUT_VARIADIC(sprintf, (char *to, const char *format, ...), vsprintf(to, format, arguments))
OUTPUT_VARIADIC(snprintf, (char *to, size_t size, const char *format, ...),
                opc_charge_rest(vsnprintf(to, size, format, arguments), size))

// As programs call them that ask for checks (_FORTIFY_SOURCE); the library does the checks.
#ifdef __GLIBC__
enum { CHECKED = 1500 };
int __vprintf_chk(int flag, const char *format, va_list arguments);
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments);
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list arguments);
int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, va_list arguments);
OUTPUT_VARIADIC(__printf_chk, (int flag, const char *format, ...),
                (opc_charge_units(CHECKED), __vprintf_chk(flag, format, arguments)))
OUTPUT_VARIADIC(__fprintf_chk, (FILE *stream, int flag, const char *format, ...),
                (opc_charge_units(CHECKED), __vfprintf_chk(stream, flag, format, arguments)))
OUTPUT_VARIADIC(__sprintf_chk, (char *to, int flag, size_t room, const char *format, ...),
                (opc_charge_units(CHECKED), __vsprintf_chk(to, flag, room, format, arguments)))
OUTPUT_VARIADIC(__snprintf_chk, (char *to, size_t size, int flag, size_t room, const char *format, ...),
                (opc_charge_units(CHECKED),
                 opc_charge_rest(__vsnprintf_chk(to, size, flag, room, format, arguments), size)))
#endif

// Its room grows, and what is there moves.
enum { ALLOCATED = 1500 };
static int opc_charge_made(int written) {
  if (written > 0) opc_charge_copy((size_t)written), opc_charge_copy((size_t)written);
  return written;
}
OUTPUT_VARIADIC(asprintf, (char **to, const char *format, ...),
                (opc_charge_units(ALLOCATED), opc_charge_made(vasprintf(to, format, arguments))))

// How many variables the environment has, but for those of opcost. Costs a call.
size_t opc_environment_size(void);

// Each variable is looked at.
char *LIBRARY(getenv)(const char *name) {
  opc_libc_charge(LIBRARY(strlen)(name));
  opc_charge_units(opc_environment_size() * EACH_VARIABLE);
  return getenv(name);
}

// ---- reading ---------------------------------------------------------------

// How far reading went from `in` of a buffer that ended at `end`: inside of it, or to its end and into
// the next one.
static size_t opc_went(const char *in, const char *end, const char *next, const char *now, const char *next_end) {
  if (next_end == end && now >= in) return (size_t)(now - in);
  return (size_t)(end - in) + (size_t)(now - next);
}

// Where a file's buffer stands.
struct opc_position {
  const char *in, *end;
};

static struct opc_position opc_position_of(FILE *file) {
#ifdef __GLIBC__
  return (struct opc_position){file->_IO_read_ptr, file->_IO_read_end};
#else
  (void)file;
  return (struct opc_position){NULL, NULL};
#endif
}

static size_t opc_went_on(const struct opc_position *position, FILE *file) {
#ifdef __GLIBC__
  return opc_went(position->in, position->end, file->_IO_read_base, file->_IO_read_ptr, file->_IO_read_end);
#else
  (void)position, (void)file;
  return 0;
#endif
}

// Whether a conversion makes wide letters of what it reads, one at a time.
static int opc_reads_wide(const char *format) {
  for (; *format; format++)
    if (*format == 'S' || *format == 'C' ||
        (*format == 'l' && (format[1] == 's' || format[1] == 'c' || format[1] == '[')))
      return 1;
  return 0;
}

enum { EACH_FORMAT_LETTER = 12, EACH_SET = 200, EACH_WIDE_NUMBER = 30000, EACH_READ = 22, EACH_WIDE_READ = 70 };

// A set of letters is a table of all bytes, made anew each time. A number of 80 bits may have any exponent.
static void opc_charge_input_format(const char *format) {
  size_t units = 0;
  for (; *format; format++) units += *format == '[' ? EACH_SET : *format == 'L' ? EACH_WIDE_NUMBER : EACH_FORMAT_LETTER;
  opc_charge_units(units);
}

#define INPUT(name, parameters, file, call)             \
  int LIBRARY(name) parameters {                        \
    struct opc_position position = opc_position_of(file); \
    opc_charge_input_format(format);                    \
    va_list arguments;                                  \
    va_start(arguments, format);                        \
    int read = call;                                    \
    va_end(arguments);                                  \
    opc_charge_units(opc_went_on(&position, file) * (opc_reads_wide(format) ? EACH_WIDE_READ : EACH_READ)); \
    return read;                                        \
  }
INPUT(scanf, (const char *format, ...), stdin, vscanf(format, arguments))
INPUT(fscanf, (FILE *stream, const char *format, ...), stream, vfscanf(stream, format, arguments))
#ifdef __GLIBC__
int __isoc99_vscanf(const char *format, va_list arguments);
int __isoc99_vfscanf(FILE *stream, const char *format, va_list arguments);
int __isoc99_vsscanf(const char *text, const char *format, va_list arguments);
#else
#define __isoc99_vscanf vscanf
#define __isoc99_vfscanf vfscanf
#define __isoc99_vsscanf vsscanf
#endif
INPUT(__isoc99_scanf, (const char *format, ...), stdin, __isoc99_vscanf(format, arguments))
INPUT(__isoc99_fscanf, (FILE *stream, const char *format, ...), stream, __isoc99_vfscanf(stream, format, arguments))
INPUT(__isoc23_scanf, (const char *format, ...), stdin, vscanf(format, arguments))
INPUT(__isoc23_fscanf, (FILE *stream, const char *format, ...), stream, vfscanf(stream, format, arguments))

#define INPUT_OF_LIST(name, parameters, file, call)       \
  int LIBRARY(name) parameters {                          \
    struct opc_position position = opc_position_of(file); \
    opc_charge_input_format(format);                      \
    int read = call;                                      \
    opc_charge_units(opc_went_on(&position, file) * (opc_reads_wide(format) ? EACH_WIDE_READ : EACH_READ));  \
    return read;                                          \
  }
INPUT_OF_LIST(vscanf, (const char *format, va_list arguments), stdin, vscanf(format, arguments))
INPUT_OF_LIST(vfscanf, (FILE *stream, const char *format, va_list arguments), stream,
              vfscanf(stream, format, arguments))
#ifdef __GLIBC__
INPUT_OF_LIST(__isoc99_vscanf, (const char *format, va_list arguments), stdin, __isoc99_vscanf(format, arguments))
INPUT_OF_LIST(__isoc99_vfscanf, (FILE *stream, const char *format, va_list arguments), stream,
              __isoc99_vfscanf(stream, format, arguments))
#endif

// The most that is read of a text: as many words as the format has conversions, and its own letters. A blank
// of the format takes all blanks, unless a conversion does that behind it. Where a conversion takes more than a
// word, all of the text.
static size_t opc_readable(const char *text, const char *format) {
  size_t at = 0, own = 0, words = 0;
  for (; *format; format++, own++)
    if (*format == '%') words++;
    else if ((*format == ' ' || (unsigned char)(*format - '\t') < 5) && format[1] != '%') words++;
    else if (*format == '[' || *format == 'c' || *format == 'C') return LIBRARY(strlen)(text);
  for (; words > 0 && text[at]; words--) {
    while (text[at] == ' ' || (unsigned char)(text[at] - '\t') < 5) at++;
    while (text[at] && text[at] != ' ' && (unsigned char)(text[at] - '\t') >= 5) at++;
  }
  return at + own;
}

static void opc_charge_text_input(const char *text, const char *format) {
  opc_charge_input_format(format);
  opc_libc_charge(LIBRARY(strlen)(text));
  opc_charge_units(opc_readable(text, format) * (opc_reads_wide(format) ? EACH_WIDE_READ : EACH_READ));
}

#define TEXT_INPUT(name, call)                                \
  int LIBRARY(name)(const char *text, const char *format, ...) { \
    opc_charge_text_input(text, format);                      \
    va_list arguments;                                        \
    va_start(arguments, format);                              \
    int read = call(text, format, arguments);                 \
    va_end(arguments);                                        \
    return read;                                              \
  }
TEXT_INPUT(sscanf, vsscanf)
TEXT_INPUT(__isoc99_sscanf, __isoc99_vsscanf)
TEXT_INPUT(__isoc23_sscanf, vsscanf)

#define TEXT_INPUT_OF_LIST(name)                                                      \
  int LIBRARY(name)(const char *text, const char *format, va_list arguments) {        \
    opc_charge_text_input(text, format);                                              \
    return name(text, format, arguments);                                             \
  }
TEXT_INPUT_OF_LIST(vsscanf)
#ifdef __GLIBC__
TEXT_INPUT_OF_LIST(__isoc99_vsscanf)
#endif

// ---- lines and numbers -----------------------------------------------------

int LIBRARY(puts)(const char *line) {
  opc_libc_charge(LIBRARY(strlen)(line));
  return puts(line);
}

int LIBRARY(fputs)(const char *text, FILE *stream) {
  opc_libc_charge(LIBRARY(strlen)(text));
  return fputs(text, stream);
}

enum { EACH_FILE = 60, CHARACTER_SET = 1000000000 };

static size_t opc_files_opened;

// What a file costs that changes letters into those of another set is in no argument: nobody pays it. The files
// that were opened are those that flushing all of them goes through, or more.
static void opc_charge_mode(const char *mode) {
  opc_files_opened++;
  if (LIBRARY(strchr)(mode, ',')) opc_charge_units(CHARACTER_SET);
}
FILE *LIBRARY(fopen)(const char *name, const char *mode) {
  opc_charge_mode(mode);
  return fopen(name, mode);
}
#if defined(__GLIBC__) || defined(__wasi__)
FILE *fopen64(const char *name, const char *mode);
FILE *LIBRARY(fopen64)(const char *name, const char *mode) {
  opc_charge_mode(mode);
  return fopen64(name, mode);
}
#endif
int LIBRARY(fflush)(FILE *stream) {
  if (!stream) opc_charge_units(opc_files_opened * EACH_FILE);
  return fflush(stream);
}

// A line is as long as it is found to be.
char *LIBRARY(fgets)(char *to, int size, FILE *stream) {
  char *line = fgets(to, size, stream);
  if (line) opc_charge_copy(LIBRARY(strlen)(line));
  return line;
}

ssize_t LIBRARY(getdelim)(char **to, size_t *size, int end, FILE *stream) {
  ssize_t length = getdelim(to, size, end, stream);
  // It is copied once, and again where the line's room grows.
  if (length > 0) opc_charge_copy((size_t)length * 3);
  return length;
}

ssize_t LIBRARY(getline)(char **to, size_t *size, FILE *stream) { return LIBRARY(getdelim)(to, size, '\n', stream); }

enum { EACH_DIGIT = 12, MOST_DIGITS = 800, EACH_OF_THEM = 10, MOST_EXPONENT = 6000, MOST_WIDE_DIGITS = 12000, EACH_SQUARE = 400 };

// Every character that a number may have, and what stands before it.
static size_t opc_charge_number(const char *text) {
  size_t length = 0;
  while (text[length] == ' ' || (unsigned)text[length] - '\t' < 5) length++;
  for (;; length++) {
    unsigned char byte = (unsigned char)text[length];
    unsigned letter = (byte | 32u) - 'a', digit = byte - (unsigned)'0';
    if (letter >= 26 && digit >= 10 && byte != '+' && byte != '-' && byte != '.' && byte != '_') break;
  }
  opc_charge_units(length * EACH_DIGIT + (length < MOST_DIGITS ? length : MOST_DIGITS) * EACH_OF_THEM);
  return length;
}

// What "nan" has in brackets is read too.
static size_t opc_charge_decimal(const char *text) {
  size_t length = opc_charge_number(text);
  if (length > 0 && text[length] == '(' && (text[length - 1] | 32) == 'n') (void)opc_charge_number(text + length + 1);
  return length;
}

// Of 80 bits or more a number goes over as many words as its digits and its exponent ask for, and all of them again
// for each.
static void opc_charge_wide_number(const char *text) {
  size_t length = opc_charge_decimal(text), at = 0, exponent = 0;
  while (at < length && (text[at] | 32) != 'e') at++;
  if (at < length) at++;
  if (text[at] == '+' || text[at] == '-') at++;
  for (; text[at] >= '0' && text[at] <= '9' && exponent < MOST_EXPONENT; at++) exponent = exponent * 10 + (size_t)(text[at] - '0');
  if (exponent > MOST_EXPONENT) exponent = MOST_EXPONENT;
  if (length > MOST_WIDE_DIGITS) length = MOST_WIDE_DIGITS;
  opc_charge_units((exponent * exponent + length * length) / EACH_SQUARE);
}

// The same by the power of two of what was read.
static void opc_charge_power_of_ten(int power) {
  size_t exponent = (size_t)(power < 0 ? -power : power) * 10 / 33;
  opc_charge_units(exponent * exponent / EACH_SQUARE);
}

// A digit is looked at more than once; those that count are worked out over all words of the number.
#define CHARGED_NUMBER(charge, type, name, parameters, call) \
  type LIBRARY(name) parameters {                            \
    (void)charge(text);                                      \
    return call;                                             \
  }
#define NUMBER(type, name, parameters, call) CHARGED_NUMBER(opc_charge_number, type, name, parameters, call)
#define DECIMAL(type, name, parameters, call) CHARGED_NUMBER(opc_charge_decimal, type, name, parameters, call)

NUMBER(int, atoi, (const char *text), atoi(text))
NUMBER(long, atol, (const char *text), atol(text))
NUMBER(long long, atoll, (const char *text), atoll(text))
DECIMAL(double, atof, (const char *text), atof(text))
NUMBER(long, strtol, (const char *text, char **end, int base), strtol(text, end, base))
NUMBER(unsigned long, strtoul, (const char *text, char **end, int base), strtoul(text, end, base))
NUMBER(long long, strtoll, (const char *text, char **end, int base), strtoll(text, end, base))
NUMBER(unsigned long long, strtoull, (const char *text, char **end, int base), strtoull(text, end, base))
DECIMAL(double, strtod, (const char *text, char **end), strtod(text, end))
DECIMAL(float, strtof, (const char *text, char **end), strtof(text, end))
long double LIBRARY(strtold)(const char *text, char **end) {
  opc_charge_wide_number(text);
  return strtold(text, end);
}

// The characters that <charconv> may take for a floating-point number.
static void opc_charge_range(const char *text, const char *end) {
  size_t length = 0;
  for (; text + length < end; length++) {
    unsigned char byte = (unsigned char)text[length];
    if ((byte | 32u) - 'a' >= 26 && byte - (unsigned)'0' >= 10 && byte != '+' && byte != '-' && byte != '.' && byte != '_' && byte != '(')
      break;
  }
  opc_charge_units(length * EACH_DIGIT + (length < MOST_DIGITS ? length : MOST_DIGITS) * EACH_OF_THEM);
}

struct opc_parsed {
  const char *end;
  int error;
};
#define RANGE(name, type)                                                                        \
  struct opc_parsed name(const char *text, const char *end, type *value, int format);            \
  struct opc_parsed LIBRARY(name)(const char *text, const char *end, type *value, int format) {  \
    opc_charge_range(text, end);                                                                 \
    return name(text, end, value, format);                                                       \
  }
RANGE(_ZSt10from_charsPKcS0_RdSt12chars_format, double)
RANGE(_ZSt10from_charsPKcS0_RfSt12chars_format, float)

// ---- remainders ------------------------------------------------------------

// A bit of the quotient at a time, in some C libraries. Numbers below the least usual one are brought to it
// bit by bit.
static void opc_charge_quotient(int of, int by, int least) {
  size_t bits = of > by ? (size_t)(of - by) * 4 : 0;
  if (of < least) bits += (size_t)(least - of) * 3;
  if (by < least) bits += (size_t)(least - by) * 3;
  opc_charge_units(bits);
}

#define REMAINDER(type, name, least)                        \
  type name(type a, type b);                                \
  type LIBRARY(name)(type a, type b) {                      \
    opc_charge_quotient(opc_power(a), opc_power(b), least); \
    return name(a, b);                                      \
  }
REMAINDER(double, fmod, -1021)
REMAINDER(float, fmodf, -125)
REMAINDER(double, remainder, -1021)
REMAINDER(float, remainderf, -125)

// With the last bits of the quotient as well: the C library takes eight times the divisor first.
#define QUOTIENT(type, name, least)                         \
  type name(type a, type b, int *quotient);                 \
  type LIBRARY(name)(type a, type b, int *quotient) {       \
    opc_charge_quotient(opc_power(a), opc_power(b), least); \
    return name(a, b, quotient);                            \
  }
QUOTIENT(double, remquo, -1021)
QUOTIENT(float, remquof, -125)

// The processor's instruction for 80 bits does 32 to 63 bits of the quotient at a time, and again as often as the
// powers of two are apart.
enum { EACH_BIT = LDBL_MANT_DIG == 64 ? 1 : 64 };
static void opc_charge_wide_quotient(int of, int by) { opc_charge_units(of > by ? (size_t)(of - by) * EACH_BIT / 16 : 0); }
long double fmodl(long double a, long double b);
long double LIBRARY(fmodl)(long double a, long double b) {
  opc_charge_wide_quotient(opc_power(a), opc_power(b));
  return fmodl(a, b);
}
long double remainderl(long double a, long double b);
long double LIBRARY(remainderl)(long double a, long double b) {
  opc_charge_wide_quotient(opc_power(a), opc_power(b));
  return remainderl(a, b);
}
long double remquol(long double a, long double b, int *quotient);
long double LIBRARY(remquol)(long double a, long double b, int *quotient) {
  opc_charge_wide_quotient(opc_power(a), opc_power(b));
  return remquol(a, b, quotient);
}
