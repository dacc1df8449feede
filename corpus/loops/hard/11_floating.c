/* Counters that are not integers, and exits that look at a residual. */
#include "hard.h"

/* Ten times 0.1 is a little less than 1: an eleventh turn. */
int tenths(void) {
  int turns = 0;
  for (double x = 0.0; x < 1.0; x += 0.1) {  // expect: body=11 quality=exact
    turns++;
  }
  return turns;
}

int halves(void) {
  int turns = 0;
  for (double x = 0.0; x < 8.0; x += 0.5) {  // expect: body=16 quality=exact
    turns++;
  }
  return turns;
}

int singles(void) {
  int turns = 0;
  for (float x = 0.0f; x <= 1.0f; x += 0.1f) {  // expect: body=10 quality=exact
    turns++;
  }
  return turns;
}

/* Down, until it is below a millionth of what it was. */
int fading(void) {
  int turns = 0;
  for (double x = 1.0; x > 1.0e-6; x *= 0.5) {  // expect: body=20 quality=exact
    turns++;
  }
  return turns;
}

/* Where one more does not matter any more it would never end: 2^24. */
int stuck(int limit) {
  int turns = 0;
  for (float x = 16777214.0f; x < 16777300.0f; x += 1.0f) {  // expect: body=max(limit,1) quality=exact
    if (++turns >= limit) break;
  }
  return turns;
}

/* The residual decides; what is known is when patience ends. */
int newton(double a, int itmax) {
  double x = a;
  int it;
  for (it = 0; it < itmax; it++) {  // expect: body=max(itmax,0) quality=bound
    double next = 0.5 * (x + a / x);
    if (next == x) break;
    x = next;
  }
  return it;
}

/* Nothing else decides. */
int until_small(double r) {
  int turns = 0;
  while (r > 1.0e-9) {  // expect: body=* quality=unknown
    r = r * r * 0.9;
    turns++;
  }
  return turns;
}

int main(void) {
  long sum = tenths() + 2 * halves() + 3 * singles() + 5 * fading() + 7 * stuck(100);
  sum += 11 * newton(2.0, 50) + 13 * newton(9.0, 2) + 17 * until_small(0.99);
  return finish("floating", sum, 1090);
}
