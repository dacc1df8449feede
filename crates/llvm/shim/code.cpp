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
// When the optimiser has run since the module was numbered, blocks have been merged,
// copied and inlined, and names say nothing. Then the block is the one of the
// instruction in the location, as the optimiser drops the location of what it
// moves to where it is executed otherwise; code without a location goes with
// the code before it. Unrolling and vectorising multiply a factor into locations:
// of how many executions one is. Not all code that they make has it (an increment
// that was written anew): of what one machine block has of one block, the factor that
// most code has holds for all but what is there with its own factor too. A group is
// the code of one block, inlined at one place, with one factor, in one machine loop:
// what unrolling made of one loop, wherever it lies.
//
// Each row has the work that the target's scheduling model expects of it, by
// throughput and by latency, so that time can be turned into counts.
//
// Format, little-endian: "OPCCODE2", the map's hash (16 bytes), rows of all
// functions (u64), functions (u64); each function: address of its first byte
// (u64), bytes of it (u32), rows (u32); each row: offset (u32), instruction of the
// module + 1 or 0 (u32), block of the module + 1 or 0 (u32), group + 1 or 0 (u32),
// machine instructions (u16), sixteenths of cycles by throughput (u16), cycles by
// latency (u16), factor (u16), 1 if a machine block begins here (u16).
#include "code.h"
#include "identify.h"
#include "shim.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

using namespace llvm;

namespace {

// Cycles of a statement of inline assembly, of which nothing else is known: four start in one.
constexpr double kThroughput = 0.25;

// How many statements inline assembly has: lines, and what stands between semicolons.
unsigned statements_of(const MachineInstr &assembly) {
  StringRef text = assembly.getOperand(InlineAsm::MIOp_AsmString).getSymbolName();
  unsigned found = 0;
  bool is_open = false;
  for (char one : text) {
    bool ends = one == '\n' || one == ';';
    if (!ends && !is_open && one != ' ' && one != '\t') {
      is_open = true;
      found++;
    }
    is_open &= !ends;
  }
  return found;
}

constexpr const char *kCodeSection = ".debug_opcost_code";
constexpr StringLiteral kBlockName = "opcost.b";

// What an instruction of a machine block stands for.
struct Mark {
  uint32_t number = 0;
  uint32_t block = 0;
  uint32_t group = 0;
  uint32_t factor = 1;

  bool operator==(const Mark &other) const {
    return std::tie(number, block, group, factor) ==
           std::tie(other.number, other.block, other.group, other.factor);
  }
};

struct Row {
  MCSymbol *label;
  Mark mark;
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

// Marks the code of a function by its locations.
class Places {
public:
  Places(const MachineFunction &function, ArrayRef<uint32_t> block_of)
      : block_of(block_of), dominators(const_cast<MachineFunction &>(function)), loops(dominators) {}

  // In the order of its instructions that are code.
  std::vector<Mark> of(const MachineBasicBlock &machine) {
    std::vector<const DILocation *> places;
    for (const MachineInstr &instruction : machine)
      if (!instruction.isMetaInstruction()) places.push_back(numbered(instruction));
    Weights of_block, of_number;
    for (const DILocation *place : places) {
      if (!place) continue;
      of_block[origin(place)][place->getDuplicationFactor()]++;
      of_number[{place->getLine(), place->getInlinedAt()}][place->getDuplicationFactor()]++;
    }
    const MachineLoop *loop = loops.getLoopFor(&machine);
    std::vector<Mark> marks;
    for (const DILocation *place : places) {
      Mark mark = marks.empty() ? Mark{} : marks.back();
      mark.number = 0;
      if (place) {
        uint32_t usual = most(of_block[origin(place)]);
        bool is_there = of_number[{place->getLine(), place->getInlinedAt()}].count(usual);
        uint32_t factor = is_there ? place->getDuplicationFactor() : usual;
        mark = {place->getLine(), origin(place).first + 1, group(place, factor, loop), factor};
      }
      marks.push_back(mark);
    }
    // What stands before all locations goes with the first.
    auto first = llvm::find_if(marks, [](const Mark &mark) { return mark.block != 0; });
    if (first != marks.end())
      for (auto before = marks.begin(); before != first; before++)
        *before = {0, first->block, first->group, first->factor};
    return marks;
  }

private:
  // A block of the module, or an instruction, and where it was inlined.
  using Origin = std::pair<uint32_t, const DILocation *>;
  using Weights = std::map<Origin, std::map<uint32_t, unsigned>>;

  const DILocation *numbered(const MachineInstr &instruction) const {
    const DILocation *place = instruction.getDebugLoc().get();
    return place && place->getLine() && place->getLine() <= block_of.size() ? place : nullptr;
  }

  Origin origin(const DILocation *place) const { return {block_of[place->getLine() - 1], place->getInlinedAt()}; }

  // The factor that most have, the greater one of several.
  static uint32_t most(const std::map<uint32_t, unsigned> &factors) {
    uint32_t found = 1;
    unsigned weight = 0;
    for (auto [factor, count] : factors)
      if (count >= weight) std::tie(found, weight) = std::pair(factor, count);
    return found;
  }

  // Numbered as they come, from 1.
  uint32_t group(const DILocation *place, uint32_t factor, const MachineLoop *loop) {
    auto [block, inlined_at] = origin(place);
    return groups.try_emplace({block, inlined_at, factor, loop}, uint32_t(groups.size() + 1)).first->second;
  }

  ArrayRef<uint32_t> block_of;
  MachineDominatorTree dominators;
  MachineLoopInfo loops;
  std::map<std::tuple<uint32_t, const DILocation *, uint32_t, const MachineLoop *>, uint32_t> groups;
};

class CodeTable : public AsmPrinterHandler {
public:
  CodeTable(AsmPrinter &printer, const Module &module, const uint8_t *hash, ArrayRef<uint32_t> of_numbered)
      : printer(printer), hash(hash), is_optimised(!of_numbered.empty()), block_of(of_numbered) {
    for (const Function &function : module) {
      if (!opcost::is_mapped(function)) continue;
      for (const BasicBlock &one : function) {
        if (!is_optimised) block_of.insert(block_of.end(), one.size(), blocks);
        blocks++;
      }
    }
  }

  void beginFunction(const MachineFunction *function) override {
    functions.emplace_back();
    schedule.init(&function->getSubtarget());
    current = nullptr;
    if (is_optimised) places.emplace(*function, block_of);
  }

  void beginInstruction(const MachineInstr *instruction) override {
    if (instruction->isMetaInstruction() || functions.empty()) return;
    bool begins_block = instruction->getParent() != current;
    if (begins_block) enter(*instruction->getParent());
    Mark mark = is_optimised ? marks[next++] : Mark{number(*instruction), current_block};
    std::vector<Row> &rows = functions.back().rows;
    if (begins_block || !(rows.back().mark == mark)) {
      MCSymbol *label = printer.OutContext.createTempSymbol("opcost");
      printer.OutStreamer->emitLabel(label);
      rows.push_back({label, mark, 0, 0, 0, begins_block});
    }
    Row &row = rows.back();
    row.instructions++;
    if (instruction->isInlineAsm()) {
      // The model takes it for the dearest there is, also where it is empty.
      unsigned statements = statements_of(*instruction);
      row.throughput += statements * kThroughput;
      row.latency += statements;
      return;
    }
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
    out.emitBytes("OPCCODE2");
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
      out.emitInt32(row.mark.number);
      out.emitInt32(row.mark.block);
      out.emitInt32(row.mark.group);
      out.emitInt16(as_word(row.instructions));
      out.emitInt16(as_word(uint64_t(row.throughput * 16 + 0.5)));
      out.emitInt16(as_word(row.latency));
      out.emitInt16(as_word(row.mark.factor));
      out.emitInt16(row.begins_block);
    }
  }

  void enter(const MachineBasicBlock &machine) {
    current = &machine;
    if (!is_optimised) {
      current_block = block_number(machine);
      return;
    }
    marks = places->of(machine);
    next = 0;
  }

  uint32_t number(const MachineInstr &instruction) const {
    const DebugLoc &place = instruction.getDebugLoc();
    return place && place.getLine() <= block_of.size() ? place.getLine() : 0;
  }

  // The block of the module that a machine block is, plus one; or 0.
  uint32_t block_number(const MachineBasicBlock &machine) const {
    if (const BasicBlock *block = machine.getBasicBlock()) {
      StringRef name = block->getName();
      uint32_t number;
      if (name.consume_front(kBlockName) && !name.consumeInteger(10, number) && number < blocks) return number + 1;
    }
    for (const MachineInstr &instruction : machine)
      if (uint32_t found = number(instruction)) return block_of[found - 1] + 1;
    return 0;
  }

  AsmPrinter &printer;
  const uint8_t *hash;
  const bool is_optimised;
  // By the number of an instruction, less one.
  std::vector<uint32_t> block_of;
  uint32_t blocks = 0;
  TargetSchedModel schedule;
  std::vector<Code> functions;
  const MachineBasicBlock *current = nullptr;
  uint32_t current_block = 0;
  // Of the machine block at hand, where the optimiser has run.
  std::optional<Places> places;
  std::vector<Mark> marks;
  size_t next = 0;
};

} // namespace

void opcost::name_blocks(Module &module) {
  module.getContext().setDiscardValueNames(false);
  unsigned number = 0;
  for (Function &function : module) {
    if (!opcost::is_mapped(function)) continue;
    for (BasicBlock &block : function) block.setName(kBlockName + Twine(number++));
  }
}

std::unique_ptr<AsmPrinterHandler> opcost::code_table(AsmPrinter &printer, const Module &module,
                                                      const uint8_t *hash, ArrayRef<uint32_t> block_of) {
  return std::make_unique<CodeTable>(printer, module, hash, block_of);
}
