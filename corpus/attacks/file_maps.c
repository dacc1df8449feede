// Looks for the counter in the list of its own memory: it is not let.
// Ends: finished
#include <stdio.h>
int main(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  return maps == 0 ? 0 : 1;
}
