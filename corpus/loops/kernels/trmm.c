/* trmm: B := alpha A' B with A lower triangular of ones on its diagonal. */
#include "kernel.h"

#define M 100
#define N 90

static double A[M][M], B[M][N];

static void init_array(int m, int n) {
  int i, j;
  for (i = 0; i < m; i++) {
    for (j = 0; j < i; j++) A[i][j] = (double)((i + j) % m) / m;
    A[i][i] = 1.0;
    for (j = 0; j < n; j++) B[i][j] = (double)((n + (i - j)) % n) / n;
  }
}

static void kernel_trmm(int m, int n, double alpha) {
  int i, j, k;
  for (i = 0; i < m; i++) {
    for (j = 0; j < n; j++) {
      for (k = i + 1; k < m; k++) B[i][j] += A[k][i] * B[k][j];
      B[i][j] = alpha * B[i][j];
    }
  }
}

int main(void) {
  double sum = 0.0;
  int i, j;
  init_array(M, N);
  kernel_trmm(M, N, 1.5);
  for (i = 0; i < M; i++)
    for (j = 0; j < N; j++) sum += B[i][j] * (1 + (i + j) % 3);
  return finish("trmm", sum, 3.40492255000001e+05);
}
