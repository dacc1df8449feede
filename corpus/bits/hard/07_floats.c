/* Integers that came from floating numbers and go back: ranges have to follow them
   there, and doubles that hold integers are integers. */
#include "../bits.h"
#include <math.h>

/* A share between 0 and 1, as a byte. */
int to_byte(double share) {
  if (!(share > 0.0)) share = 0.0;
  if (share > 1.0) share = 1.0;
  int byte = (int)(share * 255.0 + 0.5); /* bits: byte 8 */
  return byte;
}

/* Counted in a double: the sum is an integer below 2^53. */
int counted(const unsigned char *bytes) {
  double sum = 0.0;
  for (int i = 0; i < 64; i++) sum += bytes[i];
  int whole = (int)sum; /* bits: whole 14 */
  return whole;
}

/* A quotient of integers, rounded down. */
int quotient(int a, int b) {
  a &= 1023;
  b = (b & 15) + 1;
  int result = (int)((double)a / b); /* bits: result 10 */
  return result;
}

int root(unsigned value) {
  value &= 0xfffff;
  int result = (int)sqrt((double)value); /* bits: result 10 */
  return result;
}

/* The bits of a float: a sign, eight and 23. */
int exponent(float number) {
  uint32_t word;
  memcpy(&word, &number, sizeof word);
  int power = (int)(word >> 23 & 255) - 127; /* bits: power 9 */
  return power;
}

/* No number is in no range: both tests fail. */
int kept(double value) {
  int result = -1;
  if (value >= 0.0 && value < 100.0) result = (int)value; /* bits: result 8 */
  return result;
}

/* Of a wave whose height is known. */
int wave(double angle) {
  int height = (int)(floor(127.0 * sin(angle))); /* bits: height 8 */
  return height;
}

int main(int count, char **words) {
  int is_right = kept(NAN) == -1 && kept(-0.5) == -1 && kept(99.99) == 99 && to_byte(NAN) == 0 && exponent(1) == 0;
  is_right &= exponent(0.0f) == -127 && exponent(HUGE_VALF) == 128 && wave(1.5707963267948966) == 127;
  is_right &= wave(-1.5707963267948966) == -127;
  bits_begin(count, words, 107);
  for (int round = 0; round < 400; round++) {
    unsigned char bytes[64];
    int sum = 0, a = bits_between(0, 1023), b = bits_between(0, 15);
    for (int i = 0; i < 64; i++) sum += bytes[i] = (unsigned char)(round ? bits_between(0, 255) : 255);
    is_right &= counted(bytes) == sum && quotient(a, b) == a / (b + 1);
    unsigned value = bits_draw() & 0xfffff, low = 0;
    if (round == 1) value = 0xfffff;
    while ((low + 1) * (low + 1) <= value) low++;
    is_right &= root(value) == (int)low;
    double share = bits_between(-500, 1500) / 1000.0;
    int byte = to_byte(share), wanted = share < 0 ? 0 : share > 1 ? 255 : (int)lround(share * 255.0);
    is_right &= abs(byte - wanted) <= (fabs(share * 255.0 - floor(share * 255.0) - 0.5) < 1e-6);
    int power = bits_between(-100, 100);
    is_right &= exponent(ldexpf(1.5f, power)) == power && kept(bits_between(-20, 120)) < 100;
    bits_note((uint32_t)(sum + byte) + low);
  }
  return bits_finish("floats", is_right);
}
