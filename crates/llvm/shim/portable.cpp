// A module that means the same on every machine.
//
// LLVM's IR leaves to the machine what it does with a multiplication and an
// addition in one (`fmuladd`), with relaxed floating point, with the bits of
// what is not a number, with conversions and shifts that go too far, and with
// divisions by zero; and front ends write variable arguments as one machine
// passes them. Each is spelt out here, before anything is weighed: code
// generation for any machine then has one meaning to keep.
//
// Bits of a NaN are made alike where an operation may have made one and its bits can be
// seen: stored, passed, returned, turned into an integer. Arithmetic and comparisons
// on it need no help. What a program loads and stores without arithmetic
// stays as it is.
#include "shim.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

constexpr const char *kStart = "opc_portable_start";
constexpr const char *kDivided = "opc_portable_divided";

// ---- arithmetic ------------------------------------------------------------

// Integers by which a machine may not divide end the program in one way.
void guard(BinaryOperator *division) {
  Value *divisor = division->getOperand(1), *dividend = division->getOperand(0);
  bool is_signed = division->getOpcode() == Instruction::SDiv || division->getOpcode() == Instruction::SRem;
  auto *constant = dyn_cast<ConstantInt>(divisor);
  if (constant && !constant->isZero() && !(is_signed && constant->isMinusOne())) return;
  Module &module = *division->getModule();
  IRBuilder<> builder(division);
  Type *type = divisor->getType();
  Value *is_zero = builder.CreateICmpEQ(divisor, ConstantInt::get(type, 0));
  Value *is_wrong = is_zero;
  if (is_signed) {
    APInt least = APInt::getSignedMinValue(type->getIntegerBitWidth());
    Value *is_least = builder.CreateICmpEQ(dividend, ConstantInt::get(type, least));
    Value *is_back = builder.CreateICmpEQ(divisor, Constant::getAllOnesValue(type));
    is_wrong = builder.CreateOr(is_zero, builder.CreateAnd(is_least, is_back));
  }
  Instruction *then = SplitBlockAndInsertIfThen(is_wrong, division, /*Unreachable=*/true,
                                                MDBuilder(module.getContext()).createUnlikelyBranchWeights());
  IRBuilder<> cold(then);
  FunctionCallee ends = module.getOrInsertFunction(kDivided, FunctionType::get(cold.getVoidTy(), false));
  auto *function = cast<Function>(ends.getCallee());
  function->setDoesNotReturn();
  function->setDoesNotThrow();
  cold.CreateCall(ends)->setDebugLoc(division->getDebugLoc());
}

// Divisions of vectors become those of their elements.
void scalarize(BinaryOperator *division, SmallVectorImpl<BinaryOperator *> &parts) {
  IRBuilder<> builder(division);
  auto *type = cast<FixedVectorType>(division->getType());
  Value *whole = PoisonValue::get(type);
  for (unsigned lane = 0; lane < type->getNumElements(); lane++) {
    Value *part = builder.CreateBinOp(division->getOpcode(), builder.CreateExtractElement(division->getOperand(0), lane),
                                      builder.CreateExtractElement(division->getOperand(1), lane));
    if (auto *made = dyn_cast<BinaryOperator>(part)) parts.push_back(made);
    whole = builder.CreateInsertElement(whole, part, lane);
  }
  division->replaceAllUsesWith(whole);
  division->eraseFromParent();
}

bool has_constant_divisor(const BinaryOperator &division) {
  auto *constant = dyn_cast<Constant>(division.getOperand(1));
  if (!constant) return false;
  auto *splat = dyn_cast_or_null<ConstantInt>(constant->getSplatValue());
  if (splat) return !splat->isZero() && !splat->isMinusOne();
  auto *list = dyn_cast<ConstantDataVector>(constant);
  if (!list) return false;
  for (unsigned lane = 0; lane < list->getNumElements(); lane++) {
    APInt value = list->getElementAsAPInt(lane);
    if (value.isZero() || value.isAllOnes()) return false;
  }
  return true;
}

// Shifts by the width and more: the amount is taken modulo the width.
void mask(BinaryOperator *shift) {
  Value *amount = shift->getOperand(1);
  unsigned width = shift->getType()->getScalarSizeInBits();
  if (isa<Constant>(amount) || !isPowerOf2_32(width)) return;
  if (auto *masked = dyn_cast<BinaryOperator>(amount); masked && masked->getOpcode() == Instruction::And)
    if (auto *constant = dyn_cast<Constant>(masked->getOperand(1)))
      if (auto *splat = dyn_cast_or_null<ConstantInt>(constant->getType()->isVectorTy() ? constant->getSplatValue()
                                                                                         : constant))
        if (splat->getValue().ult(width)) return;
  IRBuilder<> builder(shift);
  shift->setOperand(1, builder.CreateAnd(amount, ConstantInt::get(amount->getType(), width - 1)));
  shift->dropPoisonGeneratingFlags();
}

// ---- floating point --------------------------------------------------------

// Operations whose result may be a NaN with bits of the machine's choice.
bool may_make_nan(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FRem:
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    return true;
  default:
    break;
  }
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || !call->getType()->isFPOrFPVectorTy()) return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::fabs:
  case Intrinsic::copysign:
    return false;
  default:
    return true;
  }
}

// Whoever hands a number on without a look at it.
bool hands_on(const User *user) {
  if (isa<PHINode, SelectInst, FreezeInst, ExtractElementInst, InsertElementInst, ShuffleVectorInst>(user)) return true;
  auto *instruction = dyn_cast<Instruction>(user);
  if (!instruction) return false;
  if (instruction->getOpcode() == Instruction::FNeg) return true;
  auto *call = dyn_cast<IntrinsicInst>(user);
  return call && (call->getIntrinsicID() == Intrinsic::fabs || call->getIntrinsicID() == Intrinsic::copysign);
}

// Whether the user looks at the value of a number only, not at its bits.
bool looks_at_value(const User *user) {
  auto *instruction = dyn_cast<Instruction>(user);
  if (!instruction) return false;
  if (may_make_nan(*instruction) || isa<FCmpInst, FPToSIInst, FPToUIInst>(instruction)) return true;
  auto *call = dyn_cast<IntrinsicInst>(user);
  return call && (call->getIntrinsicID() == Intrinsic::fptosi_sat || call->getIntrinsicID() == Intrinsic::fptoui_sat);
}

bool bits_are_seen(const Instruction &number) {
  SmallPtrSet<const Instruction *, 16> seen;
  SmallVector<const Instruction *, 16> waiting{&number};
  while (!waiting.empty()) {
    const Instruction *value = waiting.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const User *user : value->users()) {
      if (looks_at_value(user)) continue;
      if (!hands_on(user)) return true;
      waiting.push_back(cast<Instruction>(user));
    }
  }
  return false;
}

void make_nan_alike(Instruction *number) {
  IRBuilder<> builder(number->getNextNode());
  builder.SetCurrentDebugLocation(number->getDebugLoc());
  SmallVector<Use *, 8> uses;
  for (Use &use : number->uses())
    if (!looks_at_value(use.getUser())) uses.push_back(&use);
  Value *is_nan = builder.CreateFCmpUNO(number, number);
  Value *alike = builder.CreateSelect(is_nan, ConstantFP::getNaN(number->getType()), number);
  for (Use *use : uses) use->set(alike);
}

// One rounding each for the product and the sum.
void split_fmuladd(IntrinsicInst *call) {
  IRBuilder<> builder(call);
  Value *product = builder.CreateFMul(call->getArgOperand(0), call->getArgOperand(1));
  call->replaceAllUsesWith(builder.CreateFAdd(product, call->getArgOperand(2)));
  call->eraseFromParent();
}

void saturate(CastInst *conversion) {
  IRBuilder<> builder(conversion);
  auto id = conversion->getOpcode() == Instruction::FPToSI ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  Value *value = conversion->getOperand(0);
  Value *fresh = builder.CreateIntrinsic(id, {conversion->getType(), value->getType()}, {value});
  conversion->replaceAllUsesWith(fresh);
  conversion->eraseFromParent();
}

// The library function that an operation is, where machines differ in it.
StringRef library_name(Intrinsic::ID id) {
  switch (id) {
#define OPCOST_NAME(name)                                                                                             \
  case Intrinsic::name:                                                                                               \
    return #name;
    OPCOST_NAME(sin)
    OPCOST_NAME(cos)
    OPCOST_NAME(tan)
    OPCOST_NAME(asin)
    OPCOST_NAME(acos)
    OPCOST_NAME(atan)
    OPCOST_NAME(atan2)
    OPCOST_NAME(sinh)
    OPCOST_NAME(cosh)
    OPCOST_NAME(tanh)
    OPCOST_NAME(exp)
    OPCOST_NAME(exp2)
    OPCOST_NAME(exp10)
    OPCOST_NAME(log)
    OPCOST_NAME(log2)
    OPCOST_NAME(log10)
    OPCOST_NAME(pow)
    OPCOST_NAME(fma)
    OPCOST_NAME(ldexp)
    OPCOST_NAME(lround)
    OPCOST_NAME(llround)
    OPCOST_NAME(lrint)
    OPCOST_NAME(llrint)
#undef OPCOST_NAME
  case Intrinsic::minnum:
    return "fmin";
  case Intrinsic::maxnum:
    return "fmax";
  default:
    return "";
  }
}

// `llvm.modf` and `llvm.frexp` give both parts at once, the functions one of
// them through a pointer.
void call_for_two(IntrinsicInst *call, StringRef name) {
  Type *type = call->getArgOperand(0)->getType();
  if (!type->isDoubleTy() && !type->isFloatTy()) return;
  Type *second = cast<StructType>(call->getType())->getElementType(1);
  IRBuilder<> entry(&*call->getFunction()->getEntryBlock().getFirstInsertionPt());
  AllocaInst *room = entry.CreateAlloca(second);
  IRBuilder<> builder(call);
  std::string full = (name + (type->isFloatTy() ? "f" : "")).str();
  FunctionCallee callee = call->getModule()->getOrInsertFunction(full, type, type, room->getType());
  Value *first = builder.CreateCall(callee, {call->getArgOperand(0), room});
  Value *both = builder.CreateInsertValue(PoisonValue::get(call->getType()), first, 0);
  call->replaceAllUsesWith(builder.CreateInsertValue(both, builder.CreateLoad(second, room), 1));
  call->eraseFromParent();
}

void call_library(Instruction *operation, StringRef name, ArrayRef<Value *> arguments) {
  Type *type = arguments[0]->getType();
  if (!type->isDoubleTy() && !type->isFloatTy()) return;
  IRBuilder<> builder(operation);
  SmallVector<Type *, 3> types;
  for (Value *argument : arguments) types.push_back(argument->getType());
  std::string full = (name + (type->isFloatTy() ? "f" : "")).str();
  FunctionCallee callee =
      operation->getModule()->getOrInsertFunction(full, FunctionType::get(operation->getType(), types, false));
  operation->replaceAllUsesWith(builder.CreateCall(callee, arguments));
  operation->eraseFromParent();
}

// ---- variable arguments ----------------------------------------------------

// Hands the variable arguments of a call on as an array of 64-bit slots.
bool pack(CallInst *call, Function &variadic, StringRef name) {
  FunctionType *old = variadic.getFunctionType();
  unsigned fixed = old->getNumParams(), count = call->arg_size() - fixed;
  for (unsigned at = fixed; at < call->arg_size(); at++) {
    Type *type = call->getArgOperand(at)->getType();
    if (!type->isPointerTy() && !type->isDoubleTy() && !type->isIntegerTy(32) && !type->isIntegerTy(64)) return false;
  }
  IRBuilder<> entry(&*call->getFunction()->getEntryBlock().getFirstInsertionPt());
  Type *word = entry.getInt64Ty();
  AllocaInst *slots = entry.CreateAlloca(ArrayType::get(word, count ? count : 1));
  IRBuilder<> builder(call);
  SmallVector<Type *, 6> types(old->params());
  SmallVector<Value *, 6> arguments(call->arg_begin(), call->arg_begin() + fixed);
  for (unsigned at = 0; at < count; at++) {
    Value *value = call->getArgOperand(fixed + at);
    if (value->getType()->isIntegerTy(32)) value = builder.CreateSExt(value, word);
    builder.CreateStore(value, builder.CreateConstInBoundsGEP2_64(slots->getAllocatedType(), slots, 0, at));
  }
  types.push_back(slots->getType());
  arguments.push_back(slots);
  FunctionCallee callee = call->getModule()->getOrInsertFunction(
      name, FunctionType::get(old->getReturnType(), types, /*isVarArg=*/false));
  CallInst *fresh = builder.CreateCall(callee, arguments);
  fresh->setDebugLoc(call->getDebugLoc());
  if (call->doesNotReturn()) fresh->setDoesNotReturn();
  call->replaceAllUsesWith(fresh);
  call->eraseFromParent();
  return true;
}

// ---- the module ------------------------------------------------------------

void spell_out(Function &function) {
  SmallVector<Instruction *, 64> all;
  for (Instruction &instruction : instructions(function)) all.push_back(&instruction);
  SmallVector<BinaryOperator *, 8> divisions;
  for (Instruction *instruction : all) {
    instruction->setMetadata(LLVMContext::MD_fpmath, nullptr);
    if (isa<FPMathOperator>(instruction)) instruction->copyFastMathFlags(FastMathFlags());
    if (auto *call = dyn_cast<IntrinsicInst>(instruction)) {
      Intrinsic::ID id = call->getIntrinsicID();
      if (id == Intrinsic::fmuladd) {
        split_fmuladd(call);
      } else if (StringRef name = library_name(id); !name.empty()) {
        SmallVector<Value *, 3> arguments(call->args());
        call_library(call, name, arguments);
      } else if (id == Intrinsic::modf || id == Intrinsic::frexp) {
        call_for_two(call, id == Intrinsic::modf ? "modf" : "frexp");
      } else if (id == Intrinsic::threadlocal_address) {
        call->replaceAllUsesWith(call->getArgOperand(0));
        call->eraseFromParent();
      }
    } else if (isa<FPToSIInst, FPToUIInst>(instruction)) {
      saturate(cast<CastInst>(instruction));
    } else if (auto *operation = dyn_cast<BinaryOperator>(instruction)) {
      if (operation->isShift()) mask(operation);
      if (operation->getOpcode() == Instruction::FRem)
        call_library(operation, "fmod", {operation->getOperand(0), operation->getOperand(1)});
      else if (operation->isIntDivRem()) {
        if (!operation->getType()->isVectorTy())
          divisions.push_back(operation);
        else if (!has_constant_divisor(*operation))
          scalarize(operation, divisions);
      }
    }
  }
  for (BinaryOperator *division : divisions) guard(division);
}

void make_nans_alike(Function &function) {
  SmallVector<Instruction *, 64> all;
  for (Instruction &instruction : instructions(function))
    if (may_make_nan(instruction) && bits_are_seen(instruction)) all.push_back(&instruction);
  for (Instruction *instruction : all) make_nan_alike(instruction);
}

} // namespace

extern "C" {

// Spells out what machines differ in, in code that a front end wrote; before
// the library is linked to it.
void opcost_spell_out(LLVMModuleRef handle) {
  Module &module = *unwrap(handle);
  for (Function &function : module) {
    // A copy for the optimiser is as good as the original.
    if (function.hasAvailableExternallyLinkage()) function.setLinkage(GlobalValue::LinkOnceODRLinkage);
    if (!function.isDeclaration()) spell_out(function);
  }
  for (GlobalVariable &variable : module.globals()) variable.setThreadLocal(false);
}

// Calls of the declared variadic functions among `names` hand their arguments
// on in slots, to functions with `prefix` before their names.
void opcost_pack_variadic(LLVMModuleRef handle, const char *const *names, uint32_t count, const char *prefix) {
  Module &module = *unwrap(handle);
  for (uint32_t i = 0; i < count; i++) {
    Function *function = module.getFunction(names[i]);
    if (!function || !function->isDeclaration() || !function->isVarArg()) continue;
    std::string name = std::string(prefix) + names[i];
    for (User *user : make_early_inc_range(function->users()))
      if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledOperand() == function)
        pack(call, *function, name);
  }
}

// Makes the function by which the world starts the program; false without a `main`.
bool opcost_portable_start(LLVMModuleRef handle) {
  Module &module = *unwrap(handle);
  LLVMContext &context = module.getContext();
  Function *main = module.getFunction("main");
  if (!main || main->isDeclaration() || main->arg_size() > 3 || main->isVarArg()) return false;
  Type *word = Type::getInt64Ty(context), *pointer = PointerType::get(context, 0);
  auto *start = Function::Create(FunctionType::get(Type::getVoidTy(context), {word, pointer}, false),
                                 GlobalValue::ExternalLinkage, kStart, module);
  IRBuilder<> builder(BasicBlock::Create(context, "", start));
  SmallVector<Value *, 3> given{start->getArg(0), start->getArg(1), ConstantPointerNull::get(PointerType::get(context, 0))};
  SmallVector<Value *, 3> arguments;
  for (Argument &argument : main->args()) {
    Value *value = given[argument.getArgNo()];
    arguments.push_back(value->getType()->isIntegerTy() ? builder.CreateTrunc(value, argument.getType()) : value);
  }
  Value *status = builder.CreateCall(main, arguments);
  if (status->getType()->isVoidTy()) status = builder.getInt32(0);
  FunctionCallee exit = module.getOrInsertFunction("exit", builder.getVoidTy(), builder.getInt32Ty());
  builder.CreateCall(exit, {status});
  builder.CreateUnreachable();
  main->setLinkage(GlobalValue::InternalLinkage);
  return true;
}

// Nobody else sees what the module defines, and no machine is asked for; what is
// no number has the same bits in the program and its library.
void opcost_enclose(LLVMModuleRef handle) {
  Module &module = *unwrap(handle);
  for (GlobalObject &object : module.global_objects()) {
    object.setComdat(nullptr);
    if (object.isDeclaration() || object.getName().starts_with("llvm.") || object.getName() == kStart) continue;
    object.setLinkage(GlobalValue::InternalLinkage);
    object.setVisibility(GlobalValue::DefaultVisibility);
    object.setDSOLocal(true);
  }
  for (Function &function : module) {
    make_nans_alike(function);
    bool unwinds = any_of(function, [](const BasicBlock &block) { return block.isEHPad(); });
    if (function.hasPersonalityFn() && !unwinds) function.setPersonalityFn(nullptr);
    for (StringRef name : {"target-cpu", "target-features", "tune-cpu", "unsafe-fp-math", "no-nans-fp-math",
                           "no-infs-fp-math", "no-signed-zeros-fp-math", "denormal-fp-math", "denormal-fp-math-f32"})
      function.removeFnAttr(name);
  }
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty()) function.eraseFromParent();
}

// Makes code generation generate for another machine. Null, or what is wrong.
char *opcost_retarget(LLVMModuleRef handle, const char *triple) {
  opcost::initialize_targets();
  Module &module = *unwrap(handle);
  module.setTargetTriple(Triple(triple));
  // Code generation for Windows puts more into a function of this name.
  if (Function *main = module.getFunction("main")) main->setName("opc_portable_main");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  if (!target) return opcost::copy(error);
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(module.getTargetTriple(), "", "", TargetOptions(), Reloc::PIC_));
  module.setDataLayout(machine->createDataLayout());
  if (!module.getTargetTriple().isRISCV64()) return nullptr;
  module.addModuleFlag(Module::Error, "target-abi", MDString::get(module.getContext(), "lp64d"));
  for (Function &function : module)
    if (!function.isDeclaration()) function.addFnAttr("target-features", "+64bit,+m,+a,+f,+d,+c,+zicsr,+zifencei");
  return nullptr;
}

} // extern "C"
