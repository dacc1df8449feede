// Rejected: it writes to its counter, in main, fill.c:9
// A fill that begins before the counter's page and reaches it.
#include <stdlib.h>
#include <string.h>
extern char opc_fuel_memory[];
volatile size_t more = 8;
int main(void) {
  char *before = opc_fuel_memory - 1000;
  memset(before, 0x3f, 1000 - 7 + more);
  return 0;
}
