/* Stop watches by number: cleared, started and stopped from anywhere. */
#include "common.h"
#include <time.h>

static double start[64], elapsed[64];

static double now(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

void timer_clear(int n) {
  elapsed[n] = 0.0;
}

void timer_start(int n) {
  start[n] = now();
}

void timer_stop(int n) {
  elapsed[n] += now() - start[n];
}

double timer_read(int n) {
  return elapsed[n];
}
