/* A filter of eight taps over eight-bit samples, as it stands before synthesis. */
#include <stdint.h>

enum { TAPS = 8 };

static const int weights[TAPS] = {1, 6, 15, 28, 28, 15, 6, 1};

/* One output sample: the weighted mean of eight input samples, scaled by a gain of 0..16 sixteenths. */
int fir(const uint8_t samples[TAPS], int gain) {
  int sum = 0;
  for (int tap = 0; tap < TAPS; tap++) sum += weights[tap] * samples[tap];
  int mean = sum / 100;
  int scaled = mean * gain / 16;
  return scaled > 255 ? 255 : scaled;
}
