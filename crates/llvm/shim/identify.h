// Numbers of instructions, as the lines of their locations.
#pragma once

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace opcost {

// Whether a function's instructions are in the map of a module whose code is sampled, and are numbered in tables
// (`opcost_instrument::Bodies::Own`): no copy for the optimiser alone, and none in assembly.
bool is_mapped(const llvm::Function &function);

// Numbers functions of a module that has no debug information. The numbers hold when this goes.
class Numbering {
public:
  // Where the optimiser is still to come, `for_copies`: what it copies then says so.
  Numbering(llvm::Module &module, bool for_copies);
  ~Numbering();
  Numbering(const Numbering &) = delete;

  // Numbers from `first` on. The number after the last one.
  uint32_t number(llvm::Function &function, uint32_t first);

private:
  llvm::DIBuilder builder;
  llvm::DIFile *file;
  llvm::DISubroutineType *type;
};

} // namespace opcost
