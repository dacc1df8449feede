// Objects of an old frame that move into the frame of a continuation.
#pragma once

#include "live.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Instructions.h"

namespace opcost {

// Gives a continuation from a header of a function objects of its own where nobody else has the address of the old ones.
// `loads` reads the live values of the header, in their order.
void move_objects(const Header &header, llvm::ArrayRef<llvm::Instruction *> loads);

} // namespace opcost
