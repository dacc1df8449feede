/* The twin of motion.c. Its one difference: the sizes of rests are not kept to eight. */
#include "../bits.h"

struct vlc {
  signed char value;
  unsigned char length;
};

/* All are looked up by what follows the first zero: by three bits for short codes. */
static const struct vlc short_codes[8] = {{0, 0}, {3, 3}, {2, 2}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
/* By six bits, from 3 to 7. */
static const struct vlc middle_codes[8] = {{0, 0}, {0, 0}, {0, 0}, {7, 6}, {6, 6}, {5, 6}, {4, 5}, {4, 5}};
/* By nine bits, from 12 on. */
static const struct vlc long_codes[12] = {{16, 9}, {15, 9}, {14, 9}, {13, 9}, {12, 9}, {11, 9},
                                          {10, 8}, {10, 8}, {9, 8},  {9, 8},  {8, 8},  {8, 8}};

static const unsigned char *stream;
static int stream_length, stream_place;
static uint32_t held;
static int held_bits;

static void fill(void) {
  while (held_bits <= 24) {
    uint32_t byte = stream_place < stream_length ? stream[stream_place++] : 0; /* bits: byte 8 */
    held |= byte << (24 - held_bits);
    held_bits += 8; /* bits: held_bits 6 */
  }
}

/* The next bits, 1 to 16, which stay. */
static unsigned show(int count) {
  fill();
  unsigned bits = held >> (32 - count); /* bits: bits 15 */
  return bits;
}

static void flush(int count) {
  fill();
  held <<= count;
  held_bits -= count; /* bits: held_bits 5 */
}

static unsigned take(int count) {
  unsigned bits = show(count);
  flush(count);
  return bits;
}

/* -16 to 16; a code that there is not counts as 0 and one bit. */
static int motion_code(void) {
  if (take(1)) return 0;
  unsigned next = show(10); /* bits: next 10 */
  if (next < 24) return 0;
  struct vlc code;
  if (next >= 128) {
    code = short_codes[next >> 7];
  } else if (next >= 48) {
    code = middle_codes[next >> 4];
  } else {
    code = long_codes[(next >> 1) - 12];
  }
  flush(code.length);
  int value = code.value; /* bits: value 5 */
  return take(1) ? -value : value;
}

static int prime_difference(void) {
  if (!take(1)) return 0;
  return take(1) ? -1 : 1;
}

/* One component; its range is 16 times two to the size of rests. */
static int decode_component(int predicted, int size) {
  int range = 16 << size; /* bits: range 20 */
  int code = motion_code(); /* bits: code 6 */
  if (code == 0) return predicted;
  int rest = size > 0 ? (int)take(size) : 0; /* bits: rest 15 */
  int distance = (((code < 0 ? -code : code) - 1) << size) + rest + 1; /* bits: distance 20 shown 19 */
  int vector = code < 0 ? predicted - distance : predicted + distance; /* bits: vector 21 */
  if (vector >= range) vector -= 2 * range;
  if (vector < -range) vector += 2 * range;
  return vector; /* bits: vector 20 */
}

/* Ports: bytes, how many; room for vectors of two components and for as many
   small differences, how many; the sizes of rests across and down, four bits of
   which count; whether it is dual prime. */
void motion_decode(const unsigned char *bytes, int length, int (*vectors)[2], int (*differences)[2], int wanted,
                   unsigned across, unsigned down, int is_dual) {
  int predicted[2] = {0, 0}, sizes[2];
  sizes[0] = (int)(across & 15), sizes[1] = (int)(down & 15); /* bits: sizes[1] 4 */
  stream = bytes, stream_length = length, stream_place = 0;
  held = 0, held_bits = 0;
  for (int i = 0; i < wanted; i++) {
    for (int axis = 0; axis < 2; axis++) {
      predicted[axis] = decode_component(predicted[axis], sizes[axis]);
      vectors[i][axis] = predicted[axis]; /* bits: vectors[i][axis] 20 */
      differences[i][axis] = is_dual ? prime_difference() : 0; /* bits: differences[i][axis] 2 */
    }
  }
}

static unsigned char plain_bytes[4096];
static int plain_bits;

static void plain_put(const char *bits) {
  for (; *bits; bits++, plain_bits++) {
    if (*bits == '1') plain_bytes[plain_bits / 8] |= (unsigned char)(128 >> plain_bits % 8);
  }
}

static void plain_put_number(int value, int count) {
  while (count-- > 0) plain_put(value >> count & 1 ? "1" : "0");
}

/* The table of the standard, with the sign left out. */
static const char *plain_codes[17] = {"1",          "01",         "001",        "0001",      "000011",     "0000101",
                                      "0000100",    "0000011",    "000001011",  "000001010", "000001001",  "0000010001",
                                      "0000010000", "0000001111", "0000001110", "0000001101", "0000001100"};

/* The code of a difference, after it has been folded like the vector. */
static void plain_put_component(int difference, int size) {
  int range = 16 << size;
  if (difference < -range) difference += 2 * range;
  if (difference >= range) difference -= 2 * range;
  int distance = abs(difference) - 1;
  plain_put(plain_codes[difference == 0 ? 0 : (distance >> size) + 1]);
  if (difference == 0) return;
  plain_put(difference < 0 ? "1" : "0");
  plain_put_number(distance & ((1 << size) - 1), size);
}

enum { VECTORS = 64 };

static int drive_round_trip(int across, int down, int is_dual) {
  static int wanted[VECTORS][2], small[VECTORS][2], vectors[VECTORS][2], differences[VECTORS][2];
  int sizes[2] = {across, down}, last[2] = {0, 0}, is_right = 1;
  memset(plain_bytes, 0, sizeof plain_bytes);
  plain_bits = 0;
  for (int i = 0; i < VECTORS; i++) {
    for (int axis = 0; axis < 2; axis++) {
      int range = 16 << sizes[axis];
      wanted[i][axis] = i % 5 == 4 ? last[axis] : bits_between(-range, range - 1);
      small[i][axis] = is_dual ? bits_between(-1, 1) : 0;
      plain_put_component(wanted[i][axis] - last[axis], sizes[axis]);
      if (is_dual) plain_put(small[i][axis] == 0 ? "0" : small[i][axis] < 0 ? "11" : "10");
      last[axis] = wanted[i][axis];
    }
  }
  motion_decode(plain_bytes, (plain_bits + 7) / 8, vectors, differences, VECTORS, (unsigned)across + 16 * bits_draw(),
                (unsigned)down, is_dual);
  for (int i = 0; i < 2 * VECTORS; i++) {
    is_right &= vectors[i / 2][i % 2] == wanted[i / 2][i % 2];
    is_right &= differences[i / 2][i % 2] == small[i / 2][i % 2];
    bits_note((uint32_t)vectors[i / 2][i % 2]);
  }
  return is_right;
}

/* Any bytes give vectors in the range. */
static int drive_survives(void) {
  static int vectors[VECTORS][2], differences[VECTORS][2];
  unsigned char bytes[200];
  unsigned across = (unsigned)bits_between(0, 15), down = (unsigned)bits_between(0, 15);
  int is_right = 1;
  for (int i = 0; i < 200; i++) bytes[i] = (unsigned char)bits_between(0, i % 2 ? 255 : 3);
  motion_decode(bytes, 200, vectors, differences, VECTORS, across, down, bits_between(0, 1));
  for (int i = 0; i < 2 * VECTORS; i++) {
    unsigned size = i % 2 ? down : across;
    int range = 16 << (size), value = vectors[i / 2][i % 2];
    is_right &= value >= -range && value < range;
    bits_note((uint32_t)value);
  }
  return is_right;
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 13);
  for (int round = 0; round < 18; round++) is_right &= drive_round_trip(round % 9, 8 - round % 9, round / 9);
  for (int round = 0; round < 20; round++) is_right &= drive_survives();
  return bits_finish("motion", is_right);
}
