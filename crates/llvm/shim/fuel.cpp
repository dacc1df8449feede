// Carrying out the metering of a module. Each function does one edit; Rust
// walks the plan. What an edit means stands in `ir/src/metering.rs`.
//
// The cell is one word of the runtime's. A check is a comparison and a branch
// to a cold block that settles the cell, tells the runtime where the program
// is, and reads the cell again: the runtime may end the program, or give new
// fuel and return.
#include "length.h"
#include "shim.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

constexpr const char *kCell = "opc_fuel";
constexpr const char *kUsedUp = "opc_fuel_used_up";

// Where clang, which compiles the runtime, knows it too (`OPC_KEEPS_MOST`).
CallingConv::ID convention(const Module &module) {
  Triple triple(module.getTargetTriple());
  bool is_known = triple.getArch() == Triple::x86_64 || triple.getArch() == Triple::aarch64;
  return is_known ? CallingConv::PreserveMost : CallingConv::C;
}

Value *shifted(IRBuilder<> &builder, Value *value, int64_t amount) {
  return amount == 0 ? value : builder.CreateAdd(value, builder.getInt64(uint64_t(amount)));
}

void load(IRBuilder<> &builder, Value *reg, Value *cell, int64_t advance) {
  Value *left = builder.CreateLoad(builder.getInt64Ty(), cell);
  builder.CreateStore(shifted(builder, left, -advance), reg);
}

void settle(IRBuilder<> &builder, Value *reg, Value *cell, int64_t advance) {
  Value *left = builder.CreateLoad(builder.getInt64Ty(), reg);
  builder.CreateStore(shifted(builder, left, advance), cell);
}

// Whether `value` is `phi` with something added, once or more: a counter, as
// code generation knows it.
bool counts_on(const Value *value, const PHINode &phi) {
  bool is_changed = false;
  while (auto *sum = dyn_cast<BinaryOperator>(value)) {
    if (sum->getOpcode() != Instruction::Add || !isa<ConstantInt>(sum->getOperand(1))) return false;
    value = sum->getOperand(0);
    is_changed = true;
  }
  return is_changed && value == &phi;
}

// Strength reduction would make one counter of the fuel and of the program's
// own, in the fuel's steps, and spend more additions and registers than it
// saves. It looks no further than a freeze, which is no instruction in the end.
void keep_from_counters(PHINode &phi) {
  if (none_of(phi.incoming_values(), [&](const Use &value) { return counts_on(value, phi); })) return;
  auto *apart = new FreezeInst(&phi, "", phi.getParent()->getFirstNonPHIIt());
  phi.replaceUsesWithIf(apart, [&](Use &use) { return use.getUser() != apart; });
}

// The function with a hand as its last parameter, in place of `function`,
// which keeps its calls and loses its body.
Function *with_hand(Function &function) {
  SmallVector<Type *, 8> parameters(function.getFunctionType()->params());
  parameters.push_back(PointerType::get(function.getContext(), 0));
  auto *type = FunctionType::get(function.getReturnType(), parameters, false);
  auto *handed = Function::Create(type, GlobalValue::InternalLinkage, function.getAddressSpace());
  function.getParent()->getFunctionList().insert(function.getIterator(), handed);
  handed->copyAttributesFrom(&function);
  handed->setVisibility(GlobalValue::DefaultVisibility);
  handed->setDSOLocal(true);
  handed->copyMetadata(&function, 0);
  function.clearMetadata();
  handed->takeName(&function);
  handed->splice(handed->begin(), &function);
  for (auto [old, fresh] : zip_first(function.args(), handed->args())) {
    old.replaceAllUsesWith(&fresh);
    fresh.takeName(&old);
  }
  handed->addParamAttr(handed->arg_size() - 1, Attribute::SwiftError);
  return handed;
}

// The call with a hand as its last argument.
void call_with_hand(CallBase &call, Function &handed, Value *hand) {
  SmallVector<Value *, 8> arguments(call.args());
  arguments.push_back(hand);
  SmallVector<OperandBundleDef, 1> bundles;
  call.getOperandBundlesAsDefs(bundles);
  CallBase *fresh;
  if (auto *invoke = dyn_cast<InvokeInst>(&call))
    fresh = InvokeInst::Create(&handed, invoke->getNormalDest(), invoke->getUnwindDest(), arguments, bundles, "",
                               call.getIterator());
  else
    fresh = CallInst::Create(&handed, arguments, bundles, "", call.getIterator());
  fresh->setCallingConv(call.getCallingConv());
  fresh->setAttributes(call.getAttributes());
  fresh->addParamAttr(arguments.size() - 1, Attribute::SwiftError);
  fresh->copyMetadata(call);
  if (isa<FPMathOperator>(fresh)) fresh->copyFastMathFlags(&call);
  fresh->takeName(&call);
  call.replaceAllUsesWith(fresh);
  call.eraseFromParent();
}

} // namespace

extern "C" {

LLVMValueRef opcost_fuel_cell(LLVMModuleRef handle) {
  Module &module = *unwrap(handle);
  auto *cell = new GlobalVariable(module, Type::getInt64Ty(module.getContext()), false, GlobalValue::ExternalLinkage,
                                  nullptr, kCell);
  cell->setVisibility(GlobalValue::HiddenVisibility);
  cell->setDSOLocal(true);
  return wrap(cell);
}

void opcost_fuel_load(LLVMValueRef before, LLVMValueRef reg, LLVMValueRef cell, int64_t advance) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  load(builder, unwrap(reg), unwrap(cell), advance);
}

void opcost_fuel_store(LLVMValueRef before, LLVMValueRef reg, LLVMValueRef cell, int64_t advance) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  settle(builder, unwrap(reg), unwrap(cell), advance);
}

// The hand is a cell of the frame whose address never leaves it: `swifterror`
// makes a register of it that goes into calls and comes back. It can be loaded
// and stored whole, as a pointer.
LLVMValueRef opcost_make_hand(LLVMValueRef function_handle) {
  auto *function = unwrap<Function>(function_handle);
  IRBuilder<> builder(&*function->getEntryBlock().getFirstInsertionPt());
  AllocaInst *hand = builder.CreateAlloca(builder.getPtrTy());
  hand->setSwiftError(true);
  return wrap(hand);
}

void opcost_fuel_take(LLVMValueRef before, LLVMValueRef reg, LLVMValueRef hand, int64_t advance) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *given = builder.CreateLoad(builder.getPtrTy(), unwrap(hand));
  Value *left = builder.CreatePtrToInt(given, builder.getInt64Ty());
  builder.CreateStore(shifted(builder, left, -advance), unwrap(reg));
}

void opcost_fuel_give(LLVMValueRef before, LLVMValueRef reg, LLVMValueRef hand, int64_t advance) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *left = builder.CreateLoad(builder.getInt64Ty(), unwrap(reg));
  builder.CreateStore(builder.CreateIntToPtr(shifted(builder, left, advance), builder.getPtrTy()), unwrap(hand));
}

// Gives the handed functions one more parameter, their hand, and their calls
// the hand of their function. `hands` are of all functions that make such
// calls or take them.
void opcost_hand_over(LLVMModuleRef, LLVMValueRef *functions, LLVMValueRef *hands, const bool *is_handed,
                      size_t count) {
  DenseMap<Function *, Value *> hand_of;
  SmallVector<std::pair<Function *, Function *>, 16> replaced;
  for (size_t i = 0; i < count; i++) {
    auto *function = unwrap<Function>(functions[i]);
    auto *hand = unwrap<AllocaInst>(hands[i]);
    if (!is_handed[i]) {
      hand_of[function] = hand;
      continue;
    }
    Function *handed = with_hand(*function);
    Argument *argument = handed->getArg(handed->arg_size() - 1);
    hand->replaceAllUsesWith(argument);
    hand->eraseFromParent();
    hand_of[handed] = argument;
    replaced.push_back({function, handed});
  }
  for (auto [function, handed] : replaced) {
    for (User *user : make_early_inc_range(function->users()))
      if (auto *call = dyn_cast<CallBase>(user))
        if (call->getCalledOperand() == function) call_with_hand(*call, *handed, hand_of.at(call->getFunction()));
    // Addresses of blocks are left.
    function->replaceAllUsesWith(handed);
    function->eraseFromParent();
  }
}

void opcost_fuel_charge(LLVMValueRef before, LLVMValueRef reg, int64_t amount) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *left = builder.CreateLoad(builder.getInt64Ty(), unwrap(reg));
  builder.CreateStore(shifted(builder, left, -amount), unwrap(reg));
}

// Charges what the instruction is about to work on.
void opcost_fuel_charge_length(LLVMValueRef instruction_handle, LLVMValueRef reg, int32_t first, int32_t second,
                               bool is_moved) {
  auto *instruction = unwrap<Instruction>(instruction_handle);
  IRBuilder<> builder(instruction);
  Value *left = builder.CreateLoad(builder.getInt64Ty(), unwrap(reg));
  Value *units = opcost::units(builder, instruction, first, second, is_moved);
  builder.CreateStore(builder.CreateSub(left, units), unwrap(reg));
}

// Makes a register of the cell that the fuel was kept in.
void opcost_fuel_promote(LLVMValueRef function_handle, LLVMValueRef reg) {
  auto *function = unwrap<Function>(function_handle);
  SmallPtrSet<PHINode *, 32> of_program;
  for (BasicBlock &block : *function)
    for (PHINode &phi : block.phis()) of_program.insert(&phi);
  opcost_promote(function_handle, &reg, 1);
  for (BasicBlock &block : *function)
    for (PHINode &phi : make_early_inc_range(block.phis()))
      if (!of_program.contains(&phi)) keep_from_counters(phi);
}

// A place in the source, as the runtime reads it: two texts and a line.
LLVMValueRef opcost_fuel_site(LLVMModuleRef handle, const char *function, const char *file, uint32_t line) {
  Module &module = *unwrap(handle);
  IRBuilder<> builder(module.getContext());
  auto text = [&](const char *words) -> Constant * {
    std::string name = std::string("opcost.text.") + words;
    if (GlobalVariable *known = module.getGlobalVariable(name, true)) return known;
    Constant *bytes = ConstantDataArray::getString(module.getContext(), words);
    auto *variable =
        new GlobalVariable(module, bytes->getType(), true, GlobalValue::PrivateLinkage, bytes, name);
    variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return variable;
  };
  Constant *place = ConstantStruct::getAnon({text(function), text(file), builder.getInt32(line)});
  auto *site = new GlobalVariable(module, place->getType(), true, GlobalValue::PrivateLinkage, place, "opcost.site");
  return wrap(site);
}

// Asks before `before` whether the fuel is used up. Where the program ends then,
// code generation need not keep anything for what would come behind.
void opcost_fuel_check(LLVMModuleRef handle, LLVMValueRef before, LLVMValueRef reg, LLVMValueRef cell,
                       int64_t advance, LLVMValueRef site, bool ends) {
  Module &module = *unwrap(handle);
  LLVMContext &context = module.getContext();
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *left = builder.CreateLoad(builder.getInt64Ty(), unwrap(reg));
  Value *is_used_up = builder.CreateICmpSLT(left, builder.getInt64(uint64_t(-advance)));
  Instruction *then = SplitBlockAndInsertIfThen(is_used_up, unwrap<Instruction>(before), /*Unreachable=*/ends,
                                                MDBuilder(context).createUnlikelyBranchWeights());
  IRBuilder<> cold(then);
  settle(cold, unwrap(reg), unwrap(cell), advance);
  FunctionCallee callee = module.getOrInsertFunction(
      kUsedUp, FunctionType::get(cold.getVoidTy(), {PointerType::get(context, 0)}, false));
  auto *function = cast<Function>(callee.getCallee());
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->setDSOLocal(true);
  function->setDoesNotThrow();
  function->addFnAttr(Attribute::Cold);
  function->setCallingConv(convention(module));
  CallInst *call = cold.CreateCall(callee, {unwrap(site)});
  call->setCallingConv(convention(module));
  if (ends)
    call->setDoesNotReturn();
  else
    load(cold, unwrap(reg), unwrap(cell), advance);
}

} // extern "C"
