/* durbin: a Toeplitz system, by recursion over its order. */
#include "kernel.h"

#define N 400

static double r[N], y[N], z[N];

static void init_array(int n) {
  int i;
  for (i = 0; i < n; i++) r[i] = 1.0 / (double)(2 + i * i);
}

static void kernel_durbin(int n) {
  double alpha, beta, sum;
  int i, k;
  y[0] = -r[0];
  beta = 1.0;
  alpha = -r[0];
  for (k = 1; k < n; k++) {
    beta = (1 - alpha * alpha) * beta;
    sum = 0.0;
    for (i = 0; i < k; i++) sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;
    for (i = 0; i < k; i++) z[i] = y[i] + alpha * y[k - i - 1];
    for (i = 0; i < k; i++) y[i] = z[i];
    y[k] = alpha;
  }
}

int main(void) {
  double sum = 0.0;
  int i;
  init_array(N);
  kernel_durbin(N);
  for (i = 0; i < N; i++) sum += y[i] * (1 + i % 3);
  return finish("durbin", sum, -6.26008534824383e-01);
}
