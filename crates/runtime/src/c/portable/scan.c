// How do characters become numbers and texts?
//
// `strtol` and its family, `strtod` (exact, decimal.c), and the `scanf` family
// over slots: conversions d i u x o c s f e g and sets, with widths, lengths
// and `*`. Others end the program with a word of why.
#include "portable.h"

#include <errno.h>
#include <limits.h>

// A text or a stream, one byte at a time.
struct opc_source {
  FILE *stream;
  const char *text;
  long taken;
};

static int opc_peek(struct opc_source *source) {
  if (!source->stream) return *source->text ? (unsigned char)*source->text : EOF;
  int byte = opc_read(source->stream);
  LIBRARY(ungetc)(byte, source->stream);
  return byte;
}

static int opc_take(struct opc_source *source) {
  int byte = source->stream ? opc_read(source->stream) : opc_peek(source);
  if (byte != EOF) {
    source->taken++;
    if (!source->stream) source->text++;
  }
  return byte;
}

static int opc_is_space(int byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

static int opc_digit_value(int byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  int letter = byte | 32;
  return letter >= 'a' && letter <= 'z' ? letter - 'a' + 10 : 99;
}

// The size of a number and whether a minus stands before it; `end` behind it. No number: `end` is `text`.
static uint64_t opc_read_integer(const char *text, const char **end, int base, int *is_negative, int *is_over) {
  const char *at = text;
  *end = text;
  *is_over = 0;
  while (opc_is_space((unsigned char)*at)) at++;
  *is_negative = *at == '-';
  if (*at == '-' || *at == '+') at++;
  if ((base == 0 || base == 16) && at[0] == '0' && (at[1] | 32) == 'x' && opc_digit_value(at[2]) < 16) {
    at += 2;
    base = 16;
  } else if (base == 0) {
    base = *at == '0' ? 8 : 10;
  }
  uint64_t value = 0;
  for (int digit; (digit = opc_digit_value((unsigned char)*at)) < base; at++) {
    uint64_t more;
    if (__builtin_mul_overflow(value, (uint64_t)base, &more) || __builtin_add_overflow(more, (uint64_t)digit, &value)) {
      *is_over = 1;
      value = 0;
    }
    *end = at + 1;
  }
  return value;
}

long LIBRARY(strtol)(const char *text, char **end, int base) {
  const char *behind;
  int is_negative, is_over;
  uint64_t size = opc_read_integer(text, &behind, base, &is_negative, &is_over);
  if (end) *end = (char *)behind;
  uint64_t most = (uint64_t)LONG_MAX + (uint64_t)is_negative;
  if (is_over || size > most) {
    errno = ERANGE;
    size = most;
  }
  return (long)(is_negative ? 0 - size : size);
}

unsigned long LIBRARY(strtoul)(const char *text, char **end, int base) {
  const char *behind;
  int is_negative, is_over;
  uint64_t size = opc_read_integer(text, &behind, base, &is_negative, &is_over);
  if (end) *end = (char *)behind;
  if (is_over) {
    errno = ERANGE;
    return ULONG_MAX;
  }
  return is_negative ? 0 - size : size;
}

long long LIBRARY(strtoll)(const char *text, char **end, int base) { return LIBRARY(strtol)(text, end, base); }
unsigned long long LIBRARY(strtoull)(const char *text, char **end, int base) {
  return LIBRARY(strtoul)(text, end, base);
}
int LIBRARY(atoi)(const char *text) { return (int)LIBRARY(strtol)(text, NULL, 10); }
long LIBRARY(atol)(const char *text) { return LIBRARY(strtol)(text, NULL, 10); }
long long LIBRARY(atoll)(const char *text) { return LIBRARY(strtol)(text, NULL, 10); }

div_t LIBRARY(div)(int a, int b) { return (div_t){a / b, a % b}; }
ldiv_t LIBRARY(ldiv)(long a, long b) { return (ldiv_t){a / b, a % b}; }
lldiv_t LIBRARY(lldiv)(long long a, long long b) { return (lldiv_t){a / b, a % b}; }

static int opc_begins_with(const char *text, const char *word) {
  for (; *word; text++, word++)
    if ((*text | 32) != *word) return 0;
  return 1;
}

double LIBRARY(strtod)(const char *text, char **end) {
  const char *at = text;
  char digits[OPC_MOST_DIGITS + 2];
  int count = 0, exponent = 0, seen = 0, has_point = 0;
  if (end) *end = (char *)text;
  while (opc_is_space((unsigned char)*at)) at++;
  int is_negative = *at == '-';
  if (*at == '-' || *at == '+') at++;
  if (opc_begins_with(at, "inf") || opc_begins_with(at, "nan")) {
    double special = (*at | 32) == 'i' ? __builtin_inf() : __builtin_nan("");
    if (end) *end = (char *)at + (opc_begins_with(at, "infinity") ? 8 : 3);
    return is_negative ? -special : special;
  }
  if (at[0] == '0' && (at[1] | 32) == 'x') opc_die("strtod", "portable programs read no hexadecimal fractions");
  for (;; at++) {
    if (*at == '.' && !has_point) {
      has_point = 1;
      continue;
    }
    if (*at < '0' || *at > '9') break;
    seen = 1;
    if (count == 0 && *at == '0') {
      exponent -= has_point;
      continue;
    }
    if (count < OPC_MOST_DIGITS) digits[count++] = *at;
    else if (*at != '0') digits[OPC_MOST_DIGITS] = '1', count = OPC_MOST_DIGITS + 1;
    exponent += !has_point;
  }
  if (!seen) return 0;
  if ((*at | 32) == 'e') {
    const char *from = at + 1;
    int is_below = *from == '-', power = 0;
    if (*from == '-' || *from == '+') from++;
    if (*from >= '0' && *from <= '9') {
      for (; *from >= '0' && *from <= '9'; from++)
        if (power < 100000) power = power * 10 + (*from - '0');
      exponent += is_below ? -power : power;
      at = from;
    }
  }
  if (end) *end = (char *)at;
  double value = opc_number_of(digits, count, exponent);
  if (count && (value == 0 || value == __builtin_inf())) errno = ERANGE;
  return is_negative ? -value : value;
}

float LIBRARY(strtof)(const char *text, char **end) { return (float)LIBRARY(strtod)(text, end); }
double LIBRARY(atof)(const char *text) { return LIBRARY(strtod)(text, NULL); }

// Collects what may belong to a number; 0 if nothing does.
static int opc_take_number(struct opc_source *source, char *word, long most, int is_fraction, int is_hexadecimal) {
  int length = 0, has_exponent = 0;
  while (length < most) {
    int byte = opc_peek(source), letter = byte | 32;
    int is_sign = (byte == '-' || byte == '+') && (length == 0 || (is_fraction && (word[length - 1] | 32) == 'e'));
    int is_digit = byte >= '0' && byte <= '9';
    int is_letter = is_hexadecimal && ((letter >= 'a' && letter <= 'f') || (letter == 'x' && length > 0 && length < 3));
    int is_point = is_fraction && byte == '.' && !has_exponent;
    int is_power = is_fraction && letter == 'e' && length > 0 && !has_exponent;
    if (!is_sign && !is_digit && !is_letter && !is_point && !is_power) break;
    has_exponent |= is_power;
    word[length++] = (char)opc_take(source);
  }
  // Words for what is no number.
  const char *special = is_fraction && length < 2 && (opc_peek(source) | 32) == 'n' ? "nan" : "infinity";
  for (; is_fraction && length < most && length < 9 && (length < 2 || word[length - 1] > '9'); special++) {
    if (!*special || (opc_peek(source) | 32) != *special) break;
    word[length++] = (char)opc_take(source);
  }
  word[length] = 0;
  return length;
}

static void opc_store_integer(void *to, int64_t value, int size) {
  if (size == 1) *(int8_t *)to = (int8_t)value;
  else if (size == 2) *(int16_t *)to = (int16_t)value;
  else if (size == 4) *(int32_t *)to = (int32_t)value;
  else *(int64_t *)to = value;
}

// Reads `[^a-z]`: the set as bits; behind the bracket.
static const char *opc_read_set(const char *format, uint64_t set[4]) {
  int is_without = *format == '^';
  format += is_without;
  for (int at = 0; at < 4; at++) set[at] = 0;
  for (const char *first = format; *format && (*format != ']' || format == first); format++) {
    unsigned low = (unsigned char)*format, high = low;
    if (format[1] == '-' && format[2] && format[2] != ']') {
      high = (unsigned char)format[2];
      format += 2;
    }
    for (unsigned byte = low; byte <= high; byte++) set[byte >> 6] |= UINT64_C(1) << (byte & 63);
  }
  for (int at = 0; at < 4 && is_without; at++) set[at] = ~set[at];
  return *format ? format + 1 : format;
}

// One conversion: 1 done, 0 it does not fit, EOF nothing is left.
static int opc_scan_one(struct opc_source *source, char kind, const uint64_t set[4], long width, int size, void *to) {
  char word[512];
  long most = width > 0 && width < 511 ? width : 511, length = 0;
  int is_text = kind == 's' || kind == 'c' || kind == '[';
  if (kind != 'c' && kind != '[')
    while (opc_is_space(opc_peek(source))) opc_take(source);
  if (opc_peek(source) == EOF) return EOF;
  if (is_text) {
    long limit = width > 0 ? width : kind == 'c' ? 1 : LONG_MAX;
    for (int byte; length < limit && (byte = opc_peek(source)) != EOF; length++) {
      if (kind == 's' && opc_is_space(byte)) break;
      if (kind == '[' && !(set[byte >> 6] >> (byte & 63) & 1)) break;
      opc_take(source);
      if (to) ((char *)to)[length] = (char)byte;
    }
    if (to && kind != 'c') ((char *)to)[length] = 0;
    return length > 0;
  }
  int is_fraction = kind == 'f' || kind == 'e' || kind == 'g';
  if (!opc_take_number(source, word, most, is_fraction, kind == 'x' || kind == 'i')) return 0;
  char *end;
  if (is_fraction) {
    double value = LIBRARY(strtod)(word, &end);
    if (end == word) return 0;
    if (to && size == 8) *(double *)to = value;
    if (to && size == 4) *(float *)to = (float)value;
    return 1;
  }
  int base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'i' ? 0 : 10;
  int64_t value = kind == 'u' || kind == 'x' || kind == 'o' ? (int64_t)LIBRARY(strtoul)(word, &end, base)
                                                            : LIBRARY(strtol)(word, &end, base);
  if (end == word) return 0;
  if (to) opc_store_integer(to, value, size);
  return 1;
}

static int opc_scan(struct opc_source *source, const char *format, opc_slots slots) {
  int done = 0;
  for (; *format; ) {
    if (opc_is_space((unsigned char)*format)) {
      while (opc_is_space(opc_peek(source))) opc_take(source);
      format++;
      continue;
    }
    if (*format != '%' || format[1] == '%') {
      format += *format == '%';
      if (opc_peek(source) != (unsigned char)*format) return opc_peek(source) == EOF && !done ? EOF : done;
      opc_take(source);
      format++;
      continue;
    }
    format++;
    int is_dropped = *format == '*', size = 4;
    format += is_dropped;
    long width = 0;
    for (; *format >= '0' && *format <= '9'; format++) width = width * 10 + (*format - '0');
    for (;; format++) {
      if (*format == 'h') size = size == 2 ? 1 : 2;
      else if (*format == 'l' || *format == 'j' || *format == 'z' || *format == 'L') size = 8;
      else break;
    }
    char kind = *format++;
    uint64_t set[4];
    if (kind == '[') format = opc_read_set(format, set);
    if (kind == 'n') {
      opc_store_integer(OPC_NEXT(slots, void *), source->taken, size);
      continue;
    }
    if (kind == 'E' || kind == 'G' || kind == 'F' || kind == 'X') kind += 32;
    const char *known = "diuxocsfeg[";
    while (*known && *known != kind) known++;
    if (!*known) opc_die("scanf", "portable programs have no such conversion");
    void *to = is_dropped ? NULL : OPC_NEXT(slots, void *);
    int result = opc_scan_one(source, kind, set, width, size, to);
    if (result != 1) return result == EOF && !done ? EOF : done;
    done += !is_dropped;
  }
  return done;
}

int LIBRARY(scanf)(const char *format, opc_slots slots) {
  struct opc_source source = {.stream = stdin};
  return opc_scan(&source, format, slots);
}
int LIBRARY(fscanf)(FILE *stream, const char *format, opc_slots slots) {
  struct opc_source source = {.stream = stream};
  return opc_scan(&source, format, slots);
}
int LIBRARY(sscanf)(const char *text, const char *format, opc_slots slots) {
  struct opc_source source = {.text = text};
  return opc_scan(&source, format, slots);
}

// The names that the GNU C library's headers give them.
int LIBRARY(__isoc99_scanf)(const char *format, opc_slots slots) { return LIBRARY(scanf)(format, slots); }
int LIBRARY(__isoc99_fscanf)(FILE *stream, const char *format, opc_slots slots) {
  return LIBRARY(fscanf)(stream, format, slots);
}
int LIBRARY(__isoc99_sscanf)(const char *text, const char *format, opc_slots slots) {
  return LIBRARY(sscanf)(text, format, slots);
}
