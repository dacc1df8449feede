// Which loops are to be unrolled so that copies of their inner loop run together (unroll and jam)?
//
//     for (j …) { sum = 0; for (k …) sum += a[k] * b[k][j]; c[j] = sum; }
//
// Floating-point additions to one number are done one after another, so the loop vectoriser leaves such a loop alone, and
// each addition waits for the last one. Iterations of the loop around it are independent. With eight copies there are
// eight sums, of neighbours often, and the straight-line vectoriser makes vectors of them. Each sum has its additions in
// the order that it had, so results are the same to the last bit.
//
// LLVM has the transformation, and checks by dependences whether it may be done. Whether it brings anything it decides by
// loads that are shared, so it does nothing here by itself. This chooses the loops, and only those that need no
// dependences: what they store is in other objects than what they load. Input: a function where vectorisers begin. Method:
// Carr and Kennedy (TOPLAS 1994). Limits: two loops, one in another, each with one exit at its end.
#include "jam.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollAndJamPass.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

// Sums at a time: what hides the time of an addition, and fills vectors. Of large bodies fewer, for there are so many
// registers.
constexpr unsigned kCopies = 8, kFewCopies = 4;
constexpr unsigned kSmall = 24, kLarge = 64;
// Of a loop of few iterations nothing is won.
constexpr unsigned kFewest = 4;
constexpr const char *kCount = "llvm.loop.unroll_and_jam.count";

bool has_one_exit_at_its_end(const Loop &loop) {
  return loop.isLoopSimplifyForm() && loop.getExitingBlock() && loop.getExitingBlock() == loop.getLoopLatch();
}

// Whether a number is added up whose order of additions is fixed.
bool adds_up(const Loop &loop) {
  return any_of(loop.getHeader()->phis(), [&](const PHINode &phi) {
    if (!phi.getType()->isFloatingPointTy()) return false;
    auto *next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
    return next && loop.contains(next) && isa<FPMathOperator>(next) && !next->hasAllowReassoc();
  });
}

// Loads and stores of a nest. False: it does something else that others see, or that has to be done once.
bool accesses(const Loop &outer, const Loop &inner, SmallVectorImpl<const LoadInst *> &loads, SmallVectorImpl<const StoreInst *> &stores) {
  for (const BasicBlock *block : outer.blocks()) {
    for (const Instruction &one : *block) {
      if (auto *load = dyn_cast<LoadInst>(&one)) {
        if (!load->isSimple()) return false;
        loads.push_back(load);
      } else if (auto *store = dyn_cast<StoreInst>(&one)) {
        if (!store->isSimple() || inner.contains(block)) return false;
        stores.push_back(store);
      } else if (auto *call = dyn_cast<CallBase>(&one)) {
        auto *intrinsic = dyn_cast<IntrinsicInst>(call);
        bool is_mark = intrinsic && intrinsic->isAssumeLikeIntrinsic();
        if (!is_mark && (!intrinsic || !call->doesNotAccessMemory() || call->mayHaveSideEffects() || call->isConvergent())) return false;
      } else if (one.mayHaveSideEffects() || one.mayReadFromMemory() || isa<AllocaInst>(one)) {
        return false;
      }
    }
  }
  return true;
}

// Whether no store can meet a load, whatever their addresses in these objects.
bool are_apart(ArrayRef<const LoadInst *> loads, ArrayRef<const StoreInst *> stores, AAResults &aliases) {
  return all_of(stores, [&](const StoreInst *store) {
    MemoryLocation written = MemoryLocation::getBeforeOrAfter(store->getPointerOperand());
    return all_of(loads, [&](const LoadInst *load) {
      return aliases.isNoAlias(written, MemoryLocation::getBeforeOrAfter(load->getPointerOperand()));
    });
  });
}

unsigned size_of(const Loop &loop) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks()) size += block->size();
  return size;
}

// Whether copies of the inner loop load neighbours.
bool loads_neighbours(ArrayRef<const LoadInst *> loads, const Loop &outer, const Loop &inner, ScalarEvolution &evolution) {
  return any_of(loads, [&](const LoadInst *load) {
    if (!inner.contains(load) || !load->getType()->isFloatingPointTy()) return false;
    auto *address = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<Value *>(load->getPointerOperand())));
    // Its first address in the inner loop, as the outer one steps it.
    if (address && address->getLoop() == &inner) address = dyn_cast<SCEVAddRecExpr>(address->getStart());
    auto *step = address && address->getLoop() == &outer ? dyn_cast<SCEVConstant>(address->getStepRecurrence(evolution)) : nullptr;
    return step && step->getAPInt() == load->getModule()->getDataLayout().getTypeAllocSize(load->getType());
  });
}

// How many copies a loop gets; 0: it stays as it is.
unsigned copies_of(const Loop &outer, ScalarEvolution &evolution, AAResults &aliases) {
  if (outer.getSubLoops().size() != 1) return 0;
  const Loop &inner = *outer.getSubLoops().front();
  if (!inner.isInnermost() || !has_one_exit_at_its_end(outer) || !has_one_exit_at_its_end(inner) || !adds_up(inner)) return 0;
  unsigned size = size_of(inner);
  if (size > kLarge || size_of(outer) - size > kLarge) return 0;
  if (!evolution.hasLoopInvariantBackedgeTakenCount(&outer)) return 0;
  // Copies of the inner loop have to end together.
  const SCEV *iterations = evolution.getBackedgeTakenCount(&inner);
  if (isa<SCEVCouldNotCompute>(iterations) || !evolution.isLoopInvariant(iterations, &outer)) return 0;
  for (const Loop *one : {&outer, &inner})
    if (unsigned count = evolution.getSmallConstantTripCount(one); count && count < kFewest) return 0;
  SmallVector<const LoadInst *, 8> loads;
  SmallVector<const StoreInst *, 4> stores;
  if (!accesses(outer, inner, loads, stores) || !are_apart(loads, stores, aliases)) return 0;
  if (!loads_neighbours(loads, outer, inner, evolution)) return 0;
  return size <= kSmall ? kCopies : kFewCopies;
}

// Has pointers that a loop steps be offsets from where they began: two of these are neighbours where two pointers of loops
// are hardly seen to be.
void write_offsets(Loop &loop, ScalarEvolution &evolution) {
  PHINode *counter = loop.getCanonicalInductionVariable();
  // A counter that begins anew is no index.
  unsigned bits = counter ? evolution.getUnsignedRangeMax(evolution.getBackedgeTakenCount(&loop)).getActiveBits() : 64;
  if (!counter || bits > counter->getType()->getIntegerBitWidth()) return;
  BasicBlock *header = loop.getHeader();
  for (PHINode &phi : make_early_inc_range(header->phis())) {
    if (!phi.getType()->isPointerTy()) continue;
    auto *steps = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi));
    auto *step = steps && steps->getLoop() == &loop ? dyn_cast<SCEVConstant>(steps->getStepRecurrence(evolution)) : nullptr;
    if (!step || step->getAPInt().getBitWidth() != 64) continue;
    IRBuilder<> builder(header, header->getFirstInsertionPt());
    Value *index = builder.CreateZExtOrTrunc(counter, builder.getInt64Ty());
    Value *offset = builder.CreateMul(index, builder.getInt(step->getAPInt()));
    Value *address = builder.CreatePtrAdd(phi.getIncomingValueForBlock(loop.getLoopPreheader()), offset);
    evolution.forgetValue(&phi);
    phi.replaceAllUsesWith(address);
    RecursivelyDeleteDeadPHINode(&phi);
  }
}

// Chooses loops, and has LLVM unroll and jam them.
class JamLoops : public PassInfoMixin<JamLoops> {
public:
  explicit JamLoops(unsigned level) : level(level) {}

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    LoopInfo &forest = analyses.getResult<LoopAnalysis>(function);
    bool is_any = false;
    for (Loop *loop : forest.getLoopsInPreorder()) {
      // What the source says of a loop stands.
      if (loop->isInnermost() || hasUnrollAndJamTransformation(loop) != TM_Unspecified) continue;
      auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
      unsigned copies = copies_of(*loop, evolution, analyses.getResult<AAManager>(function));
      if (!copies) continue;
      is_any = true;
      write_offsets(*loop->getSubLoops().front(), evolution);
      write_offsets(*loop, evolution);
      addStringMetadataToLoop(loop, kCount, copies);
    }
    if (!is_any) return PreservedAnalyses::all();
    analyses.invalidate(function, PreservedAnalyses::none());
    FunctionPassManager passes;
    passes.addPass(createFunctionToLoopPassAdaptor(LoopUnrollAndJamPass(int(level))));
    // Each copy has counters of its own, which are one and the same.
    passes.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
    passes.addPass(EarlyCSEPass());
    passes.addPass(InstCombinePass());
    passes.run(function, analyses);
    analyses.invalidate(function, PreservedAnalyses::none());
    for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
      if (findOptionMDForLoop(loop, kCount))
        loop->setLoopID(makePostTransformationMetadata(function.getContext(), loop->getLoopID(), {kCount}, {}));
    return PreservedAnalyses::none();
  }

private:
  unsigned level;
};

} // namespace

namespace opcost {

void jam_loops(PassBuilder &builder) {
  builder.registerVectorizerStartEPCallback([](FunctionPassManager &passes, OptimizationLevel level) {
    if (level.getSpeedupLevel() < 2 || level.getSizeLevel() > 0) return;
    passes.addPass(JamLoops(level.getSpeedupLevel()));
  });
}

} // namespace opcost
