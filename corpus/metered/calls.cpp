// What calls of library functions cost in an ordinary program: the referee of
// the weights in crates/instrument/src/cost/calls.txt. It shares nothing with
// the programs that they are measured with (xtask/src/calls). Callgrind names
// the functions of the C++ library; those of C may have other names inside, so
// here each has a function `at_NAME`.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <list>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>

#define AT extern "C" __attribute__((noinline))
AT void *at_malloc(size_t n) { return malloc(n); }
AT void at_free(void *p) { free(p); }
AT double at_sin(double x) { return sin(x); }
AT double at_exp(double x) { return exp(x); }
AT double at_log(double x) { return log(x); }
AT double at_pow(double x, double y) { return pow(x, y); }
AT double at_atan2(double x, double y) { return atan2(x, y); }
AT double at_cbrt(double x) { return cbrt(x); }
AT double at_fmod(double x, double y) { return fmod(x, y); }
AT double at_hypot(double x, double y) { return hypot(x, y); }
AT float at_cosf(float x) { return cosf(x); }
AT long double at_expl(long double x) { return expl(x); }
AT int at_putchar(int c) { return putchar(c); }
AT int at_fgetc(FILE *f) { return fgetc(f); }
AT int at_rand() { return rand(); }
AT double at_strtod(const char *p) { return strtod(p, nullptr); }
AT FILE *at_fopen(const char *name) { return fopen(name, "r"); }
AT int at_fclose(FILE *f) { return fclose(f); }

struct Animal { virtual ~Animal() = default; };
struct Cat : Animal {};
struct Dog : Animal {};

__attribute__((noinline)) static int checked(int i) {
  if (i % 3 == 0) throw std::out_of_range("three");
  return i;
}

static double numbers(const char *name) {
  double sum = 0;
  void *blocks[100];
  for (int i = 0; i < 1000; i++) {
    blocks[i % 100] = at_malloc(24 + i % 5 * 16);
    if (i % 100 == 99)
      for (void *block : blocks) at_free(block);
    double x = (i % 250) * 0.1 + 0.05;
    sum += at_sin(x) + at_exp(x / 10) + at_log(x) + at_pow(x, 1.5) + at_atan2(x, 3) + at_cbrt(x);
    sum += at_fmod(x * 10, 7) + at_hypot(x, 4) + at_cosf(x) + at_expl(x / 10);
    sum += at_rand() % 10 + at_strtod("31.25");
    at_putchar('a' + i % 26);
  }
  for (int i = 0; i < 20; i++) {
    FILE *file = at_fopen(name);
    for (int letters = 0; letters < 100; letters++) sum += at_fgetc(file);
    at_fclose(file);
  }
  return sum;
}

int main(int, char **arguments) {
  std::map<int, std::string> names;
  std::unordered_map<std::string, int> seen;
  std::list<int> queue;
  for (int i = 0; i < 1000; i++) {
    names[i * 7919 % 10007] = "a name that is somewhat long";
    seen[std::to_string(i % 400)] += i;
    queue.push_back(i);
    if (i % 2) queue.pop_front();
  }
  long sum = 0;
  for (auto &[key, name] : names) sum += key + static_cast<long>(name.size());
  while (names.size() > 100) names.erase(names.begin());

  int caught = 0;
  Cat cat;
  Dog dog;
  for (int i = 0; i < 200; i++) {
    try {
      sum += checked(i);
    } catch (const std::exception &error) {
      caught += error.what()[0] == 't';
    }
    Animal *animal = i % 2 ? static_cast<Animal *>(&cat) : &dog;
    caught += dynamic_cast<Cat *>(animal) != nullptr;
  }

  std::stringstream text;
  for (int i = 0; i < 500; i++) text << i * 17 << ' ';
  int number = 0;
  while (text >> number) sum += number;
  std::string word, all;
  for (int i = 0; i < 1000; i++) {
    std::cout << i << ' ' << i * 0.37 << " and";
    if (i % 10 == 0) std::cout << std::endl;
    all += "word";
  }
  std::istringstream lines("one\ntwo words\nthree words here\nfour\nfive\nsix\n");
  while (std::getline(lines, word)) sum += static_cast<long>(word.size());
  std::cout << sum << caught << all.size() << numbers(arguments[0]) << '\n';
}
