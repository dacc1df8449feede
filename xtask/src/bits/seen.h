// What a program with marked widths says of itself: a line for each claim, its
// number, how often it was come by, all bits joined as they are and with the
// negative numbers turned over, appended to the file that BITS_SEEN names.
#ifndef SEEN_H
#define SEEN_H

#include <stdio.h>
#include <stdlib.h>

static struct {
  unsigned long long times, plain, folded;
} bits_seen_all[BITS_CLAIMS];

static __attribute__((destructor)) void bits_tell(void) {
  const char *path = getenv("BITS_SEEN");
  FILE *file = path ? fopen(path, "a") : 0;
  if (!file) abort();
  for (int i = 0; i < BITS_CLAIMS; i++) {
    fprintf(file, "%d %llu %llu %llu\n", i, bits_seen_all[i].times, bits_seen_all[i].plain, bits_seen_all[i].folded);
  }
  if (fclose(file)) abort();
}

static __attribute__((unused)) void bits_see(int claim, long long number, unsigned bytes) {
  unsigned rest = 64 - 8 * bytes;
  unsigned long long high = (unsigned long long)number << rest;
  long long wide = (long long)high >> rest;
  bits_seen_all[claim].times++;
  bits_seen_all[claim].plain |= high >> rest;
  bits_seen_all[claim].folded |= (unsigned long long)(wide ^ wide >> 63);
}

#define BITS_SEEN(claim, value) bits_see(claim, (long long)(value), sizeof(value))

#endif
