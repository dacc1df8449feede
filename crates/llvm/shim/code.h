// The table of machine code: which bytes are executed for which instruction and block.
#pragma once

#include "llvm/CodeGen/AsmPrinterHandler.h"
#include "llvm/CodeGen/TargetSchedule.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace llvm {
class AsmPrinter;
class MCSymbol;
class Module;
} // namespace llvm

namespace opcost {

// Names the blocks of all defined functions by their numbers, so that they are
// known again behind the passes of code generation that split and join them.
void name_blocks(llvm::Module &module);

// Hangs on the printer and writes the table at the end of the module. `block_of`:
// empty if the module is as it was numbered, else by instruction its block.
std::unique_ptr<llvm::AsmPrinterHandler> code_table(llvm::AsmPrinter &printer, const llvm::Module &module,
                                                    const uint8_t *hash, llvm::ArrayRef<uint32_t> block_of);

} // namespace opcost
