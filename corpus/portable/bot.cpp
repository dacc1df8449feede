// A bot: paths on a map with a queue and distances, the best move by a small search.
// System: the same output.
// Input: 12 9 5
#include <cstdio>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

struct World {
  int width, height;
  std::vector<std::string> rows;
  bool is_free(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height && rows[y][x] == '.'; }
};

static World draw(int width, int height, unsigned seed) {
  World world{width, height, std::vector<std::string>(height, std::string(width, '.'))};
  for (auto &row : world.rows)
    for (char &cell : row) {
      seed = seed * 1664525u + 1013904223u;
      if (seed >> 30 == 0) cell = '#';
    }
  world.rows[0][0] = world.rows[height - 1][width - 1] = '.';
  return world;
}

static int distance(const World &world, std::pair<int, int> from, std::pair<int, int> to) {
  std::map<std::pair<int, int>, int> seen{{from, 0}};
  std::queue<std::pair<int, int>> waiting;
  waiting.push(from);
  const int dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
  while (!waiting.empty()) {
    auto at = waiting.front();
    waiting.pop();
    if (at == to) return seen[at];
    for (int way = 0; way < 4; way++) {
      std::pair<int, int> next{at.first + dx[way], at.second + dy[way]};
      if (!world.is_free(next.first, next.second) || !seen.emplace(next, seen[at] + 1).second) continue;
      waiting.push(next);
    }
  }
  return -1;
}

static double best(double value, int depth) {
  if (depth == 0) return value;
  double most = -1e9;
  for (int move = 0; move < 5; move++) {
    double gain = best(value * 0.75 + (move * 7 % 5) / 3.0, depth - 1);
    if (gain > most) most = gain;
  }
  return most;
}

int main() {
  int width, height, turns;
  if (std::scanf("%d %d %d", &width, &height, &turns) != 3) return 1;
  for (int turn = 1; turn <= turns; turn++) {
    World world = draw(width, height, (unsigned)turn);
    std::printf("turn %d: %d %.6f\n", turn, distance(world, {0, 0}, {width - 1, height - 1}), best(turn, 5));
  }
  return 0;
}
