/* A callee writes the end through a pointer that has escaped, and its twin
   that only reads it: what may be said of the one must not be said of the
   other. */
#include "hard.h"

static int *kept;

__attribute__((noinline)) void keep(int *p) {
  kept = p;
}

__attribute__((noinline)) void lower(void) {
  *kept = *kept - 1;
}

__attribute__((noinline)) int read_it(void) {
  return *kept;
}

int written(int n) {
  int end = n, turns = 0;
  keep(&end);
  for (int i = 0; i < end; i++) {  // expect: body=* quality=unknown
    turns++;
    lower();
  }
  return turns;
}

int only_read(int n) {
  int end = n, turns = 0;
  keep(&end);
  for (int i = 0; i < end; i++) {  // expect: body=* quality=unknown; body=max(n,0) quality=exact world=closed
    turns += read_it() > 0;
  }
  return turns;
}

/* By an argument: written, and only read. */
__attribute__((noinline)) void lower_this(int *p) {
  --*p;
}

__attribute__((noinline)) int read_this(const int *p) {
  return *p;
}

int argument_written(int n) {
  int end = n, turns = 0;
  for (int i = 0; i < end; i++) {  // expect: body=* quality=unknown; body=(max(n,0)+1)/2 quality=exact world=closed
    turns++;
    lower_this(&end);
  }
  return turns;
}

int argument_read(int n) {
  int end = n, turns = 0;
  for (int i = 0; i < end; i++) {  // expect: body=* quality=unknown; body=max(n,0) quality=exact world=closed
    turns += read_this(&end) > 0;
  }
  return turns;
}

/* A member behind two pointers, written by its other name. */
struct inner {
  int length, used;
};
struct outer {
  struct inner *in;
};

int by_other_name(struct outer *a, struct outer *b) {
  int turns = 0;
  for (int i = 0; i < a->in->length; i++) {  // expect: body=* quality=unknown
    turns++;
    b->in->length--;
  }
  return turns;
}

int other_member(struct outer *a) {
  int turns = 0;
  for (int i = 0; i < a->in->length; i++) {  // expect: body=max(a->in->length,0) quality=exact
    turns++;
    a->in->used++;
  }
  return turns;
}

/* Through a table of functions. */
typedef void (*visitor)(int *);
static void leave_alone(int *p) {
  (void)p;
}
static const visitor visitors[2] = {lower_this, leave_alone};

int visited(int n, int which) {
  int end = n, turns = 0;
  for (int i = 0; i < end; i++) {  // expect: body=* quality=unknown
    turns++;
    visitors[which](&end);
  }
  return turns;
}

int main(void) {
  struct inner x = {8, 0}, y = {8, 0};
  struct outer a = {&x}, b = {&x}, c = {&y};
  long sum = 0;
  for (int n = 0; n < 12; n++) {
    sum += written(n) + 2 * only_read(n) + 3 * argument_written(n) + 5 * argument_read(n);
    sum += 7 * visited(n, 0) + 11 * visited(n, 1);
  }
  sum += 13 * by_other_name(&a, &b) + 17 * by_other_name(&c, &b) + 19 * other_member(&a);
  return finish("callee", sum, 1772);
}
