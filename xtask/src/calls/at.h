// One call at a time: `at_NAME` calls NAME and does nothing else, so what
// callgrind says `at_NAME` spends in others is what NAME costs. Names are given
// as the linker knows them, since those stand in the table.
// With WORST each call is counted by itself (counter.c), and what was charged for it
// besides its weight stands beside it (kept.cpp): the compiled library
// (crates/runtime/src/c/library) stands in place of what it replaces, and lengths
// are charged as lengths.rs and the shim's library.cpp do.
#pragma once
#include <cstddef>

#define ROW extern "C" __attribute__((noinline))
#ifdef WORST
#include <valgrind/callgrind.h>
#include "counter.h"
extern "C" size_t opc_units;
// Whether each call is a part of callgrind's file, for a referee, or goes step by step on the processor.
extern bool is_dumped, is_stepped;
extern volatile size_t steps;
// What takes numbers of 80 bits: the end is null.
extern const char *const wide_functions[];
bool is_wanted(const char *name);
void keep(const char *name, size_t done);
// What the next calls are given, in words; until then they are given nothing special.
__attribute__((format(printf, 1, 2))) void argue(const char *words, ...);
inline size_t counted() { return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, COUNTED, 0, 0, 0, 0, 0); }
// From here on the processor stops behind each instruction.
inline void trap(bool is_on) {
  __asm__ volatile("sub $128, %%rsp; pushfq; andq $-257, (%%rsp); orq %0, (%%rsp); popfq; add $128, %%rsp" : : "r"(is_on ? 256ul : 0ul) : "cc", "memory");
}
struct Measured {
  const char *name;
  bool is_measured;
  size_t start;
  Measured(const char *name, size_t units = 0) : name(name), is_measured(is_wanted(name)), start(0) {
    opc_units = units;
    if (!is_measured) return;
    if (is_dumped) CALLGRIND_ZERO_STATS;
    else if (is_stepped) steps = 0, trap(true);
    else start = counted();
  }
  ~Measured() {
    if (!is_measured) return;
    if (is_stepped) trap(false);
    size_t done = is_dumped ? 0 : is_stepped ? steps : counted() - start;
    if (is_dumped) CALLGRIND_DUMP_STATS_AT(name);
    keep(name, done);
  }
};
#define MEASURE(name) Measured measured(name);
#define MEASURE_BYTES(name, units) Measured measured(name, units);
#else
#define MEASURE(name)
#define MEASURE_BYTES(name, units)
#endif
#define AT(name, type, parameters, arguments) \
  type real_##name parameters __asm__(#name); \
  ROW type at_##name parameters { MEASURE(#name) return real_##name arguments; }

// What is charged by an argument: a unit for 16 bytes, and four more where much is copied or filled.
#define AT_LENGTH(name, type, parameters, arguments, bytes) \
  type real_##name parameters __asm__(#name);               \
  ROW type at_##name parameters { MEASURE_BYTES(#name, (bytes) / 16) return real_##name arguments; }
#define AT_BULK(name, type, parameters, arguments, bytes) \
  type real_##name parameters __asm__(#name);             \
  ROW type at_##name parameters { MEASURE_BYTES(#name, bulk(bytes)) return real_##name arguments; }
inline size_t bulk(size_t bytes) { return (bytes >= 2048 ? bytes * 5 : bytes) / 16; }

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
#include <vector>
// Lengths in powers of ten, up to what was asked for.
std::vector<size_t> lengths();
void worst_mathematics();
void worst_text();
void worst_strings();
void worst_streams();
void worst_errors();
void worst_small();
void worst_fields();
void drawn_mathematics();
void drawn_text();
void drawn_memory();
void drawn_strings();
void drawn_streams();
void drawn_errors();
#endif
