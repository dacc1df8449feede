/* The filter that takes the edges of blocks out of a picture, as AVS has it: two
   strengths, two thresholds and a bound by the quality. */
#include "../bits/bits.h"

static const uint8_t alpha_table[64] = {
    0,  0,  0,  0,  0,  0,  1,  1,  1,  1,  1,  2,  2,  2,  3,  3,  4,  4,  5,  5,  6,  7,
    8,  9,  10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 26, 28, 30, 33, 33, 35, 35, 36, 37, 37,
    39, 39, 42, 44, 46, 48, 50, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64};
static const uint8_t beta_table[64] = {
    0, 0, 0, 0, 0, 0,  1,  1,  1,  1,  1,  1,  1,  2,  2,  2,  2,  2,  3,  3,  3,  3,
    4, 4, 4, 4, 5, 5,  5,  5,  6,  6,  6,  7,  7,  7,  8,  8,  8,  9,  9,  10, 10, 11,
    11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 23, 24, 24, 25, 25, 26, 27};
static const uint8_t bound_table[64] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
                                        1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3,
                                        3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 9, 9, 9};

static int clip(int value, int low, int high) {
  if (value < low) return low;
  return value > high ? high : value;
}

static int distance(int a, int b) { return a > b ? a - b : b - a; }

/* Ports: eight lines of eight samples each, with the edge in the middle; the
   strength, of which 2 is the strong filter and 0 none; the quality, 0 to 63. */
void db_filter(uint8_t *lines, unsigned strength, unsigned quality) {
  if (strength == 0) return;
  quality = quality > 63 ? 63 : quality;
  int alpha = alpha_table[quality], beta = beta_table[quality], bound = bound_table[quality];
  for (int line = 0; line < 8; line++) {
    uint8_t *at = lines + 8 * line;
    int p2 = at[1], p1 = at[2], p0 = at[3], q0 = at[4], q1 = at[5], q2 = at[6];
    if (distance(p0, q0) >= alpha || distance(p1, p0) >= beta || distance(q1, q0) >= beta) continue;
    int is_p_flat = distance(p2, p0) < beta, is_q_flat = distance(q2, q0) < beta;
    if (strength >= 2) {
      int sum = p0 + q0 + 2, is_near = distance(p0, q0) < (alpha >> 2) + 2;
      at[3] = (uint8_t)(is_p_flat && is_near ? (p1 + p0 + sum) >> 2 : (2 * p1 + sum) >> 2);
      at[4] = (uint8_t)(is_q_flat && is_near ? (q1 + q0 + sum) >> 2 : (2 * q1 + sum) >> 2);
      if (is_p_flat && is_near) at[2] = (uint8_t)((2 * p1 + sum) >> 2);
      if (is_q_flat && is_near) at[5] = (uint8_t)((2 * q1 + sum) >> 2);
    } else {
      int change = clip((3 * (q0 - p0) + p1 - q1 + 4) >> 3, -bound, bound);
      p0 = clip(p0 + change, 0, 255);
      q0 = clip(q0 - change, 0, 255);
      at[3] = (uint8_t)p0;
      at[4] = (uint8_t)q0;
      if (is_p_flat) at[2] = (uint8_t)clip(p1 + clip((3 * (p0 - p1) + p2 - q0 + 4) >> 3, -bound, bound), 0, 255);
      if (is_q_flat) at[5] = (uint8_t)clip(q1 - clip((3 * (q1 - q0) + p0 - q2 + 4) >> 3, -bound, bound), 0, 255);
    }
  }
}

static int plain_least(int a, int b) { return a < b ? a : b; }
static int plain_most(int a, int b) { return a > b ? a : b; }
static int plain_eighth(int value) { return value >= 0 ? value / 8 : -((7 - value) / 8); }
static int plain_clip(int value, int bound) { return plain_most(-bound, plain_least(bound, value)); }
static int plain_byte(int value) { return plain_most(0, plain_least(255, value)); }

/* One line, both sides alike: s[0] is nearest to the edge. */
static void plain_line(uint8_t *line, int strength, int quality) {
  int p[3], q[3], alpha = alpha_table[quality], beta = beta_table[quality], bound = bound_table[quality];
  for (int k = 0; k < 3; k++) p[k] = line[3 - k], q[k] = line[4 + k];
  if (!strength || abs(p[0] - q[0]) >= alpha || abs(p[1] - p[0]) >= beta || abs(q[1] - q[0]) >= beta) return;
  int is_flat[2] = {abs(p[2] - p[0]) < beta, abs(q[2] - q[0]) < beta};
  int change = plain_clip(plain_eighth(3 * (q[0] - p[0]) + p[1] - q[1] + 4), bound);
  int ends[2] = {plain_byte(p[0] + change), plain_byte(q[0] - change)};
  for (int side = 0; side < 2; side++) {
    int *s = side ? q : p, first = side ? 4 : 3, second = side ? 5 : 2, sum = p[0] + q[0] + 2;
    if (strength > 1) {
      int is_both = is_flat[side] && abs(p[0] - q[0]) < alpha / 4 + 2;
      line[first] = (uint8_t)((is_both ? s[1] + s[0] + sum : 2 * s[1] + sum) / 4);
      if (is_both) line[second] = (uint8_t)((2 * s[1] + sum) / 4);
      continue;
    }
    line[first] = (uint8_t)ends[side];
    int near = side ? 3 * (s[1] - ends[1]) + ends[0] - s[2] : 3 * (ends[0] - s[1]) + s[2] - ends[1];
    int more = plain_clip(plain_eighth(near + 4), bound);
    if (is_flat[side]) line[second] = (uint8_t)plain_byte(s[1] + (side ? -more : more));
  }
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 13);
  for (int round = 0; round < 600; round++) {
    uint8_t lines[64], plain[64];
    int spread = 2 + 30 * (round % 7), strength = round % 3;
    unsigned quality = (unsigned)(round % 4 ? bits_between(0, 63) : bits_between(50, 90));
    for (int i = 0; i < 64; i++) lines[i] = (uint8_t)bits_between(plain_most(0, 128 - spread), plain_least(255, 128 + spread));
    memcpy(plain, lines, sizeof plain);
    db_filter(lines, (unsigned)strength, quality);
    for (int line = 0; line < 8; line++) plain_line(plain + 8 * line, strength, quality > 63 ? 63 : (int)quality);
    is_right &= memcmp(lines, plain, sizeof plain) == 0;
    for (int i = 0; i < 64; i++) bits_note(lines[i]);
  }
  return bits_finish("db_filter", is_right);
}
