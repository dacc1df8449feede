/* What a module rewritten by `bits --observe` is linked with: it keeps of each
   value what was seen and tells it when the program ends.

   One line for each value that was ever computed, appended to the file that
   BITS_SEEN names: function, number, width, times; all bits joined by or and by
   and; the least and the largest without and with a sign. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern const char *const opcost_bits_functions[];
extern const uint32_t opcost_bits_indices[], opcost_bits_count;

struct seen {
  uint32_t width;
  uint64_t times, any, every, low, high;
  int64_t least, most;
};

static struct seen *all;

static void tell(void) {
  const char *path = getenv("BITS_SEEN");
  FILE *file = path ? fopen(path, "a") : 0;
  if (!file) abort();
  for (uint32_t i = 0; i < opcost_bits_count; i++) {
    const struct seen *seen = all + i;
    if (!seen->times) continue;
    fprintf(file, "%s %u %u %llu %llu %llu %llu %llu %lld %lld\n", opcost_bits_functions[i],
            (unsigned)opcost_bits_indices[i], (unsigned)seen->width, (unsigned long long)seen->times,
            (unsigned long long)seen->any, (unsigned long long)seen->every, (unsigned long long)seen->low,
            (unsigned long long)seen->high, (long long)seen->least, (long long)seen->most);
  }
  if (fclose(file)) abort();
}

void opcost_bits_see(uint32_t place, uint32_t width, uint64_t value) {
  if (!all) {
    all = calloc(opcost_bits_count, sizeof *all);
    if (!all || atexit(tell)) abort();
  }
  /* Poison has no bits. */
  if (width == 0) return;
  struct seen *seen = all + place;
  int64_t number = (int64_t)(value << (64 - width)) >> (64 - width);
  if (!seen->times++) {
    seen->width = width;
    seen->any = seen->every = seen->low = seen->high = value;
    seen->least = seen->most = number;
    return;
  }
  seen->any |= value;
  seen->every &= value;
  if (value < seen->low) seen->low = value;
  if (value > seen->high) seen->high = value;
  if (number < seen->least) seen->least = number;
  if (number > seen->most) seen->most = number;
}
