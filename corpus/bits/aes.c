/* AES with keys of 128, 192 and 256 bits, there and back, on integers that hold
   one byte each.

   The state, the keys of the rounds and both tables are arrays of four-byte
   integers; nothing but bytes is ever put into them, in several functions and
   through pointers, and nothing outside this file sees them. Whether a load has
   8 bits or 32 hangs on all of that at once. */
#include "bits.h"

static const int substitutes[256] = {
     99, 124, 119, 123, 242, 107, 111, 197,  48,   1, 103,  43, 254, 215, 171, 118, 202, 130, 201, 125,
    250,  89,  71, 240, 173, 212, 162, 175, 156, 164, 114, 192, 183, 253, 147,  38,  54,  63, 247, 204,
     52, 165, 229, 241, 113, 216,  49,  21,   4, 199,  35, 195,  24, 150,   5, 154,   7,  18, 128, 226,
    235,  39, 178, 117,   9, 131,  44,  26,  27, 110,  90, 160,  82,  59, 214, 179,  41, 227,  47, 132,
     83, 209,   0, 237,  32, 252, 177,  91, 106, 203, 190,  57,  74,  76,  88, 207, 208, 239, 170, 251,
     67,  77,  51, 133,  69, 249,   2, 127,  80,  60, 159, 168,  81, 163,  64, 143, 146, 157,  56, 245,
    188, 182, 218,  33,  16, 255, 243, 210, 205,  12,  19, 236,  95, 151,  68,  23, 196, 167, 126,  61,
    100,  93,  25, 115,  96, 129,  79, 220,  34,  42, 144, 136,  70, 238, 184,  20, 222,  94,  11, 219,
    224,  50,  58,  10,  73,   6,  36,  92, 194, 211, 172,  98, 145, 149, 228, 121, 231, 200,  55, 109,
    141, 213,  78, 169, 108,  86, 244, 234, 101, 122, 174,   8, 186, 120,  37,  46,  28, 166, 180, 198,
    232, 221, 116,  31,  75, 189, 139, 138, 112,  62, 181, 102,  72,   3, 246,  14,  97,  53,  87, 185,
    134, 193,  29, 158, 225, 248, 152,  17, 105, 217, 142, 148, 155,  30, 135, 233, 206,  85,  40, 223,
    140, 161, 137,  13, 191, 230,  66, 104,  65, 153,  45,  15, 176,  84, 187,  22};
static const int originals[256] = {
     82,   9, 106, 213,  48,  54, 165,  56, 191,  64, 163, 158, 129, 243, 215, 251, 124, 227,  57, 130,
    155,  47, 255, 135,  52, 142,  67,  68, 196, 222, 233, 203,  84, 123, 148,  50, 166, 194,  35,  61,
    238,  76, 149,  11,  66, 250, 195,  78,   8,  46, 161, 102,  40, 217,  36, 178, 118,  91, 162,  73,
    109, 139, 209,  37, 114, 248, 246, 100, 134, 104, 152,  22, 212, 164,  92, 204,  93, 101, 182, 146,
    108, 112,  72,  80, 253, 237, 185, 218,  94,  21,  70,  87, 167, 141, 157, 132, 144, 216, 171,   0,
    140, 188, 211,  10, 247, 228,  88,   5, 184, 179,  69,   6, 208,  44,  30, 143, 202,  63,  15,   2,
    193, 175, 189,   3,   1,  19, 138, 107,  58, 145,  17,  65,  79, 103, 220, 234, 151, 242, 207, 206,
    240, 180, 230, 115, 150, 172, 116,  34, 231, 173,  53, 133, 226, 249,  55, 232,  28, 117, 223, 110,
     71, 241,  26, 113,  29,  41, 197, 137, 111, 183,  98,  14, 170,  24, 190,  27, 252,  86,  62,  75,
    198, 210, 121,  32, 154, 219, 192, 254, 120, 205,  90, 244,  31, 221, 168,  51, 136,   7, 199,  49,
    177,  18,  16,  89,  39, 128, 236,  95,  96,  81, 127, 169,  25, 181,  74,  13,  45, 229, 122, 159,
    147, 201, 156, 239, 160, 224,  59,  77, 174,  42, 245, 176, 200, 235, 187,  60, 131,  83, 153,  97,
     23,  43,   4, 126, 186, 119, 214,  38, 225, 105,  20,  99,  85,  33,  12, 125};

static int state[16];
static int keys[240];
static int rounds;

static int twice(int byte) {
  int doubled = byte << 1; /* bits: doubled 9 */
  if (doubled & 0x100) doubled ^= 0x11b;
  return doubled; /* bits: doubled 8 */
}

/* A product in the field, by a factor of four bits. */
static int times(int byte, int by) {
  int product = 0;
  for (int bit = 0; bit < 4; bit++) { /* bits: bit 2 */
    if (by >> bit & 1) product ^= byte;
    byte = twice(byte); /* bits: byte 8 */
  }
  return product; /* bits: product 8 */
}

static void add_key(int round) {
  for (int i = 0; i < 16; i++) state[i] ^= keys[16 * round + i];
}

static void substitute(const int *table) {
  for (int i = 0; i < 16; i++) {
    int byte = state[i]; /* bits: byte 8 */
    state[i] = table[byte]; /* bits: state[i] 8 */
  }
}

/* Row r moves by r places to the left, or by as many to the right. */
static void shift_rows(int direction) {
  for (int row = 1; row < 4; row++) {
    int line[4];
    for (int column = 0; column < 4; column++) {
      int from = (column + direction * row) & 3; /* bits: from 2 */
      line[column] = state[4 * from + row];
    }
    for (int column = 0; column < 4; column++) state[4 * column + row] = line[column];
  }
}

static void mix_columns(int a, int b, int c, int d) {
  for (int column = 0; column < 4; column++) {
    int *at = state + 4 * column;
    int first = at[0], second = at[1], third = at[2], fourth = at[3]; /* bits: first 8 */
    at[0] = times(first, a) ^ times(second, b) ^ times(third, c) ^ times(fourth, d); /* bits: at[0] 8 */
    at[1] = times(first, d) ^ times(second, a) ^ times(third, b) ^ times(fourth, c);
    at[2] = times(first, c) ^ times(second, d) ^ times(third, a) ^ times(fourth, b);
    at[3] = times(first, b) ^ times(second, c) ^ times(third, d) ^ times(fourth, a);
  }
}

/* Ports: a key, and its length in words of four bytes: 4, 6 or 8. */
int aes_set_key(const unsigned char *key, int words) {
  if (words != 4 && words != 6 && words != 8) return 0;
  rounds = words + 6; /* bits: rounds 4 */
  for (int i = 0; i < 4 * words; i++) keys[i] = key[i]; /* bits: keys[0] 8 */
  int constant = 1;
  for (int word = words; word < 4 * (rounds + 1); word++) { /* bits: word 6 */
    const int *last = keys + 4 * word - 4;
    int a = last[0], b = last[1], c = last[2], d = last[3]; /* bits: a 8 */
    if (word % words == 0) {
      int kept = a;
      a = substitutes[b] ^ constant; /* bits: a 8 */
      b = substitutes[c], c = substitutes[d], d = substitutes[kept];
      constant = twice(constant); /* bits: constant 8 */
    } else if (words == 8 && word % words == 4) {
      a = substitutes[a], b = substitutes[b], c = substitutes[c], d = substitutes[d];
    }
    int *to = keys + 4 * word;
    const int *before = to - 4 * words;
    to[0] = before[0] ^ a, to[1] = before[1] ^ b, to[2] = before[2] ^ c;
    to[3] = before[3] ^ d; /* bits: to[3] 8 */
  }
  return 1;
}

/* Port: 16 bytes, replaced by what they become. */
void aes_encrypt(unsigned char *block) {
  for (int i = 0; i < 16; i++) state[i] = block[i];
  add_key(0);
  for (int round = 1; round < rounds; round++) { /* bits: round 4 */
    substitute(substitutes);
    shift_rows(1);
    mix_columns(2, 3, 1, 1);
    add_key(round);
  }
  substitute(substitutes);
  shift_rows(1);
  add_key(rounds);
  for (int i = 0; i < 16; i++) block[i] = (unsigned char)state[i];
}

/* Port: 16 bytes, replaced by what they were. */
void aes_decrypt(unsigned char *block) {
  for (int i = 0; i < 16; i++) state[i] = block[i];
  add_key(rounds);
  for (int round = rounds - 1; round > 0; round--) { /* bits: round 4 */
    shift_rows(-1);
    substitute(originals);
    add_key(round);
    mix_columns(14, 11, 13, 9);
  }
  shift_rows(-1);
  substitute(originals);
  add_key(0);
  for (int i = 0; i < 16; i++) block[i] = (unsigned char)state[i];
}

static unsigned plain_times(unsigned a, unsigned b) {
  unsigned product = 0;
  for (int bit = 7; bit >= 0; bit--) {
    product = product << 1 ^ (product & 128 ? 0x11b : 0);
    if (b >> bit & 1) product ^= a;
  }
  return product;
}

/* The table by its definition: the inverse, and an affine map of its bits. */
static unsigned plain_substitute(unsigned byte) {
  unsigned inverse = 1, result = 0x63;
  for (int i = 0; i < 254; i++) inverse = plain_times(inverse, byte);
  for (int i = 0; i < 5; i++) result ^= (inverse << i | inverse >> (8 - i)) & 255;
  return result;
}

static void plain_encrypt(const unsigned char *key, int words, unsigned char *block) {
  static unsigned char table[256], wide[240], next[16];
  static const unsigned char factors[4] = {2, 3, 1, 1};
  unsigned constant = 1, piece[4];
  for (unsigned i = 0; i < 256; i++) table[i] = (unsigned char)plain_substitute(i);
  memcpy(wide, key, 4 * (size_t)words);
  for (int word = words; word < 4 * (words + 7); word++) {
    for (int i = 0; i < 4; i++) {
      int is_turned = word % words == 0;
      piece[i] = wide[4 * word - 4 + (is_turned ? (i + 1) % 4 : i)];
      if (is_turned || (words == 8 && word % 8 == 4)) piece[i] = table[piece[i]];
      if (is_turned && i == 0) piece[0] ^= constant, constant = plain_times(constant, 2);
      wide[4 * word + i] = (unsigned char)(wide[4 * (word - words) + i] ^ piece[i]);
    }
  }
  for (int round = 0; round <= words + 6; round++) {
    for (int i = 0; round > 0 && i < 16; i++) next[i] = table[block[(i + 4 * (i % 4)) % 16]];
    for (int i = 0; round > 0 && i < 16; i++) {
      unsigned sum = 0;
      for (int k = 0; k < 4; k++) sum ^= plain_times(next[i / 4 * 4 + (i + k) % 4], factors[k]);
      block[i] = (unsigned char)(round == words + 6 ? next[i] : sum);
    }
    for (int i = 0; i < 16; i++) block[i] ^= wide[16 * round + i];
  }
}

/* The examples of FIPS 197: key and text count upwards. */
static int drive_are_examples_right(void) {
  static const unsigned char wanted[3][4] = {
      {0x69, 0xc4, 0xe0, 0xd8}, {0xdd, 0xa9, 0x7c, 0xa4}, {0x8e, 0xa2, 0xb7, 0xca}};
  unsigned char key[32], block[16];
  int is_right = 1;
  for (int i = 0; i < 32; i++) key[i] = (unsigned char)i;
  for (int words = 4; words <= 8; words += 2) {
    for (int i = 0; i < 16; i++) block[i] = (unsigned char)(17 * i);
    is_right &= aes_set_key(key, words);
    aes_encrypt(block);
    is_right &= memcmp(block, wanted[words / 2 - 2], 4) == 0;
    aes_decrypt(block);
    for (int i = 0; i < 16; i++) is_right &= block[i] == 17 * i;
  }
  return is_right && !aes_set_key(key, 5);
}

int main(int count, char **words) {
  int is_right = drive_are_examples_right();
  bits_begin(count, words, 9);
  for (int round = 0; round < 9; round++) {
    unsigned char key[32], block[16], text[16], wanted[16];
    for (int i = 0; i < 32; i++) key[i] = (unsigned char)bits_between(0, 255);
    for (int i = 0; i < 16; i++) wanted[i] = text[i] = block[i] = (unsigned char)bits_between(0, 255);
    int length = 4 + 2 * (round % 3);
    aes_set_key(key, length);
    aes_encrypt(block);
    plain_encrypt(key, length, wanted);
    is_right &= memcmp(block, wanted, 16) == 0;
    for (int i = 0; i < 16; i++) bits_note(block[i]);
    aes_decrypt(block);
    is_right &= memcmp(block, text, 16) == 0;
  }
  return bits_finish("aes", is_right);
}
