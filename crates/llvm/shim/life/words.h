// How an instruction of IR is written (recorder.cpp).
#pragma once

#include "llvm/IR/Instruction.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include <string>

namespace opcost::life {

// Without its metadata, as LLVM writes it.
std::string text_of(const llvm::Instruction &instruction, llvm::ModuleSlotTracker &slots);

} // namespace opcost::life
