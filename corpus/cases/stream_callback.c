#define _GNU_SOURCE
#include <stdio.h>
static volatile unsigned work;
static ssize_t wr(void *c, const char *b, size_t n) { for (int i = 0; i < 100000; i++) work++; return n; }
int main(void) {
  cookie_io_functions_t f = {0, wr, 0, 0};
  FILE *q = fopencookie(0, "w", f);
  for (int i = 0; i < 50; i++) { putc('x', q); fflush(q); }
  printf("%u\n", work);
  return 0;
}
