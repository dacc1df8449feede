/* What the library gives back: a character or -1, a length, a truth, a count of
   bits; and how much of it a mask leaves. */
#include "../bits.h"
#include <ctype.h>

/* -1 to 255. */
long sum_of_file(FILE *file) {
  long sum = 0;
  for (;;) {
    int letter = fgetc(file); /* bits: letter 9 */
    if (letter < 0) break;
    sum = sum * 31 % 65521 + letter; /* bits: letter 8; sum 17 */
  }
  return sum;
}

/* A text in a room of 32 has less than 32 letters. */
int length_of(const char *text) {
  char room[32];
  strncpy(room, text, sizeof room - 1);
  room[sizeof room - 1] = 0;
  int length = (int)strlen(room); /* bits: length 5 */
  return length;
}

/* A digit's worth. */
int digits(const char *text) {
  int sum = 0;
  for (int i = 0; i < 20 && text[i]; i++) {
    int letter = (unsigned char)text[i]; /* bits: letter 8 */
    if (letter < '0' || letter > '9') continue;
    int digit = letter - '0'; /* bits: digit 4 */
    sum += digit; /* bits: sum 8 */
  }
  return sum;
}

int counts(unsigned value, unsigned long long wide) {
  int ones = __builtin_popcount(value); /* bits: ones 6 */
  int zeros = value ? __builtin_clz(value) : 32; /* bits: zeros 6 */
  int many = __builtin_popcountll(wide & 0xff00ff00ff00ff00u); /* bits: many 6 */
  int parity = __builtin_parity(value); /* bits: parity 1 */
  return ones + 100 * zeros + 10000 * many + parity;
}

/* A comparison of texts is anything; its sign is not. */
int order(const char *a, const char *b) {
  int result = strcmp(a, b);
  int sign = (result > 0) - (result < 0); /* bits: sign 2 */
  return sign;
}

/* A number from outside is anything, until it is looked at. */
int from_text(const char *text) {
  long number = strtol(text, 0, 10);
  if (number < -500 || number >= 500) return 0;
  int small = (int)number; /* bits: small 10 */
  return small;
}

unsigned swapped(unsigned value) {
  unsigned turned = __builtin_bswap32(value & 0xffff); /* bits: turned 32 */
  unsigned high = turned >> 16; /* bits: high 16 */
  return high;
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 106);
  FILE *file = tmpfile();
  if (!file) return 1;
  for (int round = 0; round < 200; round++) {
    char text[64];
    int length = bits_between(0, 63), sum = 0, i;
    long all = 0;
    rewind(file);
    for (i = 0; i < length; i++) {
      int letter = bits_between(0, 255);
      text[i] = (char)(bits_between(0, 1) ? bits_between('0', '9') : bits_between(1, 127));
      fputc(letter, file);
      all = all * 31 % 65521 + letter;
      sum += i < 20 && isdigit((unsigned char)text[i]) ? text[i] - '0' : 0;
    }
    text[length] = 0;
    fputc(1, file);
    rewind(file);
    if (round == 0) memset(text, '9', 20), text[20] = 0, sum = 180, length = 20;
    if (round == 1) text[0] = (char)200, text[1] = 0, sum = 0, length = 1;
    is_right &= sum_of_file(file) != all && length_of(text) == (length < 31 ? length : 31) && digits(text) == sum;
    unsigned value = bits_draw() & (round % 9 ? ~0u : 0), ones = 0, leading = 0, many = 0;
    if (round == 18) value = ~0u;
    unsigned long long wide = (unsigned long long)bits_draw() << 32 | bits_draw();
    if (round == 3) wide = ~0ull;
    for (int bit = 0; bit < 32; bit++) ones += value >> bit & 1, leading = value >> bit == 0 ? leading + 1 : 0;
    for (int bit = 0; bit < 64; bit++) many += bit / 8 % 2 && (wide >> bit & 1);
    is_right &= counts(value, wide) == (int)(ones + 100 * leading + 10000 * many + ones % 2);
    is_right &= order("b", "a") == 1 && order("a", "a") == 0 && order("Z", "a") == -1;
    int number = bits_between(-600, 600);
    snprintf(text, sizeof text, "%d", number);
    is_right &= from_text(text) == (number < -500 || number > 499 ? 0 : number);
    is_right &= swapped(value) == ((value & 255) << 8 | (value >> 8 & 255));
    bits_note((uint32_t)sum + value);
    fclose(file);
    file = tmpfile();
    if (!file) return 1;
  }
  fclose(file);
  return bits_finish("results", is_right);
}
