/* syrk: the lower triangle of C := alpha A A' + beta C. */
#include "kernel.h"

#define N 110
#define M 90

static double C[N][N], A[N][M];

static void init_array(int n, int m) {
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++) A[i][j] = (double)((i * j + 1) % n) / n;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) C[i][j] = (double)((i * j + 2) % m) / m;
}

static void kernel_syrk(int n, int m, double alpha, double beta) {
  int i, j, k;
  for (i = 0; i < n; i++) {
    for (j = 0; j <= i; j++) C[i][j] *= beta;
    for (k = 0; k < m; k++) {
      for (j = 0; j <= i; j++) C[i][j] += alpha * A[i][k] * A[j][k];
    }
  }
}

int main(void) {
  double sum = 0.0;
  int i, j;
  init_array(N, M);
  kernel_syrk(N, M, 1.5, 1.2);
  for (i = 0; i < N; i++)
    for (j = 0; j <= i; j++) sum += C[i][j] * (1 + (i + j) % 3);
  return finish("syrk", sum, 3.93244478223140e+05);
}
