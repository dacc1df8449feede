/* One step of Jacobi relaxation over a field of 16 by 16 numbers in fixed point:
   each inner one becomes the mean of its neighbours. */
#include "../bits/bits.h"

enum { SIDE = 16 };

/* Ports: the field, and the next one, whose borders stay. */
void jacobi(const int16_t *field, int16_t *next) {
  for (int row = 1; row < SIDE - 1; row++) {
    for (int column = 1; column < SIDE - 1; column++) {
      const int16_t *at = field + row * SIDE + column;
      next[row * SIDE + column] = (int16_t)((at[-SIDE] + at[-1] + at[1] + at[SIDE]) >> 2);
    }
  }
}

static int plain_mean(const int16_t *field, int cell) {
  static const int ways[4] = {1, SIDE, -1, -SIDE};
  long sum = 0;
  for (int way = 0; way < 4; way++) sum += field[cell + ways[way]];
  return (int)(sum >= 0 ? sum / 4 : -((3 - sum) / 4));
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 14);
  for (int round = 0; round < 50; round++) {
    int16_t field[SIDE * SIDE], next[SIDE * SIDE] = {0};
    for (int i = 0; i < SIDE * SIDE; i++) field[i] = (int16_t)bits_between(-32768, 32767);
    jacobi(field, next);
    for (int i = 0; i < SIDE * SIDE; i++) {
      int is_inner = i / SIDE > 0 && i / SIDE < SIDE - 1 && i % SIDE > 0 && i % SIDE < SIDE - 1;
      is_right &= next[i] == (is_inner ? plain_mean(field, i) : 0);
      bits_note((uint32_t)next[i]);
    }
  }
  return bits_finish("jacobi", is_right);
}
