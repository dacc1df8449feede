// Goes on behind main.
// Ends: used-up, spin
#include <stdlib.h>
static void spin(void) {
  for (volatile int i = 0;; i++);
}
int main(void) {
  atexit(spin);
  return 0;
}
