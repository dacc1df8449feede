/* Where C makes a narrow value wide and a rewrite makes it narrow again: sums and
   differences of bytes in comparisons, differences of truths, fields of one bit
   with a sign, shifts as far as the old width, quotients that only fit the old one. */
#include "../bits.h"

/* The sum has nine bits: in eight, 200 + 100 would be below 150. */
int is_more(unsigned char a, unsigned char b, unsigned char limit) {
  int sum = a + b; /* bits: sum 9 */
  return sum > limit;
}

int is_below(unsigned char a, unsigned char b) {
  int difference = a - b; /* bits: difference 9 */
  return difference < 0;
}

/* -1, 0 or 1: two bits, and an `and` with it keeps all of the other side at -1. */
unsigned masked_by_truths(unsigned value, int a, int b) {
  int difference = (a > 0) - (b > 0); /* bits: difference 2 */
  return value & (unsigned)difference;
}

struct flags {
  signed int is_set : 1;
  unsigned int low : 3;
};

/* A field of one bit with a sign is 0 or -1. */
int from_field(int value) {
  struct flags flags = {0, 0};
  flags.is_set = value & 1 ? -1 : 0;
  flags.low = (unsigned)value & 7;
  int field = flags.is_set; /* bits: field 1 */
  return field * 8 + (int)flags.low;
}

/* A byte shifted by up to 31: the count is no smaller for the value being narrow. */
unsigned shifted(unsigned char value, unsigned by) {
  by &= 31; /* bits: by 5 */
  unsigned high = (unsigned)value << by; /* bits: high 32 */
  unsigned low = (unsigned)value >> by; /* bits: low 8 */
  return high ^ low;
}

/* -128 / -1 is 128, which eight bits with a sign do not hold. */
int quotient(signed char a, signed char b) {
  if (b == 0) return 0;
  int result = a / b; /* bits: result 9 */
  return result;
}

int remainder_of(signed char a, signed char b) {
  if (b == 0) return 0;
  int result = a % b; /* bits: result 8 */
  return result;
}

/* The middle of two bytes: the sum wants its ninth bit, the result does not. */
int middle(unsigned char a, unsigned char b) {
  int sum = a + b + 1; /* bits: sum 9 */
  return sum >> 1;
}

/* Overflow of an int is promised not to be; what is narrowed must not promise it anew. */
int widened_again(signed char a, signed char b) {
  short product = (short)(a * b); /* bits: product 16 */
  int sum = product + 32767; /* bits: sum 16 */
  return (signed char)(sum >> 8);
}

/* The magnitude of the lowest value has one bit more than the value. */
int magnitude(short value) {
  int size = value < 0 ? -value : value; /* bits: size 16 */
  return size;
}

int main(int count, char **words) {
  int is_right = is_more(200, 100, 150) && is_below(3, 200) && !is_below(200, 3) && quotient(-128, -1) == 128;
  bits_begin(count, words, 102);
  for (int round = 0; round < 4000; round++) {
    int a = bits_between(-128, 127), b = bits_between(-128, 127), c = bits_between(-128, 127);
    unsigned char x = (unsigned char)a, y = (unsigned char)b;
    is_right &= is_more(x, y, (unsigned char)c) == ((long)x + y > (unsigned char)c) && is_below(x, y) == (x < y);
    is_right &= masked_by_truths(0xabcdu, a, b) == (a > 0 && b <= 0 ? 1u : a <= 0 && b > 0 ? 0xabcdu : 0u);
    is_right &= from_field(a) == (a & 1 ? -8 : 0) + (a & 7);
    unsigned by = (unsigned)c & 31;
    unsigned high = 0;
    for (int bit = 0; bit < 8; bit++) high += (x >> bit & 1) && bit + by < 32 ? 1u << (bit + by) : 0;
    is_right &= shifted(x, (unsigned)c) == (high ^ (by < 8 ? x / (1u << by) : 0));
    signed char top = (signed char)a, bottom = (signed char)b;
    is_right &= b == 0 || quotient(top, bottom) * b + remainder_of(top, bottom) == a;
    is_right &= 2 * middle(x, y) - x - y == ((x ^ y) & 1);
    int sum = a * b + 32767;
    is_right &= widened_again(top, bottom) == (sum / 256 >= 128 ? sum / 256 - 256 : sum / 256);
    is_right &= magnitude((short)(256 * a)) == 256 * abs(a);
    bits_note((uint32_t)sum);
  }
  return bits_finish("promotions", is_right);
}
