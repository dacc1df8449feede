/* Does a program do the same while what it calls changes again and again?
 *
 *     changes TIMES
 *
 * Words that lead to versions lie behind the notes of the runtime. The program reads them itself, and goes on until it
 * saw so many changes. So no clock decides how many there were. A word that became zero does not count, since
 * the program writes zeros, too. Each round must be as the first one. Where there are no words, one round is all.
 *
 * It prints what a round came to, and ends with status 0; how many changes it saw goes to the error stream. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NOTES = 256, NOTE = 257, MOST = 256, POINTS = 24 };

extern unsigned long opc_live_notes[] __attribute__((weak)), opc_live_end[] __attribute__((weak));

static int points[POINTS];

__attribute__((noinline)) static unsigned mix(unsigned x) {
  for (int i = 0; i < 3; i++) x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  return x;
}

__attribute__((noinline)) static unsigned walk(unsigned rows, unsigned seed) {
  unsigned sum = 0;
  for (unsigned row = 0; row < rows; row++)
    for (unsigned column = 0; column < 8; column++) sum += mix(seed + row * column);
  return sum;
}

__attribute__((noinline)) static void sort(int *from, int count) {
  for (int end = 1; end < count; end++)
    for (int at = end; at > 0 && from[at - 1] > from[at]; at--) {
      int other = from[at];
      from[at] = from[at - 1];
      from[at - 1] = other;
    }
}

__attribute__((noinline)) static double mean(const int *of, int count) {
  double sum = 0;
  for (int at = 0; at < count; at++) sum += of[at] / (at + 1.0);
  return sum / count;
}

__attribute__((noinline)) static unsigned depth(unsigned levels, unsigned seed) {
  unsigned sum = seed;
  for (unsigned at = 0; at < 2 && levels; at++) sum = sum * 31 + depth(levels - 1, seed ^ at);
  return sum;
}

__attribute__((noinline)) static unsigned long once(unsigned seed) {
  for (int at = 0; at < POINTS; at++) points[at] = (int)(mix(seed + (unsigned)at) >> 8);
  sort(points, POINTS);
  unsigned long sum = walk(4, seed);
  for (int at = 0; at < POINTS; at++) sum = sum * 31 + (unsigned)points[at];
  return sum ^ depth(4, seed) ^ (unsigned long)(mean(points, POINTS) * 1000);
}

/* Words that are others than before. */
static unsigned long changes(unsigned long *before) {
  if (!opc_live_notes) return 0;
  volatile unsigned long *words = opc_live_notes + NOTES * NOTE;
  unsigned long seen = 0;
  for (int at = 0; at < MOST && words + at < opc_live_end; at++) {
    unsigned long now = words[at];
    if (now != before[at] && now) seen++;
    before[at] = now;
  }
  return seen;
}

int main(int argc, char **argv) {
  static unsigned long before[MOST];
  unsigned long times = argc > 1 ? strtoul(argv[1], 0, 10) : 0, seen = 0;
  /* It is for ever if nothing changes. */
  alarm(600);
  unsigned long first = once(7);
  changes(before);
  do {
    if (once(7) != first) return puts("a round came to something else"), 1;
    seen += changes(before);
  } while (opc_live_notes && seen < times);
  printf("%lu\n", first);
  fprintf(stderr, "changes: %lu\n", seen);
  return 0;
}
