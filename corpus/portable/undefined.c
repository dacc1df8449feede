// What C leaves open and machines fill in their own ways: shifts by the width,
// threads' variables, barriers of assembly.
#include <stdio.h>
volatile int width = 40, one = 1;
volatile long long wide = 70;
_Thread_local int own = 3;
__attribute__((noinline)) int fill(int *a) { int sum = 0; for (int i = 0; i < 8; i++) sum += a[i]; return sum; }
int main(void) {
  int small = (short)1 << (width - 20);
  unsigned char tiny = (unsigned char)((unsigned char)one << (width - 30));
  __asm__ volatile("" ::: "memory");
  __asm__("" : "+r"(small));
  int lanes[8];
  for (int i = 0; i < 8; i++) lanes[i] = 1 << (width + i);
  printf("%d %lld %d %d %d %d\n", one << width, (long long)one << wide, small, tiny, fill(lanes), ++own);
  return 0;
}
