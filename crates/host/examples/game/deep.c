/* Calls itself until its stack is full. */
#include "game.h"

__attribute__((noinline)) static int search(struct view *view, int depth) {
  volatile char notes[2000];
  notes[depth % 2000] = (char)depth;
  return search(view, depth + 1) + notes[0];
}

void turn(struct view *view) { view->move = search(view, 0); }
