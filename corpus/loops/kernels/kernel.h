/* The end that all kernels share: a checksum against the one that is known.
   Extents are arguments of the kernels, and constants in main. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int finish(const char *name, double sum, double wanted) {
  int is_right = fabs(sum - wanted) <= 1.0e-9 * fabs(wanted);
  printf("%s checksum %.14e: %s\n", name, sum, is_right ? "as it should be" : "WRONG");
  return is_right ? 0 : 1;
}
