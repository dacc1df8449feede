// Work inside the C library, walked along a string: paid for piece by piece.
// Ends: used-up
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *volatile text = malloc(100 << 20);
  memset(text, 'a', (100 << 20) - 1);
  text[(100 << 20) - 1] = 0;
  volatile unsigned long sum = 0;
  for (int i = 0; i < 300000; i++) sum += strlen(text);
  return 0;
}
