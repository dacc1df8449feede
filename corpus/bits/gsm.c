/* The short-term analysis of a speech coder in the manner of GSM 06.10: nine
   autocorrelations of 160 samples, eight reflection coefficients by Schur's
   recursion, their logarithmic area ratios, and what is sent of them.

   Everything is 16-bit fixed point with saturation: a word times a word, one
   bit down, is a word again. Samples are scaled down first by so much that a sum
   of 160 squares stays within 32 bits, after which the scale is no longer seen. */
#include "bits.h"

enum { SAMPLES = 160, LAGS = 9, ORDER = 8, LOW = -32768, HIGH = 32767 };

static const short factor[ORDER] = {20480, 20480, 20480, 20480, 13964, 15360, 8534, 9036};
static const short shift[ORDER] = {0, 0, 2048, -2560, 94, -1792, -341, -1144};
static const short least[ORDER] = {-32, -32, -16, -16, -8, -8, -4, -4};
static const short most[ORDER] = {31, 31, 15, 15, 7, 7, 3, 3};

static short saturate(int value) {
  if (value < LOW) return LOW;
  return (short)(value > HIGH ? HIGH : value);
}

static short add(short a, short b) {
  int sum = a + b; /* bits: sum 17 shown 16 */
  return saturate(sum);
}

static short magnitude(short a) {
  if (a >= 0) return a;
  return (short)(a == LOW ? HIGH : -a);
}

/* A product of fractions, rounded. */
static short multiply(short a, short b) {
  if (a == LOW && b == LOW) return HIGH;
  int product = (a * b + 16384) >> 15; /* bits: product 16 */
  return (short)product;
}

/* How far up a positive number can be shifted. */
static short leading(int value) {
  short places = 0;
  while (value < 0x40000000) {
    value *= 2;
    places++;
  }
  return places; /* bits: places 5 */
}

/* A fraction of 15 bits: 0 <= top <= bottom, bottom > 0. */
static short divide(short top, short bottom) {
  int left = top, quotient = 0;
  if (top == 0) return 0;
  for (int k = 0; k < 15; k++) { /* bits: k 4 */
    quotient *= 2;
    left *= 2; /* bits: left 16 */
    if (left >= bottom) {
      left -= bottom;
      quotient++;
    }
  }
  return (short)quotient; /* bits: quotient 15 */
}

static void autocorrelation(const short *samples, int *correlation) {
  short scaled[SAMPLES], largest = 0;
  for (int i = 0; i < SAMPLES; i++) { /* bits: i 8 */
    short size = magnitude(samples[i]); /* bits: size 15 */
    if (size > largest) largest = size;
  }
  int down = largest == 0 ? 0 : 4 - leading(largest << 16); /* bits: down 5 */
  if (down < 0) down = 0; /* bits: down 3 */
  for (int i = 0; i < SAMPLES; i++) {
    int rounded = down == 0 ? samples[i] : multiply(samples[i], (short)(16384 >> (down - 1)));
    scaled[i] = (short)rounded; /* bits: rounded 13 */
  }
  for (int lag = 0; lag < LAGS; lag++) { /* bits: lag 4 */
    int sum = 0;
    for (int i = lag; i < SAMPLES; i++) sum += scaled[i] * scaled[i - lag];
    correlation[lag] = sum * 2; /* bits: sum 31 */
  }
}

static void reflection(const int *correlation, short *result) {
  short sums[LAGS], keys[LAGS];
  memset(result, 0, ORDER * sizeof *result);
  if (correlation[0] == 0) return;
  short up = leading(correlation[0]); /* bits: up 5 */
  for (int i = 0; i < LAGS; i++) {
    sums[i] = (short)(correlation[i] * (1 << up) >> 16);
    keys[i] = sums[i];
  }
  for (int n = 0; n < ORDER; n++) { /* bits: n 3 */
    short size = magnitude(sums[1]);
    if (sums[0] < size) return;
    short value = divide(size, sums[0]);
    if (sums[1] > 0) value = (short)-value;
    result[n] = value; /* bits: value 16 */
    sums[0] = add(sums[0], multiply(sums[1], value));
    for (int m = 1; m < ORDER - n; m++) {
      sums[m] = add(sums[m + 1], multiply(keys[m], value));
      keys[m] = add(keys[m], multiply(sums[m + 1], value));
    }
  }
}

static short area_ratio(short value) {
  short size = magnitude(value);
  if (size < 22118) {
    size >>= 1;
  } else if (size < 31130) {
    size = (short)(size - 11059);
  } else {
    size = (short)((size - 26112) * 4);
  }
  return (short)(value < 0 ? -size : size); /* bits: size 15 */
}

static short quantize(short ratio, int place) {
  short scaled = multiply(factor[place], ratio);
  scaled = add(scaled, shift[place]);
  scaled = add(scaled, 256);
  int code = scaled >> 9; /* bits: code 7 */
  if (code > most[place]) code = most[place];
  if (code < least[place]) code = least[place];
  return (short)(code - least[place]); /* bits: code 6 */
}

/* Ports: 160 samples, room for eight codes of at most six bits. */
void gsm_analyse(const short *samples, short *codes) {
  int correlation[LAGS];
  short coefficients[ORDER];
  autocorrelation(samples, correlation);
  reflection(correlation, coefficients);
  for (int place = 0; place < ORDER; place++) codes[place] = quantize(area_ratio(coefficients[place]), place);
}

static long long plain_between(long long value, long long low, long long high) {
  return value < low ? low : value > high ? high : value;
}

/* Towards minus infinity. */
static long long plain_divide(long long a, long long b) { return a / b - (a % b < 0); }

static long long plain_times(long long a, long long b) {
  return plain_between(plain_divide(a * b + 16384, 32768), LOW, HIGH);
}

static void plain_analyse(const short *samples, short *codes) {
  long long scaled[SAMPLES], c[LAGS], sums[LAGS + 1] = {0}, keys[LAGS + 1] = {0}, largest = 0, divisor = 1;
  for (int i = 0; i < SAMPLES; i++) largest = llabs(samples[i]) > largest ? llabs(samples[i]) : largest;
  for (largest = largest > HIGH ? HIGH : largest; largest / divisor >= 2048; divisor *= 2) continue;
  for (int i = 0; i < SAMPLES; i++)
    scaled[i] = divisor == 1 ? samples[i] : plain_times(samples[i], 32768 / divisor);
  for (int lag = 0; lag < LAGS; lag++) {
    c[lag] = 0;
    for (int i = lag; i < SAMPLES; i++) c[lag] += 2 * scaled[i] * scaled[i - lag];
  }
  long long up = 1, result[ORDER] = {0};
  while (c[0] && c[0] * up < 0x40000000) up *= 2;
  for (int i = 0; i < LAGS; i++) sums[i] = keys[i] = plain_divide(c[i] * up, 65536);
  for (int n = 0; n < ORDER && c[0]; n++) {
    long long size = plain_between(llabs(sums[1]), 0, HIGH);
    if (sums[0] < size) break;
    long long value = plain_between(size * 32768 / sums[0], 0, HIGH);
    result[n] = value = sums[1] > 0 ? -value : value;
    sums[0] = plain_between(sums[0] + plain_times(sums[1], value), LOW, HIGH);
    for (int m = 1; m < ORDER - n; m++) {
      long long next = sums[m + 1];
      sums[m] = plain_between(next + plain_times(keys[m], value), LOW, HIGH);
      keys[m] = plain_between(keys[m] + plain_times(next, value), LOW, HIGH);
    }
  }
  for (int i = 0; i < ORDER; i++) {
    long long size = llabs(result[i]);
    size = size < 22118 ? size / 2 : size < 31130 ? size - 11059 : 4 * size - 104448;
    long long wish = plain_times(factor[i], result[i] < 0 ? -size : size) + shift[i];
    wish = plain_between(plain_between(wish, LOW, HIGH) + 256, LOW, HIGH);
    codes[i] = (short)(plain_between(plain_divide(wish, 512), least[i], most[i]) - least[i]);
  }
}

/* Speech of a sort: noise, noise through a resonator, ends, silence. */
static void drive_choose(short *samples, int kind) {
  int past = 0, before = 0, loudness = 1 << bits_between(0, 14);
  for (int i = 0; i < SAMPLES; i++) {
    int noise = bits_between(-loudness, loudness);
    int next = (int)plain_between(noise + past * 7 / 4 - before * 15 / 16, LOW, HIGH);
    int even = i % 2 ? HIGH : LOW;
    samples[i] = (short)(kind == 0 ? noise : kind == 1 ? next : kind == 2 ? even : kind == 3 ? HIGH : 0);
    if (kind == 5) samples[i] = LOW;
    if (kind == 6) samples[i] = (short)bits_between(LOW, HIGH);
    before = past;
    past = next;
  }
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 7);
  for (int round = 0; round < 140; round++) {
    short samples[SAMPLES], codes[ORDER], wanted[ORDER];
    drive_choose(samples, round % 7);
    gsm_analyse(samples, codes);
    plain_analyse(samples, wanted);
    for (int i = 0; i < ORDER; i++) {
      is_right &= codes[i] == wanted[i];
      bits_note((uint32_t)codes[i]);
    }
  }
  return bits_finish("gsm", is_right);
}
