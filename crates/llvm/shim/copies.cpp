// Copies blocks, each for one way in.
//
// The copy of a block for the block `from` has the block's instructions, and is the last block of the function. All
// edges from `from` to the block lead to the copy instead. The block's phis are known there. Where values of
// the block are used elsewhere there are two definitions now, which LLVM's SSAUpdater joins. Profiles of calls
// in the block are divided by how often each of the two runs; those of branches are the caller's.
//
// Which blocks can be copied: none that must be there once (exception pads, blocks whose address is taken, code that
// is convergent or may not be duplicated), none with assembly, which may have labels, and none with scopes
// of aliases, which mean one execution.
#include "shim.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ProfDataUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace {

bool can_copy(const Instruction &instruction) {
  if (instruction.getType()->isTokenTy() || isa<NoAliasScopeDeclInst>(instruction)) return false;
  auto *call = dyn_cast<CallBase>(&instruction);
  if (!call) return true;
  bool is_bound = call->cannotDuplicate() || call->isConvergent() || call->hasFnAttr(Attribute::ReturnsTwice);
  return !is_bound && !call->isInlineAsm();
}

bool is_plain_branch(const Instruction &terminator) { return isa<BranchInst, SwitchInst>(terminator); }

// What a value is in the copy.
Value *in_copy(const ValueToValueMapTy &map, Value *value) {
  auto known = map.find(value);
  return known == map.end() ? value : static_cast<Value *>(known->second);
}

// Uses of the block's values outside of it see either definition now.
void join_definitions(BasicBlock &block, BasicBlock &copy, const ValueToValueMapTy &map) {
  for (Instruction &instruction : block) {
    if (instruction.getType()->isVoidTy()) continue;
    SmallVector<Use *, 8> outside;
    for (Use &use : instruction.uses()) {
      auto *user = cast<Instruction>(use.getUser());
      auto *phi = dyn_cast<PHINode>(user);
      const BasicBlock *at = phi ? phi->getIncomingBlock(use) : user->getParent();
      if (at != &block) outside.push_back(&use);
    }
    SSAUpdater update;
    update.Initialize(instruction.getType(), instruction.getName());
    update.AddAvailableValue(&block, &instruction);
    update.AddAvailableValue(&copy, in_copy(map, &instruction));
    for (Use *use : outside) update.RewriteUse(*use);
    update.UpdateDebugValues(&instruction);
  }
}

// Blocks that are known to the caller. The pass that reads profiles puts a block into some edges.
using Known = SmallPtrSet<const BasicBlock *, 32>;

// Where an edge to a block leads, past what was put into it.
BasicBlock *past_edge(BasicBlock *to, const Known &known) {
  bool is_in_edge = !known.contains(to) && to->phis().empty() && to->getUniquePredecessor() && to->getSingleSuccessor();
  return is_in_edge ? to->getSingleSuccessor() : to;
}

// The blocks by which edges from a block come in: itself, and what was put into its edges.
SmallVector<BasicBlock *, 4> ends_of_edges(BasicBlock &from, BasicBlock &block, const Known &known) {
  SmallVector<BasicBlock *, 4> ends;
  for (BasicBlock *to : successors(&from)) {
    BasicBlock *end = to == &block ? &from : to;
    if (past_edge(to, known) == &block && !is_contained(ends, end)) ends.push_back(end);
  }
  return ends;
}

BasicBlock *copy_for(BasicBlock &block, BasicBlock &from, const Known &known) {
  SmallVector<BasicBlock *, 4> ends = ends_of_edges(from, block, known);
  assert(!ends.empty() && "a copy is made for an edge that is there");
  // Before there is a copy, which is another predecessor of all that follows.
  SmallVector<BasicBlock *, 4> targets;
  for (BasicBlock *next : successors(&block)) targets.push_back(past_edge(next, known));
  ValueToValueMapTy map;
  BasicBlock *copy = CloneBasicBlock(&block, map, ".way", block.getParent());
  SmallVector<PHINode *, 8> resolved;
  for (PHINode &phi : block.phis()) {
    resolved.push_back(cast<PHINode>(static_cast<Value *>(map[&phi])));
    // Edges from one block bring one value.
    map[&phi] = phi.getIncomingValueForBlock(ends.front());
  }
  RemapFlags flags = RF_NoModuleLevelChanges | RF_IgnoreMissingLocals;
  for (Instruction &instruction : *copy) {
    if (isa<PHINode>(instruction)) continue;
    RemapDbgRecordRange(block.getModule(), instruction.getDbgRecordRange(), map, flags);
    RemapInstruction(&instruction, map, flags);
  }
  for (PHINode *phi : resolved) phi->eraseFromParent();
  // The copy's edges are its own. A phi has one entry for each.
  Instruction *terminator = copy->getTerminator();
  for (unsigned slot = 0; slot < terminator->getNumSuccessors(); slot++) {
    BasicBlock *next = terminator->getSuccessor(slot);
    BasicBlock *to = targets[slot];
    const BasicBlock *end = to == next ? &block : next;
    for (PHINode &phi : to->phis()) phi.addIncoming(in_copy(map, phi.getIncomingValueForBlock(end)), copy);
    terminator->setSuccessor(slot, to);
  }
  for (BasicBlock *end : ends) {
    auto edges = count(successors(end), &block);
    end->getTerminator()->replaceSuccessorWith(&block, copy);
    for (auto edge = edges; edge > 0; edge--) block.removePredecessor(end, /*KeepOneInputPHIs=*/true);
  }
  join_definitions(block, *copy, map);
  return copy;
}

void scale_calls(BasicBlock &block, uint64_t part, uint64_t whole) {
  for (Instruction &instruction : block)
    if (isa<CallBase>(instruction) && instruction.hasMetadata(LLVMContext::MD_prof)) scaleProfData(instruction, part, whole);
}

} // namespace

extern "C" {

// What can be done with a block: 1 it can be copied, 2 its edges can lead elsewhere. Where a computed jump leads, the pass
// that reads profiles puts another block before.
uint8_t opcost_copyable(LLVMBasicBlockRef handle) {
  const BasicBlock &block = *unwrap(handle);
  const Instruction &terminator = *block.getTerminator();
  bool copies = !block.isEHPad() && !block.hasAddressTaken() && is_plain_branch(terminator) &&
                all_of(block, [](const Instruction &one) { return can_copy(one); });
  bool leads = is_plain_branch(terminator) && !block.hasAddressTaken();
  return uint8_t(copies) | uint8_t(leads << 1);
}

// A copy of a block for the way in from another; both by number. Of the executions of both the copy has a part.
struct opcost_block_copy {
  uint32_t of, from;
  uint64_t part, whole;
};

// Copies blocks of one function. `blocks` has those of the function and gets the copies after them.
void opcost_copy_blocks(LLVMBasicBlockRef *blocks, size_t count, const opcost_block_copy *copies, size_t copy_count) {
  Known known;
  for (size_t i = 0; i < count; i++) known.insert(unwrap(blocks[i]));
  for (size_t i = 0; i < copy_count; i++) {
    const opcost_block_copy &one = copies[i];
    BasicBlock &block = *unwrap(blocks[one.of]);
    BasicBlock *copy = copy_for(block, *unwrap(blocks[one.from]), known);
    known.insert(copy);
    blocks[count + i] = wrap(copy);
    if (one.whole == 0) continue;
    scale_calls(*copy, one.part, one.whole);
    scale_calls(block, one.whole - one.part, one.whole);
  }
}

// Of blocks of one function, their positions in it.
void opcost_block_positions(const LLVMBasicBlockRef *blocks, size_t count, uint32_t *positions) {
  if (count == 0) return;
  DenseMap<const BasicBlock *, uint32_t> position;
  for (const BasicBlock &block : *unwrap(blocks[0])->getParent()) position.insert({&block, uint32_t(position.size())});
  for (size_t i = 0; i < count; i++) positions[i] = position.lookup(unwrap(blocks[i]));
}

} // extern "C"
