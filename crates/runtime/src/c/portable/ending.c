// How does a portable program begin and end?
//
// Functions that are to run at its end run as metered code, in the order that C
// and C++ have for them; then the output is written, and the world ends it.
#include "portable.h"

#include <errno.h>

struct opc_at_exit {
  void (*run)(void *);
  void (*run_plain)(void);
  void *argument;
  struct opc_at_exit *next;
};

static struct opc_at_exit *opc_at_exits;

static int opc_at_end(void (*run)(void *), void (*run_plain)(void), void *argument) {
  struct opc_at_exit *entry = LIBRARY(malloc)(sizeof *entry);
  if (!entry) return -1;
  *entry = (struct opc_at_exit){run, run_plain, argument, opc_at_exits};
  opc_at_exits = entry;
  return 0;
}

int LIBRARY(atexit)(void (*run)(void)) { return opc_at_end(NULL, run, NULL); }
int __cxa_atexit(void (*run)(void *), void *argument, void *image) { return (void)image, opc_at_end(run, NULL, argument); }
void *__dso_handle = &__dso_handle;

void LIBRARY(exit)(int status) {
  while (opc_at_exits) {
    struct opc_at_exit *entry = opc_at_exits;
    opc_at_exits = entry->next;
    if (entry->run)
      entry->run(entry->argument);
    else
      entry->run_plain();
  }
  LIBRARY(fflush)(NULL);
  opc_world_exit(status);
}

// Streams are the world's, which writes them in any case.
void LIBRARY(_exit)(int status) { opc_world_exit(status); }
void LIBRARY(_Exit)(int status) { opc_world_exit(status); }

void LIBRARY(abort)(void) { opc_world_abort(); }

void opc_die(const char *what, const char *why) {
  opc_world_put(2, what, (int64_t)LIBRARY(strlen)(what));
  opc_world_put(2, ": ", 2);
  opc_world_put(2, why, (int64_t)LIBRARY(strlen)(why));
  opc_world_put(2, "\n", 1);
  opc_world_abort();
}

void __assert_fail(const char *claim, const char *file, unsigned line, const char *function) {
  (void)file, (void)line;
  opc_world_put(2, function, (int64_t)LIBRARY(strlen)(function));
  opc_world_put(2, ": ", 2);
  opc_die(claim, "the assertion does not hold");
}

static int opc_errno;
int *__errno_location(void) { return &opc_errno; }

static uint64_t opc_random_state = 1;
void LIBRARY(srand)(unsigned seed) { opc_random_state = seed; }
int LIBRARY(rand)(void) {
  // Knuth's MMIX generator; its upper bits.
  opc_random_state = opc_random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int)(opc_random_state >> 33);
}

// Code generation would divide as its machine does: by a trap, or by a number.
void opc_portable_divided(void) { opc_die("arithmetic", "an integer is divided by zero, or does not hold the result"); }
