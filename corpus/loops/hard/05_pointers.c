/* Pointers that walk to an end, and one that walks until it finds a zero. */
#include "hard.h"
#include <unistd.h>

int walk(const int *b, int n) {
  const int *e = b + n;
  int sum = 0;
  while (b < e) {  // expect: body=max(n,0) quality=exact assume=inbounds
    sum += *b;
    b += 1;
  }
  return sum;
}

int walk_by_two(const int *b, int n) {
  const int *e = b + n;
  int sum = 0;
  while (b < e) {  // expect: body=ceil_div(max(n,0),2) quality=exact assume=inbounds
    sum += *b;
    b += 2;
  }
  return sum;
}

int walk_by_two_with_a_call(const int *b, int n) {
  const int *e = b + n;
  int sum = 0;
  while (b < e) {  // expect: body=ceil_div(max(n,0),2) quality=exact assume=inbounds
    sum += *b + (getpid() < 0);
    b += 2;
  }
  return sum;
}

int walk_back(const int *b, int n) {
  const int *p = b + n;
  int sum = 0;
  while (p != b) {  // expect: body=n quality=exact assume=inbounds where=n>=0
    p--;
    sum += *p;
  }
  return sum;
}

/* What decides lies in memory. An optimiser may make a call of strlen of it:
   then there is no loop, which is not a loop of no turns. */
int length(const char *s) {
  const char *p = s;
  while (*p) {  // expect: body=* quality=unknown
    p++;
  }
  return (int)(p - s);
}

int main(void) {
  static const int a[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  long sum = length("eleven char") + length("");
  for (int n = 0; n < 11; n++) {
    sum += walk(a, n) + 2 * walk_by_two(a, n) + 3 * walk_by_two_with_a_call(a, n) + 5 * walk_back(a, n);
  }
  return finish("pointers", sum, 1881);
}
