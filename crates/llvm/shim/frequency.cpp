// How often does LLVM think that blocks run? Its own estimate, of one function by itself.
#include "shim.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

// One number for each block of a function with a body, in order (room for `count`).
extern "C" void opcost_block_frequencies(LLVMValueRef handle, uint64_t *into, uint32_t count) {
  Function &function = *unwrap<Function>(handle);
  DominatorTree tree(function);
  LoopInfo loops(tree);
  BranchProbabilityInfo branches(function, loops);
  BlockFrequencyInfo frequencies(function, branches, loops);
  uint32_t at = 0;
  for (BasicBlock &block : function)
    if (at < count) into[at++] = frequencies.getBlockFreq(&block).getFrequency();
}
