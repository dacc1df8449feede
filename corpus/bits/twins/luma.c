/* The twin of luma.c. Its one difference: the sums in between can be set from
   outside. */
#include "../bits.h"

enum { SIDE = 16, BEFORE = 2, AFTER = 3, ALL = SIDE + BEFORE + AFTER };

static int sums[ALL][SIDE];
static int across[SIDE + 1][SIDE];
static int along[SIDE][SIDE + 1];
static int centre[SIDE][SIDE];

static int to_byte(int value) {
  if (value < 0) return 0;
  return value > 255 ? 255 : value;
}

static int six_taps(int a, int b, int c, int d, int e, int f) {
  int sum = a - 5 * b + 20 * c + 20 * d - 5 * e + f;
  return sum;
}

/* Halves between neighbours of a row, one row more than the block has. */
static void interpolate_across(const unsigned char *from, int stride) {
  for (int row = 0; row < SIDE + 1; row++) {
    const unsigned char *line = from + row * stride;
    for (int column = 0; column < SIDE; column++) {
      const unsigned char *at = line + column;
      int sum = six_taps(at[-2], at[-1], at[0], at[1], at[2], at[3]); /* bits: sum 15 */
      across[row][column] = to_byte((sum + 16) >> 5); /* bits: across[row][column] 8 */
    }
  }
}

/* Halves between neighbours of a column, one column more. */
static void interpolate_along(const unsigned char *from, int stride) {
  for (int row = 0; row < SIDE; row++) {
    for (int column = 0; column < SIDE + 1; column++) { /* bits: column 5 */
      const unsigned char *at = from + row * stride + column;
      int sum = six_taps(at[-2 * stride], at[-stride], at[0], at[stride], at[2 * stride], at[3 * stride]);
      along[row][column] = to_byte((sum + 16) >> 5); /* bits: sum 15 */
    }
  }
}

/* The middle of four samples: rows are summed and kept as they are. */
static void interpolate_centre(const unsigned char *from, int stride) {
  for (int row = 0; row < ALL; row++) { /* bits: row 5 */
    const unsigned char *line = from + (row - BEFORE) * stride;
    for (int column = 0; column < SIDE; column++) {
      const unsigned char *at = line + column;
      sums[row][column] = six_taps(at[-2], at[-1], at[0], at[1], at[2], at[3]);
    }
  }
  for (int row = 0; row < SIDE; row++) {
    for (int column = 0; column < SIDE; column++) {
      int first = sums[row][column], second = sums[row + 1][column]; /* bits: first 32 shown 15 */
      int third = sums[row + 2][column], fourth = sums[row + 3][column]; /* bits: third 32 shown 15 */
      int fifth = sums[row + 4][column], sixth = sums[row + 5][column];
      int sum = six_taps(first, second, third, fourth, fifth, sixth); /* bits: sum 32 shown 20 */
      centre[row][column] = to_byte((sum + 512) >> 10); /* bits: centre[row][column] 8 */
    }
  }
}

/* Ports: a place among the sums, and what is put there. */
void luma_set_sum(int row, int column, int value) {
  if (row >= 0 && row < ALL && column >= 0 && column < SIDE) sums[row][column] = value;
}

static unsigned char mean(int a, int b) {
  int both = a + b + 1; /* bits: both 9 */
  return (unsigned char)(both >> 1);
}

/* What is needed of the four planes for a fraction, chosen sample by sample. */
static unsigned char choose(const unsigned char *at, int stride, int row, int column, int x, int y) {
  int right = x == 3, below = y == 3;
  int h = across[row + (y == 3)][column], v = along[row][column + (x == 3)];
  if (x == 0 && y == 0) return at[0];
  if (x == 2 && y == 2) return (unsigned char)centre[row][column];
  if (y == 0) return x == 2 ? (unsigned char)h : mean(at[right], h);
  if (x == 0) return y == 2 ? (unsigned char)v : mean(at[below * stride], v);
  if (x == 2) return mean(h, centre[row][column]);
  if (y == 2) return mean(v, centre[row][column]);
  return mean(h, v);
}

/* Ports: a block of 16 by 16 to be written; the picture at the block's first
   sample, with two samples around it before and three behind; its stride; the
   place between samples in quarters, of which two bits count. */
void luma_interpolate(unsigned char *to, const unsigned char *from, int stride, int x, int y) {
  x &= 3; /* bits: x 2 */
  y &= 3;
  if (y != 2 || x == 2) interpolate_across(from, stride);
  if (x != 2 || y == 2) interpolate_along(from, stride);
  if (x == 2 || y == 2) interpolate_centre(from, stride);
  for (int row = 0; row < SIDE; row++) {
    for (int column = 0; column < SIDE; column++) {
      const unsigned char *at = from + row * stride + column;
      to[row * SIDE + column] = choose(at, stride, row, column, x, y);
    }
  }
}

static const unsigned char *plain_picture;
static int plain_stride;

static int plain_clip(double value) { return value < 0 ? 0 : value > 255 ? 255 : (int)value; }
static int plain_floor(int value, int by) { return (value - ((value % by) + by) % by) / by; }

/* The unshaped half sample to the right of, or below, a sample. */
static int plain_sum(int row, int column, int is_below) {
  static const int taps[6] = {1, -5, 20, 20, -5, 1};
  int sum = 0;
  for (int k = 0; k < 6; k++) {
    int at = is_below ? (row + k - 2) * plain_stride + column : row * plain_stride + column + k - 2;
    sum += taps[k] * plain_picture[at];
  }
  return sum;
}

static int plain_half(int row, int column, int is_below) {
  return plain_clip(plain_floor(plain_sum(row, column, is_below) + 16, 32));
}

static int plain_centre(int row, int column) {
  static const int taps[6] = {1, -5, 20, 20, -5, 1};
  int sum = 0;
  for (int k = 0; k < 6; k++) sum += taps[k] * plain_sum(row + k - 2, column, 0);
  return plain_clip(plain_floor(sum + 512, 1024));
}

/* The two samples of which each quarter is the mean, by the letters of the standard. */
static int plain_luma(int row, int column, int x, int y) {
  const unsigned char *at = plain_picture + row * plain_stride + column;
  int G = at[0], H = at[1], M = at[plain_stride];
  int b = plain_half(row, column, 0), h = plain_half(row, column, 1), j = plain_centre(row, column);
  int m = plain_half(row, column + 1, 1), s = plain_half(row + 1, column, 0);
  const int pairs[16][2] = {{G, G}, {G, b}, {b, b}, {H, b}, {G, h}, {b, h}, {b, j}, {b, m},
                            {h, h}, {h, j}, {j, j}, {j, m}, {M, h}, {h, s}, {j, s}, {s, m}};
  return (pairs[4 * y + x][0] + pairs[4 * y + x][1] + 1) / 2;
}

enum { WIDTH = 24 };

/* Edges that drive six taps to both of their ends are among the pictures. */
static int drive_sample_of(int kind, int row, int column) {
  static const int ends[6] = {0, 1, 0, 0, 1, 0};
  if (kind == 0) return bits_between(0, 255);
  if (kind == 1) return 255 * ends[(row + 2 * (column % 3)) % 6];
  if (kind == 2) return 255 * (ends[column % 6] ^ ends[row % 6]);
  if (kind == 3) return 255 * !(ends[column % 6] ^ ends[row % 6]);
  return 255 * (bits_between(0, 1));
}

int main(int count, char **words) {
  static unsigned char picture[WIDTH * WIDTH], block[SIDE * SIDE];
  int is_right = 1;
  bits_begin(count, words, 3);
  for (int i = 0; i < 8; i++) luma_set_sum(i, i, bits_between(INT32_MIN, INT32_MAX));
  for (int round = 0; round < 48; round++) {
    int x = round % 4 + 4 * bits_between(-9, 9), y = round / 4 % 4;
    int kind = round / 16 + 2 * (round % 2);
    for (int i = 0; i < WIDTH * WIDTH; i++) picture[i] = (unsigned char)drive_sample_of(kind, i / WIDTH, i % WIDTH);
    plain_stride = WIDTH;
    plain_picture = picture + 3 * WIDTH + 3;
    luma_interpolate(block, plain_picture, WIDTH, x, y);
    for (int i = 0; i < SIDE * SIDE; i++) {
      is_right &= block[i] == plain_luma(i / SIDE, i % SIDE, round % 4, y);
      bits_note(block[i]);
    }
  }
  return bits_finish("luma", is_right);
}
