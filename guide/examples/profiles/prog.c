/* prog N: a chain of branches, N times. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
  long rounds = count > 1 ? atol(words[1]) : 1000;
  unsigned state = 1, odd = 0, large = 0;
  for (long round = 0; round < rounds; round++) {
    state = state * 1664525 + 1013904223;
    if (state & 0x10000)
      odd++;
    else if (state > 0xf0000000)
      large += state % 7;
  }
  printf("%u %u\n", odd, large);
  return 0;
}
