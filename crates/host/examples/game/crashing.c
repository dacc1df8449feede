/* Does well for ten rounds, and then reads what is not there. */
#include "game.h"

void turn(struct view *view) {
  view->move = NORTH;
  if (view->round >= 10) view->move = *(volatile int *)(uintptr_t)view->round;
}
