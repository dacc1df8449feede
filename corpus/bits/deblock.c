/* The filter that takes the edges of blocks out of a picture, as in H.264: what
   is filtered hangs on two thresholds, how far on a third table, and everything
   is clipped to a bound that comes out of that table.

   Samples are bytes, thresholds at most 255 and 18, the bound at most 25 and two
   more; so a correction lies in [-27, 27] and has 6 bits. To know that, one has
   to know what the table holds, and that clipping to [-c, c] keeps within c. */
#include "bits.h"

static const unsigned char alpha_table[52] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  4,  4,   5,   6,   7,   8,   9,   10,  12,  13,
    15, 17, 20, 22, 25, 28, 32, 36, 40, 45, 50, 56, 63, 71, 80, 90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255};
static const unsigned char beta_table[52] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  2,  2,
                                             2,  3,  3,  3,  3,  4,  4,  4,  6,  6,  7,  7,  8,  8,  9,  9,  10, 10,
                                             11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18};
static const int reach_table[52][3] = {
    {0, 0, 0},   {0, 0, 0},    {0, 0, 0},    {0, 0, 0},    {0, 0, 0},   {0, 0, 0},   {0, 0, 0},   {0, 0, 0},
    {0, 0, 0},   {0, 0, 0},    {0, 0, 0},    {0, 0, 0},    {0, 0, 0},   {0, 0, 0},   {0, 0, 0},   {0, 0, 0},
    {0, 0, 0},   {0, 0, 1},    {0, 0, 1},    {0, 0, 1},    {0, 0, 1},   {0, 1, 1},   {0, 1, 1},   {1, 1, 1},
    {1, 1, 1},   {1, 1, 1},    {1, 1, 1},    {1, 1, 2},    {1, 1, 2},   {1, 1, 2},   {1, 1, 2},   {1, 2, 3},
    {1, 2, 3},   {2, 2, 3},    {2, 2, 4},    {2, 3, 4},    {2, 3, 4},   {3, 3, 5},   {3, 4, 6},   {3, 4, 6},
    {4, 5, 7},   {4, 5, 8},    {4, 6, 9},    {5, 7, 10},   {6, 8, 11},  {6, 8, 13},  {7, 10, 14}, {8, 11, 16},
    {9, 12, 18}, {10, 13, 20}, {11, 15, 23}, {13, 17, 25}};

static int clip3(int low, int high, int value) {
  if (value < low) return low;
  return value > high ? high : value;
}

static int distance(int a, int b) { return a > b ? a - b : b - a; }

static int index_of(int quality, int offset) { return clip3(0, 51, quality + offset); }

/* One line of samples across an edge; `step` leads from one to the next. */
static void filter_normal(unsigned char *at, int step, int beta, int reach) {
  int p0 = at[-step], p1 = at[-2 * step], p2 = at[-3 * step];
  int q0 = at[0], q1 = at[step], q2 = at[2 * step];
  int is_p_flat = distance(p2, p0) < beta, is_q_flat = distance(q2, q0) < beta;
  int bound = reach + is_p_flat + is_q_flat; /* bits: bound 5 */
  int wish = (((q0 - p0) * 4) + (p1 - q1) + 4) >> 3; /* bits: wish 9 shown 8 */
  int change = clip3(-bound, bound, wish); /* bits: change 6 */
  if (is_p_flat) {
    int half = (p2 + ((p0 + q0 + 1) >> 1) - 2 * p1) >> 1; /* bits: half 9 shown 7 */
    int small = clip3(-reach, reach, half); /* bits: small 6 */
    at[-2 * step] = (unsigned char)(p1 + small);
  }
  if (is_q_flat) {
    int half = (q2 + ((p0 + q0 + 1) >> 1) - 2 * q1) >> 1;
    int small = clip3(-reach, reach, half);
    at[step] = (unsigned char)(q1 + small);
  }
  at[-step] = (unsigned char)clip3(0, 255, p0 + change);
  at[0] = (unsigned char)clip3(0, 255, q0 - change);
}

static void filter_strong(unsigned char *at, int step, int alpha, int beta) {
  int p0 = at[-step], p1 = at[-2 * step], p2 = at[-3 * step], p3 = at[-4 * step];
  int q0 = at[0], q1 = at[step], q2 = at[2 * step], q3 = at[3 * step];
  int is_near = distance(p0, q0) < ((alpha >> 2) + 2);
  if (is_near && distance(p2, p0) < beta) {
    int sum = p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4; /* bits: sum 11 */
    at[-step] = (unsigned char)(sum >> 3);
    at[-2 * step] = (unsigned char)((p2 + p1 + p0 + q0 + 2) >> 2);
    at[-3 * step] = (unsigned char)((2 * p3 + 3 * p2 + p1 + p0 + q0 + 4) >> 3);
  } else {
    at[-step] = (unsigned char)((2 * p1 + p0 + q1 + 2) >> 2);
  }
  if (is_near && distance(q2, q0) < beta) {
    at[0] = (unsigned char)((p1 + 2 * p0 + 2 * q0 + 2 * q1 + q2 + 4) >> 3);
    at[step] = (unsigned char)((p0 + q0 + q1 + q2 + 2) >> 2);
    at[2 * step] = (unsigned char)((2 * q3 + 3 * q2 + q1 + q0 + p0 + 4) >> 3);
  } else {
    at[0] = (unsigned char)((2 * q1 + q0 + p1 + 2) >> 2);
  }
}

/* Ports: the first sample behind an edge of 16; steps across and along it; the
   strength, 0 to 4, of each quarter; the mean quality and the two offsets. */
void deblock_edge(unsigned char *edge, int across, int along, const unsigned char *strength, int quality,
                  int alpha_offset, int beta_offset) {
  quality = clip3(0, 51, quality);
  int index = index_of(quality, clip3(-12, 12, alpha_offset)); /* bits: index 6 */
  int alpha = alpha_table[index]; /* bits: alpha 8 */
  int beta = beta_table[index_of(quality, clip3(-12, 12, beta_offset))]; /* bits: beta 5 */
  for (int line = 0; line < 16; line++) { /* bits: line 4 */
    int force = strength[line >> 2];
    unsigned char *at = edge + line * along;
    int p0 = at[-across], p1 = at[-2 * across], q0 = at[0], q1 = at[across];
    if (force == 0) continue;
    if (distance(p0, q0) >= alpha || distance(p1, p0) >= beta || distance(q1, q0) >= beta) continue;
    if (force < 4) {
      int reach = reach_table[index][force - 1]; /* bits: reach 5 */
      filter_normal(at, across, beta, reach);
    } else {
      filter_strong(at, across, alpha, beta);
    }
  }
}

static int plain_min(int a, int b) { return a < b ? a : b; }
static int plain_max(int a, int b) { return a > b ? a : b; }

/* One line as the standard has it: s[0..3] before the edge, nearest first. */
static void plain_line(int *p, int *q, int force, int index, int beta) {
  int alpha = alpha_table[index], P[4], Q[4];
  memcpy(P, p, sizeof P);
  memcpy(Q, q, sizeof Q);
  if (!force || abs(P[0] - Q[0]) >= alpha || abs(P[1] - P[0]) >= beta || abs(Q[1] - Q[0]) >= beta) return;
  for (int side = 0; side < 2; side++) {
    int *out = side ? q : p, *own = side ? Q : P, *far = side ? P : Q;
    int is_flat = abs(own[2] - own[0]) < beta, is_far_flat = abs(far[2] - far[0]) < beta;
    if (force == 4) {
      if (is_flat && abs(P[0] - Q[0]) < alpha / 4 + 2) {
        out[0] = (own[2] + 2 * own[1] + 2 * own[0] + 2 * far[0] + far[1] + 4) / 8;
        out[1] = (own[2] + own[1] + own[0] + far[0] + 2) / 4;
        out[2] = (2 * own[3] + 3 * own[2] + own[1] + own[0] + far[0] + 4) / 8;
      } else {
        out[0] = (2 * own[1] + own[0] + far[1] + 2) / 4;
      }
      continue;
    }
    int reach = reach_table[index][force - 1], bound = reach + is_flat + is_far_flat;
    int wish = 4 * (Q[0] - P[0]) + P[1] - Q[1] + 4, eighth = wish >= 0 ? wish / 8 : -((7 - wish) / 8);
    int change = plain_max(-bound, plain_min(bound, eighth));
    out[0] = plain_max(0, plain_min(255, own[0] + (side ? -change : change)));
    int twice = own[2] + (P[0] + Q[0] + 1) / 2 - 2 * own[1], half = twice >= 0 ? twice / 2 : -((1 - twice) / 2);
    if (is_flat) out[1] = own[1] + plain_max(-reach, plain_min(reach, half));
  }
}

static int plain_index(int quality, int offset) {
  return plain_max(0, plain_min(51, plain_max(0, plain_min(51, quality)) + plain_max(-12, plain_min(12, offset))));
}

/* Blocks that differ by a step which the quality still lets through. */
static void drive_choose(unsigned char *picture, int spread) {
  int left = bits_between(0, 255);
  int right = left + bits_between(-spread, spread);
  for (int i = 0; i < 128; i++) {
    int value = (i % 8 < 4 ? left : right) + bits_between(-2, 2) * (spread / 16);
    picture[i] = (unsigned char)plain_max(0, plain_min(255, value));
  }
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 5);
  for (int round = 0; round < 600; round++) {
    unsigned char picture[128], before[128], strength[4];
    int quality = round % 4 ? bits_between(-9, 60) : bits_between(40, 51), first = bits_between(-20, 20);
    int second = bits_between(-20, 20), is_down = round % 2;
    drive_choose(picture, 4 + 252 * (round % 7) / 6);
    memcpy(before, picture, sizeof picture);
    for (int i = 0; i < 4; i++) strength[i] = (unsigned char)bits_between(0, 4);
    /* Down: the picture lies on its side, 16 samples in a row. */
    deblock_edge(is_down ? picture + 64 : picture + 4, is_down ? 16 : 1, is_down ? 1 : 8, strength, quality, first,
                 second);
    for (int line = 0; line < 16; line++) {
      int p[4], q[4], step = is_down ? 16 : 1, start = is_down ? line + 64 : 8 * line + 4;
      for (int k = 0; k < 4; k++) p[k] = before[start - (k + 1) * step], q[k] = before[start + k * step];
      plain_line(p, q, strength[line / 4], plain_index(quality, first), beta_table[plain_index(quality, second)]);
      for (int k = 0; k < 4; k++) {
        is_right &= picture[start - (k + 1) * step] == p[k] && picture[start + k * step] == q[k];
        bits_note((uint32_t)(p[k] << 8 | q[k]));
      }
    }
  }
  return bits_finish("deblock", is_right);
}
