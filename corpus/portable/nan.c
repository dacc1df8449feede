// The sign and the bits of what is no number steer a loop.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
volatile double zero = 0, big = 1e30, minus = -1;
volatile float small_zero = 0;
static uint64_t bits_of(double number) {
  uint64_t bits;
  memcpy(&bits, &number, 8);
  return bits;
}
struct pair { double a; float b; };
__attribute__((noinline)) struct pair make(double x, float y) { return (struct pair){x * zero, y / small_zero}; }
__attribute__((noinline)) double handed(double x) { return x; }
int main(void) {
  uint64_t all[] = {
      bits_of(zero / zero), bits_of(sqrt(minus)), bits_of(-(zero / zero)), bits_of(INFINITY * zero),
      bits_of(make(INFINITY, 0).a), bits_of(handed(INFINITY - big * INFINITY)), bits_of((float)(zero / zero)),
      bits_of(fabs(zero / zero)), bits_of(copysign(zero / zero, minus)), bits_of(fmin(zero / zero, 1)),
  };
  struct pair pair = make(1, 0);
  uint32_t low;
  memcpy(&low, &pair.b, 4);
  uint64_t sum = low;
  for (int i = 0; i < 10; i++) {
    for (uint64_t bits = all[i]; bits; bits &= bits - 1) sum = sum * 31 + (bits >> 40);
    printf("%016llx\n", (unsigned long long)all[i]);
  }
  int wide = (int)big, down = (int)-big, none = (int)(zero / zero);
  unsigned char byte = (unsigned char)(int)minus;
  for (int i = 0; i < (wide < 0 ? 1000 : 10) + (none < 0 ? 1000 : 0); i++) sum += (uint64_t)i;
  printf("%llu %d %d %d %d\n", (unsigned long long)sum, wide, down, none, byte);
  return 0;
}
