// Knows how a program without the sandbox lies in memory, and where its
// counter is from there: sets it back for ever.
// Ends: crashed|finished|rejected
#include <stdint.h>
static int64_t here = 7;
int main(void) {
  uintptr_t page = (uintptr_t)&here & ~(uintptr_t)65535;
  for (int far = -4; far <= 4; far++) {
    int64_t *volatile guess = (int64_t *)(page + (uintptr_t)(far * 65536));
    if (guess[1] == 0x314c45554643504f) {
      for (;;) *guess = INT64_C(1) << 60;
    }
  }
  return 0;
}
