// Loops whose inner loop adds up one number are unrolled, and their inner loops become one.
#pragma once

#include "llvm/Passes/PassBuilder.h"

namespace opcost {

// Has a pipeline do so where its vectorisers begin.
void jam_loops(llvm::PassBuilder &builder);

} // namespace opcost
