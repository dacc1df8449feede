// Every function of the library that opcost puts in place of the C library's,
// on short, long and awkward input. What it prints must not depend on which of
// the two ran.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#define _GNU_SOURCE
void *rawmemchr(const void *, int);
void *memrchr(const void *, int, size_t);
char *strchrnul(const char *, int);
void qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);

static uint64_t state = 42;
static unsigned below(unsigned bound) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % bound;
}

static int sign(int n) { return (n > 0) - (n < 0); }
static long at(const void *found, const void *start) {
  return found ? (long)((const char *)found - (const char *)start) : -1;
}

static void text(char *to, size_t length, unsigned letters) {
  for (size_t i = 0; i < length; i++) to[i] = (char)('a' + below(letters));
  to[length] = 0;
}

static uint64_t sum = 1;
static void note(long n) { sum = (sum ^ (uint64_t)n) * 1099511628211u; }

static void compare(size_t length, unsigned letters) {
  static char a[20000], b[20000], c[60000];
  text(a, length, letters);
  memcpy(b, a, length + 1);
  size_t other = length ? below((unsigned)length) : 0;
  if (below(3)) b[other] = (char)('A' + below(26));
  size_t most = below(2) ? length + 5 : other + below(2);
  int letter = 'a' + (int)below(letters + 1);
  note((long)strlen(a)), note((long)strnlen(a, most));
  note(sign(strcmp(a, b))), note(sign(strncmp(a, b, most)));
  note(sign(strcasecmp(a, b))), note(sign(strncasecmp(a, b, most))), note(sign(strcoll(a, b)));
  note(at(strchr(a, letter), a)), note(at(strrchr(a, letter), a)), note(at(strchr(a, 0), a));
  note(at(memchr(a, letter, length), a)), note(at(memrchr(a, letter, length), a));
  note(at(rawmemchr(a, 0), a)), note(at(strchrnul(a, letter), a));
  char needle[8];
  text(needle, below(6), letters);
  note(at(strstr(a, needle), a)), note(at(strpbrk(a, needle), a));
  note((long)strspn(a, needle)), note((long)strcspn(a, needle));
  note(at(strcpy(c, a), c)), note(at(stpcpy(c, b), c)), note(at(strcat(c, a), c)), note(at(strncat(c, b, most), c));
  note(sign(strcmp(c, a))), note((long)strlen(c));
  note(at(strncpy(c, a, most), c)), note(at(stpncpy(c, a, most), c));
  c[most] = 0;
  note(sign(strcmp(c, a)));
  char *copy = strdup(a), *part = strndup(a, most), *rest, *token;
  for (token = strtok(copy, needle); token; token = strtok(NULL, needle)) note((long)strlen(token));
  for (token = strtok_r(part, needle, &rest); token; token = strtok_r(NULL, needle, &rest)) note(*token);
  free(copy), free(part);
}

struct item {
  int key, order;
  char more[8];
};
static int by_key(const void *a, const void *b) { return ((const struct item *)a)->key - ((const struct item *)b)->key; }
static int by_key_down(const void *a, const void *b, void *down) { return *(int *)down * by_key(a, b); }
static int by_long(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

static void sort(int count) {
  struct item *items = calloc((size_t)count + 1, sizeof *items);
  long *longs = malloc(((size_t)count + 1) * sizeof *longs);
  for (int i = 0; i < count; i++) items[i] = (struct item){(int)below(50), i, "more"}, longs[i] = (long)below(1000);
  int down = -1;
  qsort_r(items, (size_t)count, sizeof *items, by_key_down, &down);
  for (int i = 0; i < count; i++) note(items[i].key);
  qsort(items, (size_t)count, sizeof *items, by_key);
  for (int i = 0; i < count; i++) note(items[i].key), note(items[i].more[3]);
  qsort(longs, (size_t)count, sizeof *longs, by_long);
  for (int i = 0; i < 20; i++) {
    long key = (long)below(1000), *found = bsearch(&key, longs, (size_t)count, sizeof key, by_long);
    note(found ? *found : -1);
  }
  free(items), free(longs);
}

__attribute__((format(printf, 1, 2))) static void formatted(const char *format, ...) {
  char to[200];
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  note(vsnprintf(to, sizeof to, format, arguments));
  note(vsprintf(to, format, again));
  va_end(arguments), va_end(again);
  fputs(to, stdout), puts("");
}

static void numbers(const char *word) {
  char *end;
  note(atoi(word)), note(atol(word)), note((long)atoll(word)), printf("%.17g ", atof(word));
  note(strtol(word, &end, 0)), note(at(end, word));
  note((long)strtoul(word, &end, 16)), note(at(end, word));
  note((long)strtoll(word, &end, 10)), note(at(end, word));
  note((long)strtoull(word, &end, 36)), note(at(end, word));
  printf("%.17g %.9g\n", strtod(word, &end), (double)strtof(word, NULL)), note(at(end, word));
}

int main(void) {
  const size_t lengths[] = {0, 1, 15, 16, 63, 64, 65, 319, 320, 321, 1344, 5440, 9536, 15000};
  for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (unsigned letters = 1; letters < 20; letters += 6) compare(lengths[i], letters);
  for (int i = 0; i < 300; i++) compare(below(40), 1 + below(4));
  for (int i = 0; i < 40; i++) sort(i);
  sort(3000);
  formatted("%d %5d %-8s| %.3f %c%%", 42, -7, "left", 2.5, 'x');
  formatted("%099d %s", 1, "wide");
  const char *words[] = {"", "0", "  12abc", "-0x1fz", "999999999999999999999", "1e400", "-inf", "nan(7)", "077", "+ 3",
                         "3.25e-3x", "zz"};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++) numbers(words[i]);
  char line[100];
  note(sprintf(line, "%08x", 48879)), note(snprintf(line, 4, "%s", "longer")), note(fprintf(stdout, "%s\n", line));
  printf("%016llx\n", (unsigned long long)sum);
  return 0;
}
