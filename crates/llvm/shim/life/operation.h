// Machine operations as plain data, for Rust.
//
// What the encoder is given and what the disassembler gives back is LLVM's
// MCInst: an operation and operands. A symbol has no number before the linker
// has been there, so it is a hole here.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/MC/MCInst.h"
#include <cstdint>
#include <vector>

extern "C" {

// Rust has the same kinds (`machine.rs`).
enum opcost_operand_kind : uint8_t {
  kRegisterOperand = 0,
  kImmediateOperand = 1,
  kSingleOperand = 2,
  kDoubleOperand = 3,
  kSymbolOperand = 4,
};

struct opcost_operand {
  uint64_t value; // a register's number, the immediate, the bits of a fraction; of a symbol 0
  uint8_t kind;
};

struct opcost_operation {
  const opcost_operand *operands;
  uint32_t operand_count;
  uint32_t opcode;
  uint32_t flags; // of the target: prefixes that are no operands
  uint32_t line;  // of assembly text, from 1; or 0
};

} // extern "C"

namespace llvm {
class MCObjectStreamer;
} // namespace llvm

namespace opcost::life {

// An operation that is kept.
struct Operation {
  uint32_t opcode = 0, flags = 0, line = 0;
  std::vector<opcost_operand> operands;

  explicit Operation(const llvm::MCInst &instruction);
  explicit Operation(const opcost_operation &raw);
  // For LLVM; holes are 0.
  llvm::MCInst instruction() const;
  // Lives as long as this.
  opcost_operation raw() const;
};

// Who is told of each operation that the object streamer encodes; none most of
// the time. The hook on it asks (codegen.cpp).
class Encodings {
public:
  virtual ~Encodings() = default;
  virtual void before(llvm::MCObjectStreamer &streamer, const llvm::MCInst &instruction) = 0;
  virtual void behind(llvm::MCObjectStreamer &streamer) = 0;
};
extern Encodings *encodings;

} // namespace opcost::life
