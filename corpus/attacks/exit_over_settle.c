// Ends in the middle of a loop: what was done is paid for.
// Ends: finished
#include <stdlib.h>
__attribute__((noinline)) static int work(int i) {
  if (i == 100000) exit(0);
  return i;
}
int main(void) {
  volatile int sum = 0;
  for (int i = 0;; i++) sum += work(i);
}
