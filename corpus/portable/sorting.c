// A library's own sort would ask the comparator another number of times.
// System: the same output.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long asked;
static int compare(const void *a, const void *b) {
  asked++;
  int x = *(const int *)a, y = *(const int *)b;
  return x < y ? -1 : x > y;
}
static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static int v[20000];
int main(void) {
  unsigned r = 1;
  for (int i = 0; i < 20000; i++) {
    r = r * 1664525u + 1013904223u;
    v[i] = (int)(r >> 8);
  }
  qsort(v, 20000, sizeof *v, compare);
  int *found = bsearch(&v[77], v, 20000, sizeof *v, compare);
  char *words[] = {"pear", "apple", "fig", "plum", "date"};
  qsort(words, 5, sizeof *words, by_text);
  // The value of a comparison is a machine's own: only its sign counts.
  printf("%d %td %ld %s %s %d\n", v[77], found - v, asked, words[0], words[4], memcmp("a", "z", 1) < -1);
  return 0;
}
