// What do functions cost that read and write numbers and lines as text?
//
// The C library does the work; what it walks along is charged before: the
// characters of a number, a line, a format, and the widths that stand in the
// format ("%99999d"). What comes out beyond that is charged when it is known.
// Limit: a width given as an argument ("%*d") is charged behind the call.
#include "library.h"

static void opc_charge_format(const char *format) {
  size_t bytes = 0, length = 0;
  for (unsigned char byte; (byte = (unsigned char)format[length]) != 0; length++) {
    // Most characters stand behind the digits, and a zero only widens.
    if (byte > '9' || byte <= '0') continue;
    size_t number = 0;
    for (; byte >= '0' && byte <= '9'; byte = (unsigned char)format[++length])
      number = number < 1 << 30 ? number * 10 + (byte - (unsigned)'0') : number;
    bytes += number;
    length--;
  }
  opc_libc_charge(bytes + length);
}

static int opc_charge_result(int written) {
  opc_libc_charge(written > 0 ? (size_t)written : 0);
  return written;
}

#define OUTPUT(name, parameters, call)        \
  int LIBRARY(name) parameters {              \
    opc_charge_format(format);                \
    return opc_charge_result(call);           \
  }

#define OUTPUT_VARIADIC(name, parameters, call) \
  int LIBRARY(name) parameters {                \
    va_list arguments;                          \
    opc_charge_format(format);                  \
    va_start(arguments, format);                \
    int written = call;                         \
    va_end(arguments);                          \
    return opc_charge_result(written);          \
  }

OUTPUT(vprintf, (const char *format, va_list arguments), vprintf(format, arguments))
OUTPUT(vfprintf, (FILE *stream, const char *format, va_list arguments), vfprintf(stream, format, arguments))
OUTPUT(vsprintf, (char *to, const char *format, va_list arguments), vsprintf(to, format, arguments))
OUTPUT(vsnprintf, (char *to, size_t size, const char *format, va_list arguments),
       vsnprintf(to, size, format, arguments))
OUTPUT_VARIADIC(printf, (const char *format, ...), vprintf(format, arguments))
OUTPUT_VARIADIC(fprintf, (FILE *stream, const char *format, ...), vfprintf(stream, format, arguments))
OUTPUT_VARIADIC(sprintf, (char *to, const char *format, ...), vsprintf(to, format, arguments))
OUTPUT_VARIADIC(snprintf, (char *to, size_t size, const char *format, ...),
                vsnprintf(to, size, format, arguments))

int LIBRARY(puts)(const char *line) {
  opc_libc_charge(LIBRARY(strlen)(line));
  return puts(line);
}

int LIBRARY(fputs)(const char *text, FILE *stream) {
  opc_libc_charge(LIBRARY(strlen)(text));
  return fputs(text, stream);
}

// Every character that a number may have, and what stands before it.
static void opc_charge_number(const char *text) {
  size_t length = 0;
  while (text[length] == ' ' || (unsigned)text[length] - '\t' < 5) length++;
  for (;; length++) {
    unsigned char byte = (unsigned char)text[length];
    unsigned letter = (byte | 32u) - 'a', digit = byte - (unsigned)'0';
    if (letter >= 26 && digit >= 10 && byte != '+' && byte != '-' && byte != '.' && byte != '_') break;
  }
  opc_libc_charge(length);
}

#define NUMBER(type, name, parameters, call) \
  type LIBRARY(name) parameters {            \
    opc_charge_number(text);                 \
    return call;                             \
  }

NUMBER(int, atoi, (const char *text), atoi(text))
NUMBER(long, atol, (const char *text), atol(text))
NUMBER(long long, atoll, (const char *text), atoll(text))
NUMBER(double, atof, (const char *text), atof(text))
NUMBER(long, strtol, (const char *text, char **end, int base), strtol(text, end, base))
NUMBER(unsigned long, strtoul, (const char *text, char **end, int base), strtoul(text, end, base))
NUMBER(long long, strtoll, (const char *text, char **end, int base), strtoll(text, end, base))
NUMBER(unsigned long long, strtoull, (const char *text, char **end, int base), strtoull(text, end, base))
NUMBER(double, strtod, (const char *text, char **end), strtod(text, end))
NUMBER(float, strtof, (const char *text, char **end), strtof(text, end))
