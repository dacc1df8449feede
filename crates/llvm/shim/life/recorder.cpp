// The states of functions, told when they change. See recorder.h.
#include "life/recorder.h"

#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace opcost::life;

Recorder *opcost::life::active = nullptr;
uint64_t opcost::life::graphs_seen = 0;

namespace {

// The text without its debug location: that is our number.
std::string text_of(const Instruction &instruction, ModuleSlotTracker &slots) {
  std::string text;
  raw_string_ostream out(text);
  instruction.print(out, slots);
  size_t end = text.find(", !dbg ");
  if (end != std::string::npos) {
    size_t behind = text.find(", !", end + 2);
    text.erase(end, behind == std::string::npos ? std::string::npos : behind - end);
  }
  return StringRef(text).trim().str();
}

std::string name_of(const Value &value, ModuleSlotTracker &slots) {
  std::string text;
  raw_string_ostream out(text);
  value.printAsOperand(out, false, slots);
  return text;
}

uint64_t node(const void *thing) { return reinterpret_cast<uintptr_t>(thing); }

} // namespace

Recorder::Recorder(const Sink &sink, const uint32_t *numbers, size_t count, bool is_whole)
    : out(sink), whole(is_whole) {
  for (size_t i = 0; i < count; i++) {
    if (chosen.size() <= numbers[i]) chosen.resize(numbers[i] + 1);
    chosen[numbers[i]] = true;
  }
  active = this;
}

Recorder::~Recorder() { active = nullptr; }

uint32_t Recorder::number_of(const DebugLoc &location) { return location ? location.getLine() : 0; }

bool Recorder::is_chosen(const DebugLoc &location) const {
  uint32_t number = number_of(location);
  return number < chosen.size() && chosen[number];
}

bool Recorder::is_news(Stage stage, StringRef function, const std::string &state) {
  uint64_t hash = xxh3_64bits(state);
  auto [known, is_new] = last[stage].try_emplace(function, hash);
  if (!is_new && known->second == hash) return false;
  known->second = hash;
  return true;
}

void Recorder::follow(Instruction &instruction, const std::string &text) {
  auto [known, is_new] = position.try_emplace(&instruction, followed.size());
  if (is_new)
    followed.push_back({WeakTrackingVH(&instruction), &instruction, number_of(instruction.getDebugLoc()),
                        instruction.getFunction()->getName().str(), text});
  else
    followed[known->second].text = text;
}

void Recorder::ir(StringRef pass, Function &function) {
  if (function.isDeclaration()) return;
  bool is_any = false;
  for (Instruction &instruction : instructions(function))
    if (is_chosen(instruction.getDebugLoc())) is_any = true;
  bool was_any = last[kIr].count(function.getName());
  if (!is_any && !was_any) return;

  ModuleSlotTracker slots(function.getParent(), false);
  slots.incorporateFunction(function);
  std::vector<std::pair<Instruction *, std::string>> items;
  std::string state;
  for (Instruction &instruction : instructions(function)) {
    if (!whole && !is_chosen(instruction.getDebugLoc())) continue;
    std::string text = text_of(instruction, slots);
    state += name_of(*instruction.getParent(), slots) + text + "\n";
    items.push_back({&instruction, std::move(text)});
  }
  for (auto &[instruction, text] : items)
    if (is_chosen(instruction->getDebugLoc())) follow(*instruction, text);
  if (!is_news(kIr, function.getName(), state)) return;
  out.state(out.context, kIr, pass.str().c_str(), function.getName().str().c_str());
  for (auto &[instruction, text] : items) {
    std::vector<uint64_t> inputs;
    for (Value *operand : instruction->operands()) inputs.push_back(node(operand));
    std::string block = name_of(*instruction->getParent(), slots);
    Item item = {node(instruction), number_of(instruction->getDebugLoc()), is_chosen(instruction->getDebugLoc()),
                 instruction->getOpcodeName(), text.c_str(), block.c_str(), inputs.data(), uint32_t(inputs.size())};
    out.item(out.context, &item);
  }
}

void Recorder::settle(StringRef pass) {
  // Most passes touch nothing of it.
  auto is_touched = [](const Followed &one) { return static_cast<Value *>(one.handle) != one.was; };
  if (llvm::none_of(followed, is_touched)) return;
  std::vector<Followed> kept;
  for (Followed &one : followed) {
    auto tell = [&](const std::string &why) {
      out.reason(out.context, kIr, pass.str().c_str(), one.function.c_str(), one.number, why.c_str());
    };
    Value *now = one.handle;
    if (!now) {
      tell("deleted: nothing uses it");
      continue;
    }
    auto *instruction = dyn_cast<Instruction>(now);
    auto was = position.find(now);
    bool is_itself = was != position.end() && &followed[was->second] == &one;
    if (is_itself && instruction) {
      kept.push_back(std::move(one));
      continue;
    }
    std::string name;
    raw_string_ostream stream(name);
    if (isa<Constant>(now)) {
      now->printAsOperand(stream, false);
      tell("folded into " + name);
    } else if (isa<Argument>(now)) {
      now->printAsOperand(stream, false);
      tell("it is " + name);
    } else if (instruction) {
      ModuleSlotTracker slots(instruction->getModule(), false);
      slots.incorporateFunction(*instruction->getFunction());
      bool is_same = number_of(instruction->getDebugLoc()) == one.number;
      tell(std::string(is_same ? "replaced by '" : "merged with '") + text_of(*instruction, slots) + "'");
      if (!is_same && number_of(instruction->getDebugLoc()) == 0) continue;
    }
  }
  followed = std::move(kept);
  position.clear();
  for (size_t i = 0; i < followed.size(); i++) position[followed[i].handle] = i;
}

void Recorder::machine(StringRef pass, MachineFunction &function) {
  StringRef name = function.getName();
  if (born_in != name) {
    born.clear();
    born_in = name.str();
  }
  const char *by = passes.try_emplace(pass, 0).first->getKeyData();
  bool is_any = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block.instrs()) {
      auto [known, is_new] = born.try_emplace(&instruction, Born{instruction.getOpcode(), by});
      if (!is_new && known->second.opcode != instruction.getOpcode()) known->second = {instruction.getOpcode(), by};
      is_any |= is_chosen(instruction.getDebugLoc());
    }
  if (!is_any && !last[kMachine].count(name)) return;

  const TargetInstrInfo *names = function.getSubtarget().getInstrInfo();
  std::vector<std::pair<MachineInstr *, std::string>> items;
  std::string state;
  ModuleSlotTracker slots(function.getFunction().getParent(), false);
  slots.incorporateFunction(function.getFunction());
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block.instrs()) {
      if (!whole && !is_chosen(instruction.getDebugLoc())) continue;
      std::string text;
      raw_string_ostream stream(text);
      instruction.print(stream, slots, /*IsStandalone=*/false, /*SkipOpers=*/false, /*SkipDebugLoc=*/true,
                        /*AddNewLine=*/false, names);
      state += std::to_string(block.getNumber()) + text + "\n";
      items.push_back({&instruction, StringRef(text).trim().str()});
    }
  if (!is_news(kMachine, name, state)) return;
  out.state(out.context, kMachine, pass.str().c_str(), name.str().c_str());
  for (auto &[instruction, text] : items) {
    std::string block = ("bb." + Twine(instruction->getParent()->getNumber())).str();
    std::string operation = names->getName(instruction->getOpcode()).str();
    Item item = {node(instruction), number_of(instruction->getDebugLoc()), is_chosen(instruction->getDebugLoc()),
                 operation.c_str(), text.c_str(), block.c_str(), nullptr, 0};
    out.item(out.context, &item);
  }
}

StringRef Recorder::creator_of(const MachineInstr *instruction) const {
  auto known = born.find(instruction);
  return known == born.end() ? StringRef() : StringRef(known->second.pass);
}
