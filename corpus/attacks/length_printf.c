// Work inside the C library, a billion characters for a few instructions: what
// the format asks for is paid, and the output has a limit of its own.
// Ends: rejected|used-up
#include <stdio.h>
int main(void) {
  for (int i = 0; i < 100000; i++) printf("%999999d", 1);
  return 0;
}
