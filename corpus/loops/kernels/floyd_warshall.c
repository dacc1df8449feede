/* floyd_warshall: the shortest ways between all pairs. */
#include "kernel.h"

#define N 120

static int path[N][N];

static void init_array(int n) {
  int i, j;
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      path[i][j] = i * j % 7 + 1;
      if ((i + j) % 13 == 0 || (i + j) % 7 == 0 || (i + j) % 11 == 0) path[i][j] = 999;
    }
  }
}

static void kernel_floyd_warshall(int n) {
  int i, j, k;
  for (k = 0; k < n; k++)
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}

int main(void) {
  double sum = 0.0;
  int i, j;
  init_array(N);
  kernel_floyd_warshall(N);
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) sum += path[i][j] * (1 + (i + j) % 3);
  return finish("floyd_warshall", sum, 5.25000000000000e+04);
}
