/* What has no header, steps that are not known, ends that include the last
   number, and lists. */
#include "hard.h"
#include <stddef.h>

/* A jump into the middle: no natural loop, and it has to be said. */
int into_the_middle(int n, int at) {
  int i = 0, sum = 0;
  if (at) goto middle;
top:  // expect: body=* quality=unknown form=irreducible
  sum += 1;
middle:
  sum += 2;
  i++;
  if (i < n) goto top;
  if (sum < 3) goto middle;
  return sum;
}

/* The step is an argument, and it is known to be positive. */
int by_step(int n, int s) {
  int turns = 0;
  if (s <= 0) return 0;
  for (int i = 0; i < n; i += s) {  // expect: body=ceil_div(max(n,0),s) quality=exact assume=nsw where=s>0
    turns++;
  }
  return turns;
}

/* Nothing is known of the step: where it is 0 this does not end, and a loop
   that does nothing else may be taken to end. */
int by_any_step(int n, int s) {
  int turns = 0;
  for (int i = 0; i < n; i += s) {  // expect: body=ceil_div(max(n,0),s) quality=exact assume=nsw,mustprogress where=s>0
    turns++;
  }
  return turns;
}

/* All numbers are at most 2^32 - 1: with that bound it would not end. */
unsigned inclusive(unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 0; i <= n; i++) {  // expect: body=n+1 quality=exact assume=mustprogress
    sum += i;
  }
  return sum;
}

/* Nothing to assume: the counter is wider than the bound. */
unsigned inclusive_wide(unsigned n) {
  unsigned sum = 0;
  for (unsigned long i = 0; i <= n; i++) {  // expect: body=n+1 quality=exact
    sum += (unsigned)i;
  }
  return sum;
}

struct node {
  int value;
  struct node *next;
};

int list(const struct node *p) {
  int sum = 0;
  for (; p != NULL; p = p->next) {  // expect: body=* quality=unknown
    sum += p->value;
  }
  return sum;
}

/* It never ends by itself. */
int forever(const int *a, int key) {
  int i = 0;
  for (;;) {  // expect: body=* quality=unknown
    if (a[i % 8] == key) return i;
    i++;
  }
}

int main(void) {
  static const int a[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  struct node c = {5, NULL}, b = {3, &c}, first = {2, &b};
  long sum = list(&first) + list(NULL) + forever(a, 9);
  for (int n = 0; n < 12; n++) {
    sum += into_the_middle(n, 0) + 2 * into_the_middle(n, 1) + 3 * by_step(n, 1) + 5 * by_step(n, 4) + by_step(n, 0);
    sum += 7 * by_any_step(n, 5) + 11 * (long)inclusive((unsigned)n) + 13 * (long)inclusive_wide((unsigned)n);
  }
  return finish("irreducible and steps", sum, 7895);
}
