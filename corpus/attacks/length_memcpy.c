// Work inside the C library, gigabytes for a few instructions: paid for by its length.
// Ends: used-up
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *volatile from = malloc(50 << 20), *volatile to = malloc(50 << 20);
  for (int i = 0; i < 300000; i++) memcpy(to, from, 50 << 20);
  return 0;
}
