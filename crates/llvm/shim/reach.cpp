// How far into its straight code is an instruction of the machine's?
//
// A program that faults has begun a part of the straight code that it is in. Each
// instruction of a metered function carries the weight up to it, and a location of
// its own (distinct, with the line that it had), which code generation hands on to
// what it makes of the instruction. So the machine's instruction that faults leads
// to the program's, wherever scheduling has put it. Before lines are written the
// locations that were are given back.
//
// Code generation makes one of several: a load becomes an operand of what uses its
// value, one store is made of two. Then the location is that of one of them, and
// it may be the later one. What the machine's instruction reads is asked: a load
// of that pointer is looked for among what the located instruction is made of. The
// least of what is possible is told, as a lower bound if several are.
//
// Cost: one node for each instruction. Limit: what has no location, or one that
// was merged, is at the start of its straight code; that too is a lower bound.
#include "reach.h"
#include "shim.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineMemOperand.h"
#include "llvm/CodeGen/PseudoSourceValue.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using opcost::Known;
using opcost::Reach;
using opcost::Reached;

namespace {

constexpr const char *kReach = "opcost.reach";
// How deep a value's making is looked into for a load that became its operand.
constexpr unsigned kDeepest = 8;

// What an instruction carries: straight code, weight, how it is known, its location.
Reached carried(const Instruction &instruction) {
  const MDNode *node = instruction.getMetadata(kReach);
  auto number = [&](unsigned at) { return mdconst::extract<ConstantInt>(node->getOperand(at))->getSExtValue(); };
  return node ? Reached{number(0), number(1), Known(number(2))} : Reached{};
}

bool divides(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem: return true;
  default: return false;
  }
}

// Keeps the lesser of two; what is not one of them for sure is a lower bound.
void join(std::optional<Reached> &found, const Reached &other) {
  if (!found) {
    found = other;
    return;
  }
  if (found->straight == other.straight && found->done == other.done) return;
  if (other.straight < found->straight || (other.straight == found->straight && other.done < found->done))
    found = other;
  if (found->known == Known::kExact) found->known = Known::kAtLeast;
}

// One division is made of all that divide the same by the same.
Reached of_division(const Instruction &origin) {
  std::optional<Reached> found;
  for (const Instruction &other : *origin.getParent())
    if (divides(other) && other.getOperand(0) == origin.getOperand(0) && other.getOperand(1) == origin.getOperand(1)) {
      Reached at = carried(other);
      if (!found || at.straight < found->straight || (at.straight == found->straight && at.done < found->done))
        found = at;
    }
  return *found;
}

// Loads of a pointer that an instruction's value is made of, in its block.
void loads_of(const Instruction &user, const Value *pointer, unsigned depth, std::optional<Reached> &found) {
  for (const Value *operand : user.operand_values()) {
    auto *made = dyn_cast<Instruction>(operand);
    if (!made || made->getParent() != user.getParent() || isa<PHINode>(made)) continue;
    auto *load = dyn_cast<LoadInst>(made);
    if (load && (!pointer || load->getPointerOperand() == pointer)) join(found, carried(*load));
    if (depth > 0) loads_of(*made, pointer, depth - 1, found);
  }
}

// Bytes that the program's instruction reads or writes; 0: it does neither alone.
uint64_t width_of(const Instruction &instruction) {
  const DataLayout &layout = instruction.getModule()->getDataLayout();
  if (auto *load = dyn_cast<LoadInst>(&instruction)) return layout.getTypeStoreSize(load->getType()).getKnownMinValue();
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return layout.getTypeStoreSize(store->getValueOperand()->getType()).getKnownMinValue();
  return 0;
}

bool is_own_memory(const MachineMemOperand &operand) {
  const PseudoSourceValue *pseudo = operand.getPseudoValue();
  return pseudo && (pseudo->isStack() || pseudo->isConstantPool() || pseudo->isJumpTable() || pseudo->isGOT() ||
                    pseudo->kind() == PseudoSourceValue::FixedStack);
}

} // namespace

Reach::Reach(const MachineFunction &machine) {
  for (const Instruction &instruction : instructions(machine.getFunction()))
    if (instruction.hasMetadata(kReach) && instruction.getDebugLoc())
      origins.insert({instruction.getDebugLoc().get(), &instruction});
}

const Instruction *Reach::origin(const MachineInstr &instruction) const {
  return instruction.getDebugLoc() ? origins.lookup(instruction.getDebugLoc().get()) : nullptr;
}

bool Reach::can_end(const MachineInstr &instruction) const {
  if (instruction.getFlag(MachineInstr::FrameSetup) || instruction.getFlag(MachineInstr::FrameDestroy)) return false;
  if (instruction.isCall() || instruction.hasUnmodeledSideEffects()) return true;
  if (!instruction.mayLoadOrStore() || instruction.isReturn()) return false;
  return instruction.memoperands_empty() ||
         any_of(instruction.memoperands(), [](const MachineMemOperand *operand) { return !is_own_memory(*operand); });
}

Reached Reach::of(const MachineInstr &instruction) const {
  const Instruction *made_of = origin(instruction);
  if (!made_of) return {};
  if (!divides(*made_of) || instruction.isCall()) return of_access(instruction, *made_of);
  Reached divided = of_division(*made_of);
  if (!instruction.mayLoadOrStore()) return divided;
  // It divides by what it reads itself.
  Reached read = of_access(instruction, *made_of);
  int64_t more = divided.done - read.done;
  if (divided.straight == read.straight && divided.known == read.known && more >= 0 && more <= UINT8_MAX)
    read.more = uint8_t(more);
  else
    read.known = Known::kAtLeast;
  return read;
}

Reached Reach::of_access(const MachineInstr &instruction, const Instruction &origin) const {
  Reached own = carried(origin), start{own.straight, 0, Known::kAtLeast};
  uint64_t width = width_of(origin);
  bool is_call = isa<CallBase>(origin) || instruction.isCall();
  if (!instruction.mayLoadOrStore() || isa<AtomicRMWInst>(origin) || isa<AtomicCmpXchgInst>(origin)) return own;
  if (instruction.memoperands_empty()) return width > 0 || is_call || isa<UnreachableInst>(origin) ? own : start;
  std::optional<Reached> found;
  for (const MachineMemOperand *operand : instruction.memoperands()) {
    if (is_own_memory(*operand)) continue;
    // What reads and writes a word reads it first.
    if (instruction.mayLoad() && !operand->isLoad()) continue;
    bool is_part = operand->getSize().hasValue() && operand->getSize().getValue().getKnownMinValue() <= width;
    if (isa<LoadInst>(origin) || (isa<StoreInst>(origin) && !operand->isLoad())) {
      join(found, is_part ? own : start);
      continue;
    }
    // A load that became an operand.
    std::optional<Reached> loads;
    if (operand->isLoad()) loads_of(origin, operand->getValue(), kDeepest, loads);
    if (!loads) loads = is_call ? own : start;
    join(found, *loads);
  }
  if (!found) return own;
  // At its return address the call is asked for, and not what it reads.
  if (instruction.isCall() && found->done != own.done) found->known = Known::kAtLeast;
  return *found;
}

void Reach::give_back(MachineInstr &instruction) const {
  const DILocation *here = instruction.getDebugLoc().get();
  const Instruction *made_of = here ? origins.lookup(here) : nullptr;
  if (!made_of) return;
  const Metadata *before = made_of->getMetadata(kReach)->getOperand(3).get();
  instruction.setDebugLoc(DebugLoc(cast_or_null<DILocation>(before)));
}

extern "C" {

// Says how far the program has come when the instruction begins.
void opcost_fuel_reach(LLVMValueRef handle, uint32_t straight, int64_t done, uint32_t known) {
  auto *instruction = unwrap<Instruction>(handle);
  DISubprogram *scope = instruction->getFunction()->getSubprogram();
  if (!scope || isa<PHINode>(instruction)) return;
  LLVMContext &context = instruction->getContext();
  auto number = [&](int64_t value) {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(context), uint64_t(value)));
  };
  DILocation *before = instruction->getDebugLoc().get();
  Metadata *parts[] = {number(int64_t(straight) + 1), number(done), number(known), before};
  instruction->setMetadata(kReach, MDNode::get(context, parts));
  DILocation *own = before ? DILocation::getDistinct(context, before->getLine(), before->getColumn(),
                                                     before->getScope(), before->getInlinedAt())
                           : DILocation::getDistinct(context, 0, 0, scope);
  instruction->setDebugLoc(own);
}

} // extern "C"
