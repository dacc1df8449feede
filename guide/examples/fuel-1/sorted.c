/* Sorts, compares, formats: functions that are compiled with the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

int main(void) {
  const char *names[] = {"segment", "chord", "anchor", "world", "ledger", "repair", "quality"};
  char line[100] = "";
  qsort(names, 7, sizeof names[0], by_name);
  for (int at = 0; at < 7; at++) snprintf(line + strlen(line), sizeof line - strlen(line), "%d %s ", at, names[at]);
  puts(line);
  return 0;
}
