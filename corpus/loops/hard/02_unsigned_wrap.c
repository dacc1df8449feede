/* Unsigned counters that step past their end and come round. What solves
   k * 3 = n modulo 2^w is n times the inverse of 3: 1 from 1 takes
   2,863,311,531 turns in 32 bits. main stays where it ends soon; the 16 bits
   go all the way round. */
#include "hard.h"

unsigned down_by_three(unsigned n) {
  unsigned sum = 0;
  for (unsigned i = n; i >= 1; i -= 3) {  // expect: body=(n*2863311531)%4294967296 quality=exact
    sum ^= i;
  }
  return sum;
}

unsigned up_to_meet(unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 0; i != n; i += 3) {  // expect: body=(n*2863311531)%4294967296 quality=exact
    sum ^= i;
  }
  return sum;
}

unsigned short_round(unsigned short n) {
  unsigned sum = 0;
  for (unsigned short i = 0; i != n; i += 3) {  // expect: body=(n*43691)%65536 quality=exact
    sum += i & 1;
  }
  return sum;
}

unsigned byte_down(unsigned char n) {
  unsigned turns = 0;
  for (unsigned char i = n; i != 0; i -= 5) {  // expect: body=(n*205)%256 quality=exact
    turns++;
  }
  return turns;
}

/* Without a common measure it never ends: even steps from odd to even. */
unsigned never(unsigned char n, int limit) {
  unsigned turns = 0;
  for (unsigned char i = 1; i != (unsigned char)(2 * n); i += 2) {  // expect: body=max(limit,1) quality=exact
    turns++;
    if ((int)turns >= limit) break;
  }
  return turns;
}

int main(void) {
  long sum = 0;
  for (unsigned n = 0; n < 30; n += 3) {
    sum += down_by_three(n) + 2 * up_to_meet(n);
  }
  for (int n = 0; n < 20; n++) {
    sum += short_round((unsigned short)n) + 3 * byte_down((unsigned char)n) + 5 * never((unsigned char)n, n);
  }
  return finish("unsigned wrap", sum, 225968);
}
