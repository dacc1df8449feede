// One call at a time: `at_NAME` calls NAME and does nothing else, so what
// callgrind says `at_NAME` spends in others is what NAME costs. Names are given
// as the linker knows them, since those stand in the table.
#pragma once
#include <cstddef>

#define ROW extern "C" __attribute__((noinline))
#define AT(name, type, parameters, arguments) \
  type real_##name parameters __asm__(#name); \
  ROW type at_##name parameters { return real_##name arguments; }

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
