// Goes through all memory behind its own data, in search of the counter's mark.
// Ends: crashed|finished|rejected
#include <stdint.h>
static int64_t here = 7;
int main(void) {
  uintptr_t page = (uintptr_t)&here & ~(uintptr_t)4095;
  for (uintptr_t far = 0;; far += 4096) {
    int64_t *volatile guess = (int64_t *)(page + far);
    if (guess[1] == 0x314c45554643504f) {
      for (;;) *guess = INT64_C(1) << 60;
    }
  }
}
