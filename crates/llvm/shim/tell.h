// The table of where what is left is, at each instruction of the machine's.
#pragma once

#include "llvm/CodeGen/AsmPrinterHandler.h"
#include <memory>

namespace llvm {
class AsmPrinter;
class Module;
} // namespace llvm

namespace opcost {

// Hangs on the printer and writes the table beside each function; null if the
// module tells nothing, or is for a machine whose objects have no place for it.
std::unique_ptr<llvm::AsmPrinterHandler> told(llvm::AsmPrinter &printer, const llvm::Module &module);

} // namespace opcost
