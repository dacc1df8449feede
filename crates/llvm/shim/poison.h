// Which values are poison in an execution: see poison.cpp.
#pragma once
#include "shim.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"

namespace opcost {

class Poison {
public:
  // Of a function before anything was added to it.
  explicit Poison(llvm::Function &function);
  // A bit that says whether the value is poison; null if it never is.
  llvm::Value *of(llvm::Value *value);

private:
  bool mayBe(llvm::Value *value) const;
  llvm::Value *computed(llvm::Instruction &instruction);
  llvm::Value *breaks(llvm::IRBuilder<> &builder, llvm::Instruction &instruction);

  llvm::SmallPtrSet<llvm::Value *, 32> may;
  llvm::DenseMap<llvm::Value *, llvm::Value *> made;
};

} // namespace opcost
