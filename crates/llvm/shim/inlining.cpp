// Puts called functions in place of chosen calls.
//
// The mechanics are LLVM's (`InlineFunction`). Which calls are replaced is the caller's. A called function has fewer
// entries then by the executions of the call, in integers. Weights of branches in the inlined code are those of the
// called function, until somebody counts it again.
//
// Which calls can be replaced: direct ones to a function of this module with the same type, which nobody else may
// define otherwise. Left alone are recursion, variable arguments, `musttail`, operand bundles, what LLVM does not
// inline (`noinline`, `setjmp`, computed jumps, other features of the processor), and what it inlines
// anyway (`alwaysinline`). So are functions with assembly, which may have labels, and those with much or with
// unknown memory on the stack, of which a recursive caller would have one for each of its frames.
#include "generate.h"
#include "passes.h"
#include "shim.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace {

// The most bytes on the stack of a function that is inlined.
constexpr uint64_t kStack = 1024;

// Whether a function may be there twice, and its frame be part of another.
bool can_be_part(const Function &function) {
  const DataLayout &layout = function.getDataLayout();
  uint64_t stack = 0;
  for (const BasicBlock &block : function) {
    for (const Instruction &instruction : block) {
      if (auto *memory = dyn_cast<AllocaInst>(&instruction)) {
        std::optional<TypeSize> size = memory->getAllocationSize(layout);
        if (!size || size->isScalable() || !memory->isStaticAlloca()) return false;
        stack += size->getFixedValue();
      }
      auto *call = dyn_cast<CallBase>(&instruction);
      auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
      if (call && (call->cannotDuplicate() || call->isConvergent())) return false;
      if (assembly && !assembly->getAsmString().empty()) return false;
    }
  }
  return stack <= kStack;
}

bool can_inline(CallBase &call, FunctionAnalysisManager &analyses) {
  if (isa<CallBrInst>(call) || call.isNoInline() || call.isMustTailCall() || call.hasOperandBundles()) return false;
  Function *callee = call.getCalledFunction();
  Function &caller = *call.getFunction();
  if (!callee || callee == &caller || callee->isDeclaration() || callee->isVarArg()) return false;
  if (callee->getFunctionType() != call.getFunctionType() || callee->getCallingConv() != call.getCallingConv()) return false;
  if (caller.hasOptNone() || caller.hasFnAttribute(Attribute::Naked) || caller.isPresplitCoroutine()) return false;
  // Lines of inlined code need the line of the call.
  if (callee->getSubprogram() && !call.getDebugLoc()) return false;
  auto library = [&](Function &of) -> const TargetLibraryInfo & { return analyses.getResult<TargetLibraryAnalysis>(of); };
  auto said = getAttributeBasedInliningDecision(call, callee, analyses.getResult<TargetIRAnalysis>(*callee), library);
  return !said && can_be_part(*callee) && isInlineViable(*callee).isSuccess();
}

// Does something with the analyses of a module for a machine; null, or what went wrong.
template <typename Use> char *with_analyses(Module &module, const opcost_emission &how, Use use) {
  std::string error;
  std::unique_ptr<TargetMachine> machine = opcost::machine_for(module, how, error);
  if (!machine) return opcost::copy(error);
  PassBuilder builder(machine.get());
  opcost::Managers managers(builder, module);
  use(managers);
  return nullptr;
}

void inline_call(CallBase &call, uint64_t executions, FunctionAnalysisManager &analyses, ProfileSummaryInfo &summary,
                 LLVMBasicBlockRef &head) {
  Function &caller = *call.getFunction(), &callee = *call.getCalledFunction();
  BasicBlock *before = call.getParent();
  std::optional<Function::ProfileCount> entries = callee.getEntryCount();
  auto assumptions = [&](Function &of) -> AssumptionCache & { return analyses.getResult<AssumptionAnalysis>(of); };
  // Targets of calls through pointers in the inlined code get a share by these.
  BlockFrequencyInfo *of_caller = &analyses.getResult<BlockFrequencyAnalysis>(caller);
  BlockFrequencyInfo *of_callee = &analyses.getResult<BlockFrequencyAnalysis>(callee);
  InlineFunctionInfo info(assumptions, &summary, of_caller, of_callee);
  head = nullptr;
  if (!InlineFunction(call, info, /*MergeAttributes=*/true).isSuccess()) return;
  head = wrap(before);
  if (entries) callee.setEntryCount(entries->getCount() - std::min(entries->getCount(), executions));
  analyses.invalidate(caller, PreservedAnalyses::none());
  analyses.invalidate(callee, PreservedAnalyses::none());
}

} // namespace

// A call that is replaced, and how often it is carried out.
struct opcost_inlined_call {
  LLVMValueRef call;
  uint64_t executions;
};

extern "C" {

// Of calls whether each can be replaced; null, or what went wrong.
char *opcost_can_inline(LLVMModuleRef module, const opcost_emission *how, const LLVMValueRef *calls, size_t count, uint8_t *can) {
  return with_analyses(*unwrap(module), *how, [&](opcost::Managers &managers) {
    for (size_t i = 0; i < count; i++) {
      auto *call = dyn_cast<CallBase>(unwrap(calls[i]));
      can[i] = call && can_inline(*call, managers.functions);
    }
  });
}

// Replaces calls in this order. Of each, `heads` gets the block before the inlined code, or null if LLVM refused. Null,
// or what went wrong.
char *opcost_inline(LLVMModuleRef handle, const opcost_emission *how, const opcost_inlined_call *calls, size_t count,
                    LLVMBasicBlockRef *heads) {
  Module &module = *unwrap(handle);
  return with_analyses(module, *how, [&](opcost::Managers &managers) {
    ProfileSummaryInfo &summary = managers.modules.getResult<ProfileSummaryAnalysis>(module);
    for (size_t i = 0; i < count; i++)
      inline_call(cast<CallBase>(*unwrap(calls[i].call)), calls[i].executions, managers.functions, summary, heads[i]);
  });
}

} // extern "C"
