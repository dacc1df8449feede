// What memory held when values of an activation were written down.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace opcost {

// An object and its first bytes.
struct Contents {
  llvm::Value *object;
  llvm::ArrayRef<uint8_t> bytes;
};

// Has the first outermost loop of a continuation read constants, if nothing writes there. Whether all is as it was is
// computed in its first block; the value that says so, or null if nothing was changed.
llvm::Instruction *use_contents(llvm::Function &body, llvm::SmallVector<Contents, 16> contents);

} // namespace opcost
