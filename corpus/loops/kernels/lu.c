/* lu: a matrix into its triangles, in place. */
#include "kernel.h"

#define N 120

static double A[N][N];

static void init_array(int n) {
  int i, j;
  for (i = 0; i < n; i++) {
    for (j = 0; j <= i; j++) A[i][j] = (double)(-j % n) / n + 1;
    for (j = i + 1; j < n; j++) A[i][j] = (double)(j - i) / (4 * n);
    A[i][i] = n;
  }
}

static void kernel_lu(int n) {
  int i, j, k;
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++) {
      for (k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (j = i; j < n; j++) {
      for (k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j];
    }
  }
}

int main(void) {
  double sum = 0.0;
  int i, j;
  init_array(N);
  kernel_lu(N);
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) sum += A[i][j] * (1 + (i + j) % 3);
  return finish("lu", sum, 2.96799341878166e+04);
}
