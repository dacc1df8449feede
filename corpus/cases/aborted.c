#include <stdlib.h>
volatile long sum;
int main(void) {
  for (int i = 0; i < 1000; i++) {
    sum += i;
    if (i == 500) abort();
  }
  return 0;
}
