// Jumps out of a hot loop again and again: no fuel comes back.
// Ends: used-up
#include <setjmp.h>
static jmp_buf start;
__attribute__((noinline)) static void leave(int n) {
  volatile int work = 0;
  for (int i = 0; i < n; i++) work += i;
  longjmp(start, 1);
}
int main(void) {
  volatile int n = 0;
  setjmp(start);
  for (;;) leave(n++ & 63);
}
