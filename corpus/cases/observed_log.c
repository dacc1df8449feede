#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int low_bit(unsigned x) { return x ? __builtin_ctz(x) : -1; }
__attribute__((noinline)) static int high_bit(unsigned x) { return x ? 31 - __builtin_clz(x) : -1; }
__attribute__((noinline)) static int far(int by) { return by < 8 ? 1 << by : 0; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 40; i++) sum += low_bit(i) + 2 * high_bit(i) + far(i);
  printf("%d\n", sum);
  return 0;
}
