// Looks for files that whoever started it has left open.
// Ends: rejected, read
#include <unistd.h>
int main(void) {
  char byte;
  return read(3, &byte, 1) == 1;
}
