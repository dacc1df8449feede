// Memory that a loop only reads, as constants.
//
// The supervisor read it when values of the activation were written down. Behind a comparison with what is there on
// arrival, loads of it become loads of constants, if nothing writes to it while the loop runs:
// - nothing in the loop calls, synchronises, or is volatile. So another thread that wrote to what is read here would be
//   a data race, and what a signal handler wrote would have no defined value (C 6.7.2.4, C++ intro.races).
// - the ranges of the loop's own stores, which are affine, do not meet it. Where two variables do not say so by
//   themselves, their addresses are compared on arrival.
// Ranges are of modular arithmetic: a lowest address, and by how much an address can be above it.
#include "contents.h"

#include "../passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <map>

using namespace llvm;
using opcost::Contents;

namespace {

// By how much addresses of one access may differ at most.
constexpr uint64_t kWidest = uint64_t(1) << 40;
// Bytes of one object that are compared at most.
constexpr uint64_t kMostBytes = 1024;
// Accesses of a loop that are looked at.
constexpr size_t kMostAccesses = 256;

// The addresses [low, low + bytes), modulo 2^64.
struct Range {
  const SCEV *low;
  uint64_t bytes;
};

class Ranges {
public:
  Ranges(ScalarEvolution &evolution, const Loop &region) : evolution(evolution), region(region) {}

  std::optional<Range> of(Value *address, uint64_t size) {
    if (!evolution.isSCEVable(address->getType())) return std::nullopt;
    uint64_t spread = 0;
    const SCEV *low = lowest(evolution.getSCEV(address), spread);
    if (!low || spread >= kWidest || size >= kWidest) return std::nullopt;
    return Range{low, spread + size};
  }

private:
  // The lowest value of an expression of 64 bits, and by how much it may be above it.
  const SCEV *lowest(const SCEV *one, uint64_t &spread) {
    if (evolution.isLoopInvariant(one, &region)) return one;
    if (evolution.getTypeSizeInBits(one->getType()) != 64) return nullptr;
    if (auto *sum = dyn_cast<SCEVAddExpr>(one)) {
      SmallVector<const SCEV *, 4> parts;
      for (const SCEV *part : sum->operands()) {
        const SCEV *low = lowest(part, spread);
        if (!low) return nullptr;
        parts.push_back(low);
      }
      return evolution.getAddExpr(parts);
    }
    if (auto *steps = dyn_cast<SCEVAddRecExpr>(one); steps && steps->isAffine()) {
      auto *step = dyn_cast<SCEVConstant>(steps->getStepRecurrence(evolution));
      auto *most = dyn_cast<SCEVConstant>(evolution.getConstantMaxBackedgeTakenCount(steps->getLoop()));
      if (step && most && most->getAPInt().getActiveBits() <= 40 && step->getAPInt().abs().getActiveBits() <= 40) {
        bool overflows = false;
        APInt width = step->getAPInt().abs().zextOrTrunc(128).umul_ov(most->getAPInt().zextOrTrunc(128), overflows);
        if (overflows || !width.ult(kWidest)) return nullptr;
        spread += width.getZExtValue();
        if (spread >= kWidest) return nullptr;
        const SCEV *start = steps->getStart();
        if (step->getAPInt().isNegative()) {
          Type *word = Type::getInt64Ty(one->getType()->getContext());
          start = evolution.getAddExpr(start, evolution.getConstant(word, -width.getZExtValue(), true));
        }
        return lowest(start, spread);
      }
    }
    if (auto *product = dyn_cast<SCEVMulExpr>(one); product && product->getNumOperands() == 2) {
      auto *factor = dyn_cast<SCEVConstant>(product->getOperand(0));
      if (factor && factor->getAPInt().isStrictlyPositive() && factor->getAPInt().getActiveBits() <= 30) {
        uint64_t inner = 0;
        const SCEV *low = lowest(product->getOperand(1), inner);
        if (!low || inner >= kWidest >> 30) return nullptr;
        spread += inner * factor->getAPInt().getZExtValue();
        return spread >= kWidest ? nullptr : evolution.getMulExpr(factor, low);
      }
    }
    if (!one->getType()->isIntegerTy()) return nullptr;
    ConstantRange range = evolution.getSignedRange(one);
    if (range.isFullSet() || range.isEmptySet()) return nullptr;
    APInt low = range.getSignedMin(), high = range.getSignedMax();
    APInt width = high.sext(128) - low.sext(128);
    if (!width.ult(kWidest)) return nullptr;
    spread += width.getZExtValue();
    return evolution.getConstant(low);
  }

  ScalarEvolution &evolution;
  const Loop &region;
};

// A load of what is known, and what it is known of.
struct KnownLoad {
  LoadInst *load;
  const Contents *object;
  uint64_t offset, bytes; // in the object
};

// What was read of each object.
struct KnownObject {
  uint64_t low = UINT64_MAX, high = 0;
  GlobalVariable *constant = nullptr;
};

// The object that a pointer is made of by arithmetic alone.
Value *object_of(Value *pointer) {
  while (auto *step = dyn_cast<GetElementPtrInst>(pointer)) pointer = step->getPointerOperand();
  return pointer;
}

// The same pointer into another object.
Value *moved(Value *pointer, Value *from, Value *to) {
  if (pointer == from) return to;
  auto *step = cast<GetElementPtrInst>(pointer);
  auto *copy = cast<GetElementPtrInst>(step->clone());
  copy->setNoWrapFlags(GEPNoWrapFlags::none());
  copy->setOperand(0, moved(step->getPointerOperand(), from, to));
  copy->insertBefore(step->getIterator());
  return copy;
}

// Whether something may change memory in a way that has no range. Stores and their ranges are collected.
bool writes_anywhere(const Loop &region, Ranges &ranges, const DataLayout &layout,
                     SmallVectorImpl<std::pair<Value *, Range>> &writes) {
  for (BasicBlock *block : region.blocks())
    for (Instruction &one : *block) {
      if (isa<FenceInst>(one) || one.isAtomic() || one.isVolatile()) return true;
      if (auto *store = dyn_cast<StoreInst>(&one)) {
        TypeSize size = layout.getTypeStoreSize(store->getValueOperand()->getType());
        auto range = size.isScalable() ? std::nullopt : ranges.of(store->getPointerOperand(), size.getFixedValue());
        if (!range || writes.size() == kMostAccesses) return true;
        writes.push_back({store->getPointerOperand(), *range});
        continue;
      }
      auto *call = dyn_cast<CallBase>(&one);
      if (!call) continue;
      if (auto *fill = dyn_cast<MemSetInst>(call)) {
        auto *length = dyn_cast<ConstantInt>(fill->getLength());
        auto range = length ? ranges.of(fill->getDest(), length->getZExtValue()) : std::nullopt;
        if (!range || writes.size() == kMostAccesses) return true;
        writes.push_back({fill->getDest(), *range});
        continue;
      }
      auto *intrinsic = dyn_cast<IntrinsicInst>(call);
      bool is_harmless = intrinsic && (intrinsic->isAssumeLikeIntrinsic() || intrinsic->doesNotAccessMemory());
      if (!is_harmless) return true;
    }
  return false;
}

class Known {
public:
  Known(Function &body, MutableArrayRef<Contents> contents)
      : body(body), contents(contents), layout(body.getParent()->getDataLayout()) {}

  Instruction *use() {
    PassBuilder builder;
    opcost::Managers managers(builder, *body.getParent());
    SmallVector<WeakTrackingVH, 16> there;
    for (const Contents &one : contents) there.push_back(one.object);
    FunctionPassManager passes;
    passes.addPass(EarlyCSEPass());
    passes.addPass(InstCombinePass());
    passes.addPass(SimplifyCFGPass());
    passes.addPass(LoopSimplifyPass());
    passes.run(body, managers.functions);
    for (auto [one, object] : zip(contents, there)) one.object = object;
    ScalarEvolution &evolution = managers.functions.getResult<ScalarEvolutionAnalysis>(body);
    LoopInfo &loops = managers.functions.getResult<LoopAnalysis>(body);
    // The loop that is arrived in. Nothing is written on the way, and where a later one begins, this one has written.
    const BasicBlock *at = &body.getEntryBlock();
    while (at && !loops.getLoopFor(at)) at = at->getUniqueSuccessor();
    if (!at) return nullptr;
    Loop *region = loops.getLoopFor(at);
    while (Loop *around = region->getParentLoop()) region = around;
    Ranges ranges(evolution, *region);
    if (writes_anywhere(*region, ranges, layout, writes)) return nullptr;
    SmallVector<KnownLoad, 16> loads = loads_of(*region, ranges, evolution);
    return loads.empty() ? nullptr : replace(loads, evolution);
  }

private:
  SmallVector<KnownLoad, 16> loads_of(const Loop &region, Ranges &ranges, ScalarEvolution &evolution) {
    SmallVector<KnownLoad, 16> loads;
    for (BasicBlock *block : region.blocks())
      for (Instruction &one : *block) {
        auto *load = dyn_cast<LoadInst>(&one);
        if (!load || loads.size() == kMostAccesses || load->getType()->isPtrOrPtrVectorTy()) continue;
        Value *base = object_of(load->getPointerOperand());
        auto object = find_if(contents, [&](const Contents &one) { return one.object == base; });
        TypeSize size = layout.getTypeStoreSize(load->getType());
        if (!base || object == contents.end() || size.isScalable()) continue;
        auto range = ranges.of(load->getPointerOperand(), size.getFixedValue());
        auto *offset = range ? dyn_cast<SCEVConstant>(evolution.getMinusSCEV(range->low, evolution.getSCEV(base))) : nullptr;
        if (!offset || offset->getAPInt().isNegative() || offset->getAPInt().getActiveBits() > 40) continue;
        uint64_t at = offset->getAPInt().getZExtValue();
        if (range->bytes > kMostBytes || at + range->bytes > object->bytes.size()) continue;
        if (!is_apart(*object, at, range->bytes, evolution)) continue;
        loads.push_back({load, object, at, range->bytes});
      }
    return loads;
  }

  // Whether no store can meet a part of an object, or only one whose address is compared on arrival.
  bool is_apart(const Contents &object, uint64_t offset, uint64_t bytes, ScalarEvolution &evolution) {
    return all_of(writes, [&](const std::pair<Value *, Range> &write) {
      const SCEV *base = evolution.getPointerBase(write.second.low);
      auto *unknown = dyn_cast<SCEVUnknown>(base);
      Value *written = unknown ? unknown->getValue() : nullptr;
      if (written != object.object) return true;
      auto *distance = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(write.second.low, evolution.getSCEV(object.object)));
      if (!distance) return false;
      // Modulo 2^64.
      uint64_t from = distance->getAPInt().getZExtValue();
      return offset - from >= write.second.bytes && from - offset >= bytes;
    });
  }

  // Whether two variables cannot overlap.
  static bool are_two(const Value *one, const Value *other) {
    return one != other && isa<GlobalVariable>(one) && isa<GlobalVariable>(other);
  }

  Instruction *replace(ArrayRef<KnownLoad> loads, ScalarEvolution &evolution) {
    for (const KnownLoad &one : loads) {
      KnownObject &object = objects[one.object];
      object.low = std::min(object.low, one.offset);
      object.high = std::max(object.high, one.offset + one.bytes);
    }
    LLVMContext &context = body.getContext();
    BasicBlock *arrival = &body.getEntryBlock();
    Instruction *end = arrival->getTerminator();
    IRBuilder<> builder(end);
    Value *is_same = builder.getTrue();
    SCEVExpander expander(evolution, "");
    for (auto &[object, part] : objects) {
      // What is between two parts that are read is compared, too.
      if (part.high - part.low > 4 * kMostBytes) return nullptr;
      is_same = builder.CreateAnd(is_same, has_contents(builder, *object, part));
      for (auto &[pointer, range] : writes) {
        auto *unknown = dyn_cast<SCEVUnknown>(evolution.getPointerBase(range.low));
        if (unknown && (unknown->getValue() == object->object || are_two(unknown->getValue(), object->object))) continue;
        if (!expander.isSafeToExpandAt(range.low, end)) return nullptr;
        Value *low = expander.expandCodeFor(range.low, range.low->getType(), end);
        is_same = builder.CreateAnd(is_same, are_apart(builder, *object, part, low, range.bytes));
      }
    }
    for (const KnownLoad &one : loads) {
      KnownObject &part = objects[one.object];
      Value *start = ConstantExpr::getGetElementPtr(Type::getInt8Ty(context), part.constant,
                                                    ConstantInt::get(Type::getInt64Ty(context), -part.low, true));
      one.load->setOperand(0, moved(one.load->getPointerOperand(), one.object->object, start));
      one.load->setAlignment(Align(1));
      one.load->setMetadata(LLVMContext::MD_tbaa, nullptr);
    }
    // Its block has to be of nothing else.
    SplitBlock(arrival, end);
    builder.SetInsertPoint(arrival->getTerminator());
    return cast<Instruction>(builder.CreateFreeze(is_same));
  }

  // Compares what is there with what is known, eight bytes at a time.
  Value *has_contents(IRBuilder<> &builder, const Contents &object, KnownObject &part) {
    LLVMContext &context = body.getContext();
    ArrayRef<uint8_t> bytes = object.bytes.slice(part.low, part.high - part.low);
    Constant *array = ConstantDataArray::get(context, bytes);
    part.constant = new GlobalVariable(*body.getParent(), array->getType(), true, GlobalValue::PrivateLinkage, array, "");
    part.constant->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    part.constant->setAlignment(Align(16));
    Value *differs = builder.getInt64(0);
    for (size_t at = 0; at < bytes.size();) {
      size_t width = bytes.size() - at >= 8 ? 8 : 1;
      uint64_t expected = 0;
      memcpy(&expected, bytes.data() + at, width);
      Type *type = builder.getIntNTy(unsigned(width * 8));
      Value *place = builder.CreateConstGEP1_64(builder.getInt8Ty(), object.object, part.low + at);
      Value *there = builder.CreateZExt(builder.CreateAlignedLoad(type, place, Align(1)), builder.getInt64Ty());
      differs = builder.CreateOr(differs, builder.CreateXor(there, builder.getInt64(expected)));
      at += width;
    }
    return builder.CreateIsNull(differs);
  }

  // Whether two ranges do not meet, modulo 2^64.
  Value *are_apart(IRBuilder<> &builder, const Contents &object, const KnownObject &part, Value *low, uint64_t bytes) {
    Type *word = builder.getInt64Ty();
    Value *written = builder.CreatePtrToInt(low, word);
    Value *read = builder.CreateAdd(builder.CreatePtrToInt(object.object, word), builder.getInt64(part.low));
    Value *before = builder.CreateICmpUGE(builder.CreateSub(read, written), builder.getInt64(bytes));
    Value *behind = builder.CreateICmpUGE(builder.CreateSub(written, read), builder.getInt64(part.high - part.low));
    return builder.CreateAnd(before, behind);
  }

  Function &body;
  MutableArrayRef<Contents> contents;
  const DataLayout &layout;
  SmallVector<std::pair<Value *, Range>, 16> writes;
  std::map<const Contents *, KnownObject> objects;
};

} // namespace

Instruction *opcost::use_contents(Function &body, SmallVector<Contents, 16> contents) {
  return contents.empty() ? nullptr : Known(body, contents).use();
}
