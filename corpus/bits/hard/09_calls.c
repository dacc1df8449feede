/* Ranges that cross calls: one function with a wide and a narrow caller, recursion
   with a depth that is known, two functions that call each other, results that
   hang on arguments, and a function that only this file calls by its address. */
#include "../bits.h"

/* Of all callers; each of them gets less than all get. */
static int doubled(int value) {
  int twice = value * 2; /* bits: twice 19 */
  return twice;
}

int narrow_caller(unsigned char value) {
  int result = doubled(value); /* bits: result 9 */
  return result;
}

int wide_caller(int value) {
  if (value < -100000) value = -100000;
  if (value > 65000) value = 65000;
  int result = doubled(value); /* bits: result 19 */
  return result;
}

/* Depth 12 at most: the argument goes down, the sum up. */
static unsigned nested(unsigned depth) {
  if (depth == 0) return 1; /* bits: depth 4 */
  unsigned below = nested(depth - 1); /* bits: below 11; depth 4 */
  return below * 2;
}

unsigned powers(unsigned depth) {
  unsigned result = nested(depth % 12); /* bits: result 12 */
  return result;
}

static int is_odd(unsigned value);

static int is_even(unsigned value) {
  if (value == 0) return 1;
  int answer = is_odd(value - 1); /* bits: answer 1; value 7 */
  return answer;
}

static int is_odd(unsigned value) {
  if (value == 0) return 0;
  int answer = is_even(value - 1); /* bits: answer 1 */
  return answer;
}

int parity(unsigned value) { return is_odd(value % 100); }

/* Called by address only, with bytes only. */
static int squared(int value) {
  int square = value * value; /* bits: value 8; square 16 */
  return square;
}

static int increased(int value) { return value + 1; }

int applied(const unsigned char *bytes, int length, int which) {
  int (*function)(int) = which ? squared : increased;
  int most = 0;
  for (int i = 0; i < length; i++) {
    int result = function(bytes[i]); /* bits: result 16 */
    if (result > most) most = result;
  }
  return most; /* bits: most 16 */
}

/* What comes back lies between the arguments. */
static int between(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

int by_two_clips(int value) {
  int coarse = between(value, -3000, 3000); /* bits: coarse 13 */
  int fine = between(value, 0, 9); /* bits: fine 4 */
  return coarse + fine;
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 109);
  for (int round = 0; round < 300; round++) {
    unsigned char bytes[8];
    int value = bits_between(-120000, 120000), most = 0, which = round % 2;
    int held = value < -100000 ? -100000 : value > 65000 ? 65000 : value;
    is_right &= wide_caller(value) == held + held && narrow_caller((unsigned char)value) == (value & 255) * 2;
    is_right &= powers((unsigned)round) == 1u << round % 12 && parity((unsigned)round) == round % 2;
    for (int i = 0; i < 8; i++) {
      bytes[i] = (unsigned char)bits_between(0, 255);
      int result = which ? bytes[i] * bytes[i] : bytes[i] + 1;
      most = result > most ? result : most;
    }
    is_right &= applied(bytes, 8, which) == most;
    int coarse = value < -3000 ? -3000 : value > 3000 ? 3000 : value;
    is_right &= by_two_clips(value) == coarse + (value < 0 ? 0 : value > 9 ? 9 : value);
    bits_note((uint32_t)(held + most));
  }
  return bits_finish("calls", is_right);
}
