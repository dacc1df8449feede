/* Goes to the nearest gold, and finds it by looking at every field. */
#include "game.h"

static int way(int from, int to) {
  int step = (to - from + SIZE) % SIZE;
  return step > SIZE / 2 ? step - SIZE : step;
}

static int amount(int number) { return number < 0 ? -number : number; }

void turn(struct view *view) {
  int best = 2 * SIZE, best_x = 0, best_y = 0;
  for (int y = 0; y < SIZE; y++)
    for (int x = 0; x < SIZE; x++) {
      int far = amount(way(view->x, x)) + amount(way(view->y, y));
      if (view->field[y][x] && far < best) best = far, best_x = way(view->x, x), best_y = way(view->y, y);
    }
  if (best == 2 * SIZE) return;
  if (amount(best_x) >= amount(best_y)) view->move = best_x > 0 ? EAST : WEST;
  else view->move = best_y > 0 ? SOUTH : NORTH;
}
