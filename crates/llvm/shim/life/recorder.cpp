// The states of functions, told where they change. See recorder.h.
#include "life/recorder.h"
#include "life/words.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace opcost::life;

Recorder *opcost::life::active = nullptr;
uint64_t opcost::life::graphs_of_function = 0;

namespace {

std::string name_of(const Value &value, ModuleSlotTracker &slots) {
  std::string text;
  raw_string_ostream out(text);
  value.printAsOperand(out, false, slots);
  return text;
}

// Blocks go by their numbers, as in its text: an address may be another block's by now.
uint64_t hash_of(const MachineInstr &instruction, uint32_t number, const MachineRegisterInfo &registers) {
  uint64_t hash = hash_combine(instruction.getOpcode(), instruction.getFlags(), instruction.getParent()->getNumber(), number);
  for (const MachineOperand &operand : instruction.operands()) {
    if (operand.isMBB()) {
      hash = hash_combine(hash, operand.getMBB()->getNumber());
      continue;
    }
    hash = hash_combine(hash, hash_value(operand));
    if (!operand.isReg()) continue;
    hash = hash_combine(hash, operand.isImplicit(), operand.isDead(), operand.isUndef(), operand.isKill());
    // Its class or bank stands behind it.
    if (operand.getReg().isVirtual())
      hash = hash_combine(hash, registers.getRegClassOrRegBank(operand.getReg()).getOpaqueValue());
  }
  return hash;
}

uint32_t last_number(const Module &module) {
  uint32_t last = 0;
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      last = std::max(last, Recorder::number_of(instruction.getDebugLoc()));
  return last;
}

// Without optimisation most is selected one by one, and graphs are built only of
// what that cannot do; both go by the name of the second.
std::string selected_by(StringRef pass, TargetMachine &machine) {
  uint64_t graphs = std::exchange(graphs_of_function, 0);
  bool is_fast = machine.getOptLevel() == CodeGenOptLevel::None && machine.getO0WantsFastISel();
  if (!is_fast) return pass.str();
  if (graphs == 0) return "FastISel";
  return ("FastISel, fell back to " + Twine(graphs) + (graphs == 1 ? " graph" : " graphs")).str();
}

std::vector<bool> as_set(const uint32_t *numbers, size_t count) {
  std::vector<bool> set;
  for (size_t i = 0; i < count; i++) {
    if (set.size() <= numbers[i]) set.resize(numbers[i] + 1);
    set[numbers[i]] = true;
  }
  return set;
}

} // namespace

// Printing an instruction walks all globals of its module first, for their
// comdats; a copy that stands nowhere has no module. It has no name either.
std::string opcost::life::text_of(const Instruction &instruction, ModuleSlotTracker &slots) {
  std::string text;
  raw_string_ostream out(text);
  if (isa<AllocaInst>(instruction)) {
    // Its text asks the module for the stack's address space.
    instruction.print(out, slots);
    return StringRef(text).split(", !").first.trim().str();
  }
  Instruction *copy = instruction.clone();
  copy->dropUnknownNonDebugMetadata();
  copy->setDebugLoc(DebugLoc());
  if (!instruction.getType()->isVoidTy()) {
    instruction.printAsOperand(out, false, slots);
    out << " = ";
  }
  std::string rest;
  raw_string_ostream behind(rest);
  copy->print(behind, slots);
  copy->deleteValue();
  StringRef words = StringRef(rest).trim();
  words.consume_front("<badref> = ");
  out << words;
  // Said where the module is not known; it is where all functions are.
  size_t space = text.find("call addrspace(0) ");
  if (space != std::string::npos) text.erase(space + strlen("call "), strlen("addrspace(0) "));
  return text;
}

Recorder::Recorder(const Sink &sink, const Module &module, const uint32_t *numbers, size_t count, bool is_whole)
    : out(sink), module(module), meanings(last_number(module), as_set(numbers, count)), whole(is_whole) {
  active = this;
  graphs_of_function = 0;
}

Recorder::~Recorder() { active = nullptr; }

Ancestry &Recorder::ancestry_of(const MachineFunction &function) {
  std::unique_ptr<Ancestry> &known = ancestries[function.getFunctionNumber()];
  if (!known) known = std::make_unique<Ancestry>(meanings, serials, referee);
  return *known;
}

void Recorder::forget(const MachineFunction &function) { ancestries.erase(function.getFunctionNumber()); }

void Recorder::forget(const MachineFunction &function, const MachineInstr &instruction) {
  auto known = ancestries.find(function.getFunctionNumber());
  if (known != ancestries.end()) known->second->forget(instruction);
}

// Of what its text says, by identity of what it names.
uint64_t Recorder::hash_of(const Instruction &instruction) {
  uint64_t hash =
      hash_combine(instruction.getOpcode(), instruction.getType(), serials.of(instruction.getParent()),
                   instruction.getRawSubclassOptionalData(), number_of(instruction.getDebugLoc()));
  for (const Value *operand : instruction.operands()) hash = hash_combine(hash, serials.of(operand));
  if (auto *comparison = dyn_cast<CmpInst>(&instruction)) hash = hash_combine(hash, comparison->getPredicate());
  if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
    hash = hash_combine(hash, address->getSourceElementType());
  if (auto *call = dyn_cast<CallBase>(&instruction))
    hash = hash_combine(hash, call->getAttributes().getRawPointer(), call->getCallingConv());
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    hash = hash_combine(hash, load->getAlign().value(), load->isVolatile(), unsigned(load->getOrdering()));
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    hash = hash_combine(hash, store->getAlign().value(), store->isVolatile(), unsigned(store->getOrdering()));
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
    hash = hash_combine(hash, ArrayRef<int>(shuffle->getShuffleMask()));
  if (auto *phi = dyn_cast<PHINode>(&instruction))
    for (const BasicBlock *block : phi->blocks()) hash = hash_combine(hash, serials.of(block));
  return hash;
}

// What a pass made of nothing gets a number that says so.
void Recorder::name_new(const char *pass, Function &function) {
  DISubprogram *scope = function.getSubprogram();
  if (!scope) return;
  for (Instruction &instruction : instructions(function)) {
    if (number_of(instruction.getDebugLoc()) != 0) continue;
    // It may alone serve one instruction that is known.
    uint32_t only = 0;
    for (const User *user : instruction.users()) {
      auto *reader = dyn_cast<Instruction>(user);
      uint32_t its = reader ? number_of(reader->getDebugLoc()) : 0;
      bool is_other = !meanings.is_keyed(its) || (only && meanings.sources(only) != meanings.sources(its));
      only = is_other ? 0 : its;
      if (is_other) break;
    }
    if (instruction.mayHaveSideEffects()) only = 0;
    uint32_t number = meanings.make(pass, instruction.getOpcodeName(), only);
    DILocation *old = instruction.getDebugLoc();
    DILocation *location = old ? DILocation::get(function.getContext(), number, 0, old->getScope(), old->getInlinedAt())
                               : DILocation::get(function.getContext(), number, 0, scope);
    instruction.setDebugLoc(location);
  }
}

void Recorder::ir(StringRef pass, Function &function) {
  if (function.isDeclaration()) return;
  name_new(keep(pass), function);
  std::vector<Instruction *> meant;
  bool is_any = false;
  for (Instruction &instruction : instructions(function)) {
    bool is_meant = is_chosen(instruction.getDebugLoc());
    is_any |= is_meant;
    if (whole || is_meant) meant.push_back(&instruction);
  }
  if (!is_any && !states[kIr].count(function.getName())) return;

  looked += meant.size();
  Change change(states[kIr][function.getName()], whole);
  std::vector<ChangedInstruction> changes;
  for (Instruction *instruction : meant) {
    ChangeKind kind = change.of(serials.of(instruction), hash_of(*instruction));
    bool is_merged = meanings.certainty(number_of(instruction->getDebugLoc())) == kMerged;
    if (kind != ChangeKind::kNone || whole) changes.push_back({instruction, kind == ChangeKind::kNew, is_merged, ""});
  }
  std::vector<uint64_t> gone = change.gone();
  if (!change.has_changes()) return;

  ModuleSlotTracker slots(function.getParent(), false);
  slots.incorporateFunction(function);
  Successors successors;
  for (ChangedInstruction &changed : changes) {
    printed++;
    changed.text = text_of(*changed.instruction, slots);
    uint32_t number = number_of(changed.instruction->getDebugLoc());
    for (uint32_t source : meanings.sources(number)) successors[source].push_back(&changed);
  }
  // Why something went is told before that it did.
  auto group = followed.find(function.getName());
  if (group != followed.end()) settle(pass, group->first, group->second, successors);
  out.state(out.context, kIr, pass.str().c_str(), function.getName().str().c_str());
  for (const ChangedInstruction &changed : changes) {
    auto *instruction = const_cast<Instruction *>(changed.instruction);
    uint32_t number = number_of(instruction->getDebugLoc());
    bool is_meant = meanings.is_chosen(number);
    if (is_meant) follow(function.getName(), *instruction, changed.text);
    std::vector<uint64_t> inputs;
    for (Value *operand : instruction->operands()) inputs.push_back(serials.of(operand));
    std::string block = name_of(*instruction->getParent(), slots);
    Item item = {serials.of(instruction), meanings.representative(number), is_meant, meanings.certainty(number),
                 instruction->getOpcodeName(), changed.text.c_str(), block.c_str(), inputs.data(), uint32_t(inputs.size())};
    out.item(out.context, &item);
  }
  for (uint64_t thing : gone) out.gone(out.context, thing);
}

void Recorder::machine(StringRef pass, MachineFunction &function) {
  StringRef name = function.getName();
  std::string selection;
  if (pass.contains("DAG->DAG")) pass = selection = selected_by(pass, const_cast<TargetMachine &>(function.getTarget()));
  Ancestry &ancestry = ancestry_of(function);
  ancestry.look(keep(pass), function);
  if (!ancestry.has_chosen()) return;

  const TargetInstrInfo *names = function.getSubtarget().getInstrInfo();
  Change change(states[kMachine][name], whole);
  std::vector<MachineInstr *> changes;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block.instrs()) {
      uint32_t number = ancestry.number(instruction);
      if (!whole && !meanings.is_chosen(number)) continue;
      looked++;
      uint64_t hash = ::hash_of(instruction, number, function.getRegInfo());
      if (change.of(ancestry.identity(instruction), hash) != ChangeKind::kNone || whole) changes.push_back(&instruction);
    }
  std::vector<uint64_t> gone = change.gone();
  if (!change.has_changes()) return;

  ModuleSlotTracker slots(function.getFunction().getParent(), false);
  slots.incorporateFunction(function.getFunction());
  out.state(out.context, kMachine, pass.str().c_str(), name.str().c_str());
  for (MachineInstr *instruction : changes) {
    printed++;
    std::string words;
    raw_string_ostream stream(words);
    instruction->print(stream, slots, /*IsStandalone=*/false, /*SkipOpers=*/false, /*SkipDebugLoc=*/true,
                       /*AddNewLine=*/false, names);
    std::string text = StringRef(words).trim().str();
    std::string block = ("bb." + Twine(instruction->getParent()->getNumber())).str();
    std::string operation = names->getName(instruction->getOpcode()).str();
    uint32_t number = ancestry.number(*instruction);
    Item item = {ancestry.identity(*instruction), meanings.representative(number), meanings.is_chosen(number),
                 ancestry.certainty(*instruction), operation.c_str(), text.c_str(), block.c_str(), nullptr, 0};
    out.item(out.context, &item);
  }
  for (uint64_t thing : gone) out.gone(out.context, thing);
}
