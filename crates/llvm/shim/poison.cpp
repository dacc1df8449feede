// Is a value poison in this execution? Code that finds it out, put after the definitions.
//
// What is recorded of poison is any word, another one in each run. Where a promise of the code (a
// flag, how far a shift goes, what an intrinsic takes) is broken, the result is poison; what is
// computed from poison is poison, too, but of `select` and phis only what is chosen counts. Each
// value that may be poison gets a bit next to it that says whether it is. A bit never is poison
// itself. What a call or memory gives counts as sound. Vectors are not followed: what comes from
// one that may be poison counts as poison. Cost: some instructions for each value that may be
// poison.
#include "poison.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <cmath>

using namespace llvm;

namespace opcost {

namespace {

bool isOne(const Value *value) {
  auto *number = dyn_cast<ConstantInt>(value);
  return number && number->isOne();
}

// Intrinsics that give poison for one word if their last argument says so.
bool takesPromise(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call) return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::abs: return isOne(call->getArgOperand(1));
  default: return false;
  }
}

bool isShift(const Instruction &instruction) {
  return instruction.getOpcode() == Instruction::Shl || instruction.getOpcode() == Instruction::LShr ||
         instruction.getOpcode() == Instruction::AShr;
}

// Addresses count as sound: whether they are in their object cannot be computed.
bool breaksPromises(const Instruction &instruction) {
  if (isa<GetElementPtrInst>(instruction) || isa<FPMathOperator>(instruction)) return false;
  if (auto *load = dyn_cast<LoadInst>(&instruction)) return load->hasMetadata(LLVMContext::MD_range);
  if (isShift(instruction)) {
    auto *by = dyn_cast<ConstantInt>(instruction.getOperand(1));
    if (!by || by->getValue().uge(instruction.getType()->getScalarSizeInBits())) return true;
  }
  if (isa<FPToSIInst>(instruction) || isa<FPToUIInst>(instruction)) return true;
  return takesPromise(instruction) || (!isa<CallBase>(instruction) && instruction.hasPoisonGeneratingFlags());
}

bool passesOn(const Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  if (isa<SelectInst>(user) || isa<PHINode>(user) || isa<ExtractValueInst>(user) || isa<InsertValueInst>(user) ||
      isa<ExtractElementInst>(user) || isa<InsertElementInst>(user) || isa<ShuffleVectorInst>(user))
    return true;
  return !isa<GetElementPtrInst>(user) && propagatesPoison(use);
}

} // namespace

Poison::Poison(Function &function) {
  bool isChanged = true;
  while (std::exchange(isChanged, false))
    for (Instruction &instruction : instructions(function)) {
      if (may.count(&instruction) || instruction.getType()->isVoidTy()) continue;
      bool is = breaksPromises(instruction);
      for (const Use &use : instruction.operands()) is |= mayBe(use.get()) && passesOn(use);
      if (is) isChanged |= may.insert(&instruction).second;
    }
}

bool Poison::mayBe(Value *value) const {
  return may.count(value) || (isa<Constant>(value) && cast<Constant>(value)->containsPoisonElement()) ||
         isa<PoisonValue>(value);
}

Value *Poison::of(Value *value) {
  LLVMContext &context = value->getContext();
  if (isa<Constant>(value)) return mayBe(value) ? ConstantInt::getTrue(context) : nullptr;
  if (!may.count(value)) return nullptr;
  if (Value *known = made.lookup(value)) return known;
  auto *instruction = cast<Instruction>(value);
  if (auto *phi = dyn_cast<PHINode>(instruction)) {
    auto *bit = PHINode::Create(Type::getInt1Ty(context), phi->getNumIncomingValues(), "", phi->getIterator());
    made[value] = bit;
    for (unsigned at = 0; at < phi->getNumIncomingValues(); at++) {
      Value *from = of(phi->getIncomingValue(at));
      bit->addIncoming(from ? from : ConstantInt::getFalse(context), phi->getIncomingBlock(at));
    }
    return bit;
  }
  Value *bit = computed(*instruction);
  made[value] = bit;
  return bit;
}

Value *Poison::computed(Instruction &instruction) {
  LLVMContext &context = instruction.getContext();
  bool isVector = instruction.getType()->isVectorTy();
  for (Value *operand : instruction.operands()) isVector |= operand->getType()->isVectorTy();
  if (isVector || instruction.isTerminator()) return ConstantInt::getTrue(context);
  // The bits of operands come first, so that they are there.
  SmallVector<Value *, 4> parts;
  Value *chosen[2] = {nullptr, nullptr};
  auto *select = dyn_cast<SelectInst>(&instruction);
  if (select) {
    if (Value *bit = of(select->getCondition())) parts.push_back(bit);
    chosen[0] = of(select->getTrueValue());
    chosen[1] = of(select->getFalseValue());
  } else {
    for (const Use &use : instruction.operands())
      if (passesOn(use))
        if (Value *bit = of(use.get())) parts.push_back(bit);
  }
  IRBuilder<> builder(instruction.getNextNode());
  Value *own = select ? nullptr : breaks(builder, instruction);
  if (chosen[0] || chosen[1]) {
    Value *never = builder.getFalse();
    own = builder.CreateSelect(builder.CreateFreeze(select->getCondition()), chosen[0] ? chosen[0] : never,
                               chosen[1] ? chosen[1] : never);
  }
  Value *all = nullptr;
  for (Value *part : parts) all = all ? builder.CreateOr(all, part) : part;
  if (own) all = all ? builder.CreateOr(all, own) : own;
  return all ? all : ConstantInt::getFalse(context);
}

// Whether an instruction on sound operands gives poison; null: it does not. Operands are frozen, so
// that of poison the answer is some bit.
Value *Poison::breaks(IRBuilder<> &builder, Instruction &instruction) {
  if (!breaksPromises(instruction)) return nullptr;
  auto frozen = [&](unsigned at) { return builder.CreateFreeze(instruction.getOperand(at)); };
  Value *found = nullptr;
  auto add = [&](Value *bit) { found = found ? builder.CreateOr(found, bit) : bit; };
  auto overflows = [&](Intrinsic::ID which, Value *left, Value *right) {
    add(builder.CreateExtractValue(builder.CreateBinaryIntrinsic(which, left, right), 1));
  };
  Type *type = instruction.getType();
  bool isSigned = false, isUnsigned = false;
  if (auto *operation = dyn_cast<OverflowingBinaryOperator>(&instruction)) {
    isSigned = operation->hasNoSignedWrap();
    isUnsigned = operation->hasNoUnsignedWrap();
  }
  bool isExact = isa<PossiblyExactOperator>(instruction) && cast<PossiblyExactOperator>(instruction).isExact();
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul: {
    Value *left = frozen(0), *right = frozen(1);
    unsigned opcode = instruction.getOpcode();
    auto which = [&](Intrinsic::ID sum, Intrinsic::ID difference, Intrinsic::ID product) {
      return opcode == Instruction::Add ? sum : opcode == Instruction::Sub ? difference : product;
    };
    using namespace Intrinsic;
    if (isSigned) overflows(which(sadd_with_overflow, ssub_with_overflow, smul_with_overflow), left, right);
    if (isUnsigned) overflows(which(uadd_with_overflow, usub_with_overflow, umul_with_overflow), left, right);
    break;
  }
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr: {
    Value *left = frozen(0), *right = frozen(1);
    Value *isFar = builder.CreateICmpUGE(right, ConstantInt::get(type, type->getIntegerBitWidth()));
    add(isFar);
    // A shift that is too far would be poison here, too.
    right = builder.CreateSelect(isFar, ConstantInt::get(type, 0), right);
    if (instruction.getOpcode() == Instruction::Shl) {
      Value *moved = builder.CreateShl(left, right);
      if (isSigned) add(builder.CreateICmpNE(builder.CreateAShr(moved, right), left));
      if (isUnsigned) add(builder.CreateICmpNE(builder.CreateLShr(moved, right), left));
    } else if (isExact) {
      add(builder.CreateICmpNE(builder.CreateShl(builder.CreateLShr(left, right), right), left));
    }
    break;
  }
  case Instruction::UDiv:
  case Instruction::SDiv: {
    if (!isExact) break;
    // The divisor is no poison and not zero, or the program would do something undefined. By -1
    // every division is exact, but that of the least number traps.
    Value *left = frozen(0), *right = frozen(1);
    bool hasSign = instruction.getOpcode() == Instruction::SDiv;
    Value *isMinusOne = builder.CreateICmpEQ(right, ConstantInt::getAllOnesValue(type));
    if (hasSign) right = builder.CreateSelect(isMinusOne, ConstantInt::get(type, 1), right);
    Value *rest = hasSign ? builder.CreateSRem(left, right) : builder.CreateURem(left, right);
    add(builder.CreateICmpNE(rest, ConstantInt::get(type, 0)));
    break;
  }
  case Instruction::Trunc: {
    Value *whole = frozen(0);
    Value *part = builder.CreateTrunc(whole, type);
    auto &cut = cast<TruncInst>(instruction);
    if (cut.hasNoSignedWrap()) add(builder.CreateICmpNE(builder.CreateSExt(part, whole->getType()), whole));
    if (cut.hasNoUnsignedWrap()) add(builder.CreateICmpNE(builder.CreateZExt(part, whole->getType()), whole));
    break;
  }
  case Instruction::ZExt:
  case Instruction::UIToFP: {
    Value *whole = frozen(0);
    add(builder.CreateICmpSLT(whole, ConstantInt::get(whole->getType(), 0)));
    break;
  }
  case Instruction::Or:
    add(builder.CreateICmpNE(builder.CreateAnd(frozen(0), frozen(1)), ConstantInt::get(type, 0)));
    break;
  case Instruction::ICmp: {
    Value *left = frozen(0), *right = frozen(1);
    if (!left->getType()->isIntegerTy()) break;
    add(builder.CreateICmpSLT(builder.CreateXor(left, right), ConstantInt::get(left->getType(), 0)));
    break;
  }
  case Instruction::FPToSI:
  case Instruction::FPToUI: {
    bool hasSign = instruction.getOpcode() == Instruction::FPToSI;
    int bits = int(type->getIntegerBitWidth());
    Value *number = frozen(0);
    auto limit = [&](double at) { return ConstantFP::get(number->getType(), at); };
    // What is less than one further down is cut to the end. Where that has no number of its own the
    // end itself counts as poison, which is harmless.
    Value *isLow = builder.CreateFCmpOGT(number, limit(hasSign ? -std::ldexp(1.0, bits - 1) - 1 : -1.0));
    Value *isHigh = builder.CreateFCmpOLT(number, limit(std::ldexp(1.0, hasSign ? bits - 1 : bits)));
    add(builder.CreateNot(builder.CreateAnd(isLow, isHigh)));
    break;
  }
  case Instruction::Load: {
    // Pairs of a first number and one after the last.
    MDNode *ranges = instruction.getMetadata(LLVMContext::MD_range);
    Value *word = builder.CreateFreeze(&instruction), *isIn = builder.getFalse();
    for (unsigned at = 0; at + 1 < ranges->getNumOperands(); at += 2) {
      auto end = [&](unsigned which) { return mdconst::extract<ConstantInt>(ranges->getOperand(at + which))->getValue(); };
      Value *ahead = builder.CreateSub(word, ConstantInt::get(type, end(0)));
      isIn = builder.CreateOr(isIn, builder.CreateICmpULT(ahead, ConstantInt::get(type, end(1) - end(0))));
    }
    add(builder.CreateNot(isIn));
    break;
  }
  case Instruction::Call: {
    Value *word = frozen(0);
    bool isAbs = cast<IntrinsicInst>(instruction).getIntrinsicID() == Intrinsic::abs;
    APInt broken = isAbs ? APInt::getSignedMinValue(type->getIntegerBitWidth()) : APInt(type->getIntegerBitWidth(), 0);
    add(builder.CreateICmpEQ(word, ConstantInt::get(type, broken)));
    break;
  }
  default: return builder.getTrue();
  }
  return found;
}

} // namespace opcost

extern "C" {

opcost::Poison *opcost_poison_new(LLVMValueRef function) {
  return new opcost::Poison(*cast<Function>(unwrap(function)));
}

void opcost_poison_free(opcost::Poison *poison) { delete poison; }

} // extern "C"
