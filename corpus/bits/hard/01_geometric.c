/* Products by a constant: with an end that is near, with one that a branch gives,
   and with one so far that they come round, which must never be told as few bits. */
#include "../bits.h"

unsigned near_end(int n) {
  unsigned g = 1;
  for (int i = 0; i < n; i++) {
    if (i == 12) break;
    g *= 3; /* bits: g 20 */
  }
  return g;
}

/* Forty factors: 3^40 has 64 bits, of which 32 stay. */
unsigned comes_round(void) {
  unsigned g = 1;
  for (int i = 0; i < 40; i++) {
    g *= 3; /* bits: g 32 */
  }
  return g;
}

/* Halving towards nothing: never more than at the start. */
unsigned halves(unsigned short start) {
  unsigned sum = 0;
  for (unsigned x = start; x != 0; x /= 2) {
    sum += x; /* bits: sum 17 */
  }
  return sum;
}

/* x -> x - x / 8 + 31 does not leave [0, 255]. */
int decays(unsigned char start, int turns) {
  int x = start;
  for (int i = 0; i < turns; i++) {
    x = x - x / 8 + 31; /* bits: x 8 */
  }
  return x;
}

/* Doubled and cut: the sum before it is cut has one bit more. */
unsigned ring(unsigned char start, int turns) {
  unsigned x = start;
  for (int i = 0; i < turns; i++) {
    unsigned wide = x << 1 | x >> 7; /* bits: wide 9 */
    x = wide & 255; /* bits: x 8 */
  }
  return x;
}

int main(int count, char **words) {
  int is_right = comes_round() == (unsigned)12157665459056928801u && near_end(99) == 531441;
  bits_begin(count, words, 101);
  for (int round = 0; round < 300; round++) {
    int n = bits_between(0, 40), start = bits_between(0, 65535);
    unsigned power = 1;
    for (int i = 0; i < n && i < 12; i++) power += 2 * power;
    is_right &= near_end(n) == power;
    unsigned sum = 0;
    for (int k = 0; k < 16; k++) sum += (unsigned)start >> k;
    is_right &= halves((unsigned short)start) == sum;
    is_right &= ring((unsigned char)start, 8) == (unsigned char)start;
    int settled = decays((unsigned char)start, 400);
    is_right &= settled >= 241 && settled <= 255 && decays((unsigned char)start, 0) == start % 256;
    bits_note(power ^ sum);
  }
  return bits_finish("geometric", is_right);
}
