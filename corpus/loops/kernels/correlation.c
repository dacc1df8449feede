/* correlation: how columns of data go together. */
#include "kernel.h"

#define M 80
#define N 100

static double data[N][M], corr[M][M], mean[M], stddev[M];

static void init_array(int m, int n) {
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++) data[i][j] = (double)(i * j) / m + (double)(i * 7 % (j + 3));
}

static void kernel_correlation(int m, int n, double float_n) {
  const double eps = 0.1;
  int i, j, k;
  for (j = 0; j < m; j++) {
    mean[j] = 0.0;
    for (i = 0; i < n; i++) mean[j] += data[i][j];
    mean[j] /= float_n;
  }
  for (j = 0; j < m; j++) {
    stddev[j] = 0.0;
    for (i = 0; i < n; i++) stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    stddev[j] = sqrt(stddev[j] / float_n);
    stddev[j] = stddev[j] <= eps ? 1.0 : stddev[j];
  }
  for (i = 0; i < n; i++) {
    for (j = 0; j < m; j++) {
      data[i][j] -= mean[j];
      data[i][j] /= sqrt(float_n) * stddev[j];
    }
  }
  for (i = 0; i < m - 1; i++) {
    corr[i][i] = 1.0;
    for (j = i + 1; j < m; j++) {
      corr[i][j] = 0.0;
      for (k = 0; k < n; k++) corr[i][j] += data[k][i] * data[k][j];
      corr[j][i] = corr[i][j];
    }
  }
  corr[m - 1][m - 1] = 1.0;
}

int main(void) {
  double sum = 0.0;
  int i, j;
  init_array(M, N);
  kernel_correlation(M, N, (double)N);
  for (i = 0; i < M; i++)
    for (j = 0; j < M; j++) sum += corr[i][j] * (1 + (i + j) % 3);
  return finish("correlation", sum, 7.25320886164690e+03);
}
