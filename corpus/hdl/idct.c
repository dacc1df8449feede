/* The inverse transform of 8 by 8 coefficients, as AVS has it: small integers in
   place of cosines, rows and then columns. */
#include "../bits/bits.h"

static int clip(int value) {
  if (value < -2048) return -2048;
  return value > 2047 ? 2047 : value;
}

/* Port: 64 coefficients of any value, replaced by as many residuals. */
void inverse_transform(int16_t *block) {
  int rows[64];
  for (int row = 0; row < 8; row++) {
    const int16_t *from = block + 8 * row;
    int s0 = clip(from[0]), s1 = clip(from[1]), s2 = clip(from[2]), s3 = clip(from[3]);
    int s4 = clip(from[4]), s5 = clip(from[5]), s6 = clip(from[6]), s7 = clip(from[7]);
    int o0 = 10 * s1 + 9 * s3 + 6 * s5 + 2 * s7, o1 = 9 * s1 - 2 * s3 - 10 * s5 - 6 * s7;
    int o2 = 6 * s1 - 10 * s3 + 2 * s5 + 9 * s7, o3 = 2 * s1 - 6 * s3 + 9 * s5 - 10 * s7;
    int e0 = 8 * (s0 + s4) + 4, e1 = 8 * (s0 - s4) + 4, e2 = 10 * s2 + 4 * s6, e3 = 4 * s2 - 10 * s6;
    int *to = rows + 8 * row;
    to[0] = (e0 + e2 + o0) >> 3;
    to[1] = (e1 + e3 + o1) >> 3;
    to[2] = (e1 - e3 + o2) >> 3;
    to[3] = (e0 - e2 + o3) >> 3;
    to[4] = (e0 - e2 - o3) >> 3;
    to[5] = (e1 - e3 - o2) >> 3;
    to[6] = (e1 + e3 - o1) >> 3;
    to[7] = (e0 + e2 - o0) >> 3;
  }
  for (int column = 0; column < 8; column++) {
    const int *from = rows + column;
    int s0 = from[0], s1 = from[8], s2 = from[16], s3 = from[24];
    int s4 = from[32], s5 = from[40], s6 = from[48], s7 = from[56];
    int o0 = 10 * s1 + 9 * s3 + 6 * s5 + 2 * s7, o1 = 9 * s1 - 2 * s3 - 10 * s5 - 6 * s7;
    int o2 = 6 * s1 - 10 * s3 + 2 * s5 + 9 * s7, o3 = 2 * s1 - 6 * s3 + 9 * s5 - 10 * s7;
    int e0 = 8 * (s0 + s4) + 64, e1 = 8 * (s0 - s4) + 64, e2 = 10 * s2 + 4 * s6, e3 = 4 * s2 - 10 * s6;
    int16_t *to = block + column;
    to[0] = (int16_t)((e0 + e2 + o0) >> 7);
    to[8] = (int16_t)((e1 + e3 + o1) >> 7);
    to[16] = (int16_t)((e1 - e3 + o2) >> 7);
    to[24] = (int16_t)((e0 - e2 + o3) >> 7);
    to[32] = (int16_t)((e0 - e2 - o3) >> 7);
    to[40] = (int16_t)((e1 - e3 - o2) >> 7);
    to[48] = (int16_t)((e1 + e3 - o1) >> 7);
    to[56] = (int16_t)((e0 + e2 - o0) >> 7);
  }
}

/* The factor of a coefficient in a sample, from the symmetry of cosines. */
static int plain_factor(int frequency, int place) {
  static const int odd[4] = {10, 9, 6, 2};
  int angle = (2 * place + 1) * frequency % 32, sign = 1;
  if (frequency == 0) return 8;
  if (angle > 16) angle = 32 - angle;
  if (angle > 8) angle = 16 - angle, sign = -1;
  if (frequency % 2) return sign * odd[angle / 2];
  return sign * (angle == 2 ? 10 : angle == 4 ? 8 : 4);
}

static void plain_transform(const int16_t *from, int16_t *to) {
  long rows[64];
  for (int i = 0; i < 64; i++) {
    long sum = 4;
    for (int k = 0; k < 8; k++) sum += (long)plain_factor(k, i % 8) * clip(from[i / 8 * 8 + k]);
    rows[i] = sum >> 3;
  }
  for (int i = 0; i < 64; i++) {
    long sum = 64;
    for (int k = 0; k < 8; k++) sum += plain_factor(k, i / 8) * rows[8 * k + i % 8];
    to[i] = (int16_t)(sum >> 7);
  }
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 15);
  for (int round = 0; round < 100; round++) {
    int16_t block[64], plain[64];
    int limit = round % 3 == 0 ? 32767 : round % 3 == 1 ? 2047 : 200;
    for (int i = 0; i < 64; i++) block[i] = (int16_t)bits_between(-limit - 1, limit);
    plain_transform(block, plain);
    inverse_transform(block);
    is_right &= memcmp(block, plain, sizeof plain) == 0;
    for (int i = 0; i < 64; i++) bits_note((uint32_t)block[i]);
  }
  return bits_finish("idct", is_right);
}
