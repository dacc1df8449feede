#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile unsigned sink;
static char **av;
static void sp(unsigned n) { for (unsigned i = 0; i < n; i++) sink++; }
static int cmp(const void *a, const void *b) { return strcmp(*(char **)b, *(char **)a); }
__attribute__((noinline)) static void ch(void) { av[1] = "44"; }
int main(int c, char **v) {
#if defined QSORT
  qsort(v + 1, c - 1, sizeof *v, cmp);
#elif defined HELP
  av = v; ch();
#elif defined SPR
  sprintf(v[1], "%d", 2);
#else
  while (getopt(c, v, "k") != -1) ;
#endif
  sp(atoi(v[1]));
  return 0;
}
