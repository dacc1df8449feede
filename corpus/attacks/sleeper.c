// Uses no fuel: it sleeps.
// Ends: blocked
#include <unistd.h>
int main(void) {
  for (int i = 0; i < 1000; i++) sleep(1000);
  return 0;
}
