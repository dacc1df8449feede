// Notes where local functions are from (home.cpp).
#pragma once

#include "shim.h"

namespace opcost {

// Notes at each local function of a module the module and its own name.
void note_homes(llvm::Module &module);

} // namespace opcost
