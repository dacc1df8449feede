/* Chrominance between the samples, as in H.264: means of four, weighted in
   eighths.

   Weights have seven bits and their sum is 64, so that sums of four products
   have 14 bits and results eight again. That the two fractions have three bits
   is what all of this hangs on. */
#include "bits.h"

/* Ports: where to write, a picture, their strides, the extents of the block (2,
   4 or 8, in what is asked; more is cut off), the place between samples. */
void chroma_interpolate(unsigned char *to, int to_stride, const unsigned char *from, int from_stride, int width,
                        int height, unsigned x, unsigned y) {
  if (width > 8) width = 8;
  if (height > 8) height = 8;
  x &= 7; /* bits: x 3 */
  y &= 7; /* bits: y 3 */
  unsigned here = (8 - x) * (8 - y); /* bits: here 7 */
  unsigned right = x * (8 - y); /* bits: right 6 */
  unsigned below = (8 - x) * y; /* bits: below 6 */
  unsigned across = x * y; /* bits: across 6 */
  for (int row = 0; row < height; row++) {
    const unsigned char *line = from + row * from_stride, *next = line + from_stride;
    for (int column = 0; column < width; column++) { /* bits: column 3 */
      unsigned sum = here * line[column] + right * line[column + 1];
      sum += below * next[column] + across * next[column + 1]; /* bits: sum 14 */
      unsigned rounded = (sum + 32) >> 6; /* bits: rounded 8 */
      to[row * to_stride + column] = (unsigned char)rounded;
    }
  }
}

/* One direction after the other, in 64ths, as one would explain it. */
static int plain_chroma(const unsigned char *at, int stride, int x, int y) {
  int above = 8 * at[0] + x * (at[1] - at[0]);
  int below = 8 * at[stride] + x * (at[stride + 1] - at[stride]);
  return (8 * above + y * (below - above) + 32) / 64;
}

enum { WIDTH = 12 };

int main(int count, char **words) {
  static unsigned char picture[WIDTH * WIDTH], block[64];
  int is_right = 1;
  bits_begin(count, words, 4);
  for (int round = 0; round < 256; round++) {
    unsigned x = (unsigned)round % 8, y = (unsigned)round / 8 % 8;
    int side = 2 << (round % 3), kind = round / 64;
    for (int i = 0; i < WIDTH * WIDTH; i++) {
      int pattern = kind == 1 ? 255 : 255 * ((i + i / WIDTH) % 2);
      picture[i] = (unsigned char)(kind % 2 ? pattern : bits_between(0, 255));
    }
    memset(block, 0, sizeof block);
    chroma_interpolate(block, 8, picture, WIDTH, side, side, x + 8 * (bits_draw() >> 4), y);
    for (int i = 0; i < 64; i++) {
      int is_in = i / 8 < side && i % 8 < side;
      const unsigned char *at = picture + i / 8 * WIDTH + i % 8;
      is_right &= block[i] == (is_in ? plain_chroma(at, WIDTH, (int)x, (int)y) : 0);
      bits_note(block[i]);
    }
  }
  return bits_finish("chroma", is_right);
}
