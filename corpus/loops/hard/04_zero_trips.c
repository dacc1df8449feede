/* Loops that may not begin, and loops that begin in any case. */
#include "hard.h"

int maybe(int n) {
  int turns = 0;
  for (int i = 0; i < n; i++) {  // expect: body=max(n,0) quality=exact
    turns++;
  }
  return turns;
}

int at_least_once(int n) {
  int i = 0, turns = 0;
  do {  // expect: body=max(n,1) quality=exact
    turns++;
    i++;
  } while (i < n);
  return turns;
}

int between(int from, int to) {
  int turns = 0;
  for (int i = from; i < to; i++) {  // expect: body=max(to-from,0) quality=exact
    turns++;
  }
  return turns;
}

/* The guard is elsewhere, and stronger than needed. */
int guarded(int n) {
  int turns = 0;
  if (n > 3) {
    for (int i = 3; i != n; i++) {  // expect: body=n-3 quality=exact
      turns++;
    }
  }
  return turns;
}

int once(void) {
  int turns = 0;
  do {  // expect: body=1 quality=exact
    turns++;
  } while (0);
  return turns;
}

int never(void) {
  int turns = 0;
  for (int i = 7; i < 7; i++) {  // expect: body=0 quality=exact
    turns++;
  }
  return turns;
}

int main(void) {
  long sum = once() + never();
  for (int n = -3; n < 12; n++) {
    sum += maybe(n) + 2 * at_least_once(n) + 3 * between(4, n) + 5 * between(n, 4) + 7 * guarded(n);
  }
  return finish("zero trips", sum, 683);
}
