// What becomes of chosen instructions, as code is optimised and generated.
//
// Every instruction of the module carries its number as the line of its debug
// location (identify.cpp). A *state* is what stands in a function behind a
// pass: the items whose number was chosen, with their text. States that are as
// the one before are not told. Where code is a graph (SelectionDAG) or its
// listing is wanted whole, all items of the function are told.
//
// Everything goes out through one interface (`Sink`) as it happens; nothing is
// kept but hashes. Watching changes nothing: no use, name or order of the code.
#pragma once

#include "life/operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/ValueHandle.h"
#include <cstdint>
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
  const char *operation;   // `sdiv`, `IDIV32r`
  const char *text;        // all of it
  const char *block;       // where it stands
  const uint64_t *inputs;  // nodes that it works on
  uint32_t input_count;
};

// Who is told.
struct Sink {
  void *context;
  // A state begins: items follow.
  void (*state)(void *context, uint8_t stage, const char *pass, const char *function);
  void (*item)(void *context, const Item *item);
  // Why something became another thing, or went.
  void (*reason)(void *context, uint8_t stage, const char *pass, const char *function, uint32_t number,
                 const char *text);
  // A machine instruction lies at these bytes of its function; how it was
  // written by the assembler's own parts, and what created it. What the encoder
  // was given is told in functions that have a chosen instruction.
  void (*bytes)(void *context, const char *function, const Item *item, uint64_t from, uint64_t to,
                const char *encoded, const char *creator, const opcost_operation *operations, size_t count);
};

class Recorder {
public:
  Recorder(const Sink &sink, const uint32_t *numbers, size_t count, bool is_whole);
  ~Recorder();
  Recorder(const Recorder &) = delete;

  bool is_chosen(const llvm::DebugLoc &location) const;
  static uint32_t number_of(const llvm::DebugLoc &location);

  // Behind a pass: what stands in the function now.
  void ir(llvm::StringRef pass, llvm::Function &function);
  void machine(llvm::StringRef pass, llvm::MachineFunction &function);
  // What a pass did to instructions that are followed.
  void settle(llvm::StringRef pass);

  const Sink &sink() const { return out; }
  bool is_whole() const { return whole; }
  // The pass that first made this machine instruction as it is.
  llvm::StringRef creator_of(const llvm::MachineInstr *instruction) const;

private:
  struct Followed {
    llvm::WeakTrackingVH handle;
    const llvm::Value *was;
    uint32_t number;
    std::string function;
    std::string text;
  };
  struct Born {
    unsigned opcode;
    const char *pass;
  };
  bool is_news(Stage stage, llvm::StringRef function, const std::string &state);
  void follow(llvm::Instruction &instruction, const std::string &text);

  Sink out;
  std::vector<bool> chosen;
  bool whole;
  llvm::StringMap<uint64_t> last[5];
  llvm::DenseMap<const llvm::Value *, size_t> position;
  std::vector<Followed> followed;
  llvm::StringMap<char> passes;
  llvm::DenseMap<const llvm::MachineInstr *, Born> born;
  std::string born_in;
};

// Graphs that came past the hooks.
extern uint64_t graphs_seen;
// Whoever records now; the hooks ask it. None most of the time.
extern Recorder *active;

} // namespace opcost::life
