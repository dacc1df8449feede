// Work inside the C library, a billion characters for a few instructions.
// Ends: rejected, printed
#include <stdio.h>
int main(void) {
  for (int i = 0; i < 100000; i++) printf("%999999d", 1);
  return 0;
}
