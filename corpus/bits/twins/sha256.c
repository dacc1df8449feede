/* The twin of sha256.c. Its one difference: the place in the block is kept beside the
   length, where callers can write it, and not cut out of the length. */
#include "../bits.h"

static const uint32_t round_words[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
static const uint32_t first_words[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

struct sha256 {
  uint32_t words[8];
  uint64_t length;
  unsigned place;
  unsigned char block[64];
};

static uint32_t rotate(uint32_t value, int by) { return value >> by | value << (32 - by); }

static void digest_block(uint32_t *words, const unsigned char *block) {
  uint32_t schedule[64];
  for (int i = 0; i < 16; i++) { /* bits: i 4 */
    uint32_t word = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16;
    schedule[i] = word | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3]; /* bits: schedule[i] 32 */
  }
  for (int i = 16; i < 64; i++) { /* bits: i 6 */
    uint32_t far = schedule[i - 15], near = schedule[i - 2];
    uint32_t low = rotate(far, 7) ^ rotate(far, 18) ^ far >> 3; /* bits: low 32 */
    uint32_t high = rotate(near, 17) ^ rotate(near, 19) ^ near >> 10;
    schedule[i] = schedule[i - 16] + low + schedule[i - 7] + high;
  }
  uint32_t a = words[0], b = words[1], c = words[2], d = words[3];
  uint32_t e = words[4], f = words[5], g = words[6], h = words[7];
  for (int i = 0; i < 64; i++) {
    uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
    uint32_t first = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + round_words[i] + schedule[i];
    uint32_t second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
    h = g;
    g = f;
    f = e;
    e = d + first; /* bits: e 32 */
    d = c;
    c = b;
    b = a;
    a = first + second; /* bits: a 32 */
  }
  words[0] += a, words[1] += b, words[2] += c, words[3] += d;
  words[4] += e, words[5] += f, words[6] += g, words[7] += h;
}

/* Port: what is remembered between pieces. */
void sha256_begin(struct sha256 *state) {
  memcpy(state->words, first_words, sizeof first_words);
  state->length = 0;
  state->place = 0;
}

/* Ports: the state, bytes, how many. */
void sha256_add(struct sha256 *state, const unsigned char *bytes, unsigned length) {
  for (unsigned i = 0; i < length; i++) {
    unsigned place = state->place; /* bits: place 32 shown 6; place 6 closed */
    state->block[place] = bytes[i];
    state->length++;
    state->place = place == 63 ? 0 : place + 1;
    if (place == 63) digest_block(state->words, state->block);
  }
}

/* Ports: the state, and room for 32 bytes. */
void sha256_end(struct sha256 *state, unsigned char *digest) {
  uint64_t bits = state->length * 8;
  unsigned char byte = 0x80;
  do {
    sha256_add(state, &byte, 1);
    byte = 0; /* bits: byte 0 */
  } while ((state->length & 63) != 56);
  for (int i = 0; i < 8; i++) { /* bits: i 3 */
    byte = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(state, &byte, 1);
  }
  for (int i = 0; i < 32; i++) { /* bits: i 5 */
    unsigned shift = 24 - 8 * (i & 3); /* bits: shift 5 */
    digest[i] = (unsigned char)(state->words[i >> 2] >> shift);
  }
}

/* The first 32 bits behind the point of the square or cube root of a prime. */
static uint32_t plain_root(int prime, int is_cube) {
  unsigned __int128 low = 0, high = (unsigned __int128)1 << 36;
  while (high - low > 1) {
    unsigned __int128 middle = (low + high) / 2;
    int is_below = is_cube ? middle * middle * middle <= (unsigned __int128)prime << 96
                           : middle * middle <= (unsigned __int128)prime << 64;
    if (is_below) low = middle;
    if (!is_below) high = middle;
  }
  return (uint32_t)low;
}

static uint32_t plain_turn(uint32_t value, int by) {
  uint64_t twice = (uint64_t)value << 32 | value;
  return (uint32_t)(twice >> by);
}

/* The whole message at once, with constants worked out from the primes. */
static void plain_sha256(const unsigned char *message, unsigned length, unsigned char *digest) {
  static unsigned char padded[512];
  static uint32_t k[64], h[8], w[64], v[8];
  unsigned blocks = (length + 72) / 64;
  memset(padded, 0, sizeof padded);
  memcpy(padded, message, length);
  padded[length] = 0x80;
  for (int i = 0; i < 4; i++) padded[64 * blocks - 1 - i] = (unsigned char)((uint64_t)length * 8 >> (8 * i));
  for (int prime = 2, known = 0; known < 64; prime++) {
    int is_prime = 1;
    for (int d = 2; d * d <= prime; d++) is_prime &= prime % d != 0;
    if (!is_prime) continue;
    if (known < 8) h[known] = plain_root(prime, 0);
    k[known++] = plain_root(prime, 1);
  }
  for (unsigned block = 0; block < blocks; block++) {
    for (int i = 0; i < 64; i++) {
      w[i] = 0;
      for (int j = 0; i < 16 && j < 4; j++) w[i] = w[i] * 256 + padded[64 * block + 4 * (unsigned)i + (unsigned)j];
      if (i < 16) continue;
      uint32_t s0 = plain_turn(w[i - 15], 7) ^ plain_turn(w[i - 15], 18) ^ w[i - 15] / 8;
      uint32_t s1 = plain_turn(w[i - 2], 17) ^ plain_turn(w[i - 2], 19) ^ w[i - 2] / 1024;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
      uint32_t t1 = v[7] + (plain_turn(v[4], 6) ^ plain_turn(v[4], 11) ^ plain_turn(v[4], 25)) + k[i] + w[i];
      t1 += (v[4] & v[5]) | (~v[4] & v[6]);
      uint32_t t2 = plain_turn(v[0], 2) ^ plain_turn(v[0], 13) ^ plain_turn(v[0], 22);
      t2 += (v[0] & v[1]) | (v[2] & (v[0] | v[1]));
      memmove(v + 1, v, 7 * sizeof *v);
      v[4] += t1;
      v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
  }
  for (int i = 0; i < 32; i++) digest[i] = (unsigned char)(h[i / 4] >> (24 - i % 4 * 8));
}

static int drive_is_digest(const char *message, unsigned repeats, const char *wanted) {
  struct sha256 state;
  unsigned char digest[32];
  char text[65];
  sha256_begin(&state);
  for (unsigned i = 0; i < repeats; i++) sha256_add(&state, (const unsigned char *)message, (unsigned)strlen(message));
  sha256_end(&state, digest);
  for (int i = 0; i < 32; i++) snprintf(text + 2 * i, 3, "%02x", digest[i]);
  return strcmp(text, wanted) == 0;
}

int main(int count, char **words) {
  int is_right = drive_is_digest("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  is_right &= drive_is_digest("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  is_right &= drive_is_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  bits_begin(count, words, 8);
  for (int round = 0; round < 24; round++) {
    unsigned char message[400], digest[32], wanted[32];
    unsigned length = (unsigned)bits_between(0, 400), part = (unsigned)bits_between(0, (int)length);
    for (unsigned i = 0; i < length; i++) message[i] = (unsigned char)bits_between(0, 255);
    struct sha256 state;
    sha256_begin(&state);
    sha256_add(&state, message, part);
    sha256_add(&state, message + part, length - part);
    sha256_end(&state, digest);
    plain_sha256(message, length, wanted);
    is_right &= memcmp(digest, wanted, 32) == 0;
    for (int i = 0; i < 32; i++) bits_note(digest[i]);
  }
  return bits_finish("sha256", is_right);
}
