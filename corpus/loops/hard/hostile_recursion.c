/* Loops in functions that call themselves: each frame counts for itself,
   unless the counter or the end is shared. */
#include "hard.h"

/* Own counters: exact in every activation. */
int tree(int depth, int width) {
  int leaves = depth == 0;
  for (int i = 0; i < (depth > 0 ? width : 0); i++) {  // expect: body=(depth>0?max(width,0):0) quality=exact
    leaves += tree(depth - 1, width);
  }
  return leaves;
}

/* The counter is shared by all frames: the inner ones bring it to its end. */
static int place;
int shared_counter(int depth, int n) {
  int turns = 0;
  for (place = 0; place < n; place++) {  // expect: body=* quality=unknown
    turns++;
    if (depth > 0) turns += shared_counter(depth - 1, n);
  }
  return turns;
}

/* The end is shared and each frame lowers it. */
static int end;
int shared_end(int depth) {
  int turns = 0;
  end = end - 1;
  for (int i = 0; i < end; i++) {  // expect: body=* quality=unknown
    turns++;
    if (depth > 0) turns += shared_end(depth - 1);
  }
  return turns;
}

/* The same without the store: exact again. */
static int fixed_end = 3;
int fixed(int depth) {
  int turns = 0;
  for (int i = 0; i < fixed_end; i++) {  // expect: body=3 quality=exact
    turns++;
    if (depth > 0) turns += fixed(depth - 1);
  }
  return turns;
}

/* Two functions that call each other through a pointer. */
typedef int (*step)(int);
static int odd(int n);
static step other = odd;
int even(int n) {
  int turns = 0;
  for (int i = 0; i < n; i += 2) {  // expect: body=ceil_div(max(n,0),2) quality=exact assume=nsw
    turns += 1 + other(n - 3);
  }
  return turns;
}
static int odd(int n) {
  return n > 0 ? even(n - 1) : 0;
}

int main(void) {
  long sum = tree(4, 3) + 2 * shared_counter(2, 4) + 5 * fixed(3) + 7 * even(12);
  end = 6;
  sum += 3 * shared_end(2);
  return finish("recursion", sum, 1269);
}
