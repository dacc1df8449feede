// Does the portable library print and read as the system's does?
//
// Linked with the portable unit, whose names do not clash with the system's
// (its streams are renamed by the test). Numbers are drawn by a fixed generator:
// doubles of any bits, of few digits, at powers of ten and two, halves.
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int opc_libc_snprintf(char *to, size_t size, const char *format, const char *slots);
int opc_libc_sscanf(const char *text, const char *format, const char *slots);
double opc_libc_strtod(const char *text, char **end);
long opc_libc_strtol(const char *text, char **end, int base);
unsigned long opc_libc_strtoul(const char *text, char **end, int base);

int64_t opc_world_get(void) { return -1; }
void opc_world_put(int64_t stream, const char *bytes, int64_t count) { fwrite(bytes, 1, (size_t)count, stream == 2 ? stderr : stdout); }
void *opc_world_grow(int64_t bytes) { return calloc(1, (size_t)bytes); }
void opc_world_exit(int64_t status) { _Exit((int)status); }
void opc_world_abort(void) { abort(); }
void opc_world_flush(void) {}

static uint64_t state = 88172645463325252u;
static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static double a_double(void) {
  uint64_t bits = draw();
  double number;
  switch (draw() % 6) {
  case 0: break;
  case 1: return (double)(int64_t)(draw() % 2000001 - 1000000) / 1000.0;
  case 2: return ldexp((double)(draw() % 16), (int)(draw() % 2100) - 1075);
  case 3: return (double)(draw() % 1000) + 0.5;
  case 4: return pow(10, (int)(draw() % 60) - 30) * (double)(draw() % 9 + 1);
  default: return (double)(draw() % 100) / 8;
  }
  memcpy(&number, &bits, 8);
  return number;
}

static long checked, wrong;

static void compare(const char *what, const char *ours, const char *theirs) {
  checked++;
  if (strcmp(ours, theirs) == 0) return;
  if (wrong++ < 20) fprintf(stderr, "%s: '%s', the system has '%s'\n", what, ours, theirs);
}

static void print_double(void) {
  static const char *kinds = "fFeEgGaA";
  char format[40], ours[2000], theirs[2000];
  int at = sprintf(format, "<%%");
  for (const char *flag = "-+ #0"; *flag; flag++)
    if (draw() % 4 == 0) format[at++] = *flag;
  if (draw() % 2) at += sprintf(format + at, "%d", (int)(draw() % 40 + 1));
  if (draw() % 3) at += sprintf(format + at, ".%d", (int)(draw() % (draw() % 8 ? 20 : 400)));
  sprintf(format + at, "%c>", kinds[draw() % 8]);
  double number = a_double();
  uint64_t slot;
  memcpy(&slot, &number, 8);
  // The sign of what is no number is the machine's.
  if (number != number) number = NAN, slot = 0x7ff8000000000000u;
  opc_libc_snprintf(ours, sizeof ours, format, (const char *)&slot);
  snprintf(theirs, sizeof theirs, format, number);
  compare(format, ours, theirs);
}

static void print_integer(void) {
  static const char *sizes[] = {"", "h", "hh", "l", "ll", "z", "j"};
  char format[40], ours[300], theirs[300];
  int at = sprintf(format, "<%%");
  char kind = "diuxXo"[draw() % 6];
  for (const char *flag = "-+ #0"; *flag; flag++)
    if (draw() % 4 == 0) format[at++] = *flag;
  if (draw() % 2) at += sprintf(format + at, "%d", (int)(draw() % 30 + 1));
  if (draw() % 2) at += sprintf(format + at, ".%d", (int)(draw() % 25));
  sprintf(format + at, "%s%c>", sizes[draw() % 7], kind);
  uint64_t slot = draw() >> draw() % 64;
  if (draw() % 2) slot = 0 - slot;
  opc_libc_snprintf(ours, sizeof ours, format, (const char *)&slot);
  snprintf(theirs, sizeof theirs, format, slot);
  compare(format, ours, theirs);
}

static void print_text(void) {
  char format[40], ours[300], theirs[300], text[20];
  int length = (int)(draw() % 19);
  for (int byte = 0; byte < length; byte++) text[byte] = (char)('a' + draw() % 26);
  text[length] = 0;
  int width = (int)(draw() % 30) - 15, precision = (int)(draw() % 20);
  struct { int64_t width, precision; const char *text; int64_t letter; } slots = {width, precision, text, 'q'};
  sprintf(format, "%%*.*s|%%c|100%%%%");
  size_t room = draw() % 40;
  int one = opc_libc_snprintf(ours, room, format, (const char *)&slots);
  int other = snprintf(theirs, room, format, width, precision, text, 'q');
  if (room == 0) ours[0] = theirs[0] = 0;
  compare(format, ours, theirs);
  if (one != other) compare(format, "a length", "another length");
}

static void read_double(void) {
  char text[1200], ours[64], theirs[64], *end, *their_end;
  switch (draw() % 5) {
  case 0: snprintf(text, sizeof text, "%.17g", a_double()); break;
  case 1: snprintf(text, sizeof text, "%.*e", (int)(draw() % 30), a_double()); break;
  case 2: snprintf(text, sizeof text, " %+.800fe%dx", a_double(), (int)(draw() % 40) - 20); break;
  case 3: {
    // Halfway between two doubles, to the last digit, and a little beside it.
    double number = fabs(a_double()), next = nextafter(number, INFINITY);
    if (!(next < 1e300) || number < 1e-280) number = 1, next = nextafter(1, 2);
    snprintf(text, sizeof text, "%.1100Lf", ((long double)number + (long double)next) / 2);
    if (draw() % 2) text[strlen(text) - 1]++;
    break;
  }
  default: {
    int length = (int)(draw() % 12) + 1;
    for (int byte = 0; byte < length; byte++) text[byte] = "0123456789.e-+ in"[draw() % 17];
    text[length] = 0;
  }
  }
  double mine = opc_libc_strtod(text, &end), theirs_is = strtod(text, &their_end);
  if (mine != mine) mine = fabs(theirs_is) != fabs(theirs_is) ? 0 : mine, theirs_is = 0;
  snprintf(ours, sizeof ours, "%a %d", mine, (int)(end - text));
  snprintf(theirs, sizeof theirs, "%a %d", theirs_is, (int)(their_end - text));
  compare(text, ours, theirs);
}

static void read_integer(void) {
  char text[80], ours[64], theirs[64], *end, *their_end;
  int length = (int)(draw() % 24) + 1, base = draw() % 4 == 0 ? (int)(draw() % 35) + 2 : draw() % 2 ? 10 : 0;
  if (base == 1) base = 0;
  for (int byte = 0; byte < length; byte++) text[byte] = "00123456789xXabz -+"[draw() % 19];
  text[length] = 0;
  long mine = opc_libc_strtol(text, &end, base), other = strtol(text, &their_end, base);
  snprintf(ours, sizeof ours, "%ld %d", mine, (int)(end - text));
  snprintf(theirs, sizeof theirs, "%ld %d", other, (int)(their_end - text));
  compare(text, ours, theirs);
  snprintf(ours, sizeof ours, "%lu", opc_libc_strtoul(text, &end, base));
  snprintf(theirs, sizeof theirs, "%lu", strtoul(text, &their_end, base));
  compare(text, ours, theirs);
}

static void scan_line(void) {
  char text[100], ours[200], theirs[200], word[2][32] = {"", ""}, letters[2][32] = {"", ""};
  int number[2] = {0, 0};
  double fraction[2] = {0, 0};
  long wide[2] = {0, 0};
  snprintf(text, sizeof text, "%s%d,%s %g %lx %s", draw() % 2 ? " " : "", (int)draw(), draw() % 3 ? "abc" : "",
           fabs(a_double()), (unsigned long)draw(), draw() % 2 ? "xyz-12" : "");
  if (strstr(text, "nan")) return; // its sign is the machine's
  if (draw() % 4 == 0) text[draw() % (strlen(text) + 1)] = 0;
  const char *format = "%d,%31[a-z] %lf %lx%3s";
  void *slots[] = {&number[0], letters[0], &fraction[0], &wide[0], word[0]};
  int one = opc_libc_sscanf(text, format, (const char *)slots);
  int other = sscanf(text, format, &number[1], letters[1], &fraction[1], &wide[1], word[1]);
  snprintf(ours, sizeof ours, "%d %d %s %a %ld %s", one, number[0], letters[0], fraction[0], wide[0], word[0]);
  snprintf(theirs, sizeof theirs, "%d %d %s %a %ld %s", other, number[1], letters[1], fraction[1], wide[1], word[1]);
  compare(text, ours, theirs);
}

double _Complex opc_libc___muldc3(double a, double b, double c, double d);
double _Complex opc_libc___divdc3(double a, double b, double c, double d);

// A part of a quotient, within a few units in the last place of the quotient's size; what overflows or is lost on the
// way is the algorithm's.
static int is_near(double one, double other, double size) {
  if (one != one || other != other) return (one != one) == (other != other);
  return one == other || fabs(one - other) <= 1e-15 * size;
}

static void multiply_complex(void) {
  static const double odd[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1, -3};
  double part[4], plain[4];
  for (int at = 0; at < 4; at++) {
    plain[at] = (double)(int64_t)(draw() % 2000001 - 1000000) / 1000.0;
    part[at] = draw() % 3 ? plain[at] : odd[draw() % 7];
  }
  double _Complex one, two, ours = opc_libc___muldc3(part[0], part[1], part[2], part[3]);
  __real__ one = part[0], __imag__ one = part[1], __real__ two = part[2], __imag__ two = part[3];
  double _Complex theirs = one * two;
  char mine[80], other[80];
  // The sign of what is no number is the machine's.
  snprintf(mine, sizeof mine, "%a %a", fabs(__real__ ours), fabs(__imag__ ours));
  snprintf(other, sizeof other, "%a %a", fabs(__real__ theirs), fabs(__imag__ theirs));
  compare("a product of complex numbers", mine, other);
  __real__ one = plain[0], __imag__ one = plain[1], __real__ two = plain[2], __imag__ two = plain[3];
  theirs = one / two, ours = opc_libc___divdc3(plain[0], plain[1], plain[2], plain[3]);
  double size = fabs(__real__ theirs) + fabs(__imag__ theirs);
  int is_same = is_near(__real__ ours, __real__ theirs, size) && is_near(__imag__ ours, __imag__ theirs, size);
  compare("a quotient of complex numbers", is_same ? "near" : "far", "near");
}

int main(int count, char **arguments) {
  long rounds = count > 1 ? atol(arguments[1]) : 20000;
  for (long round = 0; round < rounds; round++) {
    print_double();
    multiply_complex();
    print_integer();
    print_text();
    read_double();
    read_integer();
    scan_line();
  }
  printf("%ld checked, %ld wrong\n", checked, wrong);
  return wrong != 0;
}
