/* Operations that say whether they went over an end of their type. */
#include <stdint.h>

int32_t add(int32_t a, int32_t b) {
  int32_t r;
  return __builtin_add_overflow(a, b, &r) ? -1 : r;
}

uint8_t addsmall(uint8_t a, uint8_t b) {
  uint8_t r;
  return __builtin_add_overflow(a, b, &r) ? 255 : r;
}

int64_t sub(int64_t a, int64_t b) {
  int64_t r;
  int over = __builtin_sub_overflow(a, b, &r);
  return over ? (a < 0 ? INT64_MIN : INT64_MAX) : r;
}

uint16_t subu(uint16_t a, uint16_t b) {
  uint16_t r;
  return __builtin_sub_overflow(a, b, &r) ? 0 : r;
}

int32_t mul(int32_t a, int32_t b) {
  int32_t r;
  return __builtin_mul_overflow(a, b, &r) ? 7 : r;
}

int64_t mulwide(int64_t a, int64_t b) {
  int64_t r;
  int over = __builtin_mul_overflow(a, b, &r);
  return over ? r >> 3 : r;
}

uint64_t mulu(uint64_t a, uint64_t b) {
  uint64_t r;
  return __builtin_mul_overflow(a, b, &r) ? ~r : r;
}

uint64_t muluwide(uint64_t a, uint64_t b) {
  uint64_t r, over = 0;
  for (int i = 0; i < 4; i++) over = over * 2 + __builtin_mul_overflow(a >> (8 * i), b & 0xffffffff, &r);
  return over;
}

int8_t muls(int8_t a, int8_t b) {
  int8_t r;
  return __builtin_mul_overflow(a, b, &r) ? -128 : r;
}

uint8_t low(uint32_t a, uint32_t b) {
  uint32_t r;
  int over = __builtin_add_overflow(a, b, &r);
  return (uint8_t)r + over;
}
