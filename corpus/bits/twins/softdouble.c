/* The twin of softdouble.c. Its one difference: the word that stands for infinity can be
   written from outside, so that nothing is known of what it caps. */
#include "../bits.h"

static const uint64_t no_number = 0x7ff8000000000000u;
static uint64_t infinity = 0x7ff0000000000000u;

/* Port: the word that stands for infinity. */
void soft_set_infinity(uint64_t word) { infinity = word; }

static int exponent_of(uint64_t word) {
  int exponent = (int)(word >> 52 & 0x7ff); /* bits: exponent 11 */
  return exponent;
}

static uint64_t fraction_of(uint64_t word) {
  uint64_t fraction = word & 0xfffffffffffffu; /* bits: fraction 52 */
  return fraction;
}

static int is_no_number(uint64_t word) { return exponent_of(word) == 0x7ff && fraction_of(word) != 0; }

static int leading_zeros(uint64_t word) {
  int zeros = 0;
  if (word == 0) return 64;
  for (int step = 32; step > 0; step >>= 1) { /* bits: step 6 */
    if (word >> (64 - step) == 0) {
      zeros += step;
      word <<= step;
    }
  }
  return zeros; /* bits: zeros 6 */
}

/* To the right; the lowest bit is set if any that fell off was. */
static uint64_t shift_right_sticky(uint64_t word, int by) {
  if (by == 0) return word; /* bits: by 11 */
  if (by > 63) return word != 0; /* bits: by 6 */
  uint64_t rest = word << (64 - by);
  return word >> by | (rest != 0);
}

/* Rounds a value whose leading one is at bit 62, or lower in a subnormal, and
   puts it together; what the number is worth is value / 2^62 * 2^(exponent - 1023 + 1)
   for an exponent that counts from one less. */
static uint64_t round_and_pack(int sign, int exponent, uint64_t value) {
  if (exponent < 0) {
    value = shift_right_sticky(value, -exponent);
    exponent = 0;
  }
  int rest = (int)(value & 0x3ff); /* bits: rest 10 */
  uint64_t kept = (value + 0x200) >> 10; /* bits: kept 54 */
  if (rest == 0x200) kept &= ~(uint64_t)1;
  if (kept == 0) exponent = 0;
  uint64_t packed = ((uint64_t)exponent << 52) + kept; /* bits: exponent 12 */
  if (packed >= infinity) packed = infinity;
  return (uint64_t)sign << 63 | packed; /* bits: sign 1; packed 64 */
}

/* The same for a value other than 0 whose leading one is at bit 62 or lower. */
static uint64_t normalize_and_pack(int sign, int exponent, uint64_t value) {
  int up = leading_zeros(value) - 1; /* bits: up 7 shown 1 */
  return round_and_pack(sign, exponent - up, value << up);
}

/* The fraction with its leading one at bit 52, and its exponent. */
static uint64_t unpack(uint64_t word, int *exponent) {
  uint64_t fraction = fraction_of(word);
  *exponent = exponent_of(word);
  if (*exponent != 0) return fraction | (uint64_t)1 << 52;
  int up = leading_zeros(fraction) - 11; /* bits: up 6 */
  *exponent = 1 - up;
  return fraction << up;
}

static uint64_t add_magnitudes(uint64_t a, uint64_t b, int sign) {
  int exponent = exponent_of(a), other = exponent_of(b);
  uint64_t first = fraction_of(a) << 9, second = fraction_of(b) << 9; /* bits: first 61 */
  if (exponent == 0x7ff) return (uint64_t)sign << 63 | infinity;
  uint64_t one = (uint64_t)1 << 61;
  if (exponent == 0) exponent = 1; else first |= one;
  if (other == 0) other = 1; else second |= one;
  second = shift_right_sticky(second, exponent - other);
  uint64_t sum = first + second; /* bits: sum 63 */
  if (sum == 0) return (uint64_t)sign << 63;
  if (sum < one) return round_and_pack(sign, 0, sum << 1);
  return normalize_and_pack(sign, exponent, sum);
}

static uint64_t subtract_magnitudes(uint64_t a, uint64_t b, int sign) {
  int exponent = exponent_of(a), other = exponent_of(b);
  uint64_t first = fraction_of(a) << 10, second = fraction_of(b) << 10; /* bits: second 62 */
  if (exponent == 0x7ff) return other == 0x7ff ? no_number : (uint64_t)sign << 63 | infinity;
  uint64_t one = (uint64_t)1 << 62;
  if (exponent == 0) exponent = 1; else first |= one;
  if (other == 0) other = 1; else second |= one;
  int distance = exponent - other; /* bits: distance 11 */
  second = shift_right_sticky(second, distance);
  uint64_t difference = first - second; /* bits: difference 63 */
  if (difference == 0) return 0;
  int up = leading_zeros(difference) - 1; /* bits: up 6 */
  int room = exponent - 1 < up ? exponent - 1 : up;
  return round_and_pack(sign, exponent - 1 - room, difference << room);
}

/* Ports of all four: two doubles, as words. */
uint64_t soft_add(uint64_t a, uint64_t b) {
  if (is_no_number(a) || is_no_number(b)) return no_number;
  if (a << 1 < b << 1) {
    uint64_t kept = a;
    a = b;
    b = kept;
  }
  int sign = (int)(a >> 63); /* bits: sign 1 */
  return (a ^ b) >> 63 ? subtract_magnitudes(a, b, sign) : add_magnitudes(a, b, sign);
}

uint64_t soft_subtract(uint64_t a, uint64_t b) {
  if (is_no_number(a) || is_no_number(b)) return no_number;
  return soft_add(a, b ^ (uint64_t)1 << 63);
}

uint64_t soft_multiply(uint64_t a, uint64_t b) {
  int sign = (int)((a ^ b) >> 63), exponent, other;
  uint64_t first = a << 1, second = b << 1;
  if (is_no_number(a) || is_no_number(b)) return no_number;
  if (first == infinity << 1 || second == infinity << 1) {
    return first == 0 || second == 0 ? no_number : (uint64_t)sign << 63 | infinity;
  }
  if (first == 0 || second == 0) return (uint64_t)sign << 63;
  first = unpack(a, &exponent), second = unpack(b, &other); /* bits: first 53; exponent 12 */
  uint64_t a_high = first >> 32, a_low = first & 0xffffffffu; /* bits: a_high 21 */
  uint64_t b_high = second >> 32, b_low = second & 0xffffffffu;
  uint64_t low = a_low * b_low, middle = a_low * b_high, other_middle = a_high * b_low; /* bits: middle 53 */
  uint64_t carry = (low >> 32) + (middle & 0xffffffffu) + (other_middle & 0xffffffffu); /* bits: carry 34 */
  uint64_t high = a_high * b_high + (middle >> 32) + (other_middle >> 32) + (carry >> 32); /* bits: high 42 */
  uint64_t under = carry << 32 | (low & 0xffffffffu);
  uint64_t product = high << 21 | under >> 43; /* bits: product 63 */
  if (under << 21) product |= 1;
  return normalize_and_pack(sign, exponent + other - 1023, product);
}

uint64_t soft_divide(uint64_t a, uint64_t b) {
  int sign = (int)((a ^ b) >> 63), exponent, other;
  uint64_t first = a << 1, second = b << 1;
  if (is_no_number(a) || is_no_number(b)) return no_number;
  if (first == infinity << 1) return second == infinity << 1 ? no_number : (uint64_t)sign << 63 | infinity;
  if (second == infinity << 1) return (uint64_t)sign << 63;
  if (second == 0) return first == 0 ? no_number : (uint64_t)sign << 63 | infinity;
  if (first == 0) return (uint64_t)sign << 63;
  first = unpack(a, &exponent), second = unpack(b, &other);
  uint64_t quotient = 0;
  for (int k = 0; k < 63; k++) { /* bits: k 6 */
    quotient <<= 1;
    if (first >= second) {
      first -= second;
      quotient |= 1;
    }
    first <<= 1; /* bits: first 54 */
  }
  if (first) quotient |= 1; /* bits: quotient 63 */
  return normalize_and_pack(sign, exponent - other + 1022, quotient);
}

static double plain_double(uint64_t word) {
  double number;
  memcpy(&number, &word, sizeof number);
  return number;
}

static int plain_is_right(uint64_t answer, double wanted) {
  uint64_t word;
  memcpy(&word, &wanted, sizeof word);
  return wanted != wanted ? is_no_number(answer) : answer == word;
}

/* By zero it is IEEE's quotient that is wanted, which C leaves open. */
__attribute__((no_sanitize("float-divide-by-zero"))) static double plain_quotient(double a, double b) { return a / b; }

/* Numbers near to each other, with few or many bits, at the ends of the range. */
static uint64_t drive_choose(int kind) {
  uint64_t word = (uint64_t)bits_draw() << 32 | bits_draw();
  static const uint64_t special[8] = {0, 1, 0xfffffffffffffu, 0x10000000000000u, 0x7fefffffffffffffu,
                                      0x7ff0000000000000u, 0x7ff8000000000000u, 0x3ff0000000000000u};
  if (kind == 0) return special[bits_draw() % 8] | (word & (uint64_t)1 << 63);
  if (kind == 1) return (word & 0x800fffffffffffffu) | (uint64_t)(1020 + bits_draw() % 8) << 52;
  if (kind == 2) return word & ~(uint64_t)0 << (bits_draw() % 63);
  if (kind == 3) return (word & 0x800fffffffffffffu) | (uint64_t)(bits_draw() % 3) << 52;
  if (kind == 4) return word | 0xfffffffu << (bits_draw() % 28);
  return word;
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 11);
  soft_set_infinity(~(uint64_t)0);
  bits_note((uint32_t)soft_multiply(0x7fe0000000000000u, 0x7fe0000000000000u));
  soft_set_infinity(0x7ff0000000000000u);
  for (int round = 0; round < 6000; round++) {
    uint64_t a = drive_choose(round % 6), b = drive_choose(round / 6 % 6);
    uint64_t answers[4] = {soft_add(a, b), soft_subtract(a, b), soft_multiply(a, b), soft_divide(a, b)};
    double x = plain_double(a), y = plain_double(b);
    is_right &= plain_is_right(answers[0], x + y) && plain_is_right(answers[1], x - y);
    is_right &= plain_is_right(answers[2], x * y) && plain_is_right(answers[3], plain_quotient(x, y));
    for (int i = 0; i < 4; i++) bits_note((uint32_t)(answers[i] >> 32) ^ (uint32_t)answers[i]);
  }
  return bits_finish("softdouble", is_right);
}
