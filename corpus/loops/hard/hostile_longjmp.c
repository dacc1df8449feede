/* Loops that are left by a jump out of a callee: such an activation is not
   complete, and what was claimed of it is then only a bound. */
#include "hard.h"
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;

__attribute__((noinline)) void maybe_jump(int i, int k) {
  if (i == k) longjmp(back, 1);
}

int jumped(int n, int k) {
  for (int i = 0; i < n; i++) {  // expect: body=max(n,0) quality=exact partial=yes
    maybe_jump(i, k);
  }
  return n;
}

/* The jump comes back into the loop's own function: it goes on. The turn in
   which it happens is begun once and seen twice by nobody. */
int retried(int n) {
  volatile int tries = 0;
  volatile int i;
  for (i = 0; i < n; i++) {  // expect: body=* quality=unknown
    if (setjmp(back) == 0) {
      maybe_jump(i, 3);
    } else {
      tries++;
    }
  }
  return tries;
}

/* Around a loop: what the second return brings is an activation of its own. */
int twice(int n) {
  volatile int first = 1;
  volatile int turns = 0;
  setjmp(back);
  for (int i = 0; i < n; i++) {  // expect: body=max(n,0) quality=exact partial=yes
    turns++;
    if (first && i == 2) {
      first = 0;
      longjmp(back, 1);
    }
  }
  return turns;
}

/* Left by the end of the program. */
static int is_told;
static void tell(void) {
  is_told = 1;
}
int leaves(int n, int k, long sum, long wanted) {
  for (int i = 0; i < n; i++) {  // expect: body=max(n,0) quality=exact partial=yes
    if (i == k) exit(finish("longjmp", sum, wanted));
  }
  return is_told;
}

int main(void) {
  volatile long sum = 0;
  for (volatile int k = -1; k < 6; k++) {
    if (setjmp(back) == 0) {
      sum += jumped(5, k);
    } else {
      sum += 100;
    }
  }
  sum += 3 * retried(6) + 5 * twice(7);
  atexit(tell);
  leaves(10, 4, sum, 563);
  return 1;
}
