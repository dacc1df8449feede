/* fdtd_2d: electric and magnetic fields push each other on. */
#include "kernel.h"

#define TMAX 40
#define NX 90
#define NY 100

static double ex[NX][NY], ey[NX][NY], hz[NX][NY], fict[TMAX];

static void init_array(int tmax, int nx, int ny) {
  int i, j;
  for (i = 0; i < tmax; i++) fict[i] = (double)i;
  for (i = 0; i < nx; i++) {
    for (j = 0; j < ny; j++) {
      ex[i][j] = ((double)i * (j + 1)) / nx;
      ey[i][j] = ((double)i * (j + 2)) / ny;
      hz[i][j] = ((double)i * (j + 3)) / nx;
    }
  }
}

static void kernel_fdtd_2d(int tmax, int nx, int ny) {
  int t, i, j;
  for (t = 0; t < tmax; t++) {
    for (j = 0; j < ny; j++) ey[0][j] = fict[t];
    for (i = 1; i < nx; i++)
      for (j = 0; j < ny; j++) ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (i = 0; i < nx; i++)
      for (j = 1; j < ny; j++) ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (i = 0; i < nx - 1; i++)
      for (j = 0; j < ny - 1; j++)
        hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

int main(void) {
  double sum = 0.0;
  int i, j;
  init_array(TMAX, NX, NY);
  kernel_fdtd_2d(TMAX, NX, NY);
  for (i = 0; i < NX; i++)
    for (j = 0; j < NY; j++) sum += hz[i][j] * (1 + (i + j) % 3);
  return finish("fdtd_2d", sum, 2.81227565545791e+05);
}
