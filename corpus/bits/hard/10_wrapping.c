/* Numbers without a sign that come round, values with gaps, and bits that are
   known in the middle: arcs across zero, multiples, small sets, registers with
   feedback. */
#include "../bits.h"

/* -3 to 3, as a number without a sign: three bits with one. */
unsigned across_zero(unsigned char value) {
  unsigned near = (unsigned)(value % 7) - 3; /* bits: near 3 */
  unsigned back = near + 3; /* bits: back 3 */
  return back;
}

/* 2, 4 or 6: the lowest bit is none. */
unsigned few(int which) {
  unsigned value = which == 0 ? 2u : which == 1 ? 4u : 6u; /* bits: value 3 */
  unsigned half = value >> 1; /* bits: half 2 */
  return half;
}

/* Multiples of 12 up to 240, and what is left of them by 4. */
unsigned multiples(unsigned char value) {
  unsigned product = value % 21 * 12u; /* bits: product 8 */
  unsigned rest = product & 3; /* bits: rest 0 */
  unsigned quarter = product >> 2; /* bits: quarter 6 */
  return quarter + rest;
}

/* A register of 16 bits with feedback never leaves them. */
unsigned feedback(unsigned short seed, int turns) {
  unsigned state = seed | 1u;
  for (int i = 0; i < turns; i++) {
    unsigned bit = (state ^ state >> 2 ^ state >> 3 ^ state >> 5) & 1; /* bits: bit 1 */
    state = state >> 1 | bit << 15; /* bits: state 16 */
  }
  return state;
}

/* A sum that is to come round: all of its bits are there. */
unsigned hash(const unsigned char *bytes, int length) {
  unsigned sum = 2166136261u;
  for (int i = 0; i < length; i++) {
    sum = (sum ^ bytes[i]) * 16777619u; /* bits: sum 32 */
  }
  return sum;
}

/* A ring of 48: no power of two, so that its end is a test. */
unsigned ring(unsigned turns) {
  unsigned place = 0;
  for (unsigned i = 0; i < turns % 1000; i++) {
    place = place == 47 ? 0 : place + 1; /* bits: place 6 */
  }
  return place;
}

/* A counter of eight bits that is meant to come round. */
int rounds(int turns) {
  unsigned char small = 250;
  int zeros = 0;
  for (int i = 0; i < turns % 2000; i++) {
    small++; /* bits: small 8 */
    zeros += small == 0; /* bits: zeros 11 shown 4 */
  }
  return zeros;
}

/* Bits 8 to 11 and the sign: everything between is known. */
unsigned scattered(unsigned value) {
  unsigned kept = value & 0x80000f00u; /* bits: kept 32 */
  unsigned dense = kept >> 27 | (kept >> 8 & 15); /* bits: dense 5 */
  return dense;
}

/* The carry of a sum, by comparison. */
unsigned carry(unsigned a, unsigned b) {
  unsigned sum = a + b; /* bits: sum 32 */
  unsigned over = sum < a; /* bits: over 1 */
  return over;
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 110);
  for (int round = 0; round < 300; round++) {
    unsigned a = bits_draw(), b = bits_draw(), sum = 2166136261u;
    unsigned char byte = (unsigned char)bits_between(0, 255), bytes[4];
    is_right &= across_zero(byte) == byte % 7u && few(round % 3) == 1u + (unsigned)round % 3;
    is_right &= multiples(byte) == byte % 21u * 3 && feedback((unsigned short)a, 65535) == ((a & 0xffff) | 1);
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(a >> (8 * i));
    for (int i = 0; i < 4; i++) sum = (unsigned)((sum ^ bytes[i]) * (uint64_t)16777619);
    is_right &= hash(bytes, 4) == sum && ring(a) == a % 1000 % 48;
    int turns = bits_between(0, 1999);
    is_right &= rounds(turns) == (turns + 250) / 256;
    is_right &= scattered(a) == ((a >> 31) * 16 | (a >> 8) % 16) && carry(a, b) == (unsigned)(((uint64_t)a + b) >> 32);
    bits_note(sum + (unsigned)turns);
  }
  return bits_finish("wrapping", is_right);
}
