#include <stdint.h>
uint64_t mix(uint64_t x, uint64_t y) {
  unsigned __int128 product = (unsigned __int128)x * (y | 1);
  return (uint64_t)(product >> 64) ^ (uint64_t)(product % 999983u) ^ (uint64_t)(product / 1000003u);
}
