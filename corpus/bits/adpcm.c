/* Four bits for each sample, as IMA has it: coder and decoder.

   The index stays between 0 and 88, so that the step, out of a table, has 15
   bits; what is predicted is kept to 16. Two codes share a byte: what waits for
   the second is at most 0xf0, and whether something waits is one bit. */
#include "bits.h"

static const int step_table[89] = {
    7,    8,    9,    10,   11,   12,   13,   14,   16,   17,   19,   21,    23,    25,    28,    31,    34,    37,
    41,   45,   50,   55,   60,   66,   73,   80,   88,   97,   107,  118,   130,   143,   157,   173,   190,   209,
    230,  253,  279,  307,  337,  371,  408,  449,  494,  544,  598,  658,   724,   796,   876,   963,   1060,  1166,
    1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660,  4026,  4428,  4871,  5358,  5894,  6484,
    7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
static const int index_table[16] = {-1, -1, -1, -1, 2, 4, 6, 8, -1, -1, -1, -1, 2, 4, 6, 8};

/* What coder and decoder remember from call to call. */
struct adpcm_state {
  short predicted;
  unsigned char index;
};

static int within(int value, int low, int high) {
  if (value < low) value = low;
  if (value > high) value = high;
  return value;
}

/* Ports: the state (an index above 88 counts as 88), samples, room for half as
   many bytes, upwards. */
void adpcm_code(struct adpcm_state *state, const short *samples, unsigned char *to, int length) {
  int predicted = state->predicted; /* bits: predicted 16 */
  int index = within(state->index, 0, 88); /* bits: index 7 */
  int step = step_table[index]; /* bits: step 15 */
  int waiting = 0, is_waiting = 0;
  for (int i = 0; i < length; i++) {
    int difference = samples[i] - predicted; /* bits: difference 17 */
    int sign = difference < 0 ? 8 : 0;
    if (sign) difference = -difference; /* bits: difference 16 */

    int code = 0, change = step >> 3;
    if (difference >= step) {
      code = 4;
      difference -= step;
      change += step;
    }
    step >>= 1;
    if (difference >= step) {
      code |= 2;
      difference -= step;
      change += step;
    }
    step >>= 1;
    if (difference >= step) {
      code |= 1;
      change += step; /* bits: change 16 */
    }

    predicted = within(sign ? predicted - change : predicted + change, -32768, 32767); /* bits: predicted 16 */
    code |= sign; /* bits: code 4 */
    index = within(index + index_table[code], 0, 88); /* bits: index 7 */
    step = step_table[index]; /* bits: step 15 */
    if (is_waiting) {
      *to++ = (unsigned char)(code | waiting);
    } else {
      waiting = code << 4 & 0xf0; /* bits: waiting 8 */
    }
    is_waiting = !is_waiting; /* bits: is_waiting 1 */
  }
  if (is_waiting) *to = (unsigned char)waiting;
  state->predicted = (short)predicted;
  state->index = (unsigned char)index;
}

/* Ports: the state, codes, room for samples and how many there are. */
void adpcm_decode(struct adpcm_state *state, const unsigned char *codes, short *to, int length) {
  int predicted = state->predicted;
  int index = within(state->index, 0, 88);
  int step = step_table[index];
  int buffer = 0, is_half_used = 0;
  for (int i = 0; i < length; i++) {
    int code;
    if (is_half_used) {
      code = buffer & 15; /* bits: code 4 */
    } else {
      buffer = *codes++; /* bits: buffer 8 */
      code = buffer >> 4; /* bits: code 4 */
    }
    is_half_used = !is_half_used;
    index = within(index + index_table[code], 0, 88); /* bits: index 7 */
    int sign = code & 8, size = code & 7;
    int change = step >> 3;
    if (size & 4) change += step;
    if (size & 2) change += step >> 1;
    if (size & 1) change += step >> 2; /* bits: change 16 */
    predicted = within(sign ? predicted - change : predicted + change, -32768, 32767);
    step = step_table[index];
    to[i] = (short)predicted;
  }
  state->predicted = (short)predicted;
  state->index = (unsigned char)index;
}

/* How far a code leads, in the words of the recommendation. */
static long plain_change(int size, long step) {
  return step / 8 + (size & 4 ? step : 0) + (size & 2 ? step / 2 : 0) + (size & 1 ? step / 4 : 0);
}

/* The largest code that does not lead beyond the sample, rounding left out. */
static int plain_code(long difference, long step) {
  int size = 7;
  while (plain_change(size, step) - step / 8 > labs(difference)) size--;
  return size | (difference < 0 ? 8 : 0);
}

static long plain_next(long predicted, int code, int *index) {
  long change = plain_change(code & 7, step_table[*index]);
  predicted += code & 8 ? -change : change;
  *index += code & 4 ? 2 * (code & 3) + 2 : -1;
  if (*index < 0) *index = 0;
  if (*index > 88) *index = 88;
  return predicted < -32768 ? -32768 : predicted > 32767 ? 32767 : predicted;
}

/* Sounds: noise, a square, a ramp, silence with clicks. */
static short drive_sample_of(int kind, int i) {
  if (kind == 0) return (short)bits_between(-32768, 32767);
  if (kind == 1) return i / 7 % 2 ? 32767 : -32768;
  if (kind == 2) return (short)(i * 37 % 65536 - 32768);
  return (short)(i % 50 ? 0 : bits_between(-32768, 32767));
}

enum { LENGTH = 401 };

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 6);
  for (int round = 0; round < 12; round++) {
    short samples[LENGTH], decoded[LENGTH];
    unsigned char codes[LENGTH / 2 + 1];
    struct adpcm_state coder = {(short)bits_between(-32768, 32767), (unsigned char)bits_between(0, 255)};
    struct adpcm_state decoder = coder;
    int index = coder.index > 88 ? 88 : coder.index;
    long predicted = coder.predicted;
    for (int i = 0; i < LENGTH; i++) samples[i] = drive_sample_of(round % 4, i);
    adpcm_code(&coder, samples, codes, LENGTH);
    adpcm_decode(&decoder, codes, decoded, LENGTH);
    for (int i = 0; i < LENGTH; i++) {
      int code = plain_code(samples[i] - predicted, step_table[index]);
      is_right &= code == (codes[i / 2] >> (i % 2 ? 0 : 4) & 15);
      predicted = plain_next(predicted, code, &index);
      is_right &= decoded[i] == predicted;
      bits_note((uint32_t)(code << 16 ^ decoded[i]));
    }
    is_right &= coder.predicted == predicted && decoder.index == index && coder.index == index;
  }
  return bits_finish("adpcm", is_right);
}
