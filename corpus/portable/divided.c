// Ends: crashed. A division by zero is an answer on some machines, and a trap on others.
#include <stdio.h>
volatile int zero, least = -2147483647 - 1, minus = -1;
int main(int count, char **v) {
  (void)v;
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += i / (i + 1);
  printf("%d\n", sum);
  fflush(stdout);
  if (count > 1) return least / minus;
  return 7 % zero;
}
