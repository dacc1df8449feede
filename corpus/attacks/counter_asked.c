// Asks the kernel whether there is memory, page by page: that is no crash. It
// is paid for, and there are 2^35 places: at a million a second, nine hours.
// Ends: used-up|time|blocked
#include <stdint.h>
#include <unistd.h>
int main(void) {
  for (uint64_t i = 1;; i++) {
    uint64_t where = (i * UINT64_C(0x9e3779b97f4a7c15)) >> 17 & ~UINT64_C(4095);
    if (write(1, (void *)where, 8) == 8 && *(int64_t *)(where + 8) == 0x314c45554643504f) {
      for (;;) *(volatile int64_t *)where = INT64_C(1) << 60;
    }
  }
}
