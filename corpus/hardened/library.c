// Rejected: it writes to its counter, in main
// The library writes where no store of the program does: seen when it is read again. (Behind a call
// that is charged, as `read` is, it is not read again but written, so nothing is left of it.)
#include <sys/uio.h>
#include <unistd.h>
extern char opc_fuel_memory[];
ssize_t (*volatile get)(int, const struct iovec *, int) = readv;
int main(void) {
  int ends[2];
  struct iovec counter = {opc_fuel_memory, 8};
  if (pipe(ends)) return 1;
  if (write(ends[1], "\377\377\377\377\377\377\377\077", 8) != 8) return 1;
  if (get(ends[0], &counter, 1) != 8) return 1;
  return 0;
}
