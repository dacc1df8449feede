/* trisolv: L x = b, from the top, and back with the transpose. */
#include "kernel.h"

#define N 400

static double L[N][N], x[N], b[N];

static void init_array(int n) {
  int i, j;
  for (i = 0; i < n; i++) {
    x[i] = -999;
    b[i] = i;
    for (j = 0; j <= i; j++) L[i][j] = (double)(i + n - j + 1) * 2 / n;
    L[i][i] += n;
  }
}

static void kernel_trisolv(int n) {
  int i, j;
  for (i = 0; i < n; i++) {
    x[i] = b[i];
    for (j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }
  for (i = n - 1; i >= 0; i--) {
    for (j = n - 1; j > i; j--) x[i] -= L[j][i] * x[j];
    x[i] = x[i] / L[i][i];
  }
}

int main(void) {
  double sum = 0.0;
  int i;
  init_array(N);
  kernel_trisolv(N);
  for (i = 0; i < N; i++) sum += x[i] * (1 + i % 3);
  return finish("trisolv", sum, 9.51557194734186e-02);
}
