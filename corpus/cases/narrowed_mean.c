#include <stdint.h>
void keep(int value);
int mean(const uint8_t *from, int n) {
  int sum = 0;
  for (int i = 0; i < 8; i++) sum += from[i] * 3;
  int average = sum / 8;
  int part = (average & 63) * 5;
  int wave = (n % 7) - 3;
  keep(average);
  return part + (n & 1) + wave * 2;
}
