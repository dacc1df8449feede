// Draws, by a fixed seed: numbers of every class, lengths, texts of numbers, and how
// a processor rounds.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include "at.h"

extern size_t thinness, met;
uint64_t draw(uint64_t below);
inline bool one_in(uint64_t n) { return draw(n) == 0; }
const char *one_of(std::initializer_list<const char *> all);

// `for (Draws draws; draws.go_on();)` is as many draws as are made of everything. It ends soon where no call that
// is wanted was met.
class Draws {
  size_t made = 0, at_start = met, all;

public:
  explicit Draws(size_t times = 1);
  bool go_on();
};

// Mostly usual, sometimes at an end of what an `int` can be.
int any_int();
double any_double();
float any_float();
// In the processor's 80 bits. Numbers whose first bit is missing are among them.
long double any_wide();
// Mostly short; one in some hundred is as long as `longest`.
size_t any_length(size_t longest);
// Decimals, hexadecimals, ties between two numbers, names, blanks, and what is no number.
std::string any_number();
// One of the four ways; the first one is usual.
void change_rounding();
void round_as_usual();

// Blocks that live and die in an order that is drawn: `make` gives one of a size, `drop` takes it back.
template <class Make, class Drop> void live_and_die(Make make, Drop drop) {
  static constexpr size_t MOST = 5000;
  static void *blocks[MOST];
  size_t kind = draw(6), order = draw(4), alive = 1 + draw(one_in(2) ? MOST : 60);
  argue("the beginning and end of others");
  auto size = [kind]() -> size_t {
    switch (kind) {
    case 0: return draw(120);
    case 1: return draw(1040);
    case 2: return draw(3000);
    case 3: return draw(one_in(20) ? 130'000 : 500);
    case 4: return 1ull << draw(17);
    default: return 24 + 16 * draw(4096);
    }
  };
  for (size_t call = 0; call < 4 * alive + 4000; call++) {
    // Until as many live as shall, what is done is others' disorder.
    if (call == 2 * alive) argue("sizes of kind %zu, order %zu, %zu alive", kind, order, alive);
    size_t at = order == 0 ? draw(alive) : order == 1 ? call % alive : order == 2 ? call * 7919 % alive : call / alive % 2 ? alive - 1 - call % alive : call % alive;
    if (blocks[at]) drop(blocks[at]), blocks[at] = nullptr;
    else blocks[at] = make(size());
  }
  argue("the beginning and end of others");
  for (void *&one : blocks)
    if (one) drop(one), one = nullptr;
}
