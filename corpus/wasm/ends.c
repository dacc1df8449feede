// Ends that an engine brings about, chosen by the first argument.
#include <stdio.h>
#include <stdlib.h>
static volatile int zero = 0, one = 1;
__attribute__((noinline)) static int frames(int n) {
  volatile char frame[1000];
  frame[n % 1000] = 1;
  return n ? frames(n - 1) + frame[n % 1000] : 0;
}
__attribute__((noinline)) static int calls(int n) { return n ? calls(n - 1) + one : one; }
int main(int count, char **words) {
  puts("begun");
  fflush(stdout);
  switch (count > 1 ? atoi(words[1]) : 0) {
    case 1: abort();
    case 2: return *(volatile int *)0xfffffff0u;
    case 3: return 3 / zero;
    case 4: return (-2147483647 - 1) / (zero - 1);
    case 5: ((void (*)(void))(unsigned)zero)(); return 0;
    case 6: return frames(1000000) & 1;
    case 7: return calls(100000000) & 1;
    case 8: return frames(100) == 100 && calls(1000) == 1001 ? 0 : 1;
  }
  return 0;
}
