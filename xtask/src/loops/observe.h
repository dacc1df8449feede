// What a program with counted marks says of itself: one line for each
// activation that ended, appended to the file that MARKS names.
#ifndef OBSERVE_H
#define OBSERVE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct mark_activation {
  int line, claim;
  long long turns, wanted;
  int quality;
};

// One write for each line: threads do not mix them.
static __attribute__((unused)) void mark_end(struct mark_activation *activation) {
  static int file = -1;
  char text[120];
  int length;
  if (activation->quality == 2) return;
  int is_held = activation->quality == 1 ? activation->turns <= activation->wanted : activation->turns == activation->wanted;
  if (file < 0) {
    const char *path = getenv("MARKS");
    file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (file < 0) abort();
  }
  if (is_held) {
    length = snprintf(text, sizeof text, "%d %d held\n", activation->line, activation->claim);
  } else {
    length = snprintf(text, sizeof text, "%d %d wrong %lld %lld\n", activation->line, activation->claim,
                      activation->turns, activation->wanted);
  }
  if (write(file, text, (size_t)length) != length) abort();
}

#define MARK_BEGIN(name, line, claim, wanted, quality) \
  struct mark_activation name __attribute__((cleanup(mark_end), unused)) = {line, claim, 0, wanted, quality};

static __attribute__((unused)) long long mark_max(long long a, long long b) {
  return a > b ? a : b;
}

static __attribute__((unused)) long long mark_min(long long a, long long b) {
  return a < b ? a : b;
}

static __attribute__((unused)) long long mark_ceil_div(long long a, long long b) {
  return a > 0 ? (a + b - 1) / b : a / b;
}

static __attribute__((unused)) long long mark_log2_ceil(long long n) {
  long long k = 0;
  while ((1LL << k) < n) k++;
  return k;
}

static __attribute__((unused)) long long mark_sqrt_ceil(long long n) {
  long long k = 0;
  while (k * k < n) k++;
  return k;
}

static __attribute__((unused)) long long mark_digits(long long n, long long base) {
  long long k = 0;
  while (n > 0) {
    n /= base;
    k++;
  }
  return k;
}

static __attribute__((unused)) long long mark_triangle_ceil(long long n) {
  long long k = 0;
  while (k * (k + 1) / 2 < n) k++;
  return k;
}

#endif
