// Ends: used-up. The limit is met at the same place everywhere.
#include <stdio.h>
volatile unsigned steps;
__attribute__((noinline)) static void wander(unsigned n) { for (;; n = n * 3 + 1) steps += n; }
int main(void) {
  puts("off");
  wander(7);
}
