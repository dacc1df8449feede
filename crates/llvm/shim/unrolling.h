// How often a loop's body is to be copied.
#pragma once

#include "shim.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

// How many counts somebody may ask for; the first one that fits is taken.
constexpr size_t kUnrollChoices = 3;

// A numbered loop: `counts[i]` bodies if it has at most `sizes[i]` instructions. What was asked for, and what was done.
struct opcost_unrolled_loop {
  uint32_t counts[kUnrollChoices];
  uint32_t sizes[kUnrollChoices];
  uint32_t requested;
  uint32_t done;
};

namespace opcost {

// Before the unroller comes to a function.
void ask_unroller(llvm::Function &function, llvm::FunctionAnalysisManager &analyses, opcost_unrolled_loop *loops, size_t count);

// After it.
void ask_unroller_no_more(llvm::Function &function, opcost_unrolled_loop *loops, size_t count);

} // namespace opcost
