// Where machine instructions come from that carry no number.
//
// A fifth of them do: copies, constants, spills, frame code. The function tells
// of each instruction that is put in and taken out (`MachineFunction::Delegate`);
// behind each pass what is new gets the pass as its maker and a kind, and a
// number if one can be argued:
//   - it is what it was: the same instruction had the number before it lost it;
//   - it replaces: put in beside what was taken out, for the same register;
//   - it serves: all that reads what it makes has one number;
//   - it carries: a copy, spill or reload of a value that has one number;
//   - it is the other half of a branch in two instructions;
//   - it is a branch to a tail call that became the tail call itself, and stands
//     for both.
// Such numbers are marked as inferred. What has none keeps its kind and maker.
//
// Cost: a table look-up for each instruction behind each pass, and a look at each
// reader of what is new. Limits: physical registers are followed within a block only.
#pragma once

#include "life/identity.h"
#include "life/numbers.h"

#include "llvm/CodeGen/MachineFunction.h"
#include <memory>

namespace opcost::life {

struct Origin {
  uint64_t identity = 0;
  uint32_t number = 0;         // when it last had one
  uint32_t both = 0;           // of it and the call that it took in, or 0
  const char *pass = nullptr;  // that made it
  const char *kind = nullptr;  // what it is, if it has no number
  unsigned opcode = 0;
  unsigned round = 0;           // when it was seen last
  bool is_removed = false;
  bool is_new = true;
};

// How inference answers for what LLVM gave a location itself.
struct Referee {
  uint64_t right = 0, wrong = 0, silent = 0;
};

// Of one function.
class Ancestry : public llvm::MachineFunction::Delegate {
public:
  Ancestry(Numbers &numbers, Identities &identities, Referee &referee)
      : numbers(numbers), identities(identities), referee(referee) {}

  void MF_HandleInsertion(llvm::MachineInstr &instruction) override;
  void MF_HandleRemoval(llvm::MachineInstr &instruction) override;

  // Behind a pass.
  void look(const char *pass, llvm::MachineFunction &function);
  // As its location says, or as was inferred; 0 if nothing leads anywhere.
  uint32_t number(const llvm::MachineInstr &instruction) const;
  Certainty certainty(const llvm::MachineInstr &instruction) const;
  const Origin *origin(const llvm::MachineInstr &instruction) const;
  // Tells it from all others, ever; of one that was looked at.
  uint64_t identity(const llvm::MachineInstr &instruction) const { return origin(instruction)->identity; }
  // It is deleted.
  void forget(const llvm::MachineInstr &instruction) { origins.erase(&instruction); }
  // Whether anything that is followed was ever there.
  bool has_chosen() const { return is_any_chosen; }

private:
  void meet(llvm::MachineInstr &instruction);
  uint32_t with_callee(const llvm::MachineInstr &call);
  bool infer(llvm::MachineInstr &instruction);
  uint32_t inferred(const llvm::MachineInstr &instruction) const;
  // All of these take 0 for "more than one, or none".
  uint32_t served(const llvm::MachineInstr &instruction) const;
  uint32_t served_in_block(const llvm::MachineInstr &instruction, llvm::MCRegister made) const;
  uint32_t carried(const llvm::MachineInstr &instruction) const;
  uint32_t makers(llvm::Register value, const llvm::MachineInstr &before) const;
  uint32_t other_half(const llvm::MachineInstr &instruction) const;
  bool is_same(uint32_t one, uint32_t other) const;
  void find_slots(const llvm::MachineFunction &function) const;
  void judge(const llvm::MachineInstr &instruction);

  Numbers &numbers;
  Identities &identities;
  Referee &referee;
  llvm::DenseMap<const llvm::MachineInstr *, Origin> origins;
  std::vector<llvm::MachineInstr *> fresh, open;
  mutable llvm::DenseMap<int, uint32_t> slots;
  mutable bool are_slots_known = false;
  unsigned round = 0;
  bool is_any_chosen = false;
};

} // namespace opcost::life
