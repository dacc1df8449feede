/* Luminance between the samples, as AVS has it: halves by the taps -1 5 5 -1,
   quarters by 1 7 7 1 over halves and samples, of a block of 8 by 8 in a window
   of 13 by 16.

   A first pass along rows keeps its sums, in 128ths, as they are: they lie in
   [-8160, 40800]. A second one down the columns shapes them. */
#include "../bits/bits.h"

enum { SIDE = 8, ROWS = SIDE + 5, STRIDE = 16 };

static uint8_t to_byte(int value) {
  if (value < 0) return 0;
  return value > 255 ? 255 : (uint8_t)value;
}

static int half(int before, int left, int right, int behind) { return 5 * (left + right) - before - behind; }

/* A sample between the third and the fourth of six, in 128ths: the fraction is in quarters. */
static int between(int a, int b, int c, int d, int e, int f, unsigned fraction) {
  if (fraction == 0) return 128 * c;
  if (fraction == 1) return half(a, b, c, d) + 7 * 8 * c + 7 * half(b, c, d, e) + 8 * d;
  if (fraction == 2) return 16 * half(b, c, d, e);
  return 8 * c + 7 * half(b, c, d, e) + 7 * 8 * d + half(c, d, e, f);
}

/* Ports: the window, whose sample (2, 2) is the block's first; the block; the
   fractions in quarters, of which two bits count. */
void lum_interpol(const uint8_t *window, uint8_t *block, unsigned x, unsigned y) {
  int rows[ROWS * SIDE];
  x &= 3;
  y &= 3;
  for (int row = 0; row < ROWS; row++) {
    for (int column = 0; column < SIDE; column++) {
      const uint8_t *at = window + row * STRIDE + column;
      rows[row * SIDE + column] = between(at[0], at[1], at[2], at[3], at[4], at[5], x);
    }
  }
  for (int row = 0; row < SIDE; row++) {
    for (int column = 0; column < SIDE; column++) {
      const int *at = rows + row * SIDE + column;
      int sum = between(at[0], at[SIDE], at[2 * SIDE], at[3 * SIDE], at[4 * SIDE], at[5 * SIDE], y);
      block[row * SIDE + column] = to_byte((sum + 8192) >> 14);
    }
  }
}

/* The taps of each fraction in 128ths, for six samples. */
static int plain_sample(const uint8_t *window, int row, int column, int x, int y) {
  static const int taps[4][6] = {
      {0, 0, 128, 0, 0, 0}, {-1, -2, 96, 42, -7, 0}, {0, -16, 80, 80, -16, 0}, {0, -7, 42, 96, -2, -1}};
  long sum = 8192;
  for (int down = 0; down < 6; down++) {
    for (int along = 0; along < 6; along++) {
      sum += (long)taps[y][down] * taps[x][along] * window[(row + down) * STRIDE + column + along];
    }
  }
  sum >>= 14;
  return sum < 0 ? 0 : sum > 255 ? 255 : (int)sum;
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 11);
  for (int round = 0; round < 200; round++) {
    uint8_t window[256], block[64];
    for (int i = 0; i < 256; i++) window[i] = (uint8_t)(round % 3 ? bits_between(0, 255) : 255 * bits_between(0, 1));
    int x = round % 4, y = round / 4 % 4;
    lum_interpol(window, block, (unsigned)x + 4 * (bits_draw() >> 8), (unsigned)y);
    for (int i = 0; i < 64; i++) {
      is_right &= block[i] == plain_sample(window, i / 8, i % 8, x, y);
      bits_note(block[i]);
    }
  }
  return bits_finish("lum_interpol", is_right);
}
