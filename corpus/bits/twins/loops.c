/* The twin of loops.c. Its one difference: nothing keeps the turns of one loop to 100. */
#include "../bits.h"

/* Sums of a counter, and sums of these: degree 2 and 3. */
int sums_of_sums(void) {
  int s = 0, q = 0;
  for (int i = 0; i < 100; i++) {
    s += i; /* bits: s 13 */
    q += s; /* bits: q 18 */
  }
  return q;
}

/* The same up to a bound from outside. */
int sums_up_to(int n) {
  int s = 0, q = 0;
  for (int i = 0; i < n; i++) {
    s += i; /* bits: s 31 shown 15; s 15 closed */
    q += s; /* bits: q 31 shown 21; q 21 closed */
  }
  return q;
}

int sum_of_squares(void) {
  int c = 0;
  for (int i = 0; i < 100; i++) {
    int square = i * i; /* bits: square 14 */
    c += square; /* bits: c 19 */
  }
  return c;
}

int powers(void) {
  int g = 1;
  for (int i = 0; i < 12; i++) {
    g *= 3; /* bits: g 20 */
  }
  return g;
}

int powers_and_one(void) {
  int h = 0;
  for (int i = 0; i < 10; i++) {
    h = 3 * h + 1; /* bits: h 15 */
  }
  return h;
}

/* An accumulator that is held between 0 and 88. */
int saturating(const signed char *steps, int length) {
  int index = 44;
  for (int i = 0; i < length; i++) {
    index += steps[i]; /* bits: index 9 */
    if (index < 0) index = 0;
    if (index > 88) index = 88; /* bits: index 7 */
  }
  return index;
}

unsigned greatest_divisor(unsigned a, unsigned b) {
  a &= 1023;
  b &= 1023;
  while (b != 0) {
    unsigned rest = a % b; /* bits: rest 10 */
    a = b;
    b = rest;
  }
  return a; /* bits: a 10 */
}

/* Of the product only eight bits are asked for. */
unsigned congruential(unsigned start, int turns) {
  unsigned x = start & 255;
  for (int i = 0; i < turns; i++) {
    unsigned next = 5 * x + 3; /* bits: next 11 */
    x = next & 255; /* bits: x 8 */
  }
  return x;
}

static int octal[64];

/* Only three bits are ever put into the array. */
int masked_contents(const unsigned char *bytes) {
  int sum = 0;
  for (int i = 0; i < 64; i++) octal[i] = bytes[i] & 7;
  for (int i = 0; i < 64; i++) {
    int digit = octal[i]; /* bits: digit 3 */
    sum += digit; /* bits: sum 9 */
  }
  return sum;
}

/* Sixteen squares of bytes: 16 times 65025. */
int energy(const unsigned char *bytes) {
  int sum = 0;
  for (int i = 0; i < 16; i++) {
    int square = bytes[i] * bytes[i]; /* bits: square 16 */
    sum += square; /* bits: sum 20 */
  }
  return sum;
}

/* Two counters that meet. */
int meeting(const unsigned char *bytes) {
  int low = 0, high = 63, pairs = 0;
  while (low < high) {
    pairs += bytes[low] == bytes[high]; /* bits: pairs 6 */
    low++; /* bits: low 6 */
    high--; /* bits: high 6 */
  }
  return pairs;
}

/* Bits from the top: one more in each turn. */
unsigned reversed(unsigned char byte) {
  unsigned result = 0;
  for (int i = 0; i < 8; i++) {
    result = result << 1 | (byte >> i & 1); /* bits: result 8 */
  }
  return result;
}

static int drive_answers_are_right(const unsigned char *bytes, int n) {
  long long s = 0, q = 0, squares = 0, power = 1, with_one = 0, digits = 0, all = 0, pairs = 0, index = 44;
  for (int i = 0; i < n; i++) s += i, q += s;
  int is_right = sums_up_to(n) == q;
  for (int i = 0; i < 100; i++) squares += (long long)i * i;
  for (int i = 0; i < 12; i++) power *= 3;
  for (int i = 0; i < 10; i++) with_one = 3 * with_one + 1;
  for (int i = 0; i < 64; i++) digits += bytes[i] % 8;
  for (int i = 0; i < 16; i++) all += (long long)bytes[i] * bytes[i];
  for (int i = 0; i < 32; i++) pairs += bytes[i] == bytes[63 - i];
  for (int i = 0; i < 64; i++) {
    index += (signed char)bytes[i];
    index = index < 0 ? 0 : index > 88 ? 88 : index;
  }
  is_right &= sums_of_sums() == 161700 + 4950 && sum_of_squares() == squares && powers() == power;
  is_right &= powers_and_one() == with_one && masked_contents(bytes) == digits && energy(bytes) == all;
  is_right &= meeting(bytes) == pairs && saturating((const signed char *)bytes, 64) == index;
  return is_right;
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 15);
  for (int round = 0; round < 60; round++) {
    unsigned char bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = (unsigned char)(round == 1 ? 255 : round == 2 ? 128 : bits_between(0, 255));
    is_right &= drive_answers_are_right(bytes, bits_between(-50, 200));
    unsigned a = round ? bits_draw() : 1023, b = round ? bits_draw() : 0, divisor = greatest_divisor(a, b), x = a & 255;
    if (divisor != 0) is_right &= (a & 1023) % divisor == 0 && (b & 1023) % divisor == 0;
    int turns = bits_between(0, 40);
    for (int i = 0; i < turns; i++) x = (x * 5 + 3) % 256;
    is_right &= congruential(a, turns) == x;
    unsigned back = reversed((unsigned char)reversed(bytes[0]));
    is_right &= back == bytes[0];
    bits_note(divisor ^ x << 8 ^ (unsigned)energy(bytes));
  }
  return bits_finish("loops", is_right);
}
