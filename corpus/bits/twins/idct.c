/* The twin of idct.c. Its one difference: between the passes the rows are
   shown to a function that nobody knows, and may hold anything behind it. */
#include "../bits.h"

/* 2048 * sqrt(2) * cos(k * pi / 16) */
enum { C1 = 2841, C2 = 2676, C3 = 2408, C4 = 2048, C5 = 1609, C6 = 1108, C7 = 565 };

static int between_rows[64];

static int saturate(int value, int low, int high) {
  if (value < low) return low;
  return value > high ? high : value;
}

static void idct_row(const short *from, int *to) {
  int x0 = saturate(from[0], -2048, 2047); /* bits: x0 12 */
  int x1 = saturate(from[1], -2048, 2047);
  int x2 = saturate(from[2], -2048, 2047);
  int x3 = saturate(from[3], -2048, 2047);
  int x4 = saturate(from[4], -2048, 2047);
  int x5 = saturate(from[5], -2048, 2047);
  int x6 = saturate(from[6], -2048, 2047);
  int x7 = saturate(from[7], -2048, 2047);

  int sum = C4 * (x0 + x4); /* bits: sum 24 */
  int difference = C4 * (x0 - x4);
  int second = C2 * x2 + C6 * x6;
  int sixth = C6 * x2 - C2 * x6; /* bits: sixth 24 */
  int even0 = sum + second, even3 = sum - second;
  int even1 = difference + sixth, even2 = difference - sixth;

  int odd0 = C1 * x1 + C3 * x3 + C5 * x5 + C7 * x7; /* bits: odd0 25 */
  int odd1 = C3 * x1 - C7 * x3 - C1 * x5 - C5 * x7;
  int odd2 = C5 * x1 - C1 * x3 + C7 * x5 + C3 * x7;
  int odd3 = C7 * x1 - C5 * x3 + C3 * x5 - C1 * x7;

  to[0] = (even0 + odd0 + 128) >> 8; /* bits: to[0] 18 */
  to[7] = (even0 - odd0 + 128) >> 8;
  to[1] = (even1 + odd1 + 128) >> 8;
  to[6] = (even1 - odd1 + 128) >> 8;
  to[2] = (even2 + odd2 + 128) >> 8;
  to[5] = (even2 - odd2 + 128) >> 8;
  to[3] = (even3 + odd3 + 128) >> 8;
  to[4] = (even3 - odd3 + 128) >> 8;
}

static short shape(int value) {
  return (short)saturate((value + 65536) >> 17, -256, 255);
}

static void idct_column(const int *from, short *to) {
  int x0 = from[0], x1 = from[8], x2 = from[16], x3 = from[24]; /* bits: x0 32 shown 18; x0 18 closed */
  int x4 = from[32], x5 = from[40], x6 = from[48], x7 = from[56]; /* bits: x7 32 shown 18; x7 18 closed */

  int sum = C4 * (x0 + x4);
  int difference = C4 * (x0 - x4);
  int second = C2 * x2 + C6 * x6;
  int sixth = C6 * x2 - C2 * x6;
  int even0 = sum + second, even3 = sum - second;
  int even1 = difference + sixth, even2 = difference - sixth;

  int odd0 = C1 * x1 + C3 * x3 + C5 * x5 + C7 * x7;
  int odd1 = C3 * x1 - C7 * x3 - C1 * x5 - C5 * x7;
  int odd2 = C5 * x1 - C1 * x3 + C7 * x5 + C3 * x7;
  int odd3 = C7 * x1 - C5 * x3 + C3 * x5 - C1 * x7;

  to[0] = shape(even0 + odd0); /* bits: to[0] 9 */
  to[56] = shape(even0 - odd0);
  to[8] = shape(even1 + odd1);
  to[48] = shape(even1 - odd1);
  to[16] = shape(even2 + odd2);
  to[40] = shape(even2 - odd2);
  to[24] = shape(even3 + odd3);
  to[32] = shape(even3 - odd3);
}

/* Ports: 64 coefficients of any value, replaced by as many samples; who looks. */
void idct(short *block, void (*look)(int *)) {
  for (int row = 0; row < 8; row++) idct_row(block + 8 * row, between_rows + 8 * row);
  look(between_rows);
  for (int column = 0; column < 8; column++) idct_column(between_rows + column, block + column);
}

/* The factor of coefficient `frequency` in sample `place`. */
static int plain_factor(int frequency, int place) {
  static const int known[8] = {0, C1, C2, C3, C4, C5, C6, C7};
  if (frequency == 0) return C4;
  int angle = (2 * place + 1) * frequency % 32;
  if (angle > 16) angle = 32 - angle;
  return angle > 8 ? -known[16 - angle] : angle == 8 ? 0 : known[angle];
}

static void plain_idct(const short *from, short *to) {
  long long between[64], sum;
  for (int row = 0; row < 8; row++) {
    for (int place = 0; place < 8; place++) {
      sum = 128;
      for (int k = 0; k < 8; k++) {
        long long value = from[8 * row + k];
        if (value < -2048) value = -2048;
        if (value > 2047) value = 2047;
        sum += plain_factor(k, place) * value;
      }
      between[8 * row + place] = sum >> 8;
    }
  }
  for (int column = 0; column < 8; column++) {
    for (int place = 0; place < 8; place++) {
      sum = 65536;
      for (int k = 0; k < 8; k++) sum += plain_factor(k, place) * between[8 * k + column];
      sum >>= 17;
      to[8 * place + column] = (short)(sum < -256 ? -256 : sum > 255 ? 255 : sum);
    }
  }
}

static void drive_look_only(int *rows) { bits_note((uint32_t)rows[0]); }

/* Blocks as they come: any, small, few, and those that drive a sum to its end. */
static void drive_choose(short *block, int kind) {
  int place = bits_between(0, 7), sign = bits_between(0, 1) ? 1 : -1;
  for (int i = 0; i < 64; i++) {
    int column = plain_factor(i % 8, place) < 0 ? -1 : 1, row = plain_factor(i / 8, place) < 0 ? -1 : 1;
    if (kind == 0) block[i] = (short)bits_between(-32768, 32767);
    if (kind == 1) block[i] = (short)bits_between(-2048, 2047);
    if (kind == 2) block[i] = (short)(bits_between(0, 9) ? 0 : bits_between(-300, 300));
    if (kind == 3) block[i] = (short)(sign * column * row * 2047);
    if (kind == 4) block[i] = (short)(column * row < 0 ? 32767 : -32768);
  }
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 1);
  for (int round = 0; round < 60; round++) {
    short block[64], wanted[64];
    drive_choose(block, round % 5);
    plain_idct(block, wanted);
    idct(block, drive_look_only);
    for (int i = 0; i < 64; i++) {
      is_right &= block[i] == wanted[i];
      bits_note((uint32_t)block[i]);
    }
  }
  return bits_finish("idct", is_right);
}
