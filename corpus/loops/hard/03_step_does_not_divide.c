/* Steps that do not divide the distance: the last turn is a short one, and it
   counts. A call in the body that might not come back changes nothing. */
#include "hard.h"
#include <unistd.h>

int by_three(const int *a, int n) {
  int sum = 0;
  for (int i = 0; i < n; i += 3) {  // expect: body=ceil_div(max(n,0),3) quality=exact assume=nsw
    sum += a[i];
  }
  return sum;
}

int by_three_with_a_call(int n) {
  int sum = 0;
  for (int i = 0; i < n; i += 3) {  // expect: body=ceil_div(max(n,0),3) quality=exact assume=nsw
    sum += getpid() > 0;
  }
  return sum;
}

/* All multiples of 3 below 2^32 are met before the counter comes round, for
   2^32 - 1 is one of them: exact, and nothing is assumed. */
int unsigned_by_three(unsigned n) {
  int sum = 0;
  for (unsigned i = 0; i < n; i += 3) {  // expect: body=ceil_div(n,3) quality=exact
    sum += getpid() > 0;
  }
  return sum;
}

int inclusive_by_four(int from, int to) {
  int sum = 0;
  for (int i = from; i <= to; i += 4) {  // expect: body=max((to-from+4)/4,0) quality=exact assume=nsw
    sum += i;
  }
  return sum;
}

int down_by_seven(int n) {
  int sum = 0;
  for (int i = n; i > 0; i -= 7) {  // expect: body=ceil_div(max(n,0),7) quality=exact assume=nsw
    sum += i;
  }
  return sum;
}

int main(void) {
  static const int a[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  long sum = 0;
  for (int n = -4; n < 20; n++) {
    sum += by_three(a, n) + 2 * by_three_with_a_call(n) + 3 * inclusive_by_four(-3, n) + 5 * down_by_seven(n);
  }
  for (unsigned n = 0; n < 20; n++) {
    sum += 7 * unsigned_by_three(n);
  }
  return finish("step does not divide", sum, 3017);
}
