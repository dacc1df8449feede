/* gramschmidt: columns made orthogonal, one after another. */
#include "kernel.h"

#define M 80
#define N 70

static double A[M][N], R[N][N], Q[M][N];

static void init_array(int m, int n) {
  int i, j;
  for (i = 0; i < m; i++) {
    for (j = 0; j < n; j++) {
      A[i][j] = (double)((i * j) % m) / m * 100 + (i == j ? 500 : 10);
      Q[i][j] = 0.0;
    }
  }
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) R[i][j] = 0.0;
}

static void kernel_gramschmidt(int m, int n) {
  double nrm;
  int i, j, k;
  for (k = 0; k < n; k++) {
    nrm = 0.0;
    for (i = 0; i < m; i++) nrm += A[i][k] * A[i][k];
    R[k][k] = sqrt(nrm);
    for (i = 0; i < m; i++) Q[i][k] = A[i][k] / R[k][k];
    for (j = k + 1; j < n; j++) {
      R[k][j] = 0.0;
      for (i = 0; i < m; i++) R[k][j] += Q[i][k] * A[i][j];
      for (i = 0; i < m; i++) A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}

int main(void) {
  double sum = 0.0;
  int i, j;
  init_array(M, N);
  kernel_gramschmidt(M, N);
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) sum += R[i][j] * (1 + (i + j) % 3);
  return finish("gramschmidt", sum, 3.00661330851620e+05);
}
