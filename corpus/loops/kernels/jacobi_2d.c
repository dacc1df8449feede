/* jacobi_2d: means of five, forth and back between two arrays. */
#include "kernel.h"

#define N 120
#define TSTEPS 40

static double A[N][N], B[N][N];

static void init_array(int n) {
  int i, j;
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      A[i][j] = ((double)i * (j + 2) + 2) / n;
      B[i][j] = ((double)i * (j + 3) + 3) / n;
    }
  }
}

static void kernel_jacobi_2d(int tsteps, int n) {
  int t, i, j;
  for (t = 0; t < tsteps; t++) {
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++)
        A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
  }
}

int main(void) {
  double sum = 0.0;
  int i, j;
  init_array(N);
  kernel_jacobi_2d(TSTEPS, N);
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) sum += A[i][j] * (1 + (i + j) % 3);
  return finish("jacobi_2d", sum, 8.79612490719726e+05);
}
