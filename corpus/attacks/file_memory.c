// Writes to its own memory behind the back of all protection.
// Ends: rejected, openat
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  int file = open("/proc/self/mem", O_RDWR);
  return file < 0;
}
