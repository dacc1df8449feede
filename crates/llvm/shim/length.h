// The length of what an instruction works on, for counting and for fuel.
#pragma once

#include "shim.h"

#include "llvm/IR/IRBuilder.h"

namespace opcost {

// Units of `instruction`, read where `builder` stands, before it. `first` and
// `second` are arguments of a call whose product is the length in bytes, the
// second below zero if there is none; `first` below zero is what an alloca takes.
// `is_moved`: all of it is copied or filled, so that much is charged more.
llvm::Value *units(llvm::IRBuilder<> &builder, llvm::Instruction *instruction, int32_t first, int32_t second,
                   bool is_moved);

} // namespace opcost
