/* Never comes to an answer. */
#include "game.h"

void turn(struct view *view) {
  for (volatile unsigned thought = 0;; thought++) view->move = WEST;
}
