// See lineage.h.
//
// A function has room for one who is told, and GlobalISel's passes leave it empty.
// Whether it is ours still cannot be asked; setting it again is right, and only a
// check in the header, which LLVM itself is built without, forbids it.
#define NDEBUG
#include "life/lineage.h"
#include "life/recorder.h"

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineMemOperand.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/PseudoSourceValue.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace opcost::life;

namespace {

// Readers further away than that are not looked for in a block.
constexpr unsigned kFarthest = 256;

const TargetInstrInfo &instructions_of(const MachineInstr &instruction) {
  return *instruction.getMF()->getSubtarget().getInstrInfo();
}

const TargetRegisterInfo &registers_of(const MachineInstr &instruction) {
  return *instruction.getMF()->getSubtarget().getRegisterInfo();
}

// The slot that it fills or reads, and the register; or nothing.
std::optional<int> spilled(const MachineInstr &instruction, Register &value) {
  int slot = 0;
  value = instructions_of(instruction).isStoreToStackSlot(instruction, slot);
  return value ? std::optional<int>(slot) : std::nullopt;
}

std::optional<int> reloaded(const MachineInstr &instruction, Register &value) {
  int slot = 0;
  value = instructions_of(instruction).isLoadFromStackSlot(instruction, slot);
  return value ? std::optional<int>(slot) : std::nullopt;
}

bool is_full_copy(const MachineInstr &instruction) {
  return instruction.isCopy() && !instruction.getOperand(0).getSubReg() && !instruction.getOperand(1).getSubReg();
}

bool is_pass(StringRef pass, StringRef part) { return pass.contains_insensitive(part); }

bool reads_arguments(const MachineInstr &instruction) {
  if (!instruction.mayLoad()) return false;
  const MachineFrameInfo &frame = instruction.getMF()->getFrameInfo();
  return any_of(instruction.operands(), [&](const MachineOperand &operand) {
    return operand.isFI() && frame.isFixedObjectIndex(operand.getIndex());
  });
}

const char *kind_of_copy(const MachineInstr &instruction, StringRef pass) {
  if (is_pass(pass, "PHI")) return "copy for a phi";
  if (is_pass(pass, "Two-Address")) return "copy for a two-address form";
  if (is_pass(pass, "Register Alloc")) return "copy of a split range";
  Register from = instruction.getOperand(1).getReg(), to = instruction.getOperand(0).getReg();
  if (from.isPhysical() && instruction.getParent()->isEntryBlock()) return "argument copy";
  if (to.isPhysical() && instruction.getParent()->isReturnBlock()) return "return copy";
  return "copy";
}

const char *kind_of(const MachineInstr &instruction, StringRef pass) {
  if (instruction.getFlag(MachineInstr::FrameSetup)) return "frame set-up";
  if (instruction.getFlag(MachineInstr::FrameDestroy)) return "frame end";
  if (is_pass(pass, "Prologue/Epilogue")) return "frame code";
  if (instruction.isPHI() || instruction.getOpcode() == TargetOpcode::G_PHI) return "phi";
  if (instruction.isReturn()) return "return";
  if (instruction.isCall()) return "call";
  if (instruction.isBranch()) return is_pass(pass, "select") ? "branch" : "branch of the layout";
  if (instruction.isCopy()) return kind_of_copy(instruction, pass);
  bool is_allocator = is_pass(pass, "Register Alloc");
  if (is_allocator && instruction.mayStore()) return "spill";
  if (is_allocator && instruction.mayLoad()) return "reload";
  if (reads_arguments(instruction)) return "argument load";
  if (is_pass(pass, "nop") || is_pass(pass, "align")) return "alignment";
  const TargetInstrInfo &names = instructions_of(instruction);
  StringRef name = names.getName(instruction.getOpcode());
  if (name.starts_with("ADJCALLSTACK")) return "call frame";
  bool reads_register = any_of(instruction.uses(), [](const MachineOperand &operand) {
    return operand.isReg() && operand.getReg().isVirtual();
  });
  if (name.contains("NOOP") || name == "NOOP") return "alignment";
  if (instruction.isMoveImmediate() || name.contains("CONSTANT") ||
      (!reads_register && !instruction.mayLoadOrStore() && instruction.getNumExplicitDefs() == 1))
    return "constant or address";
  if (instruction.mayStore()) return "store";
  if (instruction.mayLoad()) return "load";
  return "computation";
}

} // namespace

bool Ancestry::is_same(uint32_t one, uint32_t other) const {
  return one == other || numbers.sources(numbers.own(one)) == numbers.sources(numbers.own(other));
}

const Origin *Ancestry::origin(const MachineInstr &instruction) const {
  auto known = origins.find(&instruction);
  return known == origins.end() ? nullptr : &known->second;
}

uint32_t Ancestry::number(const MachineInstr &instruction) const {
  uint32_t now = Recorder::number_of(instruction.getDebugLoc());
  const Origin *known = origin(instruction);
  if (known && known->both) return known->both;
  if (numbers.is_keyed(now)) return now;
  return known && known->number ? known->number : now;
}

Certainty Ancestry::certainty(const MachineInstr &instruction) const {
  uint32_t now = Recorder::number_of(instruction.getDebugLoc());
  const Origin *known = origin(instruction);
  if (known && known->both) return kInferred;
  if (numbers.is_keyed(now)) return numbers.certainty(now);
  return known && numbers.is_keyed(known->number) ? kInferred : kExact;
}

void Ancestry::meet(MachineInstr &instruction) {
  Origin &known = origins[&instruction];
  known = Origin();
  known.identity = identities.make();
  known.opcode = instruction.getOpcode();
  known.number = Recorder::number_of(instruction.getDebugLoc());
  is_any_chosen |= numbers.is_chosen(known.number);
  fresh.push_back(&instruction);
}

// What is put in once more was moved.
void Ancestry::MF_HandleInsertion(MachineInstr &instruction) {
  auto known = origins.find(&instruction);
  if (known != origins.end()) {
    known->second.is_removed = false;
    if (known->second.is_new) fresh.push_back(&instruction);
    return;
  }
  meet(instruction);
  if (instruction.isCall() && instruction.isReturn() && instruction.isBranch())
    origins[&instruction].both = with_callee(instruction);
}

// A branch to a tail call becomes a call on the same condition, and is put in
// before that branch.
uint32_t Ancestry::with_callee(const MachineInstr &call) {
  for (const MachineInstr &branch : call.getParent()->terminators()) {
    if (&branch == &call || !branch.isConditionalBranch()) continue;
    for (const MachineOperand &operand : branch.operands()) {
      if (!operand.isMBB()) continue;
      auto first = operand.getMBB()->getFirstNonDebugInstr();
      if (first == operand.getMBB()->end() || !first->isCall() || !first->isReturn()) continue;
      uint32_t one = number(branch), other = number(*first);
      if (!numbers.is_keyed(one) || !numbers.is_keyed(other)) return numbers.is_keyed(one) ? one : other;
      return numbers.merge(one, other);
    }
  }
  return 0;
}

void Ancestry::MF_HandleRemoval(MachineInstr &instruction) {
  auto known = origins.find(&instruction);
  if (known == origins.end()) return;
  known->second.is_removed = true;
  uint32_t left = number(instruction);
  // Without a number its maker and kind are what is left.
  const char *pass = known->second.pass, *kind = known->second.kind;
  uint32_t both = known->second.both;
  if (known->second.is_new) return;
  const TargetRegisterInfo &registers = registers_of(instruction);
  auto replaces = [&](const MachineInstr *other) {
    if (!other) return;
    auto successor = origins.find(other);
    if (successor == origins.end() || !successor->second.is_new) return;
    if (both && other->isCall() && other->isReturn()) successor->second.both = both;
    if (numbers.is_keyed(number(*other))) return;
    for (const MachineOperand &made : instruction.all_defs())
      if (made.getReg() && other->modifiesRegister(made.getReg(), &registers)) {
        if (numbers.is_keyed(left)) successor->second.number = left;
        successor->second.pass = pass;
        successor->second.kind = kind;
        return;
      }
  };
  replaces(instruction.getPrevNode());
  replaces(instruction.getNextNode());
}

uint32_t Ancestry::served_in_block(const MachineInstr &instruction, MCRegister made) const {
  const TargetRegisterInfo &registers = registers_of(instruction);
  const MachineBasicBlock &block = *instruction.getParent();
  uint32_t only = 0;
  unsigned far = 0;
  for (auto at = std::next(instruction.getIterator()); at != block.instr_end(); ++at) {
    if (at->isDebugInstr()) continue;
    if (++far > kFarthest) return 0;
    if (at->readsRegister(made, &registers)) {
      uint32_t reader = number(*at);
      if (!numbers.is_keyed(reader) || (only && !is_same(only, reader))) return 0;
      only = reader;
      if (at->killsRegister(made, &registers)) return only;
    }
    if (at->modifiesRegister(made, &registers)) return only;
  }
  for (const MachineBasicBlock *next : block.successors())
    for (const auto &live : next->liveins())
      if (registers.regsOverlap(live.PhysReg, made)) return 0;
  return only;
}

uint32_t Ancestry::served(const MachineInstr &instruction) const {
  const MachineRegisterInfo &values = instruction.getMF()->getRegInfo();
  uint32_t only = 0;
  for (const MachineOperand &made : instruction.all_defs()) {
    if (made.isDead() || !made.getReg()) continue;
    uint32_t of_this = 0;
    if (made.getReg().isPhysical()) {
      of_this = served_in_block(instruction, made.getReg());
    } else {
      for (const MachineInstr &reader : values.use_nodbg_instructions(made.getReg())) {
        if (&reader == &instruction) continue;
        // A phi passes on what others serve.
        if (reader.isPHI()) return 0;
        uint32_t its = number(reader);
        if (!numbers.is_keyed(its) || (of_this && !is_same(of_this, its))) return 0;
        of_this = its;
      }
    }
    if (!of_this || (only && !is_same(only, of_this))) return 0;
    only = of_this;
  }
  return only;
}

uint32_t Ancestry::makers(Register value, const MachineInstr &before) const {
  uint32_t only = 0;
  auto is_one = [&](const MachineInstr &maker) {
    uint32_t its = number(maker);
    if (!numbers.is_keyed(its) || (only && !is_same(only, its))) return false;
    only = its;
    return true;
  };
  if (value.isVirtual()) {
    for (const MachineInstr &maker : before.getMF()->getRegInfo().def_instructions(value))
      if (&maker != &before && !is_one(maker)) return 0;
    return only;
  }
  const TargetRegisterInfo &registers = registers_of(before);
  unsigned far = 0;
  for (auto at = before.getReverseIterator(); ++at != before.getParent()->instr_rend();) {
    if (++far > kFarthest) return 0;
    if (at->modifiesRegister(value, &registers)) return is_one(*at) ? only : 0;
  }
  return 0;
}

uint32_t Ancestry::carried(const MachineInstr &instruction) const {
  Register value;
  // A part of a register is not what its maker made, but a truncation of it.
  if (instruction.isCopy())
    return is_full_copy(instruction) ? makers(instruction.getOperand(1).getReg(), instruction) : 0;
  if (auto copy = instructions_of(instruction).isCopyInstr(instruction))
    return makers(copy->Source->getReg(), instruction);
  if (spilled(instruction, value)) return makers(value, instruction);
  const MachineFrameInfo &frame = instruction.getMF()->getFrameInfo();
  std::optional<int> slot = reloaded(instruction, value);
  if (!slot || frame.isFixedObjectIndex(*slot) || !frame.isSpillSlotObjectIndex(*slot)) return 0;
  if (!are_slots_known) find_slots(*instruction.getMF());
  return slots.lookup(*slot);
}

// What is kept in each slot, if it has one number.
void Ancestry::find_slots(const MachineFunction &function) const {
  slots.clear();
  are_slots_known = true;
  for (const MachineBasicBlock &block : function)
    for (const MachineInstr &store : block) {
      Register kept;
      std::optional<int> slot = store.mayStore() ? spilled(store, kept) : std::nullopt;
      if (!slot) continue;
      uint32_t its = number(store);
      auto [known, is_new] = slots.try_emplace(*slot, numbers.is_keyed(its) ? its : 0);
      if (!is_new && !is_same(known->second, its)) known->second = 0;
    }
}

uint32_t Ancestry::other_half(const MachineInstr &instruction) const {
  if (!instruction.isBranch()) return 0;
  for (const MachineInstr &other : instruction.getParent()->terminators())
    if (&other != &instruction && other.isBranch() && numbers.is_keyed(number(other))) return number(other);
  return 0;
}

uint32_t Ancestry::inferred(const MachineInstr &instruction) const {
  // A copy hands a value on; only one into a register that a call or an
  // instruction asks for is there for its reader.
  bool is_handing_on = instruction.isCopy() && instruction.getOperand(0).getReg().isVirtual();
  if (is_handing_on)
    if (uint32_t number = carried(instruction)) return number;
  // What has effects of its own serves more than its readers.
  if (!instruction.mayStore() && !instruction.isCall() && !instruction.hasUnmodeledSideEffects())
    if (uint32_t number = served(instruction)) return number;
  if (uint32_t number = carried(instruction)) return number;
  return other_half(instruction);
}

bool Ancestry::infer(MachineInstr &instruction) {
  if (instruction.getFlag(MachineInstr::FrameSetup) || instruction.getFlag(MachineInstr::FrameDestroy)) return false;
  // What serves an instruction does not serve what was folded into it.
  uint32_t found = numbers.own(inferred(instruction));
  if (!numbers.is_keyed(found)) return false;
  Origin &known = origins[&instruction];
  known.number = found;
  is_any_chosen |= numbers.is_chosen(found);
  return true;
}

// LLVM kept a location where inference would have answered too.
void Ancestry::judge(const MachineInstr &instruction) {
  bool is_alike = is_full_copy(instruction) || instruction.isMoveImmediate();
  uint32_t truth = Recorder::number_of(instruction.getDebugLoc());
  if (!is_alike || !numbers.is_keyed(truth)) return;
  uint32_t found = inferred(instruction);
  (!found ? referee.silent : is_same(found, truth) ? referee.right : referee.wrong)++;
}

void Ancestry::look(const char *pass, MachineFunction &function) {
  function.setDelegate(this);
  bool is_first = round++ == 0;
  // Not all that comes and goes is told of (blocks that are dropped whole, and
  // what GlobalISel does): what stands there now is the truth.
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block.instrs()) {
      if (!origins.count(&instruction)) meet(instruction);
      Origin &known = origins[&instruction];
      known.is_removed = false;
      known.round = round;
    }
  if (fresh.empty()) return;

  for (MachineInstr *instruction : fresh) {
    // It may be deleted since; then only its address is known.
    auto place = origins.find(instruction);
    if (place == origins.end()) continue;
    Origin &known = place->second;
    if (known.round != round || !known.is_new) continue;
    known.is_new = false;
    if (!known.pass) known.pass = pass;
    uint32_t now = Recorder::number_of(instruction->getDebugLoc());
    if (now) known.number = now;
    is_any_chosen |= numbers.is_chosen(known.number);
    if (!known.kind) known.kind = kind_of(*instruction, pass);
    if (is_first) judge(*instruction);
    if (!numbers.is_keyed(known.number)) open.push_back(instruction);
  }
  fresh.clear();
  // Behind what it serves comes what serves that.
  for (bool is_more = true; is_more;) {
    is_more = are_slots_known = false;
    std::vector<MachineInstr *> left;
    for (MachineInstr *instruction : reverse(open)) {
      auto known = origins.find(instruction);
      if (known == origins.end() || known->second.round != round || numbers.is_keyed(number(*instruction))) continue;
      if (infer(*instruction))
        is_more = true;
      else
        left.push_back(instruction);
    }
    std::reverse(left.begin(), left.end());
    open = std::move(left);
  }
}

#define OPCOST_DELETE _ZN4llvm15MachineFunction18deleteMachineInstrEPNS_12MachineInstrE
#define OPCOST_JOIN2(a, b) a##b
#define OPCOST_JOIN(a, b) OPCOST_JOIN2(a, b)

extern "C" {

void OPCOST_JOIN(__real_, OPCOST_DELETE)(MachineFunction *, MachineInstr *) __attribute__((weak));

// Its address will be another's.
void OPCOST_JOIN(__wrap_, OPCOST_DELETE)(MachineFunction *function, MachineInstr *instruction) {
  passed[kDelete]++;
  if (active) active->forget(*function, *instruction);
  OPCOST_JOIN(__real_, OPCOST_DELETE)(function, instruction);
}

} // extern "C"
