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
#include "identify.h"
#include "shim.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

bool opcost::is_mapped(const Function &function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() && !function.hasFnAttribute(Attribute::Naked);
}

opcost::Numbering::Numbering(Module &module, bool for_copies) : builder(module) {
  file = builder.createFile("opcost", "");
  builder.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C), file, "opcost", true, "", 0, "",
                            DICompileUnit::NoDebug, /*DWOId=*/0, /*SplitDebugInlining=*/true,
                            /*DebugInfoForProfiling=*/for_copies);
  type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  if (!module.getModuleFlag("Debug Info Version"))
    module.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
}

opcost::Numbering::~Numbering() { builder.finalize(); }

uint32_t opcost::Numbering::number(Function &function, uint32_t first) {
  DISubprogram *scope = builder.createFunction(file, function.getName(), "", file, 1, type, 1, DINode::FlagZero,
                                               DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
  function.setSubprogram(scope);
  for (Instruction &instruction : instructions(function))
    instruction.setDebugLoc(DILocation::getDistinct(function.getContext(), first++, 0, scope));
  return first;
}

extern "C" {

void opcost_strip_debug(LLVMModuleRef handle) { StripDebugInfo(*unwrap(handle)); }

// Numbers the instructions of all defined functions in program order from 1.
// Debug records are dropped with the rest of the debug information.
void opcost_identify(LLVMModuleRef handle) {
  Module &module = *unwrap(handle);
  StripDebugInfo(module);
  opcost::Numbering numbering(module, /*for_copies=*/false);
  uint32_t next = 1;
  for (Function &function : module)
    if (!function.isDeclaration()) next = numbering.number(function, next);
}

// Numbers those that the map of a sampled module has.
void opcost_identify_mapped(LLVMModuleRef handle, bool for_copies) {
  Module &module = *unwrap(handle);
  StripDebugInfo(module);
  opcost::Numbering numbering(module, for_copies);
  uint32_t next = 1;
  for (Function &function : module)
    if (opcost::is_mapped(function)) next = numbering.number(function, next);
}

} // extern "C"
