/* Bounds in memory, as C has them: looked at anew in each turn, so that a
   store that might reach them decides whether anything can be said. */
#include "hard.h"

int bound = 10;
static int hidden = 7;
static int fields[4] = {3, 5, 8, 13};
static int area[64];
static double heat[64];

/* Stores of another type, and of the same type to another object. */
int doubles(void) {
  int i;
  for (i = 0; i < bound; i++) {  // expect: body=max(bound,0) quality=exact
    heat[i] = i;
  }
  return i;
}

int same_type(void) {
  int i;
  for (i = 0; i < bound; i++) {  // expect: body=max(bound,0) quality=exact
    area[i] = i;
  }
  return i;
}

/* Through a pointer that anyone may have made point to it. */
int through_a_pointer(int *p) {
  int i;
  for (i = 0; i < bound; i++) {  // expect: body=* quality=unknown; body=max(bound,0) quality=exact world=closed
    p[i] = i;
  }
  return i;
}

/* Nobody else can name it, and its address goes nowhere. */
int hidden_bound(int *p) {
  int i;
  for (i = 0; i < hidden; i++) {  // expect: body=7 quality=exact
    p[i] = i;
  }
  return i;
}

/* One field is the bound, its neighbour is written. */
int neighbour(void) {
  int i;
  for (i = 0; i < fields[2]; i++) {  // expect: body=8 quality=exact world=closed
    fields[1] = i;
  }
  return i;
}

/* The bound itself is written: it runs until they meet. */
int shrinks(void) {
  int i, before = bound;
  for (i = 0; i < bound; i++) {  // expect: body=(max(bound,0)+1)/2 quality=exact
    bound--;
  }
  bound = before;
  return i;
}

/* Where it may be written is told by data. */
int sometimes(const int *a) {
  int i, before = bound;
  for (i = 0; i < bound; i++) {  // expect: body=* quality=unknown
    if (a[i] == 2) bound = i;
  }
  bound = before;
  return i;
}

int main(void) {
  long sum = 0;
  for (bound = 0; bound < 12; bound += 3) {
    area[5] = 2;
    sum += doubles() + 2 * same_type() + 3 * through_a_pointer(area + 20) + 7 * shrinks();
    sum += 11 * hidden_bound(area + 40) + 13 * neighbour() + 17 * sometimes(area);
  }
  return finish("global", sum, 1055);
}
