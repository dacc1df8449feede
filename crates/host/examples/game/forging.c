/* Knows the name of the cell of fuel and fills it up. It cannot be built. */
#include "game.h"

extern int64_t opc_fuel;

void turn(struct view *view) {
  for (;;) opc_fuel = INT64_C(1) << 60;
  view->move = EAST;
}
