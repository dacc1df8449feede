// Carrying out edits on a module. Each function does one edit; Rust walks the
// plan and knows which block or instruction an id means.
//
// A counter is a cell of one internal array in its own section. Nothing but
// code generation runs afterwards, except promotion of our own register cells.
#include "length.h"
#include "shim.h"

#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace {

// The instruction before which code at the start of a block goes: behind phis,
// landing pad and, in an entry block, the fixed allocas.
Instruction *start_of(BasicBlock *block) {
  BasicBlock::iterator spot = block->getFirstInsertionPt();
  while (spot != block->end() && isa<AllocaInst>(&*spot) && cast<AllocaInst>(&*spot)->isStaticAlloca()) ++spot;
  return &*spot;
}

Value *cell(IRBuilder<> &builder, GlobalVariable *cells, uint32_t index) {
  Type *word = builder.getInt64Ty();
  auto *array = cast<ArrayType>(cells->getValueType());
  return ConstantExpr::getInBoundsGetElementPtr(
      array, cells, ArrayRef<Constant *>{ConstantInt::get(word, 0), ConstantInt::get(word, index)});
}

void add_to(IRBuilder<> &builder, Value *address, Value *amount) {
  LoadInst *old = builder.CreateLoad(builder.getInt64Ty(), address);
  StoreInst *store = builder.CreateStore(builder.CreateAdd(old, amount), address);
  store->setMetadata(opcost::kCountMark, MDNode::get(builder.getContext(), {}));
}

// What says how often a loop went back; as the Rust side has it, field by field.
struct Induction {
  LLVMValueRef phi;
  LLVMValueRef next;
  LLVMValueRef test;
  uint32_t bound;
  bool is_next;
  bool may_overflow;
  int64_t step;
};

} // namespace

extern "C" {

// The module's counter array of `count` cells and one more for counts that
// nobody asked for, and the descriptor by which the runtime finds it.
LLVMValueRef opcost_make_counters(LLVMModuleRef handle, uint32_t count, const uint8_t *map_hash) {
  Module &module = *unwrap(handle);
  LLVMContext &context = module.getContext();
  Type *word = Type::getInt64Ty(context);
  auto *array = ArrayType::get(word, uint64_t(count) + 1);
  auto *cells = new GlobalVariable(module, array, false, GlobalValue::InternalLinkage,
                                   ConstantAggregateZero::get(array), "opcost.counters");
  cells->setSection(opcost::kCounterSection);
  cells->setAlignment(Align(8));
  auto *hash = ConstantDataArray::get(context, ArrayRef<uint8_t>(map_hash, 16));
  auto *value = ConstantStruct::getAnon({hash, cells, ConstantInt::get(word, count)});
  auto *descriptor = new GlobalVariable(module, value->getType(), false, GlobalValue::InternalLinkage, value,
                                        "opcost.descriptor");
  descriptor->setSection(opcost::kDescriptorSection);
  descriptor->setAlignment(Align(8));
  appendToUsed(module, {descriptor});
  return wrap(cells);
}

// A base for the counters of the running thread, loaded once per function; in
// programs without threads the array itself.
LLVMValueRef opcost_thread_base(LLVMModuleRef handle, LLVMValueRef function_handle, LLVMValueRef cells_handle) {
  Module &module = *unwrap(handle);
  auto *function = cast<Function>(unwrap(function_handle));
  LLVMContext &context = module.getContext();
  Type *word = Type::getInt64Ty(context);
  GlobalVariable *delta = module.getGlobalVariable("opc_thread_delta");
  if (!delta) {
    delta = new GlobalVariable(module, word, false, GlobalValue::ExternalLinkage, nullptr, "opc_thread_delta",
                               nullptr, GlobalValue::InitialExecTLSModel);
    delta->setVisibility(GlobalValue::HiddenVisibility);
    // One byte a module, by which the runtime sees that none shares its counters.
    auto *mark = new GlobalVariable(module, Type::getInt8Ty(context), true, GlobalValue::InternalLinkage,
                                    ConstantInt::get(Type::getInt8Ty(context), 1), "opcost.by_thread");
    mark->setSection(opcost::kThreadSection);
    appendToUsed(module, {mark});
  }
  FunctionCallee start = module.getOrInsertFunction("opc_thread_start", FunctionType::get(word, false));
  cast<Function>(start.getCallee())->setVisibility(GlobalValue::HiddenVisibility);
  Instruction *spot = start_of(&function->getEntryBlock());
  DebugLoc location = spot->getDebugLoc();
  IRBuilder<> builder(spot);
  Value *address = builder.CreateThreadLocalAddress(delta);
  Value *known = builder.CreateLoad(word, address);
  Value *unknown = builder.CreateICmpEQ(known, ConstantInt::getSigned(word, INT64_MIN));
  BasicBlock *before = spot->getParent();
  Instruction *then = SplitBlockAndInsertIfThen(unknown, spot, false);
  builder.SetInsertPoint(then);
  builder.SetCurrentDebugLocation(location);
  CallInst *asked = builder.CreateCall(start);
  builder.SetInsertPoint(spot->getParent(), spot->getParent()->begin());
  PHINode *distance = builder.CreatePHI(word, 2);
  distance->addIncoming(known, before);
  distance->addIncoming(asked, then->getParent());
  builder.SetInsertPoint(spot);
  return wrap(builder.CreatePtrAdd(unwrap<GlobalVariable>(cells_handle), distance, "opcost.base"));
}

// `base` is the array or what opcost_thread_base gave for this function.
static Value *address_of(IRBuilder<> &builder, Value *base, uint32_t index) {
  if (auto *cells = dyn_cast<GlobalVariable>(base)) return cell(builder, cells, index);
  return builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), base, index);
}

LLVMValueRef opcost_start_of_block(LLVMBasicBlockRef block) { return wrap(start_of(unwrap(block))); }

void opcost_count(LLVMValueRef before, LLVMValueRef base, uint32_t index) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  add_to(builder, address_of(builder, unwrap(base), index), builder.getInt64(1));
}

// Adds what the instruction is about to work on, in units.
void opcost_add_length(LLVMValueRef instruction_handle, int32_t first, int32_t second, bool is_moved,
                       LLVMValueRef base, uint32_t index) {
  auto *instruction = unwrap<Instruction>(instruction_handle);
  IRBuilder<> builder(instruction);
  Value *units = opcost::units(builder, instruction, first, second, is_moved);
  add_to(builder, address_of(builder, unwrap(base), index), units);
}

// Puts a block on successor `slot` of a terminator; returns the new block's terminator.
LLVMValueRef opcost_split_edge(LLVMValueRef terminator_handle, uint32_t slot) {
  auto *terminator = unwrap<Instruction>(terminator_handle);
  BasicBlock *block = terminator->getParent();
  BasicBlock *target = terminator->getSuccessor(slot);
  auto *middle = BasicBlock::Create(block->getContext(), "", block->getParent(), target);
  auto *jump = BranchInst::Create(target, middle);
  jump->setDebugLoc(terminator->getDebugLoc());
  terminator->setSuccessor(slot, middle);
  // Parallel edges have one entry each in a phi; exactly one of them moves.
  for (PHINode &phi : target->phis()) phi.setIncomingBlock(phi.getBasicBlockIndex(block), middle);
  return wrap(jump);
}

// A branch to a block of phis and a `ret` becomes a `ret` of its own. What was
// put into that block besides has been put here too.
void opcost_return_here(LLVMValueRef branch_handle) {
  auto *branch = unwrap<BranchInst>(branch_handle);
  BasicBlock *block = branch->getParent(), *target = branch->getSuccessor(0);
  auto *end = cast<ReturnInst>(target->getTerminator());
  Value *value = end->getReturnValue();
  if (auto *phi = dyn_cast_or_null<PHINode>(value); phi && phi->getParent() == target)
    value = phi->getIncomingValueForBlock(block);
  auto *own = ReturnInst::Create(block->getContext(), value, branch->getIterator());
  own->setDebugLoc(end->getDebugLoc());
  opcost::join_origins(own, branch);
  opcost::join_origins(own, end);
  target->removePredecessor(block, /*KeepOneInputPHIs=*/true);
  branch->eraseFromParent();
}

// Counts entries to `target` in counter `indices[n]` when they come from the
// block that `terminators[n]` ends, in `scratch` when they come from another.
// `before` is the first instruction of the target behind phis and landing pad.
void opcost_count_by_predecessor(LLVMBasicBlockRef target_handle, LLVMValueRef before, LLVMValueRef *terminators,
                                 const uint32_t *indices, uint32_t count, LLVMValueRef base, uint32_t scratch) {
  BasicBlock *target = unwrap(target_handle);
  Type *word = Type::getInt64Ty(target->getContext());
  PHINode *which = PHINode::Create(word, 0, "", target->begin());
  for (BasicBlock *predecessor : predecessors(target)) {
    uint32_t index = scratch;
    for (uint32_t i = 0; i < count; i++)
      if (unwrap<Instruction>(terminators[i])->getParent() == predecessor) index = indices[i];
    which->addIncoming(ConstantInt::get(word, index), predecessor);
  }
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *address = builder.CreateInBoundsGEP(word, unwrap(base), which);
  add_to(builder, address, builder.getInt64(1));
}

// Counts each return of a returns_twice call but the first, and settles.
void opcost_count_again(LLVMModuleRef handle, LLVMValueRef call_handle, LLVMValueRef base, uint32_t index) {
  Module &module = *unwrap(handle);
  auto *call = unwrap<CallInst>(call_handle);
  LLVMContext &context = module.getContext();
  Type *byte = Type::getInt8Ty(context);
  IRBuilder<> entry(start_of(&call->getFunction()->getEntryBlock()));
  // Volatile: it must live in memory, which the second return leaves as it is.
  AllocaInst *returned = entry.CreateAlloca(byte);
  IRBuilder<> before(call);
  before.CreateStore(before.getInt8(0), returned, /*isVolatile=*/true);
  Instruction *next = call->getNextNode();
  IRBuilder<> after(next);
  Value *again = after.CreateLoad(byte, returned, /*isVolatile=*/true);
  after.CreateStore(after.getInt8(1), returned, /*isVolatile=*/true);
  add_to(after, address_of(after, unwrap(base), index), after.CreateZExt(again, after.getInt64Ty()));
  Value *is_again = after.CreateICmpNE(again, after.getInt8(0));
  Instruction *then = SplitBlockAndInsertIfThen(is_again, next, false);
  IRBuilder<> settle(then);
  settle.SetCurrentDebugLocation(call->getDebugLoc());
  Type *pointer = settle.getPtrTy();
  FunctionCallee callee =
      module.getOrInsertFunction("opc_settle", FunctionType::get(settle.getVoidTy(), {pointer}, false));
  cast<Function>(callee.getCallee())->setVisibility(GlobalValue::HiddenVisibility);
  Value *frame = settle.CreateIntrinsic(Intrinsic::frameaddress, {pointer}, {settle.getInt32(0)});
  settle.CreateCall(callee, {frame});
}

// A register cell of a function; opcost_promote makes a register of it.
LLVMValueRef opcost_make_register(LLVMValueRef function_handle) {
  auto *function = unwrap<Function>(function_handle);
  IRBuilder<> builder(&*function->getEntryBlock().getFirstInsertionPt());
  return wrap(builder.CreateAlloca(builder.getInt64Ty()));
}

void opcost_clear(LLVMValueRef before, LLVMValueRef cell) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  builder.CreateStore(builder.getInt64(0), unwrap(cell));
}

void opcost_count_in_register(LLVMValueRef before, LLVMValueRef cell) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  add_to(builder, unwrap(cell), builder.getInt64(1));
}

void opcost_flush(LLVMValueRef before, LLVMValueRef cell, LLVMValueRef base, uint32_t index) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *amount = builder.CreateLoad(builder.getInt64Ty(), unwrap(cell));
  add_to(builder, address_of(builder, unwrap(base), index), amount);
}

// How often a loop went back: what its induction variable, or the bound that it met, is away from its start.
void opcost_count_iterations(LLVMValueRef before, Induction induction, LLVMValueRef base, uint32_t index) {
  auto *phi = unwrap<PHINode>(induction.phi);
  Value *next = unwrap(induction.next);
  unsigned entry = phi->getIncomingValue(0) == next ? 1 : 0;
  // What was never set may be read as another number each time; held fast before the loop, it is one.
  auto hold = [&](Value *value) -> Value * {
    if (isa<Constant>(value) || isa<FreezeInst>(value)) return value;
    return IRBuilder<>(phi->getIncomingBlock(entry)->getTerminator()).CreateFreeze(value);
  };
  Value *start = hold(phi->getIncomingValue(entry));
  phi->setIncomingValue(entry, start);
  if (induction.may_overflow) cast<Instruction>(next)->dropPoisonGeneratingFlags();
  Value *end = induction.is_next ? next : phi;
  if (induction.test) {
    auto *test = unwrap<ICmpInst>(induction.test);
    end = hold(test->getOperand(induction.bound));
    test->setOperand(induction.bound, end);
  }
  IRBuilder<> builder(unwrap<Instruction>(before));
  auto number = [&](Value *one) {
    return one->getType()->isPointerTy() ? builder.CreatePtrToInt(one, builder.getInt64Ty()) : one;
  };
  Value *from = number(start), *to = number(end);
  int64_t step = induction.step;
  Value *distance = step < 0 ? builder.CreateSub(from, to) : builder.CreateSub(to, from);
  uint64_t size = step < 0 ? -static_cast<uint64_t>(step) : step;
  if (induction.is_next) distance = builder.CreateSub(distance, ConstantInt::get(distance->getType(), size));
  Value *steps = builder.CreateLShr(distance, Log2_64(size));
  add_to(builder, address_of(builder, unwrap(base), index), builder.CreateZExt(steps, builder.getInt64Ty()));
}

// The number of the path that is being gone lives in a register cell.
void opcost_begin_path(LLVMValueRef before, LLVMValueRef cell, int64_t value) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  builder.CreateStore(ConstantInt::getSigned(builder.getInt64Ty(), value), unwrap(cell));
}

void opcost_add_to_path(LLVMValueRef before, LLVMValueRef cell, int64_t value) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  Type *word = builder.getInt64Ty();
  Value *number = builder.CreateLoad(word, unwrap(cell));
  builder.CreateStore(builder.CreateAdd(number, ConstantInt::getSigned(word, value)), unwrap(cell));
}

// One more in cell `first` + number + `value`.
void opcost_count_path(LLVMValueRef before, LLVMValueRef cell, LLVMValueRef base, int64_t value, uint32_t first) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  Type *word = builder.getInt64Ty();
  Value *number = builder.CreateLoad(word, unwrap(cell));
  Value *index = builder.CreateAdd(number, ConstantInt::getSigned(word, value + int64_t(first)));
  add_to(builder, builder.CreateGEP(word, unwrap(base), index), builder.getInt64(1));
}

void opcost_promote(LLVMValueRef function_handle, LLVMValueRef *cells, uint32_t count) {
  auto *function = unwrap<Function>(function_handle);
  DominatorTree tree(*function);
  SmallVector<AllocaInst *, 8> allocas;
  for (uint32_t i = 0; i < count; i++) allocas.push_back(unwrap<AllocaInst>(cells[i]));
  PromoteMemToReg(allocas, tree);
}

void opcost_keep_frame(LLVMValueRef call) { unwrap<CallInst>(call)->setTailCallKind(CallInst::TCK_NoTail); }

// Calls and other uses of a declared function lead to `name` from now on.
void opcost_rename(LLVMValueRef function, const char *name) {
  auto *old = unwrap<Function>(function);
  Module &module = *old->getParent();
  if (Function *there = module.getFunction(name)) {
    old->replaceAllUsesWith(there);
    return;
  }
  old->setName(name);
  old->setVisibility(GlobalValue::HiddenVisibility);
  old->setDSOLocal(true);
}

// Every frame of the function is noted when an exception passes it: its
// personality is the runtime's, or a thunk that asks the old one first.
void opcost_watch(LLVMModuleRef handle, LLVMValueRef function_handle) {
  Module &module = *unwrap(handle);
  auto *function = unwrap<Function>(function_handle);
  LLVMContext &context = module.getContext();
  Type *number = Type::getInt32Ty(context);
  Type *word = Type::getInt64Ty(context);
  Type *pointer = PointerType::get(context, 0);
  auto *type = FunctionType::get(number, {number, number, word, pointer, pointer}, false);
  function->setUWTableKind(UWTableKind::Async);
  if (!function->hasPersonalityFn()) {
    // What cannot unwind has no frame to note, and needs no table for it.
    FunctionCallee plain = module.getOrInsertFunction("opc_personality", type);
    cast<Function>(plain.getCallee())->setVisibility(GlobalValue::HiddenVisibility);
    function->setPersonalityFn(cast<Function>(plain.getCallee()));
    return;
  }
  auto *old = cast<Function>(function->getPersonalityFn()->stripPointerCasts());
  if (old->getName().starts_with("opc_personality")) return;
  std::string name = ("opc_personality." + old->getName()).str();
  Function *thunk = module.getFunction(name);
  if (!thunk) {
    thunk = Function::Create(type, GlobalValue::InternalLinkage, name, module);
    thunk->setUWTableKind(UWTableKind::Async);
    IRBuilder<> builder(BasicBlock::Create(context, "", thunk));
    SmallVector<Value *, 5> arguments;
    for (Argument &argument : thunk->args()) arguments.push_back(&argument);
    Value *result = builder.CreateCall(type, old, arguments);
    FunctionCallee after = module.getOrInsertFunction(
        "opc_personality_result", FunctionType::get(number, {number, number, pointer}, false));
    cast<Function>(after.getCallee())->setVisibility(GlobalValue::HiddenVisibility);
    builder.CreateRet(builder.CreateCall(after, {result, thunk->getArg(1), thunk->getArg(4)}));
  }
  function->setPersonalityFn(thunk);
}

// Counted functions write memory and can be left in the middle: attributes
// that say otherwise would let a later optimiser drop counts.
void opcost_relax(LLVMValueRef function_handle) {
  auto *function = unwrap<Function>(function_handle);
  AttributeMask gone;
  gone.addAttribute(Attribute::Memory);
  gone.addAttribute(Attribute::NoSync);
  gone.addAttribute(Attribute::Speculatable);
  function->removeFnAttrs(gone);
  for (User *user : function->users())
    if (auto *call = dyn_cast<CallBase>(user))
      if (call->getCalledOperand() == function) call->removeFnAttrs(gone);
}

} // extern "C"
