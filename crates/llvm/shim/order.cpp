// From a module to an object file whose machine blocks lie in a given order.
//
// Code is generated as it would be, up to where LLVM has placed blocks and copied tails. There each function whose
// counts are known is shown to the caller: its machine blocks with their sizes and executions, its
// edges with their counts (flow.cpp), or what LLVM estimates by the module's weights. The caller answers with an order, and branches are mended for it as
// LLVM does for sections of blocks. What never ran can go to a section of its own: LLVM's splitter does that,
// and it knows about landing pads.
//
// Sizes are estimates: x86 has no sizes before code is written. Limits: functions with funclets, and those in
// sections of blocks already, stay as they are.
#include "flow.h"
#include "generate.h"
#include "shim.h"
#include "code.h"

#include "llvm/CodeGen/BasicBlockSectionUtils.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetOptions.h"
#include <cmath>
#include <vector>

using namespace llvm;

extern "C" {

struct opcost_machine_block {
  uint64_t bytes;
  uint64_t executions;
};

struct opcost_machine_jump {
  uint32_t from, to;
  uint64_t taken;
};

struct opcost_shown_function {
  const char *name;
  size_t name_length;
  const opcost_machine_block *blocks;
  size_t block_count;
  const opcost_machine_jump *jumps;
  size_t jump_count;
  uint32_t *order; // as many as blocks, in the order in which they lie; the answer is written here
};

struct opcost_order_sink {
  void *context;
  const uint64_t *counts; // by block of the module; none: by the module's weights
  size_t count;
  uint8_t splits; // what never ran goes to a section of its own
  void (*function)(void *, const opcost_shown_function *);
};

} // extern "C"

namespace {

// Bytes of an instruction, nearly.
uint64_t bytes_of(const MachineInstr &instruction) {
  if (instruction.isMetaInstruction()) return 0;
  if (instruction.isReturn() && !instruction.isCall()) return 1;
  if (instruction.isCall()) return 5;
  if (instruction.isUnconditionalBranch()) return 2;
  if (instruction.isBranch()) return 3;
  uint64_t bytes = 3;
  for (const MachineOperand &operand : instruction.operands()) {
    if (operand.isGlobal() || operand.isSymbol() || operand.isCPI() || operand.isJTI() || operand.isBlockAddress())
      bytes += 4;
    // Scales of addresses are immediates, too.
    else if (operand.isImm() && !isInt<8>(operand.getImm()))
      bytes += isInt<32>(operand.getImm()) ? 4 : 8;
    else if (operand.isImm() && operand.getImm() > 8)
      bytes += 1;
  }
  return bytes;
}

// Padding before a block is worth its bytes if control falls into it less than once in so many executions.
constexpr double kOften = 5;

uint64_t whole(double count) { return count > 0 ? uint64_t(std::llround(std::min(count, 9e18))) : 0; }

class Orderer : public MachineFunctionPass {
public:
  static char ID;
  explicit Orderer(const opcost_order_sink &sink) : MachineFunctionPass(ID), sink(sink) {}

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<MachineBlockFrequencyInfoWrapperPass>();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  StringRef getPassName() const override { return "order of machine blocks"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    if (function.size() < 2 || function.hasBBSections() || function.hasEHFunclets()) return false;
    function.RenumberBlocks();
    Frequencies known = sink.count > 0 ? counted(function) : estimated(function);
    std::vector<opcost_machine_block> blocks;
    for (const MachineBasicBlock &block : function) {
      uint64_t bytes = 0;
      for (const MachineInstr &instruction : block) bytes += bytes_of(instruction);
      blocks.push_back({bytes, whole(known.blocks[block.getNumber()])});
    }
    std::vector<opcost_machine_jump> jumps;
    for (const opcost::Edge &edge : known.edges) jumps.push_back({edge.from, edge.to, whole(edge.count)});
    std::vector<uint32_t> order(blocks.size());
    for (uint32_t i = 0; i < order.size(); i++) order[i] = i;
    StringRef name = function.getName();
    opcost_shown_function shown = {name.data(),  name.size(),  blocks.data(), blocks.size(),
                                   jumps.data(), jumps.size(), order.data()};
    sink.function(sink.context, &shown);
    std::vector<uint32_t> rank(order.size());
    bool is_same = true;
    for (uint32_t i = 0; i < order.size(); i++) {
      rank[order[i]] = i;
      is_same &= order[i] == i;
    }
    if (is_same) return false;
    sortBasicBlocksAndUpdateBranches(function, [&](const MachineBasicBlock &a, const MachineBasicBlock &b) {
      return rank[a.getNumber()] < rank[b.getNumber()];
    });
    drop_idle_padding(function, known, rank);
    function.RenumberBlocks();
    return true;
  }

  // How often blocks and edges ran.
  struct Frequencies {
    std::vector<double> blocks;
    std::vector<opcost::Edge> edges;
  };

  // By counts of the module's blocks.
  Frequencies counted(const MachineFunction &function) const {
    opcost::Flow flow(function, {sink.counts, sink.count});
    Frequencies known;
    for (const MachineBasicBlock &block : function) known.blocks.push_back(flow.count(block));
    known.edges = flow.edges();
    return known;
  }

  // By the weights in the module, as LLVM has them after its own passes. Nothing runs where it has none.
  Frequencies estimated(const MachineFunction &function) {
    const auto &frequency = getAnalysis<MachineBlockFrequencyInfoWrapperPass>().getMBFI();
    Frequencies known;
    for (const MachineBasicBlock &block : function) {
      double count = double(frequency.getBlockProfileCount(&block).value_or(0));
      known.blocks.push_back(count);
      for (auto to = block.succ_begin(); to != block.succ_end(); ++to) {
        BranchProbability share = block.getSuccProbability(to);
        known.edges.push_back({unsigned(block.getNumber()), unsigned((*to)->getNumber()),
                               count * share.getNumerator() / share.getDenominator()});
      }
    }
    return known;
  }

  // LLVM aligned loops for its own order. Where control now falls into an aligned block, padding would be executed.
  static void drop_idle_padding(MachineFunction &function, const Frequencies &known, ArrayRef<uint32_t> rank) {
    for (const opcost::Edge &edge : known.edges) {
      MachineBasicBlock &to = *function.getBlockNumbered(edge.to);
      bool falls = rank[edge.from] + 1 == rank[edge.to];
      if (falls && to.getAlignment() > Align(1) && edge.count * kOften > known.blocks[edge.to]) to.setAlignment(Align(1));
    }
  }

private:
  const opcost_order_sink &sink;
};

char Orderer::ID = 0;

class WithOrder : public opcost::Onlooker {
public:
  explicit WithOrder(const opcost_order_sink &sink) : sink(sink) {}
  void configure(TargetPassConfig &config) override {
    config.insertPass(&MachineBlockPlacementID, static_cast<Pass *>(new Orderer(sink)));
  }

private:
  const opcost_order_sink &sink;
};

} // namespace

extern "C" {

// Writes the object file; null, or what went wrong. Without a sink blocks lie as LLVM places them.
char *opcost_emit_ordered(LLVMModuleRef handle, const char *path, const opcost_emission *how,
                          const opcost_order_sink *sink) {
  Module &module = *unwrap(handle);
  std::string error;
  std::unique_ptr<TargetMachine> machine = opcost::machine_for(module, *how, error);
  if (!machine) return opcost::copy(error);
  std::error_code code;
  raw_fd_ostream out(path, code, sys::fs::OF_None);
  if (code) return opcost::copy(std::string("cannot write ") + path + ": " + code.message());
  opcost::name_blocks(module);
  machine->Options.EnableMachineFunctionSplitter = sink->splits;
  WithOrder onlooker(*sink);
  error = opcost::generate(module, *machine, out, CodeGenFileType::ObjectFile, false, onlooker);
  if (!error.empty()) return opcost::copy(error);
  out.flush();
  if (!out.has_error()) return nullptr;
  std::string message = std::string("cannot write ") + path + ": " + out.error().message();
  out.clear_error();
  return opcost::copy(message);
}

} // extern "C"
