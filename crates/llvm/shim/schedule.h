// How long machine blocks take by a processor's model.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct opcost_schedule_wish {
  const char *processor;  // as LLVM calls it
  const uint64_t *counts; // how often each block of the module ran, numbered through the module
  size_t count;
  const uint64_t *capacities; // bytes that each level of the cache holds
  size_t capacity_count;
};

// One machine block.
struct opcost_scheduled {
  uint32_t function;     // among the functions that the module defines
  uint32_t block;        // of the module, plus one; 0 where it is none
  double executions;     // how often it ran
  double cycles;         // that one execution takes
  double rare;           // how often a conditional branch did not leave it by its most frequent edge
  uint32_t instructions; // machine instructions
  uint32_t strange;      // those that the model does not know
  uint8_t is_guess;      // whether the counts did not decide how often it ran
};

struct opcost_schedule_sink {
  void *data;
  void (*row)(void *data, const opcost_scheduled *row);
  // A call of a function that the module does not define.
  void (*call)(void *data, uint32_t function, const char *name, size_t length, double executions);
  // Lines that a loop's own code fetches from beyond a level, told by the loop's first block (of the
  // module): in a row, and far from each other.
  void (*lines)(void *data, uint32_t function, uint32_t loop, uint32_t level, double near, double far);
};

} // extern "C"
