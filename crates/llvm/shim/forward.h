// Which loads of a walk through machine code wait for a store of it?
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include <optional>
#include <vector>

namespace opcost {

// A piece of a walk: positions of instructions that run one after the other.
struct Stretch {
  size_t begin, end;    // in the walk's order
  bool follows;         // whether it runs right behind the stretch before it
};

// What a processor is.
struct Machine {
  const llvm::MCInstrInfo &instructions;
  const llvm::MCRegisterInfo &registers;
  bool renames_memory; // a load of what was stored by the same operands does not wait
};

// For each step of the walk the step of the store for whose value it waits, if there is one.
std::vector<std::optional<unsigned>> forwards(llvm::ArrayRef<llvm::MCInst> code, llvm::ArrayRef<unsigned> order,
                                              llvm::ArrayRef<Stretch> stretches, const Machine &machine);

} // namespace opcost
