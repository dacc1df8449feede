/* Thinks for about three turns' fuel, and then has a good answer: a host that
 * lets it think on gets that in a later round. */
#include "game.h"

void turn(struct view *view) {
  volatile unsigned thought = 0;
  while (thought < 40000) thought++;
  view->move = view->round % 2 ? EAST : SOUTH;
}
