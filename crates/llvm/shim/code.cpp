// Which bytes of machine code are executed for which instruction and block?
//
// A handler on the printer puts a label where either changes and writes, into a
// section that is not loaded, for each function its address and a row for each
// label. Labels change no byte of code. The instruction is the number in the
// debug location (0 where code generation made or merged it); the block is the
// one whose machine block it stands in: where it is executed, not where it was
// written, which is another block when it was hoisted or sunk. A block is known
// by its name (name_blocks); what a pass made of no block goes by the number of
// its first instruction that has one.
//
// Each row has the work that the target's scheduling model expects of it, by
// throughput and by latency, so that time can be turned into counts.
//
// Format, little-endian: "OPCCODE1", the map's hash (16 bytes), rows of all
// functions (u64), functions (u64); each function: address of its first byte
// (u64), bytes of it (u32), rows (u32); each row: offset (u32), instruction of the
// module + 1 or 0 (u32), block of the module + 1 or 0 (u32), machine instructions
// (u16), sixteenths of cycles by throughput (u16), cycles by latency (u16), 1 if
// a machine block begins here (u16).
#include "code.h"
#include "shim.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include <algorithm>

using namespace llvm;

namespace {

constexpr const char *kCodeSection = ".debug_opcost_code";
constexpr StringLiteral kBlockName = "opcost.b";

struct Row {
  MCSymbol *label;
  uint32_t number;
  uint32_t block;
  uint64_t instructions = 0;
  double throughput = 0;
  uint64_t latency = 0;
  bool begins_block;
};

struct Code {
  MCSymbol *end = nullptr;
  std::vector<Row> rows;
};

uint16_t as_word(uint64_t number) { return uint16_t(std::min<uint64_t>(number, UINT16_MAX)); }

class CodeTable : public AsmPrinterHandler {
public:
  CodeTable(AsmPrinter &printer, const Module &module, const uint8_t *hash) : printer(printer), hash(hash) {
    uint32_t block = 0;
    for (const Function &function : module)
      for (const BasicBlock &one : function) {
        block_of.insert(block_of.end(), one.size(), block);
        block++;
      }
    blocks = block;
  }

  void beginFunction(const MachineFunction *function) override {
    functions.emplace_back();
    schedule.init(&function->getSubtarget());
    current = nullptr;
  }

  void beginInstruction(const MachineInstr *instruction) override {
    if (instruction->isMetaInstruction() || functions.empty()) return;
    const DebugLoc &place = instruction->getDebugLoc();
    uint32_t number = place && place.getLine() <= block_of.size() ? place.getLine() : 0;
    bool begins_block = instruction->getParent() != current;
    if (begins_block) {
      current = instruction->getParent();
      current_block = block_number(*current);
    }
    std::vector<Row> &rows = functions.back().rows;
    if (begins_block || rows.back().number != number) {
      MCSymbol *label = printer.OutContext.createTempSymbol("opcost");
      printer.OutStreamer->emitLabel(label);
      rows.push_back({label, number, current_block, 0, 0, 0, begins_block});
    }
    Row &row = rows.back();
    row.instructions++;
    row.throughput += schedule.computeReciprocalThroughput(instruction);
    row.latency += schedule.computeInstrLatency(instruction);
  }

  void endFunction(const MachineFunction *) override {}

  // Before jump tables, which lie in another section.
  void markFunctionEnd() override {
    if (functions.empty() || functions.back().rows.empty()) return;
    functions.back().end = printer.OutContext.createTempSymbol("opcost");
    printer.OutStreamer->emitLabel(functions.back().end);
  }

  void endModule() override {
    MCStreamer &out = *printer.OutStreamer;
    uint64_t rows = 0, count = 0;
    for (const Code &code : functions) {
      rows += code.rows.size();
      count += code.end != nullptr;
    }
    out.switchSection(printer.OutContext.getELFSection(kCodeSection, ELF::SHT_PROGBITS, 0));
    out.emitBytes("OPCCODE1");
    out.emitBytes(StringRef(reinterpret_cast<const char *>(hash), 16));
    out.emitInt64(rows);
    out.emitInt64(count);
    for (const Code &code : functions)
      if (code.end) write(out, code);
  }

private:
  void write(MCStreamer &out, const Code &code) {
    MCSymbol *start = code.rows.front().label;
    out.emitSymbolValue(start, 8);
    out.emitAbsoluteSymbolDiff(code.end, start, 4);
    out.emitInt32(uint32_t(code.rows.size()));
    for (const Row &row : code.rows) {
      out.emitAbsoluteSymbolDiff(row.label, start, 4);
      out.emitInt32(row.number);
      out.emitInt32(row.block);
      out.emitInt16(as_word(row.instructions));
      out.emitInt16(as_word(uint64_t(row.throughput * 16 + 0.5)));
      out.emitInt16(as_word(row.latency));
      out.emitInt16(row.begins_block);
    }
  }

  // The block of the module that a machine block is, plus one; or 0.
  uint32_t block_number(const MachineBasicBlock &machine) const {
    if (const BasicBlock *block = machine.getBasicBlock()) {
      StringRef name = block->getName();
      uint32_t number;
      if (name.consume_front(kBlockName) && !name.consumeInteger(10, number) && number < blocks) return number + 1;
    }
    for (const MachineInstr &instruction : machine) {
      const DebugLoc &place = instruction.getDebugLoc();
      if (place && place.getLine() && place.getLine() <= block_of.size()) return block_of[place.getLine() - 1] + 1;
    }
    return 0;
  }

  AsmPrinter &printer;
  const uint8_t *hash;
  // By the number of an instruction, less one.
  std::vector<uint32_t> block_of;
  uint32_t blocks;
  TargetSchedModel schedule;
  std::vector<Code> functions;
  const MachineBasicBlock *current = nullptr;
  uint32_t current_block = 0;
};

} // namespace

void opcost::name_blocks(Module &module) {
  module.getContext().setDiscardValueNames(false);
  unsigned number = 0;
  for (Function &function : module)
    for (BasicBlock &block : function) block.setName(kBlockName + Twine(number++));
}

std::unique_ptr<AsmPrinterHandler> opcost::code_table(AsmPrinter &printer, const Module &module,
                                                      const uint8_t *hash) {
  return std::make_unique<CodeTable>(printer, module, hash);
}
