/* Downwards, and tests that move what they test. */
#include "hard.h"

/* The test that fails moves n too: it ends at -1. */
int post_decrement(int n) {
  int turns = 0;
  while (n-- > 0) {  // expect: body=max(n,0) quality=exact
    turns++;
  }
  return turns + n;
}

int pre_decrement(int n) {
  int turns = 0;
  while (--n > 0) {  // expect: body=max(n-1,0) quality=exact
    turns++;
  }
  return turns;
}

int do_down(int n) {
  int sum = 0;
  for (int k = n - 1; k >= 1; k--) {  // expect: body=max(n-1,0) quality=exact
    sum += k;
  }
  return sum;
}

int to_zero(unsigned n) {
  int turns = 0;
  while (n) {  // expect: body=n quality=exact
    turns++;
    n--;
  }
  return turns;
}

int from_the_end(const int *a, int n) {
  int sum = 0;
  for (int i = n; i--;) {  // expect: body=n quality=exact where=n>=0
    sum += a[i];
  }
  return sum;
}

int wide_start(long from, int to) {
  int turns = 0;
  for (long i = from; i > to; i -= 2) {  // expect: body=ceil_div(max(from-to,0),2) quality=exact assume=nsw
    turns++;
  }
  return turns;
}

int main(void) {
  static const int a[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  long sum = 0;
  for (int n = -3; n < 12; n++) {
    sum += post_decrement(n) + 2 * pre_decrement(n) + 3 * do_down(n) + 5 * wide_start(n, -2);
    if (n >= 0) sum += 7 * to_zero((unsigned)n) + 11 * from_the_end(a, n);
  }
  return finish("counting down", sum, 4668);
}
