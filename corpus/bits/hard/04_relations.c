/* Values that are bounded by each other and not by numbers: an index below
   another, a clip to [-c, c], the middle of two ends, sums that have to stay
   below a third. */
#include "../bits.h"

/* c is at most 27, whatever it is; so is what was clipped to it. */
int clip(int value, unsigned c) {
  int bound = (int)(c % 28); /* bits: bound 5 */
  if (value < -bound) value = -bound;
  if (value > bound) value = bound;
  return value; /* bits: value 6 */
}

/* The search by halves keeps low <= middle < high <= 1000. */
int search(const short *sorted, int length, int wanted) {
  int low = 0, high = length;
  if (length < 0 || length > 1000) return -1;
  while (low < high) {
    int middle = (low + high) / 2; /* bits: middle 10 */
    if (sorted[middle] < wanted) {
      low = middle + 1; /* bits: low 10 */
    } else {
      high = middle; /* bits: high 10 */
    }
  }
  return low;
}

/* j runs behind i, which stays below 40. */
int pairs(int n) {
  int count = 0;
  if (n > 40) n = 40;
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      int distance = j - i; /* bits: distance 6 */
      count += distance & 1; /* bits: i 6; j 6; count 10 shown 9 */
    }
  }
  return count;
}

/* Inclusive ends: the difference is never negative. */
unsigned span(unsigned char a, unsigned char b) {
  unsigned char low = a < b ? a : b, high = a < b ? b : a;
  unsigned length = (unsigned)(high - low) + 1; /* bits: length 9 */
  return length;
}

/* A difference behind a test of its sides has no sign. */
unsigned gap(unsigned a, unsigned b) {
  a &= 4095;
  b &= 4095;
  if (a < b) return 0;
  unsigned rest = a - b; /* bits: rest 12 */
  return rest;
}

/* What is put into a buffer of 64 is what is left of it, or less. */
int fill(const unsigned char *wishes, int count) {
  int used = 0;
  for (int i = 0; i < count; i++) {
    int room = 64 - used; /* bits: room 7 */
    int part = wishes[i] < room ? wishes[i] : room; /* bits: part 7 */
    used += part; /* bits: used 7 */
  }
  return used;
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 104);
  for (int round = 0; round < 300; round++) {
    short sorted[1000];
    unsigned char wishes[16];
    int length = bits_between(0, 1000), place = 0, sum = 0, wanted = bits_between(-40, 2100);
    for (int i = 0; i < length; i++) sorted[i] = (short)(2 * i);
    while (place < length && sorted[place] < wanted) place++;
    is_right &= search(sorted, length, wanted) == place;
    int value = bits_between(-100, 100), c = bits_between(0, 27);
    is_right &= clip(value, (unsigned)c) == (abs(value) <= c ? value : value < 0 ? -c : c);
    int n = bits_between(-3, 60), m = n < 0 ? 0 : n > 40 ? 40 : n;
    is_right &= pairs(n) == m / 2 * (m - m / 2);
    int a = bits_between(0, 255), b = bits_between(0, 255);
    is_right &= span((unsigned char)a, (unsigned char)b) == (unsigned)abs(a - b) + 1;
    unsigned top = 16u * (unsigned)a + 15u * (a == 255), bottom = 16u * (unsigned)b;
    is_right &= gap(top, bottom + 4096) == (top < bottom ? 0 : top - bottom);
    for (int i = 0; i < 16; i++) wishes[i] = (unsigned char)(round % 8 ? bits_between(0, 9) : bits_between(0, 255));
    for (int i = 0; i < 16; i++) sum += wishes[i];
    is_right &= fill(wishes, 16) == (sum < 64 ? sum : 64);
    bits_note((uint32_t)(place + sum));
  }
  return bits_finish("relations", is_right);
}
