// A comparator that never ends, inside the C library.
// Ends: used-up, compare
#include <stdlib.h>
static int compare(const void *a, const void *b) {
  for (volatile int i = 0;; i++);
}
int main(void) {
  int list[] = {3, 1, 2};
  qsort(list, 3, sizeof list[0], compare);
  return 0;
}
