// Identity on the way through code generation: every instruction gets its
// number as the line of its debug location.
//
// The user's own debug information is dropped from the recording build (its
// places are in the map); one compile unit that emits nothing carries the
// numbers, so that code generation keeps and merges them as it does lines and
// no debug section is written. Machine code stays byte for byte the same.
// Where the optimiser is still to come, the unit says that it is for profiles: then
// unrolling and vectorising note in a location (DILocation::getDuplicationFactor)
// how many executions an instruction that they made stands for.
#include "shim.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

extern "C" {

void opcost_strip_debug(LLVMModuleRef handle) { StripDebugInfo(*unwrap(handle)); }

// Numbers the instructions of all defined functions in program order from 1.
// Debug records are dropped with the rest of the debug information.
void opcost_identify(LLVMModuleRef handle, bool for_copies) {
  Module &module = *unwrap(handle);
  StripDebugInfo(module);
  LLVMContext &context = module.getContext();
  DIBuilder builder(module);
  DIFile *file = builder.createFile("opcost", "");
  builder.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C), file, "opcost", true, "", 0, "",
                            DICompileUnit::NoDebug, /*DWOId=*/0, /*SplitDebugInlining=*/true,
                            /*DebugInfoForProfiling=*/for_copies);
  DISubroutineType *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  unsigned line = 0;
  for (Function &function : module) {
    if (function.isDeclaration()) continue;
    DISubprogram *scope =
        builder.createFunction(file, function.getName(), "", file, 1, type, 1, DINode::FlagZero,
                               DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
    function.setSubprogram(scope);
    for (Instruction &instruction : instructions(function))
      instruction.setDebugLoc(DILocation::getDistinct(context, ++line, 0, scope));
  }
  builder.finalize();
  if (!module.getModuleFlag("Debug Info Version"))
    module.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
}

} // extern "C"
