// Remembers in a std::map what it has seen, plans to each piece of gold by
// breadth-first search, and leaves the search by an exception. A global with a
// constructor and <iostream> are metered on the first turn's fuel.
#include <iostream>
#include <map>
#include <queue>
#include <utility>

extern "C" {
#include "game.h"
}

using Place = std::pair<int, int>;

static std::map<Place, int> seen = {{{0, 0}, 0}};

struct Found {
  Place place;
};

static Place step(Place from, int move) {
  static const int dx[] = {0, 0, 1, 0, -1}, dy[] = {0, -1, 0, 1, 0};
  return {(from.first + dx[move] + SIZE) % SIZE, (from.second + dy[move] + SIZE) % SIZE};
}

extern "C" void turn(view *view) {
  Place start{view->x, view->y};
  seen[start]++;
  std::map<Place, int> first_move = {{start, STAY}};
  std::queue<Place> open;
  open.push(start);
  try {
    for (; !open.empty(); open.pop())
      for (int move : {NORTH, EAST, SOUTH, WEST}) {
        Place next = step(open.front(), move);
        int first = first_move[open.front()];
        if (!first_move.insert({next, first == STAY ? move : first}).second) continue;
        if (view->field[next.second][next.first]) throw Found{next};
        open.push(next);
      }
  } catch (const Found &found) {
    view->move = first_move[found.place];
  }
  std::cout << "round " << view->round << ": " << seen.size() << " places seen\n";
}
