/* A host that gives a plug-in one move of 200,000 instructions and 50 ms. */
#define OPCOST_HOST_IMPLEMENTATION
#include "opcost_host.h"

#include <stdio.h>

int main(int count, char **words) {
  for (int at = 1; at < count; at++) {
    char reason[200];
    opcost_instance *bot = opcost_load(words[at], NULL, reason, sizeof reason);
    if (!bot) {
      printf("%s: rejected: %s\n", words[at], reason);
      continue;
    }
    int move = 0;
    opcost_verdict verdict = opcost_run(bot, opcost_find(bot, "move"), &move, 200000, 50000000);
    printf("%s: %s after %llu instructions, move %d\n", words[at], opcost_kind_name(verdict.kind),
           (unsigned long long)verdict.spent, move);
    opcost_drop(bot);
  }
  return 0;
}
