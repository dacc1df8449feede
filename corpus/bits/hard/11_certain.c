/* Ranges from what would be undefined otherwise: an index that certainly is used,
   a shift that certainly is made, a divisor; and the same where it is not certain,
   which says nothing. Then the walk of the source document's figure 4.8. */
#include "../bits.h"

static const short table[10] = {5, 3, 8, 1, 9, 2, 7, 4, 6, 0};
static const short path[12] = {4, 2, 0, 3, 1, 5, 9, 8, 7, 6, 2, 1};

/* The table is read whatever happens: the index has four bits. */
int certainly_read(int index) {
  int value = table[index]; /* bits: index 4; value 4 */
  return value * 16 + index;
}

/* Here it is read only if somebody wants it. */
int maybe_read(int index, int is_wanted) {
  int value = 0;
  if (is_wanted) {
    value = table[index]; /* bits: index 4 */
  }
  return value + (index & 1); /* bits: index 32 */
}

/* A call that may not come back stands before it: not certain at the entry. */
int behind_a_call(int index, void (*check)(int)) {
  int before = index + 0; /* bits: before 32 */
  check(index);
  return table[before];
}

unsigned certainly_shifted(unsigned value, unsigned by) {
  unsigned result = value << by; /* bits: by 5 */
  return result;
}

/* Behind the quotient the divisor is not 0; its width stays. */
int behind_a_quotient(int a, signed char b) {
  int result = a % b; /* bits: result 8; b 8 */
  return result + (b != 0);
}

/* Without overflow, which certain reads promise: a0 in [-2, 8], and so on. */
int figure(int a0) {
  int c0 = 0, a1 = a0 + 1; /* bits: a1 5 */
  if (a1 < 0) {
    int a2 = a1, a3 = a2 + 1; /* bits: a2 1; a3 0 */
    c0 = path[a3];
  } else {
    int a4 = a1; /* bits: a4 4 */
    c0 = table[a4]; /* bits: c0 4 */
  }
  return c0;
}

static int checked;

static void drive_check(int index) {
  checked = index;
  if (index < 0 || index > 9) checked = -1;
}

/* Does not come back for an index that there is not. */
static void drive_check_or_leave(int index) {
  if (index >= 0 && index < 10) return;
  exit(bits_finish("certain", index == INT32_MIN));
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 111);
  for (int round = 0; round < 300; round++) {
    int index = bits_between(0, 9), any = bits_between(INT32_MIN, INT32_MAX), sorted = 0;
    for (int i = 0; i < 10; i++) sorted += table[i] < table[index];
    is_right &= certainly_read(index) == sorted * 16 + index && maybe_read(any, 0) == (any & 1);
    is_right &= maybe_read(index, 1) == sorted + index % 2;
    is_right &= behind_a_call(index, drive_check) == sorted && checked == index;
    unsigned by = (unsigned)bits_between(0, 31), power = 1;
    for (unsigned i = 0; i < by; i++) power *= 2;
    is_right &= certainly_shifted((unsigned)any, by) == (unsigned)any * power;
    int divisor = bits_between(1, 127) * (round % 2 ? 1 : -1);
    if (divisor == -127 && round % 4 == 0) divisor = -128;
    is_right &= behind_a_quotient(index * 100, (signed char)divisor) == index * 100 % divisor + 1;
    is_right &= behind_a_quotient(-index * 100, (signed char)divisor) == -(index * 100 % divisor) + 1;
    int start = bits_between(-2, 8);
    is_right &= figure(start) == (start < -1 ? path[0] : table[start + 1]);
    bits_note((uint32_t)(sorted + divisor) + by);
  }
  if (!is_right) return bits_finish("certain", 0);
  return behind_a_call(INT32_MIN, drive_check_or_leave);
}
