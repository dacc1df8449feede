// How wide is each integer of a function by LLVM's own analyses? What `opcost hdl --widths llvm` takes.
#include "shim.h"

#include "llvm/ADT/APInt.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/DemandedBits.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/KnownBits.h"
#include <algorithm>

using namespace llvm;

namespace {

// Mirrors `RawBits`: bits that a value fits into, whether the highest is its sign, how many low bits
// anybody looks at; of what is no integer of at most 64 bits, 0.
struct Bits {
  uint32_t width;
  uint32_t demanded;
  uint8_t has_sign;
};

// Bits without a sign, and in two's complement.
struct Width {
  unsigned plain, with_sign;

  void meet(Width other) {
    plain = std::min(plain, other.plain);
    with_sign = std::min(with_sign, other.with_sign);
  }
  void meet_range(const ConstantRange &range) {
    unsigned low = range.getSignedMin().getSignificantBits(), high = range.getSignedMax().getSignificantBits();
    meet({range.getUnsignedMax().getActiveBits(), std::max(low, high)});
  }
};

// The analyses of one function.
struct Analyses {
  const DataLayout &layout;
  AssumptionCache assumptions;
  DominatorTree dominators;
  LoopInfo loops;
  TargetLibraryInfoImpl names;
  TargetLibraryInfo library;
  ScalarEvolution evolution;
  LazyValueInfo lazy;
  DemandedBits demanded;

  explicit Analyses(Function &function)
      : layout(function.getDataLayout()),
        assumptions(function),
        dominators(function),
        loops(dominators),
        names(function.getParent()->getTargetTriple()),
        library(names, &function),
        evolution(function, library, assumptions, dominators, loops),
        lazy(&assumptions, &layout),
        demanded(function, assumptions, dominators) {}

  // The lowest bits that hold all that is looked at, by all uses together.
  unsigned looked_at(Value *value, unsigned width) {
    if (auto *instruction = dyn_cast<Instruction>(value)) {
      if (demanded.isInstructionDead(instruction)) return 0;
      return demanded.getDemandedBits(instruction).getActiveBits();
    }
    unsigned highest = 0;
    for (Use &use : value->uses()) {
      if (demanded.isUseDead(&use)) continue;
      // Users without a size (stores, branches, returns) take all, and may not be asked.
      if (!use.getUser()->getType()->isSized()) return width;
      highest = std::max(highest, demanded.getDemandedBits(&use).getActiveBits());
    }
    return highest;
  }

  Bits of(Value *value, Instruction *place) {
    auto *type = dyn_cast<IntegerType>(value->getType());
    if (!type || type->getBitWidth() > 64) return {0, 0, false};
    unsigned width = type->getBitWidth();
    Width all{width, width};
    KnownBits known = computeKnownBits(value, layout, &assumptions, place, &dominators);
    unsigned copies = ComputeNumSignBits(value, layout, &assumptions, place, &dominators);
    ConstantRange range = lazy.getConstantRange(value, place, /*UndefAllowed=*/false);
    // Of code that is never reached anything is known, and it may contradict itself.
    if (known.hasConflict() || range.isEmptySet()) return {width, width, false};
    all.meet({width - known.countMinLeadingZeros(), width - copies + 1});
    if (evolution.isSCEVable(type)) {
      const SCEV *expression = evolution.getSCEV(value);
      ConstantRange plain = evolution.getUnsignedRange(expression);
      ConstantRange with_sign = evolution.getSignedRange(expression);
      if (plain.isEmptySet() || with_sign.isEmptySet()) return {width, width, false};
      all.meet_range(plain);
      all.meet_range(with_sign);
      range = range.intersectWith(plain).intersectWith(with_sign);
    }
    range = range.intersectWith(ConstantRange::fromKnownBits(known, false));
    range = range.intersectWith(ConstantRange::fromKnownBits(known, true));
    if (range.isEmptySet()) return {width, width, false};
    all.meet_range(range);
    bool has_sign = all.with_sign < all.plain;
    return {std::max(has_sign ? all.with_sign : all.plain, 1u), looked_at(value, width), has_sign};
  }
};

} // namespace

extern "C" {

// Callers pass `low` to `high` for a parameter, in the bits of its type: LLVM is told so, too.
void opcost_promise_range(LLVMValueRef handle, uint32_t position, uint64_t low, uint64_t high) {
  Argument &argument = *unwrap<Function>(handle)->getArg(position);
  auto *type = dyn_cast<IntegerType>(argument.getType());
  if (!type || type->getBitWidth() > 64) return;
  unsigned width = type->getBitWidth();
  APInt first(width, low, false, true), last(width, high, false, true);
  ConstantRange range = ConstantRange::getNonEmpty(first, last + 1);
  if (auto own = argument.getRange()) range = range.intersectWith(*own);
  if (range.isFullSet() || range.isEmptySet()) return;
  argument.removeAttr(Attribute::Range);
  argument.addAttr(Attribute::get(argument.getContext(), Attribute::Range, range));
}

// Of `count` parameters and instructions of a function with a body.
void opcost_bits(LLVMValueRef handle, const LLVMValueRef *values, Bits *into, uint32_t count) {
  Function &function = *unwrap<Function>(handle);
  Analyses analyses(function);
  Instruction *start = &function.getEntryBlock().front();
  for (uint32_t position = 0; position < count; ++position) {
    Value *value = unwrap(values[position]);
    auto *instruction = dyn_cast<Instruction>(value);
    into[position] = analyses.of(value, instruction ? instruction : start);
  }
}

} // extern "C"
