/* gemm: C := alpha A B + beta C. */
#include "kernel.h"

#define NI 100
#define NJ 110
#define NK 120

static double C[NI][NJ], A[NI][NK], B[NK][NJ];

static void init_array(int ni, int nj, int nk, double *alpha, double *beta) {
  int i, j;
  *alpha = 1.5;
  *beta = 1.2;
  for (i = 0; i < ni; i++)
    for (j = 0; j < nj; j++) C[i][j] = (double)((i * j + 1) % ni) / ni;
  for (i = 0; i < ni; i++)
    for (j = 0; j < nk; j++) A[i][j] = (double)(i * (j + 1) % nk) / nk;
  for (i = 0; i < nk; i++)
    for (j = 0; j < nj; j++) B[i][j] = (double)(i * (j + 2) % nj) / nj;
}

static void kernel_gemm(int ni, int nj, int nk, double alpha, double beta) {
  int i, j, k;
  for (i = 0; i < ni; i++) {
    for (j = 0; j < nj; j++) C[i][j] *= beta;
    for (k = 0; k < nk; k++) {
      for (j = 0; j < nj; j++) C[i][j] += alpha * A[i][k] * B[k][j];
    }
  }
}

int main(void) {
  double alpha, beta, sum = 0.0;
  int i, j;
  init_array(NI, NJ, NK, &alpha, &beta);
  kernel_gemm(NI, NJ, NK, alpha, beta);
  for (i = 0; i < NI; i++)
    for (j = 0; j < NJ; j++) sum += C[i][j] * (1 + (i + j) % 3);
  return finish("gemm", sum, 8.88577718318186e+05);
}
