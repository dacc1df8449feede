/* Blocks of coefficients out of a stream of bits, as in JPEG: codes of up to 16
   bits, what follows them, runs of zeros, zigzag, dequantisation.

   The tables of codes are worked out from how many there are of each length and
   then only read; places in the block come out of a table with six bits. Whatever
   the stream says, a category is one of the values of its table, at most 11 or,
   behind the first, 10; so a coefficient there has 11 bits and, times its step of
   8, 19, saturated to 16. */
#include "bits.h"

static const unsigned char zigzag[64] = {
     0,  1,  8, 16,  9,  2,  3, 10, 17, 24, 32, 25, 18, 11,  4,  5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13,  6,  7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
static const unsigned char first_counts[17] = {0, 0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0};
static const unsigned char first_values[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const unsigned char other_counts[17] = {0, 0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125};
static const unsigned char other_values[162] = {
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
    0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
    0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37,
    0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
    0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
    0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3,
    0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
    0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
    0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa};

struct code_table {
  int least[17], behind[17], start[17];
  const unsigned char *values;
};

static struct code_table tables[2];

static const unsigned char *stream;
static int stream_length, stream_place;
static unsigned held;
static int held_bits;

/* The codes of one length follow each other; the next length begins behind them. */
static void build_table(struct code_table *table, const unsigned char *counts, const unsigned char *values) {
  int code = 0, place = 0;
  for (int length = 1; length <= 16; length++) { /* bits: length 5 */
    table->least[length] = code;
    table->start[length] = place;
    place += counts[length]; /* bits: place 8 */
    code += counts[length];
    table->behind[length] = code; /* bits: code 16 */
    code <<= 1; /* bits: code 17 */
  }
  table->values = values;
}

/* The next bits of the stream, 0 to 16; behind its end there are zeros. */
static int next_bits(int wanted) {
  while (held_bits < wanted) {
    unsigned byte = stream_place < stream_length ? stream[stream_place] : 0; /* bits: byte 8 */
    if (stream_place < stream_length) stream_place++;
    held = (held << 8 | byte) & 0xffffff; /* bits: held 24 */
    held_bits += 8; /* bits: held_bits 5 */
  }
  held_bits -= wanted; /* bits: held_bits 3 */
  int bits = (int)(held >> held_bits & ((1u << wanted) - 1)); /* bits: bits 11 */
  return bits;
}

/* A value of the table, or -1 for a code that it does not have. */
static int next_value(const struct code_table *table) {
  int code = 0;
  for (int length = 1; length <= 16; length++) {
    code = code << 1 | next_bits(1); /* bits: code 16 */
    if (code < table->behind[length]) {
      int place = table->start[length] + code - table->least[length]; /* bits: place 8 */
      return table->values[place];
    }
  }
  return -1;
}

/* A number of the category: its lower half is negative. */
static int next_number(int category) {
  if (category == 0) return 0;
  int bits = next_bits(category);
  int half = 1 << (category - 1); /* bits: half 11 */
  return bits < half ? bits - 2 * half + 1 : bits;
}

static short saturate(int value) {
  if (value < -32768) return -32768;
  return (short)(value > 32767 ? 32767 : value);
}

/* Ports: bytes, how many; room for blocks of 64, how many; steps of 8 bits. How
   many blocks were good. */
int huffman_decode(const unsigned char *bytes, int length, short *blocks, int wanted, const unsigned char *steps) {
  int last = 0;
  build_table(&tables[0], first_counts, first_values);
  build_table(&tables[1], other_counts, other_values);
  stream = bytes, stream_length = length, stream_place = 0;
  held = 0, held_bits = 0;
  for (int done = 0; done < wanted; done++) {
    short *block = blocks + 64 * done;
    memset(block, 0, 64 * sizeof *block);
    int category = next_value(&tables[0]); /* bits: category 5 */
    if (category < 0) return done;
    int difference = next_number(category); /* bits: difference 12 */
    last = saturate(last + difference); /* bits: last 16 shown 13 */
    block[0] = saturate(last * steps[0]);
    for (int k = 1; k < 64; k++) {
      int value = next_value(&tables[1]); /* bits: value 9 */
      if (value < 0) return done;
      int run = value >> 4, size = value & 15; /* bits: run 4; size 4 */
      if (size == 0 && run != 15) break;
      k += run; /* bits: k 7 */
      if (k > 63) return done;
      if (size == 0) continue;
      int place = zigzag[k]; /* bits: place 6 */
      int product = next_number(size) * steps[k]; /* bits: product 19 */
      block[place] = saturate(product); /* bits: block[place] 16 */
    }
  }
  return wanted;
}

static unsigned char plain_bytes[60000];
static int plain_length, plain_free;

static void plain_put(unsigned bits, int count) {
  while (count-- > 0) {
    if (plain_free == 0) plain_bytes[plain_length++] = 0, plain_free = 8;
    plain_free--;
    if (bits >> count & 1) plain_bytes[plain_length - 1] |= (unsigned char)(1 << plain_free);
  }
}

/* The code of a value, by counting through all codes before it. */
static void plain_put_value(const unsigned char *counts, const unsigned char *values, int value) {
  unsigned code = 0;
  for (int length = 1, place = 0; length <= 16; length++, code *= 2) {
    for (int i = 0; i < counts[length]; i++, code++, place++) {
      if (values[place] != value) continue;
      plain_put(code, length);
      return;
    }
  }
}

static int plain_category(int number) {
  int category = 0;
  for (int size = abs(number); size > 0; size /= 2) category++;
  return category;
}

static void plain_put_number(int number) {
  int category = plain_category(number);
  plain_put((unsigned)(number < 0 ? number + (1 << category) - 1 : number), category);
}

/* The way of a zigzag: along the diagonals, every other one upwards. */
static int plain_zigzag(int wanted) {
  for (int sum = 0, k = 0; sum < 15; sum++) {
    for (int i = 0; i <= sum; i++) {
      int row = sum % 2 ? i : sum - i, column = sum - row;
      if (row < 8 && column < 8 && k++ == wanted) return 8 * row + column;
    }
  }
  return 0;
}

static void plain_put_block(const int *coefficients, int last) {
  int run = 0;
  plain_put_value(first_counts, first_values, plain_category(coefficients[0] - last));
  plain_put_number(coefficients[0] - last);
  for (int k = 1; k < 64; k++) {
    int number = coefficients[plain_zigzag(k)];
    if (number == 0 && k == 63) plain_put_value(other_counts, other_values, 0);
    if (number == 0) {
      run++;
      continue;
    }
    for (; run > 15; run -= 16) plain_put_value(other_counts, other_values, 0xf0);
    plain_put_value(other_counts, other_values, run << 4 | plain_category(number));
    plain_put_number(number);
    run = 0;
  }
}

enum { BLOCKS = 12 };

static int drive_round_trip(void) {
  static int coefficients[BLOCKS][64];
  static short blocks[BLOCKS * 64];
  unsigned char steps[64];
  int is_right = 1, last = 0;
  plain_length = plain_free = 0;
  for (int block = 0; block < BLOCKS; block++) {
    int spread = block % 4 == 3 ? 1023 : 1 << (block % 4 * 3);
    for (int i = 0; i < 64; i++) {
      coefficients[block][i] = bits_between(0, block % 3 * 4) ? 0 : bits_between(-spread, spread);
    }
    coefficients[block][0] = last + bits_between(-2047 > -1024 - last ? -2047 : -1024 - last, 1023 - last);
    plain_put_block(coefficients[block], last);
    last = coefficients[block][0];
  }
  for (int i = 0; i < 64; i++) steps[i] = (unsigned char)bits_between(1, 255);
  is_right &= huffman_decode(plain_bytes, plain_length, blocks, BLOCKS, steps) == BLOCKS;
  for (int i = 0; i < BLOCKS * 64; i++) {
    int place = i % 64, k = 0;
    while (plain_zigzag(k) != place) k++;
    int wanted = coefficients[i / 64][place] * steps[k];
    is_right &= blocks[i] == (wanted < -32768 ? -32768 : wanted > 32767 ? 32767 : wanted);
    bits_note((uint32_t)blocks[i]);
  }
  return is_right;
}

/* Any bytes: it says how far it came and writes nowhere else. */
static int drive_survives(void) {
  static short blocks[(BLOCKS + 1) * 64];
  unsigned char bytes[600], steps[64];
  int kind = bits_between(0, 3);
  for (int i = 0; i < 600; i++) bytes[i] = (unsigned char)(kind ? bits_between(0, 255) : 255);
  for (int i = 0; i < 64; i++) steps[i] = 255, blocks[BLOCKS * 64 + i] = 77;
  int good = huffman_decode(bytes, 600, blocks, BLOCKS, steps), is_right = good >= 0 && good <= BLOCKS;
  for (int i = 0; i < 64; i++) is_right &= blocks[BLOCKS * 64 + i] == 77;
  bits_note((uint32_t)good);
  return is_right;
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 12);
  for (int round = 0; round < 6; round++) is_right &= drive_round_trip();
  for (int round = 0; round < 60; round++) is_right &= drive_survives();
  return bits_finish("huffman", is_right);
}
