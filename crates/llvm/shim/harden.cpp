// Metering a module that nobody trusts: where its counter is, that no frame
// steps over the end of the stack, and that no function runs on into the next.
#include "shim.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

extern "C" {

// The counter at the start of the memory that the segment register gs leads
// to; null where the machine has none.
LLVMValueRef opcost_hidden_cell(LLVMModuleRef handle) {
  Module &module = *unwrap(handle);
  if (module.getTargetTriple().getArch() != Triple::x86_64) return nullptr;
  constexpr unsigned kSegmentGs = 256;
  return wrap(ConstantPointerNull::get(PointerType::get(module.getContext(), kSegmentGs)));
}

// Makes every large frame touch its pages in order, so that a full stack is met
// at its end and nowhere behind it.
void opcost_probe_stacks(LLVMModuleRef handle) {
  for (Function &function : *unwrap(handle))
    if (!function.isDeclaration() && !function.hasFnAttribute("probe-stack"))
      function.addFnAttr("probe-stack", "inline-asm");
}

// What must not be reached ends the program where it is: code generation would
// put nothing there, and the next function would follow.
void opcost_trap_unreachable(LLVMModuleRef handle) {
  for (Function &function : *unwrap(handle))
    for (BasicBlock &block : function)
      if (auto *end = dyn_cast<UnreachableInst>(block.getTerminator())) {
        CallInst *before = dyn_cast_or_null<CallInst>(end->getPrevNode());
        if (before && before->isMustTailCall()) continue;
        IRBuilder<>(end).CreateIntrinsic(Intrinsic::trap, {});
      }
}

} // extern "C"
