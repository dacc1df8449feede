// Says something and never ends: that is not let out.
// Ends: used-up
#include <stdio.h>
int main(void) {
  puts("a result");
  fflush(stdout);
  for (volatile int i = 0;; i++);
}
