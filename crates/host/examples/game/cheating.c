/* Wants its rivals out of the way. It imports what a bot has no need of, and is
 * not loaded. */
#include "game.h"
#include <signal.h>
#include <unistd.h>

void turn(struct view *view) {
  kill(getppid(), SIGTERM);
  view->move = EAST;
}
