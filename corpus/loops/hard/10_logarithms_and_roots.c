/* Counters that double, halve, shift or are squared. */
#include "hard.h"

int doubling(int n) {
  int turns = 0;
  for (int i = 1; i < n; i *= 2) {  // expect: body=log2_ceil(n) quality=exact assume=nsw
    turns++;
  }
  return turns;
}

int tripling(int n) {
  int turns = 0;
  for (int i = 2; i <= n; i = 3 * i) {  // expect: body=digits(n/2,3) quality=exact assume=nsw
    turns++;
  }
  return turns;
}

int bits(unsigned n) {
  int turns = 0;
  while (n) {  // expect: body=digits(n,2) quality=exact
    turns++;
    n >>= 1;
  }
  return turns;
}

int digits_of(int n) {
  int turns = 0;
  while (n > 0) {  // expect: body=digits(n,10) quality=exact
    turns++;
    n /= 10;
  }
  return turns;
}

int root(int n) {
  int i = 0;
  for (; i * i < n; i++) {  // expect: body=sqrt_ceil(n) quality=exact assume=nsw
  }
  return i;
}

int levels(int n) {
  int nn = 2, lg = 1;
  while (nn < n) {  // expect: body=max(log2_ceil(n)-1,0) quality=exact assume=nsw
    nn = nn * 2;
    lg++;
  }
  return lg;
}

/* 2 i + 1: one less than a power of two. */
int mersenne(int n) {
  int turns = 0;
  for (int i = 0; i < n; i = 2 * i + 1) {  // expect: body=log2_ceil(n+1) quality=exact assume=nsw where=n>=0
    turns++;
  }
  return turns;
}

/* Bits that are set: what decides is in the value, 32 at most. */
int ones(unsigned n) {
  int turns = 0;
  while (n) {  // expect: body=32 quality=bound
    n &= n - 1;
    turns++;
  }
  return turns;
}

/* Euclid: nobody has a formula. */
int steps_of_euclid(unsigned a, unsigned b) {
  int turns = 0;
  while (b) {  // expect: body=* quality=unknown
    unsigned r = a % b;
    a = b;
    b = r;
    turns++;
  }
  return turns;
}

int main(void) {
  long sum = 0;
  for (int n = -2; n < 130; n++) {
    sum += doubling(n) + 2 * tripling(n) + 3 * digits_of(n) + 5 * root(n) + 7 * levels(n);
    if (n >= 0) sum += 11 * bits((unsigned)n) + 13 * mersenne(n) + 17 * ones((unsigned)n) + steps_of_euclid(n, 17);
  }
  return finish("logarithms and roots", sum, 40156);
}
