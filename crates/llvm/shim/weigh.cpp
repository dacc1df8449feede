// How often everything ran, written into a module where LLVM's passes and code
// generation look: weights of branches, entries of functions, a summary, and how often
// each way into a loop of several was taken, which weights of branches do not tell.
//
// Weights have 32 bits; where the largest of a branch has more, all of its are
// divided by one number, and what was taken at all keeps at least 1. A branch that
// was never reached keeps what it had. The summary (which counts are hot) is that
// of the whole program, since one module alone may be cold.
#include "shim.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/ProfDataUtils.h"
#include "llvm/IR/ProfileSummary.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/ProfileData/ProfileCommon.h"

using namespace llvm;

extern "C" {

// Of a terminator, how often each successor was taken.
void opcost_weigh_branch(LLVMValueRef terminator, const uint64_t *counts, uint32_t count) {
  auto &branch = *unwrap<Instruction>(terminator);
  uint64_t most = *std::max_element(counts, counts + count);
  if (most == 0) return;
  uint64_t scale = most / UINT32_MAX + (most % UINT32_MAX ? 1 : 0);
  SmallVector<uint32_t, 8> weights;
  for (uint32_t i = 0; i < count; i++)
    weights.push_back(counts[i] == 0 ? 0 : uint32_t(std::max<uint64_t>(counts[i] / scale, 1)));
  setBranchWeights(branch, weights, /*IsExpected=*/false);
}

// How often a function was called.
void opcost_weigh_entry(LLVMValueRef function, uint64_t count) { unwrap<Function>(function)->setEntryCount(count); }

// Blocks of a function whose branches are weighed: the headers of loops that have several ways in get their counts, as
// PGOInstrumentation.cpp gives them. Without these LLVM divides what such a loop does evenly among them.
void opcost_weigh_headers(LLVMValueRef handle, const LLVMBasicBlockRef *blocks, const uint64_t *counts, size_t count) {
  Function &function = *unwrap<Function>(handle);
  DominatorTree tree(function);
  LoopInfo loops(tree);
  BranchProbabilityInfo probabilities(function, loops);
  BlockFrequencyInfo frequencies(function, probabilities, loops);
  MDBuilder builder(function.getContext());
  auto is_computed = [](const BasicBlock &block) {
    return any_of(predecessors(&block), [](const BasicBlock *from) { return isa<IndirectBrInst>(from->getTerminator()); });
  };
  for (size_t i = 0; i < count; i++) {
    BasicBlock &block = *unwrap(blocks[i]);
    Instruction &terminator = *block.getTerminator();
    bool is_header = frequencies.isIrrLoopHeader(&block) || is_computed(block);
    terminator.setMetadata(LLVMContext::MD_irr_loop, is_header ? builder.createIrrLoopHeaderWeight(counts[i]) : nullptr);
  }
}

// The summary of functions, each with its entries before its other counts.
void opcost_weigh_program(LLVMModuleRef handle, const uint64_t *counts, const size_t *ends, size_t functions) {
  InstrProfSummaryBuilder builder(ProfileSummaryBuilder::DefaultCutoffs.vec());
  size_t start = 0;
  for (size_t i = 0; i < functions; start = ends[i++])
    builder.addRecord(InstrProfRecord(std::vector<uint64_t>(counts + start, counts + ends[i])));
  Module &module = *unwrap(handle);
  module.setProfileSummary(builder.getSummary()->getMD(module.getContext()), ProfileSummary::PSK_Instr);
}

} // extern "C"
