#define _GNU_SOURCE
#include <stdio.h>
#include <printf.h>
static volatile unsigned work;
static int pf(FILE *s, const struct printf_info *i, const void *const *a) { for (int k = 0; k < 100000; k++) work++; return fprintf(s, "W"); }
static int ai(const struct printf_info *i, size_t n, int *t, int *s) { if (n > 0) t[0] = PA_INT; return 1; }
int main(void) {
  register_printf_specifier('W', pf, ai);
  for (int i = 0; i < 50; i++) printf("%W", 3);
  printf("\n%u\n", work);
  return 0;
}
