/* Uses no fuel at all, but time. */
#include "game.h"
#include <unistd.h>

void turn(struct view *view) {
  for (;;) sleep(1);
  view->move = EAST;
}
