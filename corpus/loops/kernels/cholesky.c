/* cholesky: the lower triangle whose square a matrix is. */
#include "kernel.h"

#define N 120

static double A[N][N];

static void init_array(int n) {
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) A[i][j] = i == j ? 2.0 * n : 1.0 / (double)(1 + abs(i - j));
}

static void kernel_cholesky(int n) {
  int i, j, k;
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++) {
      for (k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = sqrt(A[i][i]);
  }
}

int main(void) {
  double sum = 0.0;
  int i, j;
  init_array(N);
  kernel_cholesky(N);
  for (i = 0; i < N; i++)
    for (j = 0; j <= i; j++) sum += A[i][j] * (1 + (i + j) % 3);
  return finish("cholesky", sum, 3.77053563811935e+03);
}
