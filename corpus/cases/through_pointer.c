#include <stdio.h>
#include <string.h>
static char page[1 << 20];
static void *(*volatile fill)(void *, int, size_t) = memset;
int main(void) {
  for (int i = 0; i < 100; i++) fill(page, i, sizeof page);
  printf("%d\n", page[77]);
  return 0;
}
