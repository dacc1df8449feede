// How do numbers and texts become characters?
//
// The `printf` family over slots: every flag, width and precision of C, and all
// conversions but `%a`, `%n` and wide characters, which end the program with a
// word of why. Digits are exact (decimal.c).
#include "portable.h"

// Where it goes: a stream, or memory with room for so many.
struct opc_sink {
  FILE *stream;
  char *to;
  size_t room, written;
};

static void opc_put(struct opc_sink *sink, const char *bytes, size_t count) {
  if (sink->stream) {
    opc_write(sink->stream, bytes, count);
  } else if (sink->written < sink->room) {
    size_t fits = sink->room - sink->written;
    memcpy(sink->to + sink->written, bytes, count < fits ? count : fits);
  }
  sink->written += count;
}

static void opc_fill(struct opc_sink *sink, char byte, long count) {
  for (; count > 0; count--) opc_put(sink, &byte, 1);
}

struct opc_conversion {
  int left, plus, space, alternate, zero, upper;
  long width, precision; // below zero: not given
};

// Sign or prefix, then digits, within the width.
static void opc_put_field(struct opc_sink *sink, const struct opc_conversion *how, const char *prefix,
                          const char *body, long length) {
  long before = (long)LIBRARY(strlen)(prefix), fill = how->width - before - length;
  if (!how->left && !how->zero) opc_fill(sink, ' ', fill);
  opc_put(sink, prefix, (size_t)before);
  if (!how->left && how->zero) opc_fill(sink, '0', fill);
  opc_put(sink, body, (size_t)length);
  if (how->left) opc_fill(sink, ' ', fill);
}

static const char *opc_sign(const struct opc_conversion *how, int is_negative) {
  return is_negative ? "-" : how->plus ? "+" : how->space ? " " : "";
}

static void opc_put_integer(struct opc_sink *sink, struct opc_conversion *how, uint64_t value, unsigned base,
                            const char *prefix) {
  const char *letters = how->upper ? "0123456789ABCDEF" : "0123456789abcdef";
  char room[24], *at = room + sizeof room;
  for (uint64_t rest = value; rest; rest /= base) *--at = letters[rest % base];
  long length = (long)(room + sizeof room - at), zeros = (how->precision < 0 ? 1 : how->precision) - length;
  if (base == 8 && how->alternate && zeros <= 0) zeros = 1;
  if (zeros <= 0) {
    if (how->precision >= 0) how->zero = 0;
    opc_put_field(sink, how, prefix, at, length);
    return;
  }
  long before = (long)LIBRARY(strlen)(prefix), fill = how->width - before - zeros - length;
  int fills_zeros = how->zero && !how->left && how->precision < 0;
  if (!how->left && !fills_zeros) opc_fill(sink, ' ', fill);
  opc_put(sink, prefix, (size_t)before);
  opc_fill(sink, '0', fills_zeros && fill > 0 ? fill + zeros : zeros);
  opc_put(sink, at, (size_t)length);
  if (how->left) opc_fill(sink, ' ', fill);
}

struct opc_digits {
  char digit[OPC_MOST_DIGITS + 1];
  int count, exponent;
};

// Keeps `count` digits, rounded to the nearest, halves to even, without zeros at the end.
static void opc_round(struct opc_digits *number, long count) {
  if (count >= number->count) return;
  if (count < 0) {
    number->count = 0;
    return;
  }
  char next = number->digit[count];
  int is_half = next == '5' && number->count == count + 1;
  int is_odd = count > 0 && (number->digit[count - 1] & 1);
  int up = next > '5' || (next == '5' && (!is_half || is_odd));
  number->count = (int)count;
  while (!up && number->count > 0 && number->digit[number->count - 1] == '0') number->count--;
  if (!up) return;
  for (long at = count; at-- > 0;) {
    if (number->digit[at] != '9') {
      number->digit[at]++;
      number->count = (int)at + 1;
      return;
    }
  }
  number->digit[0] = '1';
  number->count = 1;
  number->exponent++;
}

// The digit of the power of ten, zeros where there is none.
static char opc_digit_at(const struct opc_digits *number, long power) {
  long at = number->exponent - power;
  return at >= 0 && at < number->count ? number->digit[at] : '0';
}

// Writes what stands before the exponent, from the highest power down to -`places`. Two passes: length, then text.
static void opc_put_decimal(struct opc_sink *sink, struct opc_conversion *how, const char *sign,
                            const struct opc_digits *number, long highest, long places, const char *tail) {
  int has_point = places > 0 || how->alternate;
  long tail_length = (long)LIBRARY(strlen)(tail);
  long length = highest + 1 + has_point + places + tail_length, before = (long)LIBRARY(strlen)(sign);
  long fill = how->width - before - length;
  if (!how->left && !how->zero) opc_fill(sink, ' ', fill);
  opc_put(sink, sign, (size_t)before);
  if (!how->left && how->zero) opc_fill(sink, '0', fill);
  for (long power = highest; power >= -places; power--) {
    if (power == -1) opc_put(sink, ".", 1);
    char digit = opc_digit_at(number, power);
    opc_put(sink, &digit, 1);
  }
  if (places == 0 && has_point) opc_put(sink, ".", 1);
  opc_put(sink, tail, (size_t)tail_length);
  if (how->left) opc_fill(sink, ' ', fill);
}

static void opc_put_scientific(struct opc_sink *sink, struct opc_conversion *how, const char *sign,
                               struct opc_digits *number, long places) {
  char tail[8], *at = tail + sizeof tail;
  int exponent = number->exponent, size = exponent < 0 ? -exponent : exponent;
  *--at = 0;
  for (int digit = 0; digit < 2 || size; digit++, size /= 10) *--at = (char)('0' + size % 10);
  *--at = exponent < 0 ? '-' : '+';
  *--at = how->upper ? 'E' : 'e';
  number->exponent = 0;
  opc_put_decimal(sink, how, sign, number, 0, places, at);
}

// Hexadecimal digits of the mantissa, then the power of two: C11 7.21.6.1. Digits that a precision cuts off are
// rounded to the nearest, halves to even. A number that is not normal begins with 0, as glibc writes it.
static void opc_put_hexadecimal(struct opc_sink *sink, struct opc_conversion *how, const char *sign, uint64_t bits) {
  const char *digits = how->upper ? "0123456789ABCDEF" : "0123456789abcdef";
  uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
  int field = (int)(bits >> 52), exponent = field ? field - 1023 : mantissa ? -1022 : 0;
  uint64_t whole = (uint64_t)(field != 0) << 52 | mantissa;
  long places = how->precision;
  if (places < 0) {
    for (places = 13; places > 0 && !(whole >> (52 - 4 * places) & 15);) places--;
  } else if (places < 13) {
    uint64_t unit = UINT64_C(1) << (52 - 4 * places), rest = whole & (unit - 1);
    whole -= rest;
    if (rest > unit / 2 || (rest == unit / 2 && (whole & unit))) whole += unit;
  }
  char tail[8], *at = tail + sizeof tail;
  *--at = 0;
  int size = exponent < 0 ? -exponent : exponent;
  do *--at = (char)('0' + size % 10);
  while (size /= 10);
  *--at = exponent < 0 ? '-' : '+';
  *--at = how->upper ? 'P' : 'p';
  long tail_length = (long)LIBRARY(strlen)(at), before = (long)LIBRARY(strlen)(sign);
  int has_point = places > 0 || how->alternate;
  long fill = how->width - before - 2 - 1 - has_point - places - tail_length;
  if (!how->left && !how->zero) opc_fill(sink, ' ', fill);
  opc_put(sink, sign, (size_t)before);
  opc_put(sink, how->upper ? "0X" : "0x", 2);
  if (!how->left && how->zero) opc_fill(sink, '0', fill);
  opc_put(sink, &digits[whole >> 52], 1);
  if (has_point) opc_put(sink, ".", 1);
  for (long place = 1; place <= places && place <= 13; place++) opc_put(sink, &digits[whole >> (52 - 4 * place) & 15], 1);
  if (places > 13) opc_fill(sink, '0', places - 13);
  opc_put(sink, at, (size_t)tail_length);
  if (how->left) opc_fill(sink, ' ', fill);
}

static void opc_put_double(struct opc_sink *sink, struct opc_conversion *how, double value, char kind) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, 8);
  int is_negative = (int)(bits >> 63);
  const char *sign = opc_sign(how, is_negative);
  bits &= INT64_MAX;
  if (bits >= UINT64_C(0x7ff) << 52) {
    int is_number = bits == UINT64_C(0x7ff) << 52;
    how->zero = 0;
    opc_put_field(sink, how, sign, is_number ? (how->upper ? "INF" : "inf") : (how->upper ? "NAN" : "nan"), 3);
    return;
  }
  if (kind == 'a') {
    opc_put_hexadecimal(sink, how, sign, bits);
    return;
  }
  __builtin_memcpy(&value, &bits, 8);
  struct opc_digits number;
  number.count = opc_digits_of(value, number.digit, &number.exponent);
  long precision = how->precision < 0 ? 6 : how->precision;
  if (kind == 'f') {
    opc_round(&number, number.exponent + 1 + precision);
    if (number.count == 0) number.exponent = 0;
    opc_put_decimal(sink, how, sign, &number, number.exponent > 0 ? number.exponent : 0, precision, "");
  } else if (kind == 'e') {
    opc_round(&number, precision + 1);
    opc_put_scientific(sink, how, sign, &number, precision);
  } else {
    if (precision == 0) precision = 1;
    opc_round(&number, precision);
    int exponent = number.exponent;
    long shown = how->alternate ? precision : number.count > 0 ? number.count : 1;
    if (exponent < -4 || exponent >= precision) {
      opc_put_scientific(sink, how, sign, &number, shown - 1);
    } else {
      long places = shown - 1 - exponent;
      opc_put_decimal(sink, how, sign, &number, exponent > 0 ? exponent : 0, places > 0 ? places : 0, "");
    }
  }
}

static void opc_put_text(struct opc_sink *sink, struct opc_conversion *how, const char *text) {
  if (!text) text = "(null)";
  size_t length = how->precision < 0 ? LIBRARY(strlen)(text) : LIBRARY(strnlen)(text, (size_t)how->precision);
  how->zero = 0;
  opc_put_field(sink, how, "", text, (long)length);
}

static long opc_read_amount(const char **format, opc_slots *slots) {
  if (**format == '*') {
    ++*format;
    return OPC_NEXT(*slots, int);
  }
  long amount = 0;
  for (; **format >= '0' && **format <= '9'; ++*format)
    if (amount < 1 << 30) amount = amount * 10 + (**format - '0');
  return amount;
}

static const char *opc_read_flags(const char *format, struct opc_conversion *how) {
  for (;; format++) {
    if (*format == '-') how->left = 1;
    else if (*format == '+') how->plus = 1;
    else if (*format == ' ') how->space = 1;
    else if (*format == '#') how->alternate = 1;
    else if (*format == '0') how->zero = 1;
    else return format;
  }
}

// The bytes that the length words ask for: 1, 2, 4 or 8.
static const char *opc_read_size(const char *format, int *size) {
  *size = 4;
  for (;; format++) {
    if (*format == 'h') *size = *size == 2 ? 1 : 2;
    else if (*format == 'l' || *format == 'j' || *format == 'z' || *format == 't' || *format == 'L') *size = 8;
    else return format;
  }
}

static int64_t opc_signed_of(int64_t raw, int size) {
  return size == 1 ? (int8_t)raw : size == 2 ? (int16_t)raw : size == 4 ? (int32_t)raw : raw;
}

static uint64_t opc_unsigned_of(int64_t raw, int size) {
  return size == 8 ? (uint64_t)raw : (uint64_t)raw & ((UINT64_C(1) << size * 8) - 1);
}

static void opc_put_conversion(struct opc_sink *sink, struct opc_conversion *how, char kind, int size,
                               opc_slots *slots) {
  how->upper = kind == 'X' || kind == 'E' || kind == 'F' || kind == 'G' || kind == 'A';
  switch (kind) {
  case 'd':
  case 'i': {
    int64_t value = opc_signed_of(OPC_NEXT(*slots, int64_t), size);
    opc_put_integer(sink, how, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, opc_sign(how, value < 0));
    return;
  }
  case 'u':
  case 'o':
  case 'x':
  case 'X': {
    uint64_t value = opc_unsigned_of(OPC_NEXT(*slots, int64_t), size);
    const char *prefix = how->alternate && value && kind == 'x' ? "0x" : how->alternate && value && kind == 'X' ? "0X" : "";
    opc_put_integer(sink, how, value, kind == 'u' ? 10 : kind == 'o' ? 8 : 16, prefix);
    return;
  }
  case 'p': opc_put_integer(sink, how, OPC_NEXT(*slots, uint64_t), 16, "0x"); return;
  case 'c': {
    char byte = (char)OPC_NEXT(*slots, int64_t);
    how->zero = 0;
    opc_put_field(sink, how, "", &byte, 1);
    return;
  }
  case 's': opc_put_text(sink, how, OPC_NEXT(*slots, const char *)); return;
  case 'f':
  case 'F': opc_put_double(sink, how, OPC_NEXT(*slots, double), 'f'); return;
  case 'e':
  case 'E': opc_put_double(sink, how, OPC_NEXT(*slots, double), 'e'); return;
  case 'g':
  case 'G': opc_put_double(sink, how, OPC_NEXT(*slots, double), 'g'); return;
  case 'a':
  case 'A': opc_put_double(sink, how, OPC_NEXT(*slots, double), 'a'); return;
  case '%': opc_put(sink, "%", 1); return;
  default: {
    char name[] = {'%', kind, 0};
    opc_die(name, "portable programs have no such conversion");
  }
  }
}

static int opc_print(struct opc_sink *sink, const char *format, opc_slots slots) {
  for (;;) {
    size_t plain = 0;
    while (format[plain] && format[plain] != '%') plain++;
    if (plain) opc_put(sink, format, plain);
    format += plain;
    if (!*format) break;
    struct opc_conversion how = {.precision = -1};
    int size;
    format = opc_read_flags(format + 1, &how);
    how.width = opc_read_amount(&format, &slots);
    if (how.width < 0) {
      how.left = 1;
      how.width = -how.width;
    }
    if (*format == '.') {
      format++;
      how.precision = opc_read_amount(&format, &slots);
    }
    format = opc_read_size(format, &size);
    if (!*format) break;
    opc_put_conversion(sink, &how, *format++, size, &slots);
  }
  return (int)sink->written;
}

int LIBRARY(printf)(const char *format, opc_slots slots) {
  struct opc_sink sink = {.stream = stdout};
  return opc_print(&sink, format, slots);
}

int LIBRARY(fprintf)(FILE *stream, const char *format, opc_slots slots) {
  struct opc_sink sink = {.stream = stream};
  return opc_print(&sink, format, slots);
}

int LIBRARY(snprintf)(char *to, size_t size, const char *format, opc_slots slots) {
  struct opc_sink sink = {.to = to, .room = size ? size - 1 : 0};
  int written = opc_print(&sink, format, slots);
  if (size) to[(size_t)written < size - 1 ? (size_t)written : size - 1] = 0;
  return written;
}

int LIBRARY(sprintf)(char *to, const char *format, opc_slots slots) {
  return LIBRARY(snprintf)(to, INT32_MAX, format, slots);
}
