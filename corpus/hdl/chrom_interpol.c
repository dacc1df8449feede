/* Chrominance between the samples, as AVS has it: means of four, weighted in
   eighths, of a block of 4 by 4. */
#include "../bits/bits.h"

enum { SIDE = 4, STRIDE = 16 };

/* Ports: the picture at the block's first sample, in rows of 16; the block; the
   fractions in eighths, of which three bits count. */
void chrom_interpol(const uint8_t *picture, uint8_t *block, unsigned x, unsigned y) {
  x &= 7;
  y &= 7;
  unsigned here = (8 - x) * (8 - y), right = x * (8 - y), below = (8 - x) * y, across = x * y;
  for (int i = 0; i < SIDE * SIDE; i++) {
    const uint8_t *at = picture + i / SIDE * STRIDE + i % SIDE;
    unsigned sum = here * at[0] + right * at[1] + below * at[STRIDE] + across * at[STRIDE + 1];
    block[i] = (uint8_t)((sum + 32) >> 6);
  }
}

static int plain_mean(const uint8_t *at, int x, int y) {
  int above = 8 * at[0] + x * (at[1] - at[0]), under = 8 * at[STRIDE] + x * (at[STRIDE + 1] - at[STRIDE]);
  return (8 * above + y * (under - above) + 32) / 64;
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 12);
  for (int round = 0; round < 256; round++) {
    uint8_t picture[96], block[16];
    for (int i = 0; i < 96; i++) picture[i] = (uint8_t)(round % 3 ? bits_between(0, 255) : 255 * bits_between(0, 1));
    int x = round % 8, y = round / 8 % 8;
    chrom_interpol(picture, block, (unsigned)x + 8 * (bits_draw() >> 8), (unsigned)y);
    for (int i = 0; i < 16; i++) {
      is_right &= block[i] == plain_mean(picture + i / 4 * STRIDE + i % 4, x, y);
      bits_note(block[i]);
    }
  }
  return bits_finish("chrom_interpol", is_right);
}
