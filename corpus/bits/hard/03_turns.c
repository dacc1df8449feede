/* What is known of a value in one turn is not known of it in the next. Values that
   are held behind a test are the old ones, not those that were tested. */
#include "../bits.h"

/* `last` is what `value` was in the turn before: tested there only if it was small. */
int turn_before(const unsigned char *bytes, int length) {
  int last = 0, sum = 0;
  for (int i = 0; i < length; i++) {
    int value = bytes[i]; /* bits: value 8 */
    if (value < 16) {
      sum += last; /* bits: last 8; value 4 */
    }
    last = value;
  }
  return sum;
}

/* Here only what was below 16 is kept. */
int tested_before(const unsigned char *bytes, int length) {
  int last = 0, most = 0;
  for (int i = 0; i < length; i++) {
    int value = bytes[i];
    if (last > most) most = last; /* bits: last 4; most 4 */
    if (value < 16) last = value;
  }
  return most;
}

/* Two values that change places in every turn have one range. */
int in_turns(unsigned char small, unsigned short large, int turns) {
  int a = small, b = large;
  for (int i = 0; i < turns; i++) {
    int kept = a; /* bits: kept 16 */
    a = b;
    b = kept; /* bits: b 16 */
  }
  return a;
}

/* The test is of the counter before it is increased, the use behind. */
int behind_the_step(const unsigned char *bytes, int n) {
  int i = 0, sum = 0;
  if (n > 64) n = 64;
  while (i < n) {
    sum ^= bytes[i]; /* bits: i 6; sum 8 */
    i++; /* bits: i 7 */
  }
  return sum;
}

/* A phase that goes round three values, one of which is never used with the sum. */
int phases(int turns) {
  int phase = 0, sum = 0;
  for (int i = 0; i < turns; i++) {
    if (phase == 2) {
      phase = 0;
      continue;
    }
    sum = (sum + phase) & 1023; /* bits: phase 1; sum 10 shown 8 */
    phase++; /* bits: phase 2 */
  }
  return sum;
}

/* A while whose end hangs on data: it must be told in finite time. */
unsigned steps_to_one(unsigned start) {
  unsigned steps = 0;
  start = (start & 1023) + 1;
  while (start != 1 && steps < 1000) { /* bits: steps 10 shown 8 */
    start = start % 2 ? 3 * start + 1 : start / 2;
    steps++;
  }
  return steps; /* bits: steps 10 shown 8 */
}

int main(int count, char **words) {
  int is_right = steps_to_one(26) == 111;
  bits_begin(count, words, 103);
  for (int round = 0; round < 200; round++) {
    unsigned char bytes[64];
    int length = bits_between(0, 64), sum = 0, most = 0, all = 0;
    for (int i = 0; i < 64; i++) bytes[i] = (unsigned char)(bits_between(0, 3) ? bits_between(0, 255) : i % 16);
    for (int i = 1; i < length; i++) sum += bytes[i] < 16 ? bytes[i - 1] : 0;
    for (int i = 0; i + 1 < length; i++) most = bytes[i] < 16 && bytes[i] > most ? bytes[i] : most;
    for (int i = 0; i < length; i++) all ^= bytes[i];
    is_right &= turn_before(bytes, length) == sum && tested_before(bytes, length) == most;
    is_right &= behind_the_step(bytes, length < 64 ? length : 9999) == all;
    is_right &= in_turns((unsigned char)length, 65535, round) == (round % 2 ? 65535 : length);
    is_right &= phases(3 * round) == round % 1024 && steps_to_one((unsigned)length << 10) == 0;
    bits_note(steps_to_one((unsigned)bits_between(0, 1023)) + (unsigned)sum);
  }
  return bits_finish("turns", is_right);
}
