/* What a bot sees of the game, and where it says its move.
 *
 * Gold lies on a field that has no edge: who goes out on one side comes in on
 * the other. Each round every bot makes one step, in the order of their
 * names on the command line; who steps on gold has it.
 */
#include <stdint.h>

enum { SIZE = 12 };
enum { STAY, NORTH, EAST, SOUTH, WEST };

struct view {
  int32_t round, x, y, gold; /* the bot's own */
  int32_t move;              /* STAY before a turn begins */
  uint8_t field[SIZE][SIZE]; /* [y][x], 1 where gold lies */
};
