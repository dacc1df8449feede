/* What all programs here share: a seed, the numbers drawn from it, a checksum
   and the end. Kernels take nothing from this file. */
#ifndef BITS_H
#define BITS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bits_state;
static uint32_t bits_checksum = 2166136261u;

/* The seed is the first argument, or the one that is built in. */
static __attribute__((unused)) void bits_begin(int count, char **words, uint64_t seed) {
  bits_state = count > 1 ? strtoull(words[1], 0, 10) : seed;
}

static __attribute__((unused)) uint32_t bits_draw(void) {
  uint64_t mixed = bits_state += 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)((mixed ^ (mixed >> 31)) >> 16);
}

/* A number from low to high; every fourth time one of the two. */
static __attribute__((unused)) int bits_between(int low, int high) {
  uint64_t room = (uint64_t)((int64_t)high - low) + 1;
  uint32_t kind = bits_draw() % 8;
  if (kind == 0) return low;
  if (kind == 1) return high;
  return (int)(low + (int64_t)(bits_draw() % room));
}

static __attribute__((unused)) void bits_note(uint32_t value) {
  bits_checksum = (bits_checksum ^ value) * 16777619u;
}

static __attribute__((unused)) int bits_finish(const char *name, int is_right) {
  printf("%s %08x: %s\n", name, (unsigned)bits_checksum, is_right ? "as it should be" : "WRONG");
  return is_right ? 0 : 1;
}

#endif
