#include <stdio.h>
#include <stdlib.h>
#define N 4000000
static int weights[16] = {3, -1, 4, 1, -5, 9, 2, -6, 5, 3, -5, 8, 9, 7, -9, 3};
static short in[N + 16];
__attribute__((noinline)) static void filter(char *out, int times, int n, int radius, int mode) {
  for (int t = 0; t < times; t++)
    for (int i = 0; i < n; i++) {
      int s = t;
      for (int k = 0; k < 2 * radius + 1; k++) {
        if (mode == 1)
          s += in[i + k] * weights[k];
        else if (mode == 2)
          s += in[i + k] > weights[k] ? in[i + k] : weights[k];
        else
          s ^= in[i + k];
      }
      out[i] = (char)(s >> 4);
    }
}
int main(int argc, char **argv) {
  int times = atoi(argv[1]), radius = atoi(argv[2]), mode = atoi(argv[3]);
  for (int i = 4; i < argc; i++)
    weights[i - 4] = atoi(argv[i]);
  for (int i = 0; i < N + 16; i++)
    in[i] = (short)((i * 2654435761u) >> 18);
  char *out = malloc(N);
  filter(out, times, N, radius, mode);
  long sum = 0;
  for (int i = 0; i < N; i++)
    sum = sum * 31 + out[i];
  printf("%ld\n", sum);
  return 7;
}
