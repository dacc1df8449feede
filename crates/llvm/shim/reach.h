// How far into its straight code is an instruction of the machine's?
#pragma once

#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <optional>

namespace llvm {
class DILocation;
class Instruction;
class MachineFunction;
class MachineInstr;
class MachineMemOperand;
class Value;
} // namespace llvm

namespace opcost {

// What is known of what was done; `told.h` and `fuel.rs` use these numbers.
enum class Known : uint8_t {
  // At least this.
  kAtLeast,
  // This.
  kExact,
  // Its loop is paid for ahead: this was charged, and may be more than was done.
  kAhead,
};

// Where an instruction is.
struct Reached {
  int64_t straight = 0, done = 0;
  Known known = Known::kAtLeast;
  // What is done more if it is a division that ends the program, and not what is
  // read for it.
  uint8_t more = 0;
};

// Knows where the instructions of one function are.
class Reach {
public:
  explicit Reach(const llvm::MachineFunction &machine);

  // Whether the program can end at the instruction, so that it must be known how
  // far it has come there.
  bool can_end(const llvm::MachineInstr &instruction) const;

  // How far the program has come when the instruction begins, which counts; not
  // more than the truth.
  Reached of(const llvm::MachineInstr &instruction) const;

  // Gives the instruction the place in the source back that it had.
  void give_back(llvm::MachineInstr &instruction) const;

private:
  const llvm::Instruction *origin(const llvm::MachineInstr &instruction) const;
  Reached of_access(const llvm::MachineInstr &instruction, const llvm::Instruction &origin) const;

  llvm::DenseMap<const llvm::DILocation *, const llvm::Instruction *> origins;
};

} // namespace opcost
