/* Values that are set on some ways only: on the others they are undefined and
   nobody looks. Whoever lets an undefined value be what suits both sides of a test
   has widths that no run keeps. Truths come as numbers, and numbers as truths. */
#include "../bits.h"

/* The same test guards setting and use. */
int set_and_used(int is_wanted, unsigned char value) {
  int small;
  if (is_wanted) small = value & 7;
  int other = value >> 4; /* bits: other 4 */
  if (is_wanted) {
    other += small; /* bits: small 3; other 5 */
  }
  return other;
}

/* Set in the first turn, used from the second on. */
int from_the_second(const unsigned char *bytes, int length) {
  int last, sum = 0;
  for (int i = 0; i < length && i < 8; i++) {
    if (i > 0) {
      sum += last; /* bits: last 8; sum 11 */
    }
    last = bytes[i];
  }
  return sum;
}

/* Only the first half of the room is ever written and read. */
int half_a_room(const unsigned char *bytes) {
  int room[16], most = 0;
  for (int i = 0; i < 8; i++) room[i] = bytes[i] >> 2;
  for (int i = 0; i < 8; i++) {
    int value = room[i]; /* bits: value 6 */
    if (value > most) most = value;
  }
  return most;
}

union word {
  unsigned whole;
  unsigned short halves[2];
};

/* One half is written anew; the other stays as it was. */
unsigned one_half(unsigned value) {
  union word word;
  word.whole = value & 0xff00ff;
  word.halves[0] = (unsigned short)(word.halves[0] | 0x100);
  unsigned whole = word.whole; /* bits: whole 24 */
  return whole;
}

/* Truths: 0 and 1 in C, 0 and -1 where a field has a sign. */
int truths(int a, int b) {
  _Bool is_less = a < b, is_even = !(a & 1);
  int both = is_less & is_even; /* bits: both 1 */
  int count = is_less + is_even; /* bits: count 2 */
  int minus = -(int)is_less; /* bits: minus 1 */
  _Bool is_any = a & 0xf0; /* bits: is_any 1 */
  return both + 4 * count + 16 * minus + 64 * is_any;
}

/* A switch over all that is possible: the last case is no case. */
int all_cases(unsigned value) {
  int result = -1;
  switch (value & 3) {
    case 0: result = 10; break;
    case 1: result = 12; break;
    case 2: result = 9; break;
    case 3: result = 15; break;
    default: result = -1000; break;
  }
  return result; /* bits: result 4 */
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 112);
  for (int round = 0; round < 300; round++) {
    unsigned char bytes[8];
    int sum = 0, most = 0, length = bits_between(0, 8);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(round ? bits_between(0, 255) : 255);
    if (round == 0) length = 8;
    for (int i = 0; i < length - 1; i++) sum += bytes[i];
    for (int i = 0; i < 8; i++) most = bytes[i] / 4 > most ? bytes[i] / 4 : most;
    is_right &= from_the_second(bytes, length) == sum && half_a_room(bytes) == most;
    int value = bytes[0], is_wanted = round % 2;
    is_right &= set_and_used(is_wanted, bytes[0]) == value / 16 + (is_wanted ? value % 8 : 0);
    unsigned any = bits_draw();
    is_right &= one_half(any) == ((any & 0xff00ff) | 0x100);
    int a = bits_between(-300, 300), b = bits_between(-300, 300), is_even = a % 2 == 0;
    int wanted = (a < b && is_even) + 4 * ((a < b) + is_even) - 16 * (a < b) + 64 * ((a & 0xf0) != 0);
    static const int cases[4] = {10, 12, 9, 15};
    is_right &= truths(a, b) == wanted && all_cases(any) == cases[any % 4];
    bits_note((uint32_t)(sum + most) + any);
  }
  return bits_finish("half set", is_right);
}
