// Why did an instruction go?
//
// LLVM deletes without a word. What is known: whether its readers read another
// value since (value handles); what its locations say the pass made of it, or
// merged it with; what its block ends in now, or whether the block is gone;
// whether the variable that it writes is; and whether its function is. Only what nothing depends on but its readers was
// deleted because there were none. For what has effects that does not follow:
// where nothing of the above is known, the answer is that LLVM does not say.
//
// Cost: that of the instructions that went.
#include "life/recorder.h"
#include "life/words.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace opcost::life;

namespace {

const char *const kUnknown = "deleted; LLVM does not say why";

std::string quoted(const std::string &text) { return "'" + text + "'"; }

// The first of them, and how many more.
std::string listed(ArrayRef<const std::string *> texts) {
  std::string list = quoted(*texts.front());
  if (texts.size() > 1) list += " and " + std::to_string(texts.size() - 1) + " more";
  return list;
}

} // namespace

Recorder::Followed::Followed(Instruction &instruction, Recorder &recorder)
    : CallbackVH(&instruction), identity(recorder.serials.of(&instruction)),
      number(recorder.told(instruction.getDebugLoc())) {}

void Recorder::Followed::see(const Instruction &instruction, std::string written) {
  carried = number_of(instruction.getDebugLoc());
  opcode = instruction.getOpcode();
  has_effects = instruction.mayHaveSideEffects() || instruction.isTerminator();
  is_terminator = instruction.isTerminator();
  is_call = isa<CallBase>(instruction);
  text = std::move(written);
  block = const_cast<BasicBlock *>(instruction.getParent());
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  if (auto *lifetime = dyn_cast<LifetimeIntrinsic>(&instruction)) pointer = lifetime->getArgOperand(0);
  const Value *base = pointer ? getUnderlyingObject(pointer) : nullptr;
  has_variable = isa_and_nonnull<AllocaInst>(base);
  variable = has_variable ? const_cast<Value *>(base) : nullptr;
  has_next = is_terminator && instruction.getNumSuccessors() == 1;
  next = has_next ? instruction.getSuccessor(0) : nullptr;
}

void Recorder::Followed::allUsesReplacedWith(Value *other) {
  // Before it is deleted what is left of its uses gets poison.
  if (is_replaced && !isa_and_nonnull<UndefValue>(successor)) return;
  is_replaced = true;
  successor = other;
}

void Recorder::follow(StringRef function, Instruction &instruction, const std::string &text) {
  FollowedFunction &group = followed[keep(function)];
  group.function = instruction.getFunction();
  auto [known, is_new] = group.position.try_emplace(serials.of(&instruction), group.members.size());
  if (is_new) group.members.push_back(std::make_unique<Followed>(instruction, *this));
  group.members[known->second]->see(instruction, text);
}

// A function that takes the place of another takes its name.
Function *Recorder::function_of(StringRef name, const FollowedFunction &group) const {
  if (group.function) return cast<Function>(static_cast<Value *>(group.function));
  return module.getFunction(name);
}

void Recorder::look_for_lost(StringRef pass) {
  auto is_gone = [](const std::unique_ptr<Followed> &one) { return one->is_gone(); };
  SmallVector<StringRef, 8> names;
  for (auto &[name, group] : followed)
    if (any_of(group.members, is_gone)) names.push_back(name);
  for (StringRef name : names) {
    // To look at a function may begin to follow another.
    FollowedFunction &group = followed[name];
    Function *function = function_of(name, group);
    if (function && !function->isDeclaration()) {
      ir(pass, *function);
      continue;
    }
    std::vector<uint64_t> gone;
    for (const std::unique_ptr<Followed> &one : group.members)
      if (one->is_gone()) gone.push_back(one->identity);
    settle(pass, name, group, Successors());
    out.state(out.context, kIr, pass.str().c_str(), name.str().c_str());
    for (uint64_t thing : gone) out.gone(out.context, thing);
    states[kIr].erase(name);
  }
}

void Recorder::settle(StringRef pass, StringRef name, FollowedFunction &group, const Successors &successors) {
  auto is_gone = [](const std::unique_ptr<Followed> &one) { return one->is_gone(); };
  if (none_of(group.members, is_gone)) return;
  Function *function = function_of(name, group);
  for (const std::unique_ptr<Followed> &one : group.members)
    if (one->is_gone())
      out.reason(out.context, kIr, pass.str().c_str(), name.str().c_str(), one->identity,
                 why_gone(pass, *one, function, successors).c_str());
  erase_if(group.members, is_gone);
  group.position.clear();
  for (size_t i = 0; i < group.members.size(); i++) group.position[group.members[i]->identity] = i;
}

// Code of another function stands where the call was: its locations say so.
bool Recorder::was_inlined(const Followed &one, const Function &function) const {
  for (const Instruction &instruction : instructions(function))
    for (DILocation *at = instruction.getDebugLoc() ? instruction.getDebugLoc()->getInlinedAt() : nullptr; at;
         at = at->getInlinedAt())
      if (at->getLine() == one.carried) return true;
  return false;
}

std::string Recorder::why_gone(StringRef pass, const Followed &one, Function *function, const Successors &successors) {
  if (!function) return "deleted with its function, which nothing calls";
  if (function->isDeclaration()) return "deleted with the code of its function, which comes from elsewhere";
  if (one.is_call && pass.contains("inline") && was_inlined(one, *function)) return "inlined";
  if (one.is_replaced && one.successor && !isa<UndefValue>(one.successor))
    return why_replaced(one, *one.successor);
  std::vector<const std::string *> merged, made;
  auto known = successors.find(one.number);
  if (known != successors.end())
    for (const ChangedInstruction *changed : known->second) {
      const Instruction &now = *changed->instruction;
      if (changed->is_merged && now.getOpcode() == one.opcode) merged.push_back(&changed->text);
      // An invoke may become a call and a branch.
      bool is_alike = one.is_call ? isa<CallBase>(now) : now.isTerminator() == one.is_terminator;
      bool has_effects = now.mayHaveSideEffects() || now.isTerminator();
      bool is_of_it = number_of(now.getDebugLoc()) == one.carried;
      if (changed->is_new && is_of_it && is_alike && has_effects && one.has_effects) made.push_back(&changed->text);
    }
  if (!merged.empty()) return "merged with " + listed(merged);
  if (!made.empty()) return "replaced by " + listed(made);
  if (one.is_terminator && !one.is_call) return why_branch_gone(one);
  if (one.has_effects && one.has_variable && !one.variable) return "deleted: its variable is no longer in memory";
  if (one.has_effects) return one.block ? kUnknown : "deleted: its block is no more";
  if (one.is_replaced) return one.successor ? "deleted: nothing needs it" : "replaced by what is gone, too";
  return "deleted: nothing uses it";
}

// What its block ends in now says what a branch became.
std::string Recorder::why_branch_gone(const Followed &one) {
  auto *block = cast_or_null<BasicBlock>(static_cast<Value *>(one.block));
  Instruction *now = block && block->getParent() ? block->getTerminator() : nullptr;
  if (!now) return "deleted: its block is no more";
  uint32_t its = number_of(now->getDebugLoc());
  // It ends as what it jumped to ended: that is a part of it now.
  bool is_joined = one.has_next && !one.next && its != one.carried && meanings.meaning(its) == nullptr;
  if (is_joined) return "deleted: what it jumped to is joined to its block";
  ModuleSlotTracker slots(now->getModule(), false);
  slots.incorporateFunction(*now->getFunction());
  return "replaced by " + quoted(text_of(*now, slots));
}

std::string Recorder::why_replaced(const Followed &one, Value &now) {
  std::string name;
  raw_string_ostream stream(name);
  if (isa<Constant>(now)) {
    now.printAsOperand(stream, false);
    return "folded into " + name;
  }
  if (isa<Argument>(now)) {
    now.printAsOperand(stream, false);
    return "it is " + name;
  }
  auto *instruction = dyn_cast<Instruction>(&now);
  if (!instruction || !instruction->getParent()) return kUnknown;
  ModuleSlotTracker slots(instruction->getModule(), false);
  slots.incorporateFunction(*instruction->getFunction());
  uint32_t its = number_of(instruction->getDebugLoc());
  bool is_merged = meanings.certainty(its) == kMerged || meanings.representative(its) != one.number;
  return (is_merged ? "merged with " : "replaced by ") + quoted(text_of(*instruction, slots));
}
