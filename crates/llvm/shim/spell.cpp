// What machines do in their own ways, spelt out.
//
// LLVM's IR leaves to the machine what it does with a multiplication and an
// addition in one (`fmuladd`), with relaxed floating point, with the bits of
// what is not a number, with conversions and shifts that go too far, and with
// divisions by zero. Each is spelt out here, before anything is weighed: code
// generation for any machine then has one meaning to keep.
//
// Bits of a NaN are made alike where an operation may have made one and its bits
// can be seen: stored, passed, returned, turned into an integer. Arithmetic and
// comparisons on it need no help. What a program loads and stores without
// arithmetic stays as it is.
#include "spell.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

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

// Assembly without a word in it only kept the optimiser from looking through it,
// which is over; whether it was that.
bool drop_barrier(CallInst *call) {
  if (!cast<InlineAsm>(call->getCalledOperand())->getAsmString().empty()) return false;
  bool hands_on = call->arg_size() == 1 && call->getArgOperand(0)->getType() == call->getType();
  if (!call->getType()->isVoidTy() && !hands_on) return false;
  if (hands_on) call->replaceAllUsesWith(call->getArgOperand(0));
  call->eraseFromParent();
  return true;
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

} // namespace

void opcost::spell_out(Function &function) {
  SmallVector<Instruction *, 64> all;
  for (Instruction &instruction : instructions(function)) all.push_back(&instruction);
  SmallVector<BinaryOperator *, 8> divisions;
  for (Instruction *instruction : all) {
    if (auto *call = dyn_cast<CallInst>(instruction); call && call->isInlineAsm() && drop_barrier(call)) continue;
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

void opcost::make_nans_alike(Function &function) {
  SmallVector<Instruction *, 64> all;
  for (Instruction &instruction : instructions(function))
    if (may_make_nan(instruction) && bits_are_seen(instruction)) all.push_back(&instruction);
  for (Instruction *instruction : all) make_nan_alike(instruction);
}
