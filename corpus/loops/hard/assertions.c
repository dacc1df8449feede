/* What the older method asserted of loops in order to count them, one
   function each, and what is true of each. The numbers in the names are the
   order in which it asserts them. */
#include "hard.h"

/* 1: if the exit lies on the back edge it is the true one; others are breaks,
   and then the count is an upper bound. */
int a1_true_exit(const int *a, int n) {
  int i = 0, sum = 0;
  do {  // expect: body=max(n,1) quality=bound
    if (a[i] == 9) break;
    sum += a[i];
    i++;
  } while (i < n);
  return sum;
}

/* 2: the exit compares integers; "equal" and "greater, signed". */
int a2_equal(int n) {
  int i = 0, sum = 0;
  if (n <= 0) return 0;
  do {  // expect: body=n quality=exact where=n>0
    sum += i;
    i++;
  } while (i != n);
  return sum;
}

/* 3: i > 5 leaves when i is 6: one step more. */
int a3_greater(void) {
  int i = 0, turns = 0;
  do {  // expect: body=7 quality=exact
    turns++;
    i++;
  } while (!(i > 6));
  return turns;
}

/* 4: the end does not change in the loop. Here it does, by a call that
   returns something else each time. */
static int fading_end = 9;
__attribute__((noinline)) int end_now(void) {
  return fading_end--;
}
int a4_moving_end(void) {
  int turns = 0;
  fading_end = 9;
  for (int i = 0; i < end_now(); i++) {  // expect: body=* quality=unknown; body=5 quality=exact world=closed
    turns++;
  }
  return turns;
}

/* 5: what is compared is the counter before its step or behind it. Start 0,
   and the next one meets 5: four times back, five bodies. */
int a5_next(void) {
  int i = 0, turns = 0;
  do {  // expect: body=5 back=4 quality=exact
    turns++;
    i = i + 1;
  } while (i != 5);
  return turns;
}
int a5_before(void) {
  int i = 0, turns = 0, was;
  do {  // expect: body=6 back=5 quality=exact
    turns++;
    was = i;
    i = i + 1;
  } while (was != 5);
  return turns;
}

/* 6: a phi in the body whose ways bring the same value is that value. */
int a6_alias(const int *a, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {  // expect: body=max(n,0) quality=exact
    int same;
    if (a[i] & 1) {
      sum += 3 * a[i];
      same = i;
    } else {
      sum -= a[i];
      same = i;
    }
    if (same < 0) break;
  }
  return sum;
}

/* 7: the start comes from the one block before, or from several that agree.
   Here they do not, and the start is one of two. */
int a7_two_starts(int n, int which) {
  int i, turns = 0;
  if (which) {
    i = 2;
  } else {
    i = 5;
  }
  for (; i < n; i++) {  // expect: body=max(n-(which?2:5),0) quality=exact
    turns++;
  }
  return turns;
}

/* 8: a counter in memory, with one store before and one within; several loops
   share it. Its address is told, so it stays in memory. */
static int shared;
int a8_shared_counter(int n, int m) {
  int turns = 0;
  for (shared = 0; shared < n; shared++) {  // expect: body=max(n,0) quality=exact
    turns++;
  }
  for (shared = 3; shared < m; shared += 2) {  // expect: body=ceil_div(max(m-3,0),2) quality=exact assume=nsw
    turns++;
  }
  return turns;
}
__attribute__((noinline)) void look(const int *p, int *sum) {
  *sum += *p;
}
int a8_told(int n) {
  int i, sum = 0;
  for (i = 0; i < n; i++) {  // expect: body=* quality=unknown; body=max(n,0) quality=exact world=closed
    look(&i, &sum);
  }
  return sum;
}
struct cursor {
  int at, end;
};
int a8_field(struct cursor *c) {
  int turns = 0;
  for (c->at = 0; c->at < c->end; c->at++) {  // expect: body=max(c->end,0) quality=exact
    turns++;
  }
  return turns;
}

/* 9: the step is a constant that is added, also where two ways add it. */
int a9_step(const int *a, int n) {
  int i = 0, sum = 0;
  while (i < n) {  // expect: body=ceil_div(max(n,0),4) quality=exact assume=nsw
    if (a[i] & 1) {
      sum += 2 * a[i];
      i += 4;
    } else {
      sum -= a[i];
      i += 4;
    }
  }
  return sum;
}

/* 10: start and end of different widths. */
int a10_widths(short from, long to) {
  int turns = 0;
  for (short i = from; i < to; i++) {  // expect: body=max(to-from,0) quality=exact where=to<=32767
    turns++;
    if (turns > 100) break;
  }
  return turns;
}
int a10_narrow_end(int from, unsigned char to) {
  int turns = 0;
  for (int i = from; i < to; i++) {  // expect: body=max(to-from,0) quality=exact
    turns++;
  }
  return turns;
}

/* 11: (end - start + one * step) / step, for one = -1, 0 and 1. */
int a11_minus(int n) {
  int i = 2, turns = 0;
  if (n < 5) return 0;
  for (;;) {  // expect: body=(n-2)/3 back=(n-2)/3-1 quality=exact assume=nsw where=n>=5
    turns++;
    i += 3;
    if (i + 3 > n) break;
  }
  return turns;
}
int a11_zero(int n) {
  int turns = 0;
  for (int i = 2; i < n; i += 3) {  // expect: body=ceil_div(max(n-2,0),3) quality=exact assume=nsw
    turns++;
  }
  return turns;
}
int a11_plus(int n) {
  int turns = 0;
  for (int i = 2; i <= n; i += 3) {  // expect: body=max((n-2+3)/3,0) quality=exact assume=nsw where=n>=-1
    turns++;
  }
  return turns;
}

/* 12: with two exits that count, neither alone is the answer. */
int a12_two_counted(int n, int m) {
  int turns = 0;
  for (int i = 0; i < n; i++) {  // expect: body=min(max(n,0),max(m,0)+1) quality=exact
    if (i >= m) break;
    turns++;
  }
  return turns;
}

/* The closed forms of loop sequences: i1 = 5h+1, i2 = 5h+3, i3 = 5h+6 for the
   turns h of the outer loop, l = 20h+t+24 for turn t of the inner. */
long sequences(int n) {
  long sum = 0;
  int i1 = 1, i2 = 3, i3 = 6, l = 24;
  for (int h = 0; h < n; h++) {  // expect: body=max(n,0) quality=exact
    l = 20 * h + 24;
    for (int t = 0; t < i1; t++) {  // expect: body=5*h+1 quality=exact
      sum += l;
      l++;
    }
    for (int t = i1; t < i2; t++) {  // expect: body=2 quality=exact
      sum += t;
    }
    for (int t = 0; t < i3 - i2; t++) {  // expect: body=3 quality=exact
      sum += t;
    }
    i1 += 5;
    i2 += 5;
    i3 = i2 + 3;
  }
  return sum;
}

int main(void) {
  static const int a[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
  struct cursor c = {0, 6};
  long sum = a3_greater() + 2 * a4_moving_end() + 3 * a5_next() + 5 * a5_before() + 7 * a8_field(&c);
  for (int n = -1; n < 13; n++) {
    sum += a1_true_exit(a, n) + 2 * a2_equal(n) + 3 * a6_alias(a, n) + 5 * a7_two_starts(n, n & 1);
    sum += 7 * a8_shared_counter(n, 9) + 11 * a8_told(n) + 13 * a9_step(a, n) + 17 * a10_widths(3, n);
    sum += 19 * a10_narrow_end(n, 7) + 23 * a11_minus(n) + 29 * a11_zero(n) + 31 * a11_plus(n);
    sum += 37 * a12_two_counted(n, 4) + 41 * sequences(n);
  }
  return finish("assertions", sum, 9813014);
}
