// What did the loops of this run do? The runtime of programs whose loops have marks.
//
// Each loop has two events: number 2n where it is entered, 2n + 1 where its header
// runs. A program counts them in place, which leaves the optimiser free, and then writes one
// line a loop at its end: entries, iterations, name. What is constant is computed then. Or it calls `opc_slice_event` at each, which keeps
// their order: a hash of the whole sequence and one of each loop's. These lie in
// the file itself, so nothing is lost however the program ends.
//
// The variable names the file; without it nothing is written. Where order is kept a number and a colon
// come before the name: with more events than that the program is stopped, since it does something else
// than it should, perhaps for ever.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "own.h"

extern uint64_t opc_slice_cells[];
extern const uint64_t opc_slice_events;
extern const uint8_t opc_slice_called;
extern const char opc_slice_names[];
// Of each loop: executions of its header at each entry, 0 if they are counted; entries at each entry of
// another loop, UINT64_MAX if they are counted; and the number of that loop, which is a smaller one. If the second is
// UINT64_MAX - 1, all is known: the third is how often it is entered.
extern const uint64_t opc_slice_constants[][3];

enum { MAGIC, EVENTS, TOTAL, HASH, HEAD };

#define FIRST 1469598103934665603ull
#define PRIME 1099511628211ull

// HEAD words, then a cell for each event, then a hash for each loop.
static uint64_t *page;
static uint64_t most = UINT64_MAX;

static void begin(void) {
  uint64_t words = HEAD + opc_slice_events + (opc_slice_events + 1) / 2;
  const char *path = getenv("OPCOST_SLICE");
  if (path) {
    char *behind;
    most = strtoull(path, &behind, 10);
    path = *behind == ':' ? behind + 1 : NULL;
  }
  int file = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
  if (file >= 0 && ftruncate(file, (off_t)(words * 8)) != 0) {
    close(file);
    file = -1;
  }
  void *made = mmap(NULL, words * 8, PROT_READ | PROT_WRITE, file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file, 0);
  if (file >= 0) close(file);
  if (made == MAP_FAILED) {
    static const char words_of_it[] = "opcost: no memory for the events of loops\n";
    if (write(2, words_of_it, sizeof words_of_it - 1) < 0) _exit(125);
    _exit(125);
  }
  page = made;
  page[EVENTS] = opc_slice_events;
  page[HASH] = FIRST;
  for (uint64_t at = HEAD + opc_slice_events; at < words; at++) page[at] = FIRST;
  memcpy(&page[MAGIC], "opslice1", 8);
}

void opc_slice_event(uint32_t event) {
  if (!page) begin();
  if (page[TOTAL]++ == most) _exit(125);
  page[HASH] = (page[HASH] ^ event) * PRIME;
  page[HEAD + event]++;
  uint64_t *own = &page[HEAD + opc_slice_events + event / 2];
  *own = (*own ^ (event & 1)) * PRIME;
}

__attribute__((constructor)) static void opc_slice_start(void) {
  if (opc_slice_called && !page) begin();
}

static uint64_t product(uint64_t left, uint64_t right) {
  uint64_t made;
  return __builtin_mul_overflow(left, right, &made) ? UINT64_MAX : made;
}

// What is not written yet. No stream: it would call the program's own malloc, where there is one.
static char written[4096];
static size_t held;

static void flush(int file) {
  for (size_t at = 0; at < held;) {
    ssize_t done = write(file, written + at, held - at);
    if (done <= 0) break;
    at += (size_t)done;
  }
  held = 0;
}

static void put(int file, const char *text, size_t length) {
  for (size_t at = 0; at < length; at++) {
    if (held == sizeof written) flush(file);
    written[held++] = text[at];
  }
}

// Behind all destructors of the program: their loops are its loops.
__attribute__((destructor(0))) static void opc_slice_end(void) {
  const char *path = getenv("OPCOST_SLICE");
  if (opc_slice_called || !path) return;
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  const char *name = opc_slice_names;
  for (uint64_t event = 0; event + 1 < opc_slice_events; event += 2) {
    const uint64_t *constant = opc_slice_constants[event / 2];
    if (constant[0] != 0 && constant[1] == UINT64_MAX - 1) {
      opc_slice_cells[event] = constant[2];
      opc_slice_cells[event + 1] = constant[0];
    } else if (constant[0] != 0) {
      if (constant[1] != UINT64_MAX) opc_slice_cells[event] = product(opc_slice_cells[2 * constant[2]], constant[1]);
      opc_slice_cells[event + 1] = product(opc_slice_cells[event], constant[0]);
    }
    const char *end = strchr(name, '\n');
    size_t length = end ? (size_t)(end - name) : strlen(name);
    char counts[48];
    int digits = snprintf(counts, sizeof counts, "%llu %llu ", (unsigned long long)opc_slice_cells[event],
                          (unsigned long long)opc_slice_cells[event + 1]);
    put(file, counts, (size_t)digits);
    put(file, name, length);
    put(file, "\n", 1);
    name += length + (end != NULL);
  }
  put(file, "end\n", 4);
  flush(file);
  close(file);
}
