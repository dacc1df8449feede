// A host in C++: plays a game of gold between plug-ins and tells how it went.
//
//   opcost fuel --header > opcost_host.h
//   opcost fuel --emit shared honest.c -o honest.so      (and the other bots)
//   c++ -o host host.cpp && ./host honest.so endless.so sleeping.so
//
// A turn is 100,000 instructions and 50 ms. Who has not finished thinks on in
// the next round, three times at most; who crashes, or wants more than it may
// have, is dropped in the middle of whatever it does, and the others play on.
#define OPCOST_HOST_IMPLEMENTATION
#include "opcost_host.h"

#include "game.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static const int rounds = 40;
static const uint64_t fuel = 100000, deadline = 50000000;

struct Player {
  std::string name, end;
  opcost_instance *bot = nullptr;
  opcost_function turn = nullptr;
  view shown{}; // the bot may write all of it, so what counts stands apart
  int x = 0, y = 0, gold = 0, turns = 0, finished = 0, used_up = 0, in_a_row = 0;
  uint64_t spent = 0;
};

struct Game {
  uint8_t field[SIZE][SIZE]{};
  uint32_t dice = 1;

  void drop_gold() {
    dice = dice * 1664525 + 1013904223;
    field[(dice >> 16) % SIZE][(dice >> 24) % SIZE] = 1;
  }

  void step(Player &player) {
    static const int dx[] = {0, 0, 1, 0, -1}, dy[] = {0, -1, 0, 1, 0};
    int move = player.shown.move >= STAY && player.shown.move <= WEST ? player.shown.move : STAY;
    player.x = (player.x + dx[move] + SIZE) % SIZE;
    player.y = (player.y + dy[move] + SIZE) % SIZE;
    uint8_t &here = field[player.y][player.x];
    if (!here) return;
    here = 0;
    player.gold++;
    drop_gold();
  }
};

static Player enter(const std::string &path, int place) {
  static const char *const allowed[] = {"sleep", nullptr}; // so that the deadline has something to do
  const opcost_options options = {256 << 10, 8 << 20, allowed};
  char reason[200];
  Player player;
  size_t slash = path.rfind('/');
  player.name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  player.x = player.y = place % SIZE;
  player.bot = opcost_load(path.c_str(), &options, reason, sizeof reason);
  player.turn = player.bot ? opcost_find(player.bot, "turn") : nullptr;
  if (!player.bot) player.end = std::string("rejected: ") + reason;
  else if (!player.turn) player.end = "has no function turn";
  return player;
}

static void play(Game &game, Player &player, int round) {
  opcost_verdict verdict;
  player.turns++;
  if (player.in_a_row == 0) {
    player.shown = {round, player.x, player.y, player.gold, STAY, {}};
    memcpy(player.shown.field, game.field, sizeof game.field);
    verdict = opcost_run(player.bot, player.turn, &player.shown, fuel, deadline);
  } else {
    verdict = opcost_resume(player.bot, fuel, deadline);
  }
  player.spent = verdict.spent_in_all;
  if (verdict.kind == OPCOST_FINISHED) {
    player.finished++;
    player.in_a_row = 0;
    return game.step(player);
  }
  player.end = std::string(opcost_kind_name(verdict.kind)) + " in round " + std::to_string(round);
  if (verdict.kind == OPCOST_USED_UP) {
    player.used_up++;
    if (verdict.file) player.end += std::string(", ") + verdict.file + ":" + std::to_string(verdict.line);
    if (++player.in_a_row < 3) return player.end.clear();
  }
  opcost_drop(player.bot);
  player.bot = nullptr;
}

int main(int count, char **paths) {
  Game game;
  std::vector<Player> players;
  for (int i = 1; i < count; i++) players.push_back(enter(paths[i], i - 1));
  for (int i = 0; i < 20; i++) game.drop_gold();
  for (int round = 0; round < rounds; round++)
    for (Player &player : players)
      if (player.end.empty()) play(game, player, round);
  printf("%-12s %5s %8s %7s %5s  %s\n", "bot", "turns", "finished", "used-up", "gold", "spent, and how it ended");
  for (Player &player : players) {
    printf("%-12s %5d %8d %7d %5d  %llu %s\n", player.name.c_str(), player.turns, player.finished, player.used_up,
           player.gold, (unsigned long long)player.spent, player.end.c_str());
    opcost_drop(player.bot);
  }
}
