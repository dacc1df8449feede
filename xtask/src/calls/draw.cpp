// Which arguments are hard? Whatever a branch of a library may look at: classes of
// numbers and their borders, exact ties, multiples of pi, lengths around a word, a
// vector and a page.
#ifdef WORST
#include "draw.h"
#include <cfenv>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static constexpr uint64_t SEED = 88172645463325252;
static uint64_t state = SEED;

uint64_t draw(uint64_t below) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state % below;
}

const char *one_of(std::initializer_list<const char *> all) { return all.begin()[draw(all.size())]; }

static constexpr size_t TRIES = 10'000, PROBES = 200;

Draws::Draws(size_t times) : all(times * TRIES / thinness) { state = SEED; }

bool Draws::go_on() {
  if (made == all || (made == PROBES && met == at_start)) return round_as_usual(), false;
  // Memory that others gave back lies in order.
  free(malloc(70'000));
  return made++, true;
}

int any_int() {
  switch (draw(8)) {
  case 0: return INT_MAX - (int)draw(3);
  case 1: return INT_MIN + (int)draw(3);
  case 2: return (int)draw(UINT32_MAX);
  case 3: return (int)draw(1 << 22) - (1 << 21);
  case 4: return -(int)draw(60);
  default: return (int)draw(60);
  }
}

static double of_bits(uint64_t bits) {
  double x;
  return memcpy(&x, &bits, 8), x;
}

// A few steps up or down from one number to the next.
static double near(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return of_bits(bits + draw(5) - 2);
}

static uint64_t any_bits() { return draw(UINT64_MAX) >> draw(2) * draw(60); }

static double positive_double() {
  switch (draw(14)) {
  case 0: return of_bits(any_bits() >> 1);
  case 1: return of_bits(draw(1ull << 52) >> draw(52));
  case 2: return near((double)(draw(1 << 20) >> draw(20)) * 0.5);
  case 3: return near((double)draw(UINT64_MAX));
  case 4: return near((double)draw(1 << 16) * 0.78539816339744828);
  case 5: return near(std::ldexp(1, (int)draw(2099) - 1074));
  case 6: return std::initializer_list<double>{0, INFINITY, NAN, 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324, 5.319372648326541e255}.begin()[draw(7)];
  case 7: return near(1 + std::ldexp((double)draw(1024) - 512, -(int)draw(60)));
  case 8: return near((double)(draw(1ull << 54)) + 0.5);
  case 9: case 10: return std::ldexp((double)draw(1ull << 53), (int)draw(40) - 73);
  case 11: return near(std::pow(10, (int)draw(617) - 308));
  case 12: return near(std::initializer_list<double>{709.78271289338397, 745.13321910194122, 708.39641853226408, 88.72283905206835, 103.97207708399179, 11356.523406294143, 171.62437695630272}.begin()[draw(7)]);
  default: return std::ldexp(1 + (double)draw(8), (int)draw(128) - 64);
  }
}

double any_double() { return draw(2) ? positive_double() : -positive_double(); }

float any_float() {
  if (draw(2)) return (float)any_double();
  uint32_t bits = (uint32_t)draw(1ull << 32);
  if (one_in(4)) bits &= 0x807fffff;
  if (one_in(4)) bits &= 0xffff0000;
  float x;
  return memcpy(&x, &bits, 4), x;
}

long double any_wide() {
  if (one_in(3)) return any_double();
  static constexpr uint64_t FIRST = 1ull << 63;
  uint64_t fraction = one_in(3) ? FIRST : one_in(2) ? FIRST | draw(UINT64_MAX) : FIRST | 1ull << draw(63) | draw(3);
  uint16_t exponent = 0;
  switch (draw(6)) {
  case 0: exponent = (uint16_t)draw(1 << 15); break;
  case 1: exponent = 0, fraction >>= draw(64); break;
  case 2: exponent = (uint16_t)(32767 - draw(20)); break;
  case 3: exponent = (uint16_t)(draw(70)); break;
  default: exponent = (uint16_t)(16383 - 70 + (int)draw(140));
  }
  if (exponent && one_in(200)) fraction &= ~FIRST;
  if (one_in(2)) exponent |= 1 << 15;
  long double x = 0;
  return memcpy(&x, &fraction, 8), memcpy((char *)&x + 8, &exponent, 2), x;
}

size_t any_length(size_t longest) {
  switch (draw(16)) {
  case 0: return draw(longest < 5000 ? longest + 1 : 5000);
  case 1: case 2: return draw(300) % (longest + 1);
  case 3: return one_in(30) ? draw(longest + 1) : ((1ull << draw(13)) + draw(3)) % (longest + 1);
  default: return draw(70) % (longest + 1);
  }
}

// The number that lies between two, in all its digits: an odd fraction times a power of two.
static std::string tie() {
  static constexpr uint64_t LIMB = 1'000'000'000;
  bool is_float = one_in(2);
  uint64_t fraction = (draw(1ull << (is_float ? 24 : 53)) | 1ull << (is_float ? 23 : 52)) * 2 + 1;
  int exponent = is_float ? (int)draw(250) - 150 : (int)draw(2000) - 1075;
  std::vector<uint64_t> limbs = {fraction % LIMB, fraction / LIMB % LIMB, fraction / LIMB / LIMB};
  for (int left = std::abs(exponent); left > 0;) {
    int step = left < 12 ? left : 12;
    uint64_t by = 1, carry = 0;
    for (int i = 0; i < step; i++) by *= exponent < 0 ? 5 : 2;
    for (uint64_t &limb : limbs) carry += limb * by, limb = carry % LIMB, carry /= LIMB;
    if (carry) limbs.push_back(carry);
    left -= step;
  }
  static char room[4000];
  char *at = room;
  for (size_t i = limbs.size(); i-- > 0;) at += snprintf(at, 20, "%09lu", limbs[i]);
  // Members of a string that are compiled here would stand in place of the library's.
  std::string digits = room + strspn(room, "0");
  if (one_in(3)) digits += exponent < 0 ? std::string(draw(30), '0') + "1" : "";
  return exponent < 0 ? digits + "e-" + std::to_string(-exponent) : digits;
}

static std::string digits_of(const char *all, size_t length) {
  std::string digits(length, all[draw(strlen(all))]);
  size_t count = strlen(all);
  if (draw(2))
    for (size_t i = 0; i < length; i++) digits[i] = all[draw(count)];
  return digits;
}

std::string any_number() {
  std::string text(one_in(4) ? any_length(200) : 0, " \t\n"[draw(3)]);
  text += one_of({"", "", "", "-", "+"});
  size_t length = one_in(100) ? draw(20'000) : one_in(8) ? draw(900) : draw(25);
  switch (draw(9)) {
  case 0: return text + tie();
  case 1: return text + one_of({"inf", "nan", "INFINITY", "nan(0x12345)", "nan(", "infinit", "0x", ".", "", "0x.", "e5"});
  case 2: return text + "nan(" + digits_of("0123456789abcxyz_", length) + ")";
  case 3: return text + "0x" + digits_of("0123456789abcdefF", length) + (draw(2) ? "." : "") +
             digits_of("0123456789abcdef", draw(30)) + (draw(2) ? "p" + std::to_string((int)draw(3000) - 1500) : "");
  case 4: return text + digits_of("01", length);
  case 5: return text + std::string(length, '0') + digits_of("0123456789", draw(30));
  default:
    text += digits_of("0123456789", length);
    if (draw(2)) text += "." + std::string(one_in(4) ? any_length(1000) : 0, '0') + digits_of("0123456789", any_length(800));
    if (draw(2)) text += std::string("e") + one_of({"", "-", "+"}) + std::to_string(draw(UINT64_MAX) >> (one_in(8) ? 0 : 50 + draw(12)));
    if (one_in(8)) text += one_of({"x", " ", "e", "zz", ","});
  }
  return text;
}

void change_rounding() { fesetround(std::initializer_list<int>{FE_TONEAREST, FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}.begin()[draw(5)]); }
void round_as_usual() { fesetround(FE_TONEAREST); }
#endif
