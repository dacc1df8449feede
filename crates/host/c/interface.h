/* opcost_host.h: running metered plug-ins from a C or C++ program.
 *
 * A plug-in is made by `opcost fuel --emit shared bot.cpp -o bot.so`. Each
 * load is an instance of its own: its own globals, heap and stack. The host
 * gives it fuel for a turn, calls a function of it, and gets a verdict:
 *
 *   opcost_instance *bot = opcost_load("bot.so", NULL, reason, sizeof reason);
 *   opcost_function think = opcost_find(bot, "think");
 *   opcost_verdict verdict = opcost_run(bot, think, &board, 5000000, 50000000);
 *   if (verdict.kind == OPCOST_USED_UP)           it is suspended, not gone:
 *     verdict = opcost_resume(bot, 5000000, 50000000);       more fuel, or
 *   opcost_drop(bot);                                        away with it
 *
 * This file is all: include it where you need it, and in one C or C++ file
 * before any other header with OPCOST_HOST_IMPLEMENTATION defined. Link with
 * -ldl -lrt -lpthread where the C library wants that (glibc before 2.34).
 *
 * WHAT IT IS NOT. A plug-in is native code in your process: it can read and
 * write all of your memory, its own fuel too. Fuel, deadline, memory and stack
 * limits hold for bots that are endless, greedy or broken; they are no
 * boundary against one that attacks. Against that use a process of its own.
 *
 * A BOT'S WORLD. It computes, with the C and C++ library inside of it: its own
 * heap, random numbers and exceptions. What it prints lies in a buffer of its
 * own (opcost_output), input is at its end, no file opens, the environment is
 * empty, the locale is "C"; abort and exit end its turn. Its destructors never
 * run. It may ask the time. What else it imports (threads, processes, signals,
 * sockets, memory from the system) is rejected by name; a host can allow names,
 * and answers for what they do to the process: locks that they hold stay held
 * when a deadline comes at the wrong moment.
 *
 * THREADS. An instance runs on one thread at a time; between its turns it may
 * move to another. Several threads may run several instances. A turn cannot
 * begin inside a turn.
 *
 * SIGNALS. The first load takes SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP,
 * SIGABRT and OPCOST_SIGNAL for the process; what does not come from a bot
 * goes to the handlers that were there before. Handlers of the host that may
 * run during a turn should have SA_ONSTACK. A thread gets an alternate signal
 * stack at its first turn and has these signals unblocked.
 */
#ifndef OPCOST_HOST_H
#define OPCOST_HOST_H

#if defined(OPCOST_HOST_IMPLEMENTATION) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what plug-in and host share ------------------------------------------ */

#define OPCOST_PLUGIN_MAGIC UINT64_C(0x314e4947554c504f) /* "OPLUGIN1" */
#define OPCOST_PLUGIN_VERSION 2

/* A place in the source; the compiler writes these. */
struct opcost_site {
  const char *function, *file;
  uint32_t line;
};

/* A function of the bot that the host may call. */
struct opcost_export {
  const char *name;
  void (*function)(void *);
};

/* The one symbol that a plug-in shows. */
struct opcost_plugin {
  uint64_t magic;
  uint32_t version, size;
  /* What it is: set when it is built. */
  const char *cost_model;
  const uint64_t *overshoot;
  const struct opcost_export *functions; /* up to a null name */
  int64_t *fuel;
  const void *told, *told_end; /* where what is left is, at each instruction */
  void (*enter)(void); /* the first function on the bot's stack; never returns */
  char *output;        /* what it printed in this turn */
  uint64_t output_size, output_used, output_lost;
  /* Set by the host before the first turn. */
  void *host;
  void (*leave)(struct opcost_plugin *plugin, uint32_t why);
  char *heap;
  uint64_t heap_limit;
  /* The turn. */
  void (*function)(void *);
  void *argument;
  /* Why it left. */
  const struct opcost_site *site;
  const char *reason;
  int32_t signal;
  uint32_t padding;
  uint64_t heap_used, heap_peak;
};

/* How a turn, or a part of it, ended. */
typedef enum opcost_kind {
  OPCOST_FINISHED, /* the function returned within its fuel */
  OPCOST_USED_UP,  /* suspended: resume it with new fuel, or drop it */
  OPCOST_BLOCKED,  /* waited until the deadline; only to be dropped */
  OPCOST_MEMORY,   /* suspended: it wants more than its limit */
  OPCOST_STACK,    /* its stack was full; only to be dropped */
  OPCOST_CRASHED,  /* a signal, abort or exit; only to be dropped */
  OPCOST_REJECTED, /* nothing was run; `reason` says why */
  OPCOST_TIME      /* computed until the deadline; only to be dropped */
} opcost_kind;

#ifndef OPCOST_PLUGIN

/* ---- the host's side ------------------------------------------------------ */

typedef struct opcost_instance opcost_instance;
typedef void (*opcost_function)(void *);

/* Zero or null means the default. */
typedef struct opcost_options {
  size_t stack_bytes;         /* default 1 MiB; in whole pages */
  size_t memory_bytes;        /* heap; default 64 MiB; in whole pages */
  const char *const *allowed; /* further names that it may import, up to a null */
} opcost_options;

typedef struct opcost_verdict {
  opcost_kind kind;
  /* Instructions since opcost_run, and since the load. At least these when
   * `is_exact` is 0: after memory, time, blocked, stack and crashed. */
  uint64_t spent, spent_in_all;
  /* Of these beyond the fuel that was given for this turn. */
  uint64_t beyond;
  int is_exact;
  int signal; /* of a crash, or 0 */
  /* Where it was stopped; null if that is not known or at the very end. They
   * live as long as the instance. */
  const char *function, *file;
  uint32_t line;
  const char *reason; /* of rejected and crashed, or null */
} opcost_verdict;

/* Loads a plug-in: an instance of its own, of which nothing has run yet. Null
 * when it is rejected, with the reason in `reason` (cut to `reason_size`).
 * Constructors of the bot run at the beginning of its first turn, on that
 * turn's fuel. */
opcost_instance *opcost_load(const char *path, const opcost_options *options, char *reason, size_t reason_size);

/* A function of the bot's own, with C linkage and at most one parameter, a
 * pointer. Null if there is none of that name. */
opcost_function opcost_find(const opcost_instance *instance, const char *name);

/* Begins a turn: `fuel` instructions, and `deadline` nanoseconds of wall-clock
 * time (0: none). What was left of an earlier turn's fuel is gone. A suspended
 * turn must be finished or the instance dropped before the next one. */
opcost_verdict opcost_run(opcost_instance *instance, opcost_function function, void *argument, uint64_t fuel,
                          uint64_t deadline);

/* Goes on with a suspended turn. `fuel` is added to what the turn has; the
 * deadline begins anew. Behind OPCOST_MEMORY the allocation is tried again if
 * the limit was raised since, and else fails as the language has it. */
opcost_verdict opcost_resume(opcost_instance *instance, uint64_t fuel, uint64_t deadline);

/* Fuel that the last turn left; below zero, what it was beyond. */
int64_t opcost_left(const opcost_instance *instance);

/* Sets the heap's limit. 0, or -1 when so much cannot be had: an instance
 * reserves 4 GiB of addresses, or its first limit if that is more. */
int opcost_set_memory(opcost_instance *instance, size_t bytes);
/* Bytes of the heap in use, and the most that ever were. */
uint64_t opcost_memory(const opcost_instance *instance);
uint64_t opcost_memory_peak(const opcost_instance *instance);

/* What it printed in this turn to stdout and stderr, at most 64 KiB; `lost`,
 * if not null, gets the number of bytes beyond that. It is not terminated. */
const char *opcost_output(const opcost_instance *instance, size_t *bytes, uint64_t *lost);

/* The most work between two checks, and the cost model's name. */
uint64_t opcost_overshoot(const opcost_instance *instance);
const char *opcost_cost_model(const opcost_instance *instance);

/* Drops an instance with its heap, stack and code, whatever it is in the
 * middle of, but not from inside its own turn. None of its code runs any more.
 * Null is fine. */
void opcost_drop(opcost_instance *instance);

/* `finished`, `used-up`, `blocked`, `memory`, `stack`, `crashed`, `rejected`. */
const char *opcost_kind_name(opcost_kind kind);

#endif /* OPCOST_PLUGIN */

#ifdef __cplusplus
}
#endif
#endif /* OPCOST_HOST_H */
