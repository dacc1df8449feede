// What are the digits of a double, and which double do digits mean?
//
// Exactly, by whole numbers of any length, so that every machine prints and
// reads alike. A double is m × 2^e: for e below zero it is m × 5^-e with the
// point moved. Reading divides two whole numbers to 64 bits and rounds once, to
// even, as IEEE 754 asks. Cost: a few operations for short numbers, some
// thousands for the longest. Limit: digits beyond 800 count as "a little more".
#include "portable.h"

#define WORDS 192

struct opc_big {
  int count;
  uint32_t word[WORDS];
};

static void opc_big_set(struct opc_big *big, uint64_t value) {
  big->count = 0;
  for (; value; value >>= 32) big->word[big->count++] = (uint32_t)value;
}

static void opc_big_multiply(struct opc_big *big, uint32_t factor, uint32_t more) {
  uint64_t carry = more;
  for (int at = 0; at < big->count; at++) {
    carry += (uint64_t)big->word[at] * factor;
    big->word[at] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry && big->count < WORDS) big->word[big->count++] = (uint32_t)carry;
}

// Divides by a small number; the rest.
static uint32_t opc_big_divide(struct opc_big *big, uint32_t by) {
  uint64_t rest = 0;
  for (int at = big->count; at-- > 0;) {
    rest = rest << 32 | big->word[at];
    big->word[at] = (uint32_t)(rest / by);
    rest %= by;
  }
  while (big->count > 0 && big->word[big->count - 1] == 0) big->count--;
  return (uint32_t)rest;
}

static void opc_big_shift(struct opc_big *big, int bits) {
  int words = bits / 32;
  bits %= 32;
  if (big->count == 0) return;
  if (bits) opc_big_multiply(big, UINT32_C(1) << bits, 0);
  if (big->count + words > WORDS) words = WORDS - big->count;
  for (int at = big->count; words && at-- > 0;) big->word[at + words] = big->word[at];
  for (int at = 0; at < words; at++) big->word[at] = 0;
  big->count += words;
}

static void opc_big_power(struct opc_big *big, uint32_t base, int exponent) {
  uint32_t step = base, steps = 1;
  while ((uint64_t)step * base <= UINT32_MAX) step *= base, steps++;
  for (; exponent >= (int)steps; exponent -= (int)steps) opc_big_multiply(big, step, 0);
  for (; exponent > 0; exponent--) opc_big_multiply(big, base, 0);
}

static int opc_big_bits(const struct opc_big *big) {
  return big->count ? big->count * 32 - __builtin_clz(big->word[big->count - 1]) : 0;
}

static int opc_big_compare(const struct opc_big *a, const struct opc_big *b) {
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  for (int at = a->count; at-- > 0;)
    if (a->word[at] != b->word[at]) return a->word[at] < b->word[at] ? -1 : 1;
  return 0;
}

static void opc_big_subtract(struct opc_big *from, const struct opc_big *what) {
  uint64_t borrow = 0;
  for (int at = 0; at < from->count; at++) {
    uint64_t less = borrow + (at < what->count ? what->word[at] : 0);
    borrow = from->word[at] < less;
    from->word[at] = (uint32_t)(from->word[at] - less);
  }
  while (from->count > 0 && from->word[from->count - 1] == 0) from->count--;
}

int opc_digits_of(double number, char digits[OPC_MOST_DIGITS], int *exponent) {
  uint64_t bits;
  __builtin_memcpy(&bits, &number, 8);
  int power = (int)(bits >> 52 & 0x7ff);
  uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
  *exponent = 0;
  if (power) mantissa |= UINT64_C(1) << 52;
  if (mantissa == 0) return 0;
  power = (power ? power : 1) - 1075;
  for (; !(mantissa & 1); mantissa >>= 1) power++;
  struct opc_big big;
  opc_big_set(&big, mantissa);
  int moved = 0;
  if (power >= 0) {
    opc_big_shift(&big, power);
  } else {
    opc_big_power(&big, 5, -power);
    moved = power;
  }
  // Nine digits at a time, the last ones first, at the end of the room.
  char *at = digits + OPC_MOST_DIGITS;
  while (big.count > 0) {
    uint32_t rest = opc_big_divide(&big, 1000000000);
    for (int digit = 0; digit < 9; digit++, rest /= 10) *--at = (char)('0' + rest % 10);
  }
  while (*at == '0') at++;
  int count = (int)(digits + OPC_MOST_DIGITS - at);
  *exponent = count - 1 + moved;
  for (int digit = 0; digit < count; digit++) digits[digit] = at[digit];
  while (count > 0 && digits[count - 1] == '0') count--;
  return count;
}

static double opc_double(uint64_t bits) {
  double number;
  __builtin_memcpy(&number, &bits, 8);
  return number;
}

double opc_number_of(const char *digits, int count, int exponent) {
  while (count > 0 && *digits == '0') digits++, count--, exponent--;
  while (count > 0 && digits[count - 1] == '0') count--;
  if (count == 0 || exponent < -330) return 0;
  if (exponent > 310) return opc_double(UINT64_C(0x7ff) << 52);
  int power = exponent - count; // the number is digits × 10^power
  int most = count > 800 ? 800 : count;
  if (count <= 15 && power >= -22 && power <= 22) {
    // Both are exact, and one operation rounds once.
    double value = 0, scale = 1;
    for (int at = 0; at < count; at++) value = value * 10 + (digits[at] - '0');
    for (int at = power < 0 ? -power : power; at > 0; at--) scale *= 10;
    return power < 0 ? value / scale : value * scale;
  }
  struct opc_big above, below;
  opc_big_set(&above, 0);
  for (int at = 0; at < most; at++) {
    if (above.count == 0)
      opc_big_set(&above, (uint64_t)(digits[at] - '0'));
    else
      opc_big_multiply(&above, 10, (uint32_t)(digits[at] - '0'));
  }
  if (most < count) {
    // What was left out lies between this digit and the next.
    opc_big_multiply(&above, 10, 1);
    power += count - most - 1;
  }
  opc_big_set(&below, 1);
  if (power >= 0)
    opc_big_power(&above, 10, power);
  else
    opc_big_power(&below, 10, -power);
  // So that the quotient has 64 bits, or 65.
  int shift = 64 - (opc_big_bits(&above) - opc_big_bits(&below));
  if (shift > 0)
    opc_big_shift(&above, shift);
  else
    opc_big_shift(&below, -shift);
  uint64_t quotient = 0;
  int binary = -shift;
  opc_big_shift(&below, 64);
  int is_long = opc_big_compare(&above, &below) >= 0;
  if (is_long) opc_big_subtract(&above, &below);
  for (int bit = 0; bit < 64; bit++) {
    opc_big_shift(&above, 1);
    quotient <<= 1;
    if (opc_big_compare(&above, &below) >= 0) {
      opc_big_subtract(&above, &below);
      quotient |= 1;
    }
  }
  uint64_t sticky = above.count > 0;
  if (is_long) {
    sticky |= quotient & 1;
    quotient = quotient >> 1 | UINT64_C(1) << 63;
    binary++;
  }
  int zeros = __builtin_clzll(quotient);
  quotient <<= zeros;
  binary -= zeros;
  // quotient × 2^binary, its highest bit set: 53 bits stay, fewer below the normal numbers.
  int biased = binary + 63 + 1023, drop = 11;
  if (biased <= 0) drop += 1 - biased;
  if (biased >= 2047) return opc_double(UINT64_C(0x7ff) << 52);
  if (drop > 64) return 0;
  uint64_t kept = drop == 64 ? 0 : quotient >> drop;
  uint64_t lost = drop == 64 ? quotient : quotient << (64 - drop), half = UINT64_C(1) << 63;
  if (lost > half || (lost == half && (sticky || kept & 1))) kept++;
  // A carry out of the mantissa goes on into the exponent.
  uint64_t bits = biased <= 0 ? kept : ((uint64_t)(biased - 1) << 52) + kept;
  return opc_double(bits);
}
