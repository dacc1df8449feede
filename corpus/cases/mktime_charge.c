#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
/* Fields and flags that decide what a call costs: one kind of call by the first argument, so often. */
int main(int count, char **words) {
  long sum = 0, times = count > 2 ? atol(words[2]) : 1;
  const char *kind = count > 1 ? words[1] : "mktime";
  static char room[20000];
  static wchar_t wide[5000];
  for (int i = 0; i < 4999; i++) wide[i] = 'w';
  memset(room, ' ', 9000);
  static char nan[10000] = "nan(", blanks[10000];
  memset(nan + 4, '3', 5000), nan[5004] = ')', memset(blanks, ' ', 5000);
  volatile long double large = 1e4932L, small = 1e-4930L;
  for (long i = 0; i < times; i++) {
    struct tm date = {.tm_year = 100, .tm_mday = 1, .tm_isdst = 1};
    time_t far = 67767976233532799L;
    if (!strcmp(kind, "mktime")) sum += mktime(&date);
    if (!strcmp(kind, "seconds")) sum += (long)strftime(room, 100, "%s", &date);
    if (!strcmp(kind, "localtime")) sum += localtime(&far)->tm_year;
    if (!strcmp(kind, "gmtime")) sum += gmtime(&far)->tm_year;
    if (!strcmp(kind, "wide")) sum += snprintf(room, 10, "%ls", wide);
    if (!strcmp(kind, "scan")) sum += sscanf(" x", room);
    if (!strcmp(kind, "nan")) sum += strtod(nan, NULL) > 1;
    if (!strcmp(kind, "power")) sum += strtold("3e-4900", NULL) > 1;
    if (!strcmp(kind, "blanks")) sum += sscanf(blanks, "  ");
    if (!strcmp(kind, "remainder")) sum += fmodl(large, small) > 1;
    if (!strcmp(kind, "binary")) sum += snprintf(room, 100, "%b %s", 5, "words");
  }
  return sum == 1;
}
