/* The same loop in two threads: own counters are exact in each; a counter or
   an end that both can write is not. Needs -pthread. */
#include "hard.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int next, last = 1000;
static const int pieces = 50;

/* Own counter, and an end that nobody writes. */
static int own(void) {
  int turns = 0;
  for (int i = 0; i < pieces; i++) {  // expect: body=50 quality=exact
    turns++;
  }
  return turns;
}

/* Each takes the next number: together 1000 turns, each some of them. */
static int taken(void) {
  int turns = 0;
  while (atomic_fetch_add(&next, 1) < 1000) {  // expect: body=* quality=unknown
    turns++;
  }
  return turns;
}

/* One lowers the end of the other. */
static int until_last(void) {
  int turns = 0;
  for (int i = 0; i < atomic_load(&last); i++) {  // expect: body=* quality=unknown
    atomic_fetch_sub(&last, 1);
    turns++;
  }
  return turns;
}

static void *work(void *at) {
  int *result = at;
  result[0] = own();
  result[1] = taken();
  result[2] = until_last();
  return NULL;
}

int main(void) {
  int results[2][3] = {{0}};
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, results[0]) != 0) return 1;
  work(results[1]);
  if (pthread_join(thread, NULL) != 0) return 1;
  int is_sane = results[0][2] + results[1][2] <= 1000 && results[0][2] + results[1][2] > 0;
  return finish("threads", results[0][0] + results[1][0] + results[0][1] + results[1][1] + is_sane, 1101);
}
