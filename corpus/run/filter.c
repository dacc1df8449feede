/* A filter over four million points, several times over, in one function that is called once.
 *
 *     filter PASSES RADIUS MODE [WEIGHT…]
 *
 * What the kernel gets is known only when it runs, and then stays: radius, mode, weights. So a version that is made for
 * these values has no branches on the mode, and no loop over the taps. It prints a checksum, and ends with status 0.
 */
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 4000000, TAPS = 16 };

static int weights[TAPS] = {3, -1, 4, 1, -5, 9, 2, -6, 5, 3, -5, 8, 9, 7, -9, 3};
static short in[POINTS + TAPS];

__attribute__((noinline)) static void filter(char *out, int passes, int points, int radius, int mode) {
  for (int pass = 0; pass < passes; pass++)
    for (int at = 0; at < points; at++) {
      int sum = pass;
      for (int tap = 0; tap < 2 * radius + 1; tap++) {
        if (mode == 1)
          sum += in[at + tap] * weights[tap];
        else if (mode == 2)
          sum += in[at + tap] > weights[tap] ? in[at + tap] : weights[tap];
        else
          sum ^= in[at + tap];
      }
      out[at] = (char)(sum >> 4);
    }
}

int main(int argc, char **argv) {
  int passes = argc > 1 ? atoi(argv[1]) : 2, radius = argc > 2 ? atoi(argv[2]) : 3, mode = argc > 3 ? atoi(argv[3]) : 1;
  if (radius < 0 || 2 * radius + 1 > TAPS) return 2;
  for (int i = 4; i < argc && i < TAPS + 4; i++) weights[i - 4] = atoi(argv[i]);
  for (int i = 0; i < POINTS + TAPS; i++) in[i] = (short)((i * 2654435761u) >> 18);
  char *out = malloc(POINTS);
  if (!out) return 1;
  filter(out, passes, POINTS, radius, mode);
  long sum = 0;
  for (int i = 0; i < POINTS; i++) sum = sum * 31 + out[i];
  printf("%ld\n", sum);
  return 0;
}
