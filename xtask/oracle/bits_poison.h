// Is a value poison when it is computed?
//
// Beside each value of a function a bit is computed that says so: an operation's
// own flags (nsw, nuw, exact, disjoint, nneg, samesign, too wide a shift) are
// asked whether they were broken, and otherwise it is what the operands are;
// a phi takes the bit of its way in, a select that of the chosen arm, a freeze
// none. A bit itself is never poison: what is asked is computed anew without the
// promises, and frozen. What code that was moved ahead of its branch computes, and nobody takes,
// is thereby told from what the program computes.
//
// Limits: what is loaded, given as an argument or returned counts as sound;
// inbounds, conversions of floating numbers and vectors are not asked.
#ifndef BITS_POISON_H
#define BITS_POISON_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

class PoisonBits {
 public:
  /// Adds the bits of all reachable values of the function.
  explicit PoisonBits(llvm::Function &function) : builder(function.getContext()) {
    for (llvm::BasicBlock &block : function) {
      for (llvm::PHINode &phi : block.phis()) phis.push_back(&phi);
    }
    for (llvm::PHINode *phi : phis) {
      builder.SetInsertPoint(phi);
      bits[phi] = builder.CreatePHI(builder.getInt1Ty(), phi->getNumIncomingValues());
    }
    llvm::ReversePostOrderTraversal<llvm::Function *> order(&function);
    llvm::SmallVector<llvm::Instruction *, 64> all;
    for (llvm::BasicBlock *block : order) {
      for (llvm::Instruction &instruction : *block) all.push_back(&instruction);
    }
    llvm::DenseSet<const llvm::Value *> own;
    for (llvm::PHINode *phi : phis) own.insert(bits[phi]);
    for (llvm::Instruction *instruction : all) {
      if (!llvm::isa<llvm::PHINode>(instruction) && !own.contains(instruction)) visit(instruction);
    }
    for (llvm::PHINode *phi : phis) {
      auto *bit = llvm::cast<llvm::PHINode>(bits[phi]);
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        bit->addIncoming(of(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
      }
    }
  }

  /// The bit of a value.
  llvm::Value *of(const llvm::Value *value) {
    auto found = bits.find(value);
    if (found != bits.end()) return found->second;
    return builder.getInt1(llvm::isa<llvm::PoisonValue>(value));
  }

  /// Where the value and its bit are both there; nothing if its bit needs no place.
  std::optional<llvm::BasicBlock::iterator> placeBehind(const llvm::Value *value) const {
    auto found = places.find(value);
    if (found == places.end()) return std::nullopt;
    return found->second;
  }

 private:
  llvm::IRBuilder<> builder;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> bits;
  llvm::DenseMap<const llvm::Value *, llvm::BasicBlock::iterator> places;
  llvm::SmallVector<llvm::PHINode *, 16> phis;

  llvm::Value *join(llvm::Value *a, llvm::Value *b) {
    auto isNever = [](llvm::Value *bit) {
      auto *constant = llvm::dyn_cast<llvm::ConstantInt>(bit);
      return constant && constant->isZero();
    };
    if (isNever(a)) return b;
    return isNever(b) ? a : builder.CreateOr(a, b);
  }

  /// Whether calls of it hand poison on.
  static bool handsOn(const llvm::Instruction *instruction) {
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(instruction)) return llvm::isa<llvm::IntrinsicInst>(call);
    return !llvm::isa<llvm::FreezeInst, llvm::LoadInst, llvm::AllocaInst>(instruction) && !instruction->isTerminator();
  }

  void visit(llvm::Instruction *instruction) {
    if (instruction->getType()->isVoidTy() || !handsOn(instruction)) return;
    // An intrinsic that ends its block has no place behind it.
    auto place = instruction->getInsertionPointAfterDef();
    if (!place) return;
    builder.SetInsertPoint((*place)->getParent(), *place);
    builder.SetCurrentDebugLocation(instruction->getDebugLoc());
    places[instruction] = *place;
    llvm::Value *bit = builder.getFalse();
    if (auto *select = llvm::dyn_cast<llvm::SelectInst>(instruction)) {
      llvm::Value *yes = of(select->getTrueValue()), *no = of(select->getFalseValue());
      bit = of(select->getCondition());
      bool isOne = select->getCondition()->getType()->isIntegerTy();
      llvm::Value *chosen = yes == no ? yes : join(yes, no);
      if (yes != no && isOne) chosen = builder.CreateSelect(builder.CreateFreeze(select->getCondition()), yes, no);
      bit = join(bit, chosen);
    } else {
      for (llvm::Value *operand : instruction->operands()) bit = join(bit, of(operand));
      llvm::Value *own = instruction->getType()->isIntegerTy() ? broken(instruction) : builder.getFalse();
      if (!llvm::isa<llvm::Constant>(own)) own = builder.CreateFreeze(own);
      bit = join(bit, own);
    }
    bits[instruction] = bit;
  }

  /// The same operation without its promises.
  llvm::Value *withoutPromises(llvm::Instruction *instruction) {
    llvm::Instruction *plain = instruction->clone();
    plain->dropPoisonGeneratingFlags();
    return builder.Insert(plain);
  }

  /// Whether the operation breaks a promise of its own.
  llvm::Value *broken(llvm::Instruction *instruction) {
    using namespace llvm;
    Value *bit = builder.getFalse();
    if (auto *wrapping = dyn_cast<OverflowingBinaryOperator>(instruction)) bit = wrapped(instruction, wrapping);
    Value *first = instruction->getNumOperands() > 0 ? instruction->getOperand(0) : nullptr;
    if (!first || !first->getType()->isIntegerTy()) return bit;
    Value *zero = ConstantInt::get(first->getType(), 0);
    if (auto *binary = dyn_cast<BinaryOperator>(instruction)) {
      Value *second = binary->getOperand(1);
      if (binary->isShift()) {
        Value *width = ConstantInt::get(first->getType(), first->getType()->getIntegerBitWidth());
        bit = join(bit, builder.CreateICmpUGE(second, width));
      }
      auto *exact = dyn_cast<PossiblyExactOperator>(binary);
      if (exact && exact->isExact()) {
        Value *plain = withoutPromises(instruction);
        Value *back = binary->isShift() ? builder.CreateShl(plain, second) : builder.CreateMul(plain, second);
        bit = join(bit, builder.CreateICmpNE(back, first));
      }
      auto *disjoint = dyn_cast<PossiblyDisjointInst>(binary);
      if (disjoint && disjoint->isDisjoint()) {
        bit = join(bit, builder.CreateICmpNE(builder.CreateAnd(first, second), zero));
      }
    } else if (auto *cut = dyn_cast<TruncInst>(instruction);
               cut && (cut->hasNoUnsignedWrap() || cut->hasNoSignedWrap())) {
      Value *plain = withoutPromises(instruction);
      if (cut->hasNoUnsignedWrap()) bit = builder.CreateICmpNE(builder.CreateZExt(plain, first->getType()), first);
      if (cut->hasNoSignedWrap()) {
        bit = join(bit, builder.CreateICmpNE(builder.CreateSExt(plain, first->getType()), first));
      }
    } else if (isa<ZExtInst>(instruction) && instruction->hasNonNeg()) {
      bit = builder.CreateICmpSLT(first, zero);
    } else if (auto *compare = dyn_cast<ICmpInst>(instruction); compare && compare->hasSameSign()) {
      bit = builder.CreateICmpSLT(builder.CreateXor(first, compare->getOperand(1)), zero);
    } else if (auto *call = dyn_cast<IntrinsicInst>(instruction); call && call->arg_size() == 2) {
      Intrinsic::ID name = call->getIntrinsicID();
      bool isAsked = name == Intrinsic::abs || name == Intrinsic::ctlz || name == Intrinsic::cttz;
      if (isAsked && cast<Constant>(call->getArgOperand(1))->isOneValue()) {
        APInt least = APInt::getSignedMinValue(first->getType()->getIntegerBitWidth());
        Value *bad = name == Intrinsic::abs ? ConstantInt::get(first->getType(), least) : zero;
        bit = builder.CreateICmpEQ(first, bad);
      }
    }
    return bit;
  }

  /// Whether a sum, difference, product or shift leaves the range it promised.
  llvm::Value *wrapped(llvm::Instruction *instruction, llvm::OverflowingBinaryOperator *wrapping) {
    using namespace llvm;
    Value *bit = builder.getFalse(), *first = instruction->getOperand(0), *second = instruction->getOperand(1);
    for (bool isSigned : {false, true}) {
      if (isSigned ? !wrapping->hasNoSignedWrap() : !wrapping->hasNoUnsignedWrap()) continue;
      if (instruction->getOpcode() == Instruction::Shl) {
        Value *plain = withoutPromises(instruction);
        Value *back = isSigned ? builder.CreateAShr(plain, second) : builder.CreateLShr(plain, second);
        bit = join(bit, builder.CreateICmpNE(back, first));
        continue;
      }
      Intrinsic::ID name = Intrinsic::smul_with_overflow;
      if (!isSigned) name = Intrinsic::umul_with_overflow;
      if (instruction->getOpcode() == Instruction::Add) {
        name = isSigned ? Intrinsic::sadd_with_overflow : Intrinsic::uadd_with_overflow;
      } else if (instruction->getOpcode() == Instruction::Sub) {
        name = isSigned ? Intrinsic::ssub_with_overflow : Intrinsic::usub_with_overflow;
      }
      Value *both = builder.CreateBinaryIntrinsic(name, first, second);
      bit = join(bit, builder.CreateExtractValue(both, 1));
    }
    return bit;
  }
};

#endif
