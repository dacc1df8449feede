// Rejected: it writes to its counter, in main
// The library writes where no store of the program does: seen when it is read again.
#include <unistd.h>
extern char opc_fuel_memory[];
ssize_t (*volatile get)(int, void *, size_t) = read;
int main(void) {
  int ends[2];
  if (pipe(ends)) return 1;
  if (write(ends[1], "\377\377\377\377\377\377\377\077", 8) != 8) return 1;
  if (get(ends[0], opc_fuel_memory, 8) != 8) return 1;
  return 0;
}
