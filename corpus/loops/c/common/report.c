/* Is what came out what comes out everywhere? */
#include "common.h"
#include <math.h>
#include <stdio.h>

int compare(int n, const double found[], const double wanted[], double epsilon) {
  int m, ok = 1;
  double apart;
  for (m = 0; m < n; m++) {
    apart = fabs(found[m] - wanted[m]);
    if (wanted[m] != 0.0) {
      apart = apart / fabs(wanted[m]);
    }
    if (apart <= epsilon) {
      printf("          %2d%24.14E%24.14E\n", m + 1, found[m], wanted[m]);
    } else {
      printf(" DIFFERS: %2d%24.14E%24.14E\n", m + 1, found[m], wanted[m]);
      ok = 0;
    }
  }
  return ok;
}

void print_results(const char *name, int n1, int n2, int n3, int niter, double sum, int verified) {
  printf(" %s: %d x %d x %d, %d iterations\n", name, n1, n2, n3, niter);
  printf(" checksum %20.12E\n", sum);
  printf(" verification %s\n", verified ? "successful" : "NOT successful");
}
