/* A test bench: a ramp of samples, and the sum of what comes out. */
#include <stdint.h>
#include <stdio.h>

int fir(const uint8_t samples[8], int gain);

int main(void) {
  uint8_t samples[8];
  unsigned sum = 0;
  for (int start = 0; start < 1000; start++) {
    for (int at = 0; at < 8; at++) samples[at] = (uint8_t)(start * 7 + at * 31);
    sum += fir(samples, start % 17);
  }
  printf("%u\n", sum);
  return 0;
}
