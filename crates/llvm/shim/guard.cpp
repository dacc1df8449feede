// Keeping a program's own stores off its counter.
//
// A metered program's counter lies in its own memory. Every store whose address
// is not plainly another object's is asked first whether it would reach the
// counter's page: one subtraction, one comparison, a branch that is not taken
// (software fault isolation; Wahbe, Lucco, Anderson, Graham, "Efficient
// software-based fault isolation", 1993, with a forbidden page in place of an
// allowed segment). And the counter is kept twice, the second time under a key,
// so that what reaches it all the same (a library's writing, a system call) is
// seen when it is read. Comes last: nothing of it is weighed.
//
// Limit: an attacker who reads the page first can write both.
#include "shim.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

extern "C" LLVMValueRef opcost_fuel_site(LLVMModuleRef handle, const char *function, const char *file, uint32_t line);

namespace {

constexpr const char *kTampered = "opc_fuel_tampered";
constexpr uint64_t kPage = 65536;
// Offsets in the page: `struct opc_fuel_page`.
constexpr uint64_t kKey = 3120, kMirror = 3128;

class Guard {
public:
  Guard(Module &module, GlobalVariable *cell) : module(module), cell(cell) {}

  uint32_t stores = 0, guarded = 0;

  void run(Function &function) {
    SmallVector<Instruction *, 32> writing, own;
    for (Instruction &instruction : instructions(function)) {
      Value *pointer = getLoadStorePointerOperand(&instruction);
      if (pointer == cell)
        own.push_back(&instruction);
      else if (instruction.mayWriteToMemory())
        writing.push_back(&instruction);
    }
    for (Instruction *instruction : writing) keep_off(instruction);
    for (Instruction *instruction : own)
      isa<StoreInst>(instruction) ? keep_twice(instruction) : compare(cast<LoadInst>(instruction));
  }

private:
  Module &module;
  GlobalVariable *cell;

  Value *beside(IRBuilder<> &builder, uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), cell, offset);
  }

  void end_if(Value *is_wrong, Instruction *before) {
    Instruction *then = SplitBlockAndInsertIfThen(is_wrong, before, /*Unreachable=*/true,
                                                  MDBuilder(module.getContext()).createUnlikelyBranchWeights());
    IRBuilder<> builder(then);
    FunctionCallee callee =
        module.getOrInsertFunction(kTampered, FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false));
    auto *function = cast<Function>(callee.getCallee());
    function->setVisibility(GlobalValue::HiddenVisibility);
    function->setDSOLocal(true);
    function->setDoesNotReturn();
    function->addFnAttr(Attribute::Cold);
    CallInst *call = builder.CreateCall(callee, {site(before)});
    call->setDebugLoc(before->getDebugLoc());
  }

  Value *site(Instruction *instruction) {
    std::string function = instruction->getFunction()->getName().str(), file;
    unsigned line = 0;
    if (const DILocation *place = instruction->getDebugLoc()) {
      line = place->getLine();
      file = place->getFilename().str();
      if (DISubprogram *scope = place->getScope()->getSubprogram())
        function = scope->getLinkageName().empty() ? scope->getName().str() : scope->getLinkageName().str();
    }
    return unwrap(opcost_fuel_site(wrap(&module), function.c_str(), file.c_str(), line));
  }

  // Whether the address lies inside an object that is not the counter.
  bool is_elsewhere(Value *pointer, uint64_t size) {
    const DataLayout &layout = module.getDataLayout();
    APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    Value *base = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
    uint64_t room = 0;
    if (auto *local = dyn_cast<AllocaInst>(base)) {
      if (std::optional<TypeSize> bytes = local->getAllocationSize(layout)) room = bytes->getFixedValue();
    } else if (auto *variable = dyn_cast<GlobalVariable>(base); variable && variable != cell) {
      if (!variable->isDeclaration()) room = layout.getTypeAllocSize(variable->getValueType());
    }
    return !offset.isNegative() && offset.ule(room) && size <= room - offset.getZExtValue();
  }

  // `length` is the number of bytes when it is known when the program runs only.
  void guard(Instruction *before, Value *pointer, uint64_t size, Value *length = nullptr) {
    // The hand is a register.
    if (pointer->getType()->getPointerAddressSpace() != 0 || pointer->isSwiftError()) return;
    stores++;
    if (!length && is_elsewhere(pointer, size)) return;
    guarded++;
    IRBuilder<> builder(before);
    Type *word = builder.getInt64Ty();
    Value *at = builder.CreatePtrToInt(pointer, word), *page = builder.CreatePtrToInt(cell, word);
    Value *behind = builder.CreateSub(at, page);
    Value *reach = builder.getInt64(kPage + size - 1);
    if (length) {
      // It begins in the page, or before it and reaches it; a length of 0 reaches nothing.
      Value *begins = builder.CreateICmpULT(behind, builder.getInt64(kPage));
      Value *reaches = builder.CreateICmpULT(builder.CreateSub(page, at), builder.CreateZExtOrTrunc(length, word));
      Value *is_some = builder.CreateICmpNE(length, ConstantInt::get(length->getType(), 0));
      end_if(builder.CreateAnd(is_some, builder.CreateOr(begins, reaches)), before);
      return;
    }
    Value *moved = builder.CreateAdd(behind, builder.getInt64(size - 1));
    end_if(builder.CreateICmpULT(moved, reach), before);
  }

  void keep_off(Instruction *instruction) {
    const DataLayout &layout = module.getDataLayout();
    auto size = [&](Type *type) { return layout.getTypeStoreSize(type).getKnownMinValue(); };
    if (auto *store = dyn_cast<StoreInst>(instruction))
      guard(store, store->getPointerOperand(), size(store->getValueOperand()->getType()));
    else if (auto *update = dyn_cast<AtomicRMWInst>(instruction))
      guard(update, update->getPointerOperand(), size(update->getType()));
    else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(instruction))
      guard(exchange, exchange->getPointerOperand(), size(exchange->getNewValOperand()->getType()));
    else if (auto *bytes = dyn_cast<MemIntrinsic>(instruction)) {
      auto *constant = dyn_cast<ConstantInt>(bytes->getLength());
      if (constant && constant->isZero()) return;
      guard(bytes, bytes->getRawDest(), constant ? constant->getZExtValue() : 0,
            constant ? nullptr : bytes->getLength());
    } else if (auto *call = dyn_cast<IntrinsicInst>(instruction)) {
      if (call->getIntrinsicID() == Intrinsic::masked_store)
        guard(call, call->getArgOperand(1), size(call->getArgOperand(0)->getType()));
      else if (call->getIntrinsicID() == Intrinsic::masked_scatter)
        guard_lanes(call, size(call->getArgOperand(0)->getType()->getScalarType()));
    }
  }

  void guard_lanes(IntrinsicInst *call, uint64_t size) {
    auto *type = cast<FixedVectorType>(call->getArgOperand(1)->getType());
    for (unsigned lane = 0; lane < type->getNumElements(); lane++) {
      IRBuilder<> builder(call);
      guard(call, builder.CreateExtractElement(call->getArgOperand(1), lane), size);
    }
  }

  void keep_twice(Instruction *store) {
    IRBuilder<> builder(store->getNextNode());
    Value *key = builder.CreateLoad(builder.getInt64Ty(), beside(builder, kKey));
    Value *left = cast<StoreInst>(store)->getValueOperand();
    builder.CreateStore(builder.CreateXor(left, key), beside(builder, kMirror));
  }

  void compare(LoadInst *left) {
    Instruction *behind = left->getNextNode();
    IRBuilder<> builder(behind);
    Value *key = builder.CreateLoad(builder.getInt64Ty(), beside(builder, kKey));
    Value *mirror = builder.CreateLoad(builder.getInt64Ty(), beside(builder, kMirror));
    end_if(builder.CreateICmpNE(builder.CreateXor(left, mirror), key), behind);
  }
};

} // namespace

extern "C" {

// Guards all stores and keeps the counter twice; how many stores there are, and
// before how many of them it is asked.
void opcost_guard_counter(LLVMModuleRef handle, uint32_t *stores, uint32_t *guarded) {
  Module &module = *unwrap(handle);
  *stores = *guarded = 0;
  GlobalVariable *cell = module.getGlobalVariable("opc_fuel", /*AllowInternal=*/true);
  if (!cell) return;
  Guard guard(module, cell);
  for (Function &function : module)
    if (!function.isDeclaration()) guard.run(function);
  *stores = guard.stores;
  *guarded = guard.guarded;
}

} // extern "C"
