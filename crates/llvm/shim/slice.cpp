// Taking instructions out of a program, and marks of loops that a run tells.
//
// Each function does one edit; Rust walks the plan. Marks come first: they are
// then where they are in the whole program. Branches go next, and deleted
// instructions last, since until then all handles are alive.
#include "shim.h"

#include "llvm/IR/Attributes.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

// Phis of targets that are left lose the inputs of the block that `old` ends.
void leave_targets(Instruction *old, BasicBlock *except) {
  BasicBlock *block = old->getParent();
  SmallPtrSet<BasicBlock *, 8> targets;
  for (unsigned slot = 0; slot < old->getNumSuccessors(); slot++) targets.insert(old->getSuccessor(slot));
  for (BasicBlock *target : targets)
    for (PHINode &phi : target->phis()) {
      Value *kept = phi.getBasicBlockIndex(block) >= 0 ? phi.getIncomingValueForBlock(block) : nullptr;
      while (phi.getBasicBlockIndex(block) >= 0) phi.removeIncomingValue(block, false);
      if (target == except) phi.addIncoming(kept, block);
    }
  if (!except || targets.contains(except)) return;
  // Phis there go: what stays has an input for each way (the plan's checker).
  for (PHINode &phi : except->phis()) phi.addIncoming(PoisonValue::get(phi.getType()), block);
}

void erase(Instruction *old) {
  if (!old->getType()->isVoidTy() && !old->getType()->isTokenTy())
    old->replaceAllUsesWith(PoisonValue::get(old->getType()));
  old->eraseFromParent();
}

// Data that the runtime of slices knows by name.
GlobalVariable *define(Module &module, Constant *value, bool is_constant, const char *name) {
  auto *data = new GlobalVariable(module, value->getType(), is_constant, GlobalValue::ExternalLinkage, value, name);
  data->setVisibility(GlobalValue::HiddenVisibility);
  return data;
}

// What is said of a value that may be zero now, or of a write that may be gone.
AttributeMask promises() {
  AttributeMask mask;
  for (Attribute::AttrKind kind :
       {Attribute::NonNull, Attribute::NoUndef, Attribute::Dereferenceable, Attribute::DereferenceableOrNull,
        Attribute::Alignment, Attribute::Range, Attribute::NoFPClass, Attribute::Returned, Attribute::Initializes})
    mask.addAttribute(kind);
  return mask;
}

} // namespace

extern "C" {

// Cells for so many events, counted in place, under names that the runtime of slices knows.
// `names` has a line for each loop, `constants` three words.
LLVMValueRef opcost_make_events(LLVMModuleRef handle, uint32_t count, bool is_called, const char *names,
                                const uint64_t *constants) {
  Module &module = *unwrap(handle);
  LLVMContext &context = module.getContext();
  Type *word = Type::getInt64Ty(context), *byte = Type::getInt8Ty(context);
  auto *array = ArrayType::get(word, uint64_t(count) + 1);
  GlobalVariable *cells = define(module, ConstantAggregateZero::get(array), false, "opc_slice_cells");
  define(module, ConstantInt::get(word, count), true, "opc_slice_events");
  define(module, ConstantInt::get(byte, is_called), true, "opc_slice_called");
  define(module, ConstantDataArray::getString(context, names), true, "opc_slice_names");
  ArrayRef<uint64_t> words(constants, size_t(count) / 2 * 3);
  define(module, ConstantDataArray::get(context, words), true, "opc_slice_constants");
  return wrap(cells);
}

// One more of an event.
void opcost_count_event(LLVMValueRef before, LLVMValueRef cells, uint32_t event) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  auto *data = cast<GlobalVariable>(unwrap(cells));
  Value *address = builder.CreateConstInBoundsGEP2_64(data->getValueType(), data, 0, event);
  Value *old = builder.CreateLoad(builder.getInt64Ty(), address);
  builder.CreateStore(builder.CreateAdd(old, builder.getInt64(1)), address);
}

// The runtime is told of an event.
void opcost_tell_event(LLVMModuleRef handle, LLVMValueRef before, uint32_t event) {
  Module &module = *unwrap(handle);
  IRBuilder<> builder(unwrap<Instruction>(before));
  FunctionCallee callee = module.getOrInsertFunction(
      "opc_slice_event", FunctionType::get(builder.getVoidTy(), {builder.getInt32Ty()}, false));
  auto *function = cast<Function>(callee.getCallee());
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->setDoesNotThrow();
  builder.CreateCall(callee, {builder.getInt32(event)});
}

// The block ends in a branch to one target.
void opcost_lead_branch(LLVMValueRef terminator, LLVMBasicBlockRef target) {
  auto *old = unwrap<Instruction>(terminator);
  leave_targets(old, unwrap(target));
  auto *jump = BranchInst::Create(unwrap(target), old->getIterator());
  jump->setDebugLoc(old->getDebugLoc());
  erase(old);
}

// The block ends in a return of zero.
void opcost_return_nothing(LLVMValueRef terminator) {
  auto *old = unwrap<Instruction>(terminator);
  leave_targets(old, nullptr);
  Type *type = old->getFunction()->getReturnType();
  Value *value = type->isVoidTy() ? nullptr : Constant::getNullValue(type);
  ReturnInst::Create(old->getContext(), value, old->getIterator())->setDebugLoc(old->getDebugLoc());
  erase(old);
}

// The operand is zero.
void opcost_zero_operand(LLVMValueRef instruction, uint32_t operand) {
  auto *user = unwrap<Instruction>(instruction);
  user->setOperand(operand, Constant::getNullValue(user->getOperand(operand)->getType()));
}

void opcost_delete(LLVMValueRef instruction) { erase(unwrap<Instruction>(instruction)); }

// Behind the last edit: blocks that nothing reaches go, and so does what was said of values that may be
// zero now, or of effects that marks have. Debug information goes, too: values that it names may be gone.
void opcost_settle_slice(LLVMModuleRef handle) {
  Module &module = *unwrap(handle);
  AttributeMask value = promises(), effect;
  for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync, Attribute::Speculatable, Attribute::AllocKind,
                                   Attribute::AllocSize})
    effect.addAttribute(kind);
  for (Function &function : module) {
    if (function.isDeclaration()) continue;
    removeUnreachableBlocks(function);
    function.removeFnAttrs(effect);
    function.removeRetAttrs(value);
    for (unsigned at = 0; at < function.arg_size(); at++) function.removeParamAttrs(at, value);
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call || call->isInlineAsm()) continue;
      Function *callee = call->getCalledFunction();
      if (callee && callee->isDeclaration()) continue;
      call->removeFnAttrs(effect);
      call->removeRetAttrs(value);
      for (unsigned at = 0; at < call->arg_size(); at++) call->removeParamAttrs(at, value);
    }
  }
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty()) function.eraseFromParent();
  StripDebugInfo(module);
}

} // extern "C"
