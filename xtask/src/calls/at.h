// One call at a time: `at_NAME` calls NAME and does nothing else, so what
// callgrind says `at_NAME` spends in others is what NAME costs. Names are given
// as the linker knows them, since those stand in the table.
// With WORST each call is a part of callgrind's file of its own, and what was
// charged for it besides its weight is written in the same order: the compiled
// library (crates/runtime/src/c/library) stands in place of what it replaces.
#pragma once
#include <cstddef>

#define ROW extern "C" __attribute__((noinline))
#ifdef WORST
#include <valgrind/callgrind.h>
extern bool is_collecting;
extern "C" size_t opc_units;
void note(const char *name);
struct Measured {
  const char *name;
  Measured(const char *name) : name(name) {
    opc_units = 0;
    if (is_collecting) CALLGRIND_ZERO_STATS;
  }
  ~Measured() {
    if (!is_collecting) return;
    CALLGRIND_DUMP_STATS_AT(name);
    note(name);
  }
};
#define MEASURE(name) Measured measured(name);
#else
#define MEASURE(name)
#endif
#define AT(name, type, parameters, arguments) \
  type real_##name parameters __asm__(#name); \
  ROW type at_##name parameters { MEASURE(#name) return real_##name arguments; }

// How often each is called, and the values that keep the calls alive.
constexpr int TIMES = 64;
// As many blocks of memory lie there at once, more than an allocator keeps at hand.
constexpr int MANY = 1000;
extern volatile double number;
extern void *volatile pointer;

void mathematics();
void memory();
void streams();
void system_and_text();
void exceptions();
void containers();
void strings();
void cxx_streams();
void small_members();

#ifdef WORST
void worst_mathematics();
void worst_text();
void worst_strings();
void worst_streams();
#endif
