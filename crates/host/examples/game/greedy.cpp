// Takes memory and never gives it back.
#include <vector>

extern "C" {
#include "game.h"
}

static std::vector<std::vector<int>> hoard;

extern "C" void turn(view *view) {
  for (;;) hoard.emplace_back().reserve(100000 + view->round);
}
