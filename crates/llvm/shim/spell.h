// What machines do in their own ways, spelt out (spell.cpp).
#pragma once
#include "llvm/IR/Function.h"

namespace opcost {

// Arithmetic of a function that a front end wrote.
void spell_out(llvm::Function &function);
// Bits of what is not a number, where they can be seen.
void make_nans_alike(llvm::Function &function);

} // namespace opcost
