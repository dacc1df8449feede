// Functions that call themselves and each other, and an exit far down.
#include <stdio.h>
#include <stdlib.h>
static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__attribute__((noinline)) static int down(int n, volatile int *status) {
  if (n == 0) exit(*status);
  int below = down(n - 1, status);
  return below + *status;
}
int main(void) {
  volatile int status = 200;
  printf("%ld %d\n", fib(20), even(1001));
  down(100, &status);
  return 0;
}
