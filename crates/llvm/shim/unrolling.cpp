// Has LLVM's unroller copy the bodies of chosen loops so often as somebody decided.
//
// A loop gets a number before the optimiser runs, in its metadata, which go where the loop goes. When the unroller comes to
// a function, a numbered loop has the size that counts: its last one. The first count whose loop body is
// small enough is asked for. Loops that were vectorised, whose trip count is constant or cannot be computed
// before the loop, or for which the source says something else, are the unroller's own. A request that it does not
// follow is taken back, so that nobody is warned of what nobody wrote.
#include "unrolling.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

constexpr const char *kNumber = "opcost.loop";
constexpr const char *kCount = "llvm.loop.unroll.count";

bool is_decided(const Loop &loop) {
  for (const char *one : {"llvm.loop.unroll.count", "llvm.loop.unroll.full", "llvm.loop.unroll.enable", "llvm.loop.unroll.disable",
                          "llvm.loop.unroll.runtime.disable", "llvm.loop.isvectorized"})
    if (findOptionMDForLoop(&loop, one)) return true;
  return false;
}

uint32_t size_of(const Loop &loop) {
  uint32_t size = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) size += !isa<PHINode>(instruction) && !instruction.isDebugOrPseudoInst();
  return size;
}

} // namespace

namespace opcost {

void ask_unroller(Function &function, FunctionAnalysisManager &analyses, opcost_unrolled_loop *loops, size_t count) {
  auto &forest = analyses.getResult<LoopAnalysis>(function);
  if (forest.empty()) return;
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (Loop *loop : forest.getLoopsInPreorder()) {
    std::optional<int> number = getOptionalIntLoopAttribute(loop, kNumber);
    if (!number || size_t(*number) >= count || !loop->isInnermost() || is_decided(*loop)) continue;
    if (evolution.getSmallConstantTripCount(loop) || !evolution.hasLoopInvariantBackedgeTakenCount(loop)) continue;
    opcost_unrolled_loop &wish = loops[*number];
    uint32_t size = size_of(*loop);
    for (size_t i = 0; i < kUnrollChoices; i++) {
      if (size > wish.sizes[i]) continue;
      wish.requested = wish.counts[i];
      addStringMetadataToLoop(loop, kCount, wish.counts[i]);
      break;
    }
  }
}

void ask_unroller_no_more(Function &function, opcost_unrolled_loop *loops, size_t count) {
  DominatorTree dominators(function);
  LoopInfo forest(dominators);
  for (Loop *loop : forest.getLoopsInPreorder()) {
    std::optional<int> number = getOptionalIntLoopAttribute(loop, kNumber);
    if (!number || size_t(*number) >= count) continue;
    opcost_unrolled_loop &wish = loops[*number];
    if (!findOptionMDForLoop(loop, kCount)) {
      // What was unrolled is marked so. A loop that was inlined in several functions can be something else in another.
      if (wish.requested && findOptionMDForLoop(loop, "llvm.loop.unroll.disable")) wish.done = wish.requested;
      continue;
    }
    LLVMContext &context = function.getContext();
    loop->setLoopID(makePostTransformationMetadata(context, loop->getLoopID(), {kCount}, {}));
  }
}

} // namespace opcost

extern "C" {

// Numbers the loop whose header is this block, if a loop begins there.
void opcost_number_loop(LLVMBasicBlockRef handle, uint32_t number) {
  BasicBlock &header = *unwrap(handle);
  DominatorTree dominators(*header.getParent());
  LoopInfo forest(dominators);
  Loop *loop = forest.getLoopFor(&header);
  if (loop && loop->getHeader() == &header) addStringMetadataToLoop(loop, kNumber, number);
}

} // extern "C"
