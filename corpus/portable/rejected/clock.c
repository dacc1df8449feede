// Rejected: main:4: uses time, which the portable library does not have
#include <time.h>
int main(void) {
  return (int)time(0) & 1;
}
