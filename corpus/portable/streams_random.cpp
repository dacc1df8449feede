// Thousands of values, printed and read with manipulators that are drawn.
// System: the same output.
#include <bitset>
#include <climits>
#include <complex>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

static std::mt19937_64 chance(20240229);
static unsigned draw(unsigned below) { return (unsigned)(chance() % below); }

static void form(std::ostream &to) {
  const std::ios_base::fmtflags all[] = {std::ios::boolalpha, std::ios::showbase, std::ios::showpoint, std::ios::showpos,
                                         std::ios::uppercase};
  for (auto flag : all)
    if (draw(4) == 0) to.setf(flag);
    else if (draw(2)) to.unsetf(flag);
  switch (draw(8)) {
  case 0: to << std::dec; break;
  case 1: to << std::hex; break;
  case 2: to << std::oct; break;
  case 3: to << std::setbase(draw(3) * 8); break;
  }
  switch (draw(8)) {
  case 0: to << std::left; break;
  case 1: to << std::right; break;
  case 2: to << std::internal; break;
  case 3: to.unsetf(std::ios::adjustfield); break;
  }
  switch (draw(8)) {
  case 0: to << std::fixed; break;
  case 1: to << std::scientific; break;
  case 2: to << std::defaultfloat; break;
  }
  if (draw(3) == 0) to << std::setprecision((int)draw(22) - 1);
  if (draw(3) == 0) to << std::setfill("*# 0_"[draw(5)]);
  if (draw(3)) to << std::setw((int)draw(25));
}

static long whole() {
  const long edges[] = {0, 1, -1, 7, 8, 10, 255, SHRT_MAX, SHRT_MIN, INT_MAX, INT_MIN, LONG_MAX, LONG_MIN, UINT_MAX};
  return draw(3) == 0 ? edges[draw(14)] : (long)chance() >> draw(64);
}

static double fraction() {
  const double edges[] = {0.0, -0.0, 1, 0.5, 2.5, -1.25, 1e6, 999999.5, 1e-5, 0.0001, 123456789, 1e15, 1e17, 1e22, 1e308, 5e-324,
                          INFINITY, -INFINITY};
  switch (draw(4)) {
  case 0: return edges[draw(18)];
  case 1: return (double)(long)(chance() >> 40) / 1000;
  case 2: return (double)whole();
  }
  unsigned long bits = chance();
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value == value ? value : 0.1;
}

static void print(std::ostream &to) {
  const char *words[] = {"", "a", "some words", "a text that is longer than the small buffer of a string"};
  const char *word = words[draw(4)];
  switch (draw(21)) {
  case 0: to << (draw(2) == 0); break;
  case 1: to << (short)whole(); break;
  case 2: to << (unsigned short)whole(); break;
  case 3: to << (int)whole(); break;
  case 4: to << (unsigned)whole(); break;
  case 5: to << whole(); break;
  case 6: to << (unsigned long)whole(); break;
  case 7: to << (long long)whole(); break;
  case 8: to << (unsigned long long)whole(); break;
  case 9: to << (char)(32 + draw(95)); break;
  case 10: to << (signed char)(32 + draw(95)); break;
  case 11: to << (unsigned char)(32 + draw(95)); break;
  case 12: to << (float)fraction(); break;
  case 13: to << fraction(); break;
  case 14: to << (const void *)(unsigned long)whole(); break;
  case 15: to << word; break;
  case 16: to << std::string(word); break;
  case 17: to << std::string_view(word).substr(0, draw(3)); break;
  case 18: to << std::bitset<13>((unsigned long)whole()); break;
  case 19: to << std::complex<double>(1.5, (double)draw(9)); break;
  case 20: to << std::quoted(std::string(word) + (draw(2) ? "\"\\" : "")); break;
  }
  std::cout << '|' << to.width() << '\n';
}

static std::string text() {
  const char *pieces[] = {"0", "1", "7", "9", "12", "99999", "4294967296", "9223372036854775808", "18446744073709551616", "-", "+", ".", "e",
                          "E", "x", "0x", "f", "ab", "inf", "nan", " ", "\n", "\t ", "true", "false", "tru", "1e400", "1e-400", "1e39",
                          "-3.25e2", "\"q \\\" r\"", ",", "00", "077"};
  std::string made;
  for (unsigned count = 1 + draw(12); count > 0; count--) {
    made += pieces[draw(34)];
    if (draw(3) == 0) made += ' ';
  }
  return made;
}

template <class V>
static void take(std::istream &from, V value) {
  from >> value;
  std::cout << '[' << value << ']';
}

static void read(std::istream &from) {
  char room[8] = "-------";
  std::string word = "before";
  switch (draw(22)) {
  case 0: take(from, true); break;
  case 1: take(from, (short)-7); break;
  case 2: take(from, (unsigned short)7); break;
  case 3: take(from, -7); break;
  case 4: take(from, 7u); break;
  case 5: take(from, -7L); break;
  case 6: take(from, 7UL); break;
  case 7: take(from, -7LL); break;
  case 8: take(from, 7ULL); break;
  case 9: take(from, 'c'); break;
  case 10: take(from, (unsigned char)'u'); break;
  case 11: take(from, 1.5f); break;
  case 12: take(from, 2.5); break;
  case 13: take(from, (void *)nullptr); break;
  case 14: from >> std::setw((int)draw(6)) >> word; break;
  case 15: from >> std::setw(1 + (int)draw(7)) >> room; break;
  case 16: std::getline(from, word, "\n ,"[draw(3)]); break;
  case 17: from.getline(room, 1 + draw(7), "\n ,"[draw(3)]); break;
  case 18: from.get(room, 1 + draw(7)); break;
  case 19: from.read(room, draw(7)); break;
  case 20: from.ignore(draw(4), draw(2) ? ' ' : EOF); break;
  case 21: from >> std::quoted(word); break;
  }
  std::cout << word << ' ' << room << " state " << from.rdstate() << " count " << from.gcount() << " width " << from.width();
  if (draw(4) == 0) from >> std::ws;
  if (draw(4) == 0) from.unget();
  if (draw(8) == 0) from.putback('p');
  std::cout << " then " << from.rdstate() << " at " << from.tellg() << " next " << from.peek() << ' ' << from.rdstate() << '\n';
  if (from.fail()) {
    from.clear();
    if (draw(2)) from.ignore();
  }
}

int main() {
  std::ostringstream copy;
  for (int i = 0; i < 1500; i++) {
    form(std::cout);
    print(std::cout);
  }
  std::cout.copyfmt(std::ios(nullptr));
  std::cout.clear();
  std::stringstream both;
  for (int i = 0; i < 300; i++) {
    std::istringstream from(text());
    switch (draw(6)) {
    case 0: from >> std::hex; break;
    case 1: from >> std::oct; break;
    case 2: from.unsetf(std::ios::basefield); break;
    }
    if (draw(4) == 0) from >> std::boolalpha;
    if (draw(5) == 0) from >> std::noskipws;
    for (int step = 0; step < 8 && from; step++) read(from);
    if (draw(2)) both.str(from.str());
    if (draw(3) == 0) both.clear();
    form(both);
    both << whole() << draw(9);
    if (draw(3) == 0) both.seekp((long)draw(9) - 2, draw(2) ? std::ios::beg : std::ios::cur);
    if (draw(3) == 0) both.seekg((long)draw(9) - 7, draw(2) ? std::ios::end : std::ios::cur);
    both << 'x';
    read(both);
    std::cout << both.tellp() << ' ' << both.str() << '\n';
  }
}
