// Locals that were never written. A machine has there what ran before left there.
#include <stdio.h>
volatile int one = 1;
__attribute__((noinline)) int fill(int *a) { int sum = 0; for (int i = 0; i < 8; i++) sum += a[i]; return sum; }
int main(void) {
  int never[8];
  if (one == 2) never[0] = 5;
  printf("%d\n", fill(never));
  return 0;
}
