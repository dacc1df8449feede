// Rejected: it writes to its counter, in main, store.c:7
// A store by another name of the counter's page, at a place worked out.
#include <stdio.h>
extern long opc_fuel_memory[];
int main(int count, char **v) {
  (void)v;
  opc_fuel_memory[count - 1] = 0x3fffffffffffffff;
  puts("free");
  for (volatile unsigned i = 0; i < 1000; i++);
  return 0;
}
