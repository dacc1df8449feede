// What do functions cost that ask the program back?
//
// A library's own `qsort` compares another number of times on each system, and
// a comparator that it calls is nobody's loop. This one is compiled with the
// program: a stable merge sort of about n log2 n comparisons with memory for n
// elements; without the memory an insertion sort. Elements of equal rank keep
// their order, as with the GNU C library.
#include "library.h"

typedef int (*opc_compare)(const void *, const void *, void *);

struct opc_sorting {
  size_t size;
  opc_compare compare;
  void *context;
};

static void opc_copy_element(char *to, const char *from, size_t size) {
  if (size == 4) {
    uint32_t word;
    __builtin_memcpy(&word, from, 4);
    __builtin_memcpy(to, &word, 4);
  } else if (size == 8) {
    uint64_t word;
    __builtin_memcpy(&word, from, 8);
    __builtin_memcpy(to, &word, 8);
  } else {
    memcpy(to, from, size);
  }
}

static void opc_merge_sort(const struct opc_sorting *how, char *base, size_t count, char *spare) {
  if (count < 2) return;
  size_t size = how->size, left = count / 2, right = count - left;
  char *a = base, *b = base + left * size, *to = spare;
  opc_merge_sort(how, a, left, spare);
  opc_merge_sort(how, b, right, spare);
  while (left > 0 && right > 0) {
    if (how->compare(a, b, how->context) <= 0) {
      opc_copy_element(to, a, size);
      a += size;
      left--;
    } else {
      opc_copy_element(to, b, size);
      b += size;
      right--;
    }
    to += size;
  }
  memcpy(to, a, left * size);
  memcpy(base, spare, (count - right) * size);
}

static void opc_swap(char *a, char *b, size_t size) {
  for (size_t at = 0; at < size; at++) {
    char byte = a[at];
    a[at] = b[at];
    b[at] = byte;
  }
}

static void opc_insertion_sort(const struct opc_sorting *how, char *base, size_t count) {
  size_t size = how->size;
  for (size_t next = 1; next < count; next++)
    for (size_t at = next; at > 0; at--) {
      char *here = base + at * size;
      if (how->compare(here - size, here, how->context) <= 0) break;
      opc_swap(here - size, here, size);
    }
}

void LIBRARY(qsort_r)(void *base, size_t count, size_t size, opc_compare compare, void *context) {
  struct opc_sorting how = {size, compare, context};
  size_t bytes;
  char *spare = __builtin_mul_overflow(count, size, &bytes) ? NULL : malloc(bytes);
  if (spare)
    opc_merge_sort(&how, base, count, spare);
  else
    opc_insertion_sort(&how, base, count);
  free(spare);
}

static int opc_compare_two(const void *a, const void *b, void *context) {
  return (*(int (**)(const void *, const void *))context)(a, b);
}

void LIBRARY(qsort)(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  LIBRARY(qsort_r)(base, count, size, opc_compare_two, &compare);
}

void *LIBRARY(bsearch)(const void *key, const void *base, size_t count, size_t size,
                       int (*compare)(const void *, const void *)) {
  const char *start = base;
  while (count > 0) {
    const char *middle = start + count / 2 * size;
    int order = compare(key, middle);
    if (order == 0) return (void *)middle;
    if (order > 0) {
      start = middle + size;
      count -= count / 2 + 1;
    } else {
      count /= 2;
    }
  }
  return NULL;
}
