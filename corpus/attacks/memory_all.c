// Takes memory until there is none, and uses what it did not get.
// Ends: memory
#include <stdlib.h>
#include <string.h>
int main(void) {
  for (;;) {
    char *volatile some = malloc(1 << 20);
    memset(some, 1, 4096);
  }
}
