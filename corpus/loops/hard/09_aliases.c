/* One counter under two names, and two counters that race. */
#include "hard.h"

/* Both arms go on by one. */
int two_arms(const int *a, int n) {
  int i = 0, sum = 0;
  while (i < n) {  // expect: body=max(n,0) quality=exact
    if (a[i] > 4) {
      sum += a[i];
      i = i + 1;
    } else {
      sum -= a[i];
      i = i + 1;
    }
  }
  return sum;
}

/* The arms differ: between half of it and all of it. */
int unequal_arms(const int *a, int n) {
  int i = 0, sum = 0;
  while (i < n) {  // expect: body=max(n,0) quality=bound
    if (a[i] > 4) {
      i = i + 1;
    } else {
      i = i + 2;
    }
    sum++;
  }
  return sum;
}

/* They meet in the middle. */
int towards_each_other(int n) {
  int turns = 0;
  for (int i = 0, j = n; i < j; i++, j -= 2) {  // expect: body=ceil_div(max(n,0),3) quality=exact assume=nsw
    turns++;
  }
  return turns;
}

/* Who is first at its end. */
int race(int n, int m) {
  int i = 0, j = m, turns = 0;
  while (i < n && j > 0) {  // expect: body=min(max(n,0),ceil_div(max(m,0),2)) quality=exact assume=nsw
    turns++;
    i++;
    j -= 2;
  }
  return turns;
}

/* The counter is copied, and the copy is asked, one turn late. */
int late(int n) {
  int turns = 0, seen = 0;
  for (int i = 0; seen < n; i++) {  // expect: body=max(n+1,0) quality=exact where=n>0
    seen = i;
    turns++;
  }
  return turns;
}

/* A select whose sides are the same. */
int same_sides(int n, int which) {
  int turns = 0;
  for (int i = 0; i < n; i = which ? i + 2 : 2 + i) {  // expect: body=ceil_div(max(n,0),2) quality=exact assume=nsw
    turns++;
  }
  return turns;
}

/* One counter steps by what another has come to: a sum of a row. */
int growing_steps(int n) {
  int turns = 0;
  for (int i = 0, step = 1; i < n; i += step, step++) {  // expect: body=triangle_ceil(max(n,0)) quality=exact assume=nsw
    turns++;
  }
  return turns;
}

int main(void) {
  static const int a[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
  long sum = 0;
  for (int n = -2; n < 12; n++) {
    sum += two_arms(a, n) + 2 * unequal_arms(a, n) + 3 * towards_each_other(n) + 5 * race(n, 7) + 7 * race(5, n);
    sum += 11 * same_sides(n, n & 1) + 13 * growing_steps(n);
    if (n > 0) sum += 17 * late(n);
  }
  return finish("aliases", sum, 2789);
}
