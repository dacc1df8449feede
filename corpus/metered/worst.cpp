// Library work that goes with a length, a number or a place, and with no argument's size: a case each, by number.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iomanip>
#include <iostream>
#include <list>
#include <locale>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

struct Base { virtual ~Base() = default; };
template <int depth> struct Row : Row<depth - 1> {};
template <> struct Row<0> : Base {};
struct Other : Base {};

static volatile double sink;
static volatile std::size_t million = 1000000;
static double (*volatile through)(double) = std::sin;

extern "C" __attribute__((noinline)) void work(int which) {
  std::string text(2000, 'a');
  switch (which) {
  case 0: {
    std::list<int> list(10000, 1);
    for (int i = 0; i < 50; i++) list.reverse();
    break;
  }
  case 1: {
    const auto &letters = std::use_facet<std::ctype<char>>(std::locale());
    for (int i = 0; i < 300; i++) letters.toupper(&text[0], &text[0] + text.size());
    break;
  }
  case 2:
    for (int i = 0; i < 300; i++) sink = (double)std::hash<std::string>()(text);
    break;
  case 3:
    for (int i = 0; i < 3000; i++) text.insert(0, "x");
    break;
  case 4: {
    std::ostringstream out;
    out << text;
    for (int i = 0; i < 500; i++) sink = (double)out.str().size();
    break;
  }
  case 5:
    for (int i = 0; i < 500; i++) sink = std::fmod(1e300 + i, 5e-324 * (i + 3));
    break;
  case 6: {
    std::string digits = "0." + std::string(300, '0') + std::string(700, '7');
    double value = 0;
    for (int i = 0; i < 100; i++) std::from_chars(digits.data(), digits.data() + digits.size(), value), sink = value;
    break;
  }
  case 7:
    for (int i = 0; i < 20000; i++) sink = through(i * 1e10);
    break;
  case 8: {
    std::ostringstream out;
    for (int i = 0; i < 50; i++) out << std::setw(3000) << i << std::fixed << std::setprecision(400) << 1e300 / (i + 1);
    break;
  }
  case 9: {
    std::istringstream in(std::string(20000, ' ') + std::string(20000, '1') + " " + std::string(20000, 'x'));
    long number = 0;
    in >> number;
    in.clear();
    std::string word;
    in >> word;
    break;
  }
  case 10: {
    char room[3000];
    for (int i = 0; i < 100; i++) std::snprintf(room, sizeof room, "%*d %.*f", 1000, i, 500, 1e200);
    break;
  }
  case 11: {
    std::string numbers(3000, '1');
    int number = 0;
    for (int i = 0; i < 20; i++) std::sscanf(numbers.c_str(), "%d", &number), sink = std::strtod(numbers.c_str(), nullptr);
    break;
  }
  case 12: {
    std::set<int> set;
    for (int i = 0; i < 5000; i++) set.insert(i * 7919 % 100003);
    for (int round = 0; round < 5; round++)
      for (int value : set) sink = value;
    set.clear();
    break;
  }
  case 13: {
    std::string from(million, 'a'), to(million, 'b');
    for (int i = 0; i < 20; i++) std::memcpy(&to[0], &from[0], million), std::memset(&from[0], i, million);
    for (int i = 0; i < 200; i++) std::memmove(&to[1], &from[0], million / 100), std::memset(&to[0], i, 3000);
    break;
  }
  case 14: {
    std::ostringstream out;
    for (int i = 0; i < 300; i++) out.rdbuf()->sputn(text.data(), 2000);
    std::istringstream in(out.str());
    for (int i = 0; i < 300; i++) sink = (double)in.rdbuf()->sgetn(&text[0], 2000);
    break;
  }
  case 15: {
    std::string message(20000, 'x');
    for (int i = 0; i < 100; i++) sink = std::runtime_error(message).what()[i];
    break;
  }
  case 16:
    for (int i = 0; i < 100; i++) {
      try {
        sink = (double)text.substr(3000, 1).size();
      } catch (const std::out_of_range &) {
        sink = i;
      }
    }
    break;
  case 17: {
    Row<100> row;
    Base *volatile base = &row;
    for (int i = 0; i < 200; i++) sink = dynamic_cast<Other *>(base) != nullptr;
    break;
  }
  }
}

int main(int, char **arguments) { work(std::atoi(arguments[1])); }
