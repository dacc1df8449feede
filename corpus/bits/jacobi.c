/* Means of four neighbours over a field of bytes, forth and back.

   The control: extents are constants, the data are bytes, and what LLVM knows
   is already all there is to know. Nobody may report a gain here. */
#include "bits.h"

enum { SIDE = 32 };

/* Ports: two fields; the borders of the first are kept. */
void jacobi(unsigned char field[SIDE][SIDE], unsigned char other[SIDE][SIDE]) {
  for (int row = 1; row < SIDE - 1; row++) { /* bits: row 5 */
    for (int column = 1; column < SIDE - 1; column++) { /* bits: column 5 */
      int sum = field[row - 1][column] + field[row + 1][column] + field[row][column - 1] + field[row][column + 1];
      int mean = (sum + 2) >> 2; /* bits: sum 10; mean 8 */
      other[row][column] = (unsigned char)mean;
    }
  }
  for (int row = 1; row < SIDE - 1; row++) {
    for (int column = 1; column < SIDE - 1; column++) field[row][column] = other[row][column];
  }
}

/* The same over one list of cells. */
static void plain_jacobi(const unsigned char *from, unsigned char *to) {
  for (int cell = 0; cell < SIDE * SIDE; cell++) {
    int column = cell % SIDE, row = cell / SIDE;
    to[cell] = from[cell];
    if (column == 0 || column == SIDE - 1 || row == 0 || row == SIDE - 1) continue;
    unsigned sum = 0;
    for (int side = 0; side < 4; side++) sum += from[cell + (side % 2 ? 1 : -1) * (side < 2 ? 1 : SIDE)];
    to[cell] = (unsigned char)(sum / 4 + (sum % 4 >= 2));
  }
}

int main(int count, char **words) {
  static unsigned char field[SIDE][SIDE], other[SIDE][SIDE], wanted[SIDE][SIDE], next[SIDE][SIDE];
  int is_right = 1;
  bits_begin(count, words, 2);
  for (int start = 0; start < 3; start++) {
    for (int row = 0; row < SIDE; row++) {
      for (int column = 0; column < SIDE; column++) {
        int value = bits_between(0, 255);
        field[row][column] = (unsigned char)(start == 1 ? 255 : start == 2 ? 255 * ((row + column) % 2) : value);
      }
    }
    memcpy(wanted, field, sizeof field);
    for (int round = 0; round < 8; round++) {
      jacobi(field, other);
      plain_jacobi(&wanted[0][0], &next[0][0]);
      memcpy(wanted, next, sizeof next);
      is_right &= memcmp(field, wanted, sizeof field) == 0;
      for (int cell = 0; cell < SIDE * SIDE; cell++) bits_note(field[cell / SIDE][cell % SIDE]);
    }
  }
  return bits_finish("jacobi", is_right);
}
