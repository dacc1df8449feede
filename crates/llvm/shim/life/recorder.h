// What becomes of chosen instructions, as code is optimised and generated.
//
// Every instruction of the module carries its number as the line of its debug
// location (identify.cpp; what LLVM merges or makes gets one too: numbers.h). A
// *state* is what stands in a function behind a pass: the items whose number
// was chosen. Of a state only that is told which is new, is another, or is gone;
// where code is wanted whole, all items of the function are.
//
// Printing is what costs: every item is hashed behind every pass, and printed
// only if it, what it works on or where it stands is another than before.
//
// Everything goes out through one interface (`Sink`) as it happens; nothing is
// kept but hashes and texts. Watching changes nothing: no use, name or order of
// the code, only locations, which no pass reads to decide.
#pragma once

#include "life/change.h"
#include "life/identity.h"
#include "life/lineage.h"
#include "life/numbers.h"
#include "life/operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/ValueHandle.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class MachineFunction;
class MachineInstr;
class MCInst;
class SDNode;
class SelectionDAG;
} // namespace llvm

namespace opcost::life {

// Where a state belongs; Rust has the same numbers (`life.rs`).
enum Stage : uint8_t { kIr = 1, kDag = 2, kMachine = 3, kCode = 4 };

// One thing of a state. Texts live as long as the call.
struct Item {
  uint64_t node;           // tells it from others of its time
  uint32_t number;         // of the instruction that it comes from, or 0
  uint8_t is_chosen;       // whether that was asked for
  uint8_t certainty;       // how sure that is
  const char *operation;   // `sdiv`, `IDIV32r`
  const char *text;        // all of it
  const char *block;       // where it stands
  const uint64_t *inputs;  // nodes that it works on
  uint32_t input_count;
};

// Who is told.
struct Sink {
  void *context;
  // A state begins: items follow, then what is gone.
  void (*state)(void *context, uint8_t stage, const char *pass, const char *function);
  void (*item)(void *context, const Item *item);
  void (*gone)(void *context, uint64_t node);
  // Why the thing of that number in the next state became what it is, or went.
  void (*reason)(void *context, uint8_t stage, const char *pass, const char *function, uint64_t node,
                 const char *text);
  // A machine instruction lies at these bytes of its function; how it was
  // written by the assembler's own parts, what created it, and as what. What the
  // encoder was given is told in functions that have a chosen instruction.
  void (*bytes)(void *context, const char *function, const Item *item, uint64_t from, uint64_t to,
                const char *encoded, const char *creator, const char *kind, const opcost_operation *operations,
                size_t count);
  // What the recorder did: instructions looked at and printed; how inference
  // answered where the truth was known.
  void (*work)(void *context, uint64_t looked, uint64_t printed, uint64_t right, uint64_t wrong, uint64_t silent);
};

class Recorder {
public:
  Recorder(const Sink &sink, const llvm::Module &module, const uint32_t *numbers, size_t count, bool is_whole);
  ~Recorder();
  Recorder(const Recorder &) = delete;

  Numbers &numbers() { return meanings; }
  Identities &identities() { return serials; }
  bool is_chosen(const llvm::DebugLoc &location) const { return meanings.is_chosen(number_of(location)); }
  static uint32_t number_of(const llvm::DebugLoc &location) { return location ? location.getLine() : 0; }
  // The number to tell it by.
  uint32_t told(const llvm::DebugLoc &location) const { return meanings.representative(number_of(location)); }

  // Behind a pass: what stands in the function now, and what became of what is
  // followed there.
  void ir(llvm::StringRef pass, llvm::Function &function);
  void machine(llvm::StringRef pass, llvm::MachineFunction &function);
  // The same of all functions that lost something, behind a pass that took a
  // loop or a function away whole.
  void look_for_lost(llvm::StringRef pass);

  const Sink &sink() const { return out; }
  bool is_whole() const { return whole; }
  const Ancestry &ancestry(const llvm::MachineFunction &function) { return ancestry_of(function); }
  void forget(const llvm::MachineFunction &function);
  // LLVM is about to give its place to another.
  void forget(const llvm::MachineFunction &function, const llvm::MachineInstr &instruction);
  // The same text for as long as the recorder lives.
  const char *keep(llvm::StringRef text) { return kept.try_emplace(text, 0).first->getKeyData(); }
  void finish() const {
    out.work(out.context, looked, printed, referee.right, referee.wrong, referee.silent);
  }

  // Things hashed, and of these printed.
  uint64_t looked = 0, printed = 0;

private:
  // One instruction that is followed until it is deleted.
  class Followed final : public llvm::CallbackVH {
  public:
    Followed(llvm::Instruction &instruction, Recorder &recorder);
    // As it stands now.
    void see(const llvm::Instruction &instruction, std::string written);
    void allUsesReplacedWith(llvm::Value *other) override;

    bool is_gone() const { return getValPtr() == nullptr; }

    uint64_t identity;
    uint32_t number, carried; // to tell it by; what its location says
    unsigned opcode;
    bool has_effects, is_terminator, is_call;
    std::string text;
    llvm::WeakVH block;
    // Where an unconditional branch goes; the stack's memory that it writes.
    llvm::WeakVH next, variable;
    bool has_next, has_variable;
    // What its readers read since.
    llvm::WeakTrackingVH successor;
    bool is_replaced = false;
  };
  // What is followed in one function.
  struct FollowedFunction {
    llvm::WeakVH function;
    std::vector<std::unique_ptr<Followed>> members;
    llvm::DenseMap<uint64_t, size_t> position;
  };
  // Something that a pass made or changed, for what it made it of.
  struct ChangedInstruction {
    const llvm::Instruction *instruction;
    bool is_new, is_merged;
    std::string text;
  };
  // What became of a number.
  using Successors = llvm::DenseMap<uint32_t, llvm::SmallVector<const ChangedInstruction *, 2>>;
  void name_new(const char *pass, llvm::Function &function);
  void follow(llvm::StringRef function, llvm::Instruction &instruction, const std::string &text);
  void settle(llvm::StringRef pass, llvm::StringRef name, FollowedFunction &group, const Successors &successors);
  std::string why_gone(llvm::StringRef pass, const Followed &one, llvm::Function *function, const Successors &successors);
  std::string why_branch_gone(const Followed &one);
  std::string why_replaced(const Followed &one, llvm::Value &now);
  bool was_inlined(const Followed &one, const llvm::Function &function) const;
  llvm::Function *function_of(llvm::StringRef name, const FollowedFunction &group) const;
  uint64_t hash_of(const llvm::Instruction &instruction);
  Ancestry &ancestry_of(const llvm::MachineFunction &function);

  Sink out;
  const llvm::Module &module;
  Numbers meanings;
  Identities serials;
  bool whole;
  llvm::StringMap<char> kept;
  llvm::StringMap<State> states[5];
  // By the function's name, which one that takes its place keeps.
  llvm::MapVector<llvm::StringRef, FollowedFunction> followed;
  llvm::DenseMap<unsigned, std::unique_ptr<Ancestry>> ancestries;
  Referee referee;
};

// How often each hook of hooks.txt was passed; kReplace are all that replace a
// node, of which no machine needs all.
enum Hook : uint8_t {
  kCombine,
  kTypes,
  kVectors,
  kOperations,
  kTable,
  kSchedule,
  kReplace,
  kDelete,
  kEncode,
  kFinish,
  kMerge,
  kHooks
};
extern uint64_t passed[kHooks];
// Graphs that were built of the function at hand.
extern uint64_t graphs_of_function;
// Whoever records now; the hooks ask it. None most of the time.
extern Recorder *active;

} // namespace opcost::life
