/* Ends and counters that someone else may change at any time: volatile
   memory, and a handler of signals. */
#include "hard.h"
#include <signal.h>

static volatile int end = 9;
static volatile sig_atomic_t go_on;

int volatile_end(void) {
  int turns = 0;
  for (int i = 0; i < end; i++) {  // expect: body=* quality=unknown
    turns++;
  }
  return turns;
}

/* Read once, before: what it was then holds. */
int volatile_once(void) {
  int turns = 0, known = end;
  for (int i = 0; i < known; i++) {  // expect: body=max(known,0) quality=exact
    turns++;
  }
  return turns;
}

int volatile_counter(int n) {
  int turns = 0;
  volatile int i;
  for (i = 0; i < n; i++) {  // expect: body=* quality=unknown
    turns++;
  }
  return turns;
}

static void stop(int number) {
  (void)number;
  go_on = 0;
}

/* The handler ends it, at the fifth turn. */
int signalled(int n) {
  int turns = 0;
  go_on = 1;
  while (go_on) {  // expect: body=* quality=unknown
    turns++;
    if (turns == n) raise(SIGUSR1);
  }
  return turns;
}

/* The same end, asked beside a counter: the counter is a bound. */
int signalled_with_a_limit(int n, int limit) {
  int turns = 0;
  go_on = 1;
  for (int i = 0; i < limit && go_on; i++) {  // expect: body=max(limit,0) quality=bound
    turns++;
    if (turns == n) raise(SIGUSR1);
  }
  return turns;
}

int main(void) {
  long sum = 0;
  if (signal(SIGUSR1, stop) == SIG_ERR) return 1;
  sum += volatile_end() + 2 * volatile_once() + 3 * volatile_counter(7) + 5 * signalled(5);
  sum += 7 * signalled_with_a_limit(5, 100) + 11 * signalled_with_a_limit(50, 6);
  return finish("volatile", sum, 174);
}
