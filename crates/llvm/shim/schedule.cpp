// How long does the code of a module take on a processor, if no load misses and no branch is mispredicted?
//
// The module goes through code generation as it would be emitted, into a streamer that only takes
// down what it is given: no object is written, and the code is that of any other build, as the
// processor whose model is asked never reaches code generation. Each machine block then has its
// instructions, and LLVM's simulator of out-of-order processors (the library behind llvm-mca) runs
// them by the processor's model.
//
// How often machine blocks and their edges ran is worked out from the counts of the module's
// blocks (flow.cpp). So a block that code generation put on an edge has the count of its edge, and
// not that of the block it was named after.
//
// What is simulated is a walk through a region. A region is a loop without the loops in it that run
// long; what runs shortly (kShort) belongs to the region around it. The walk goes through the
// region's graph and takes each edge as often as the counts say, in turns, so that what one
// iteration needs of the one before is waited for, across all blocks of the loop. An inner region
// is stepped over. Each block has the cycles between the retirements of its instructions and of
// what came before. A jump that is taken needs a cycle at least.
//
// Input: a module, emission, a processor, a count for each block of the module. Output: a row for
// each machine block that ran. Cost: a code generation, and a microsecond or so for each
// simulated instruction, at most kLong for a region. Limits: memory is as fast as the first level
// of the cache, and a call takes what its instruction takes. A load waits for a store of the walk that
// wrote what it loads (forward.cpp), as far as there are registers that the function does not use:
// one stands for the value between the two.
#include "schedule.h"
#include "code.h"
#include "flow.h"
#include "forward.h"
#include "generate.h"
#include "shim.h"
#include "touch.h"

#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/MCA/Context.h"
#include "llvm/MCA/CustomBehaviour.h"
#include "llvm/MCA/HWEventListener.h"
#include "llvm/MCA/InstrBuilder.h"
#include "llvm/MCA/Pipeline.h"
#include "llvm/MCA/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

using namespace llvm;

namespace {

// Machine instructions of a loop, for each time it is entered, up to which it is simulated with what is around it.
constexpr double kShort = 400;
// Instructions that are simulated of a region.
constexpr size_t kLong = 4000, kLittle = 600;
// Regions with less than this share of the module's work are simulated less long.
constexpr double kColdShare = 0.001;
// Inner regions that are stepped over from one block to the next.
constexpr unsigned kInnerRegions = 64;
// Branches in a row that a processor learns, and how often it must have seen them.
constexpr double kLearned = 64, kOften = 8;
// Cycles from a store until a load of the same place can begin.
constexpr unsigned kForwarding = 2;
// Cycles until a register that a called function sets can be used: the call's own.
constexpr unsigned kCallLatency = 2;

// A machine block as it is simulated.
struct Code {
  std::vector<unsigned> instructions; // positions in what was taken down of the function
};

// Takes down instructions and writes nothing.
class Recorder : public MCStreamer {
public:
  explicit Recorder(MCContext &context) : MCStreamer(context) {}

  bool emitSymbolAttribute(MCSymbol *, MCSymbolAttr) override { return true; }
  void emitCommonSymbol(MCSymbol *, uint64_t, Align) override {}
  void emitInstruction(const MCInst &instruction, const MCSubtargetInfo &subtarget) override {
    MCStreamer::emitInstruction(instruction, subtarget);
    if (block) code[block].push_back(instruction);
  }

  // What is at hand; null outside of functions.
  const MachineBasicBlock *block = nullptr;
  std::map<const MachineBasicBlock *, std::vector<MCInst>> code;
};

// What is simulated: instructions in the order in which they run.
class Stream : public mca::SourceMgr {
public:
  Stream(ArrayRef<UniqueInst> known, ArrayRef<const mca::Instruction *> order) : known(known), order(order) {}

  ArrayRef<UniqueInst> getInstructions() const override { return known; }
  size_t size() const override { return order.size(); }
  bool hasNext() const override { return next < order.size(); }
  bool isEnd() const override { return !hasNext(); }
  mca::SourceRef peekNext() const override { return mca::SourceRef(next, *order[next]); }
  void updateNext() override { next++; }

private:
  ArrayRef<UniqueInst> known;
  ArrayRef<const mca::Instruction *> order;
  unsigned next = 0;
};

// Notes the cycle in which each instruction retired.
class Clock : public mca::HWEventListener {
public:
  explicit Clock(size_t count) : retired(count, 0) {}

  void onCycleEnd() override { cycle++; }
  void onEvent(const mca::HWInstructionEvent &event) override {
    if (event.Type == mca::HWInstructionEvent::Retired) retired[event.IR.getSourceIndex()] = cycle;
  }

  unsigned cycle = 0;
  std::vector<unsigned> retired;
};

// The model of a processor.
class Processor {
public:
  static std::unique_ptr<Processor> of(const TargetMachine &machine, StringRef name, std::string &error) {
    auto made = std::make_unique<Processor>();
    const Target &target = machine.getTarget();
    made->subtarget.reset(target.createMCSubtargetInfo(machine.getTargetTriple(), "", ""));
    if (!made->subtarget || !made->subtarget->isCPUStringValid(name)) {
      error = "LLVM has no processor " + name.str() + " for " + machine.getTargetTriple().str();
      return nullptr;
    }
    made->subtarget.reset(target.createMCSubtargetInfo(machine.getTargetTriple(), name, ""));
    if (!made->subtarget->getSchedModel().hasInstrSchedModel()) {
      error = "LLVM knows no cycles of the processor " + name.str();
      return nullptr;
    }
    made->instructions = machine.getMCInstrInfo();
    made->registers = machine.getMCRegisterInfo();
    made->analysis.reset(target.createMCInstrAnalysis(made->instructions));
    made->instruments = std::make_unique<mca::InstrumentManager>(*made->subtarget, *made->instructions);
    return made;
  }

  // The instruction by the model; null where the model does not know it.
  std::unique_ptr<mca::Instruction> instruction(const MCInst &one) {
    if (!builder)
      builder = std::make_unique<mca::InstrBuilder>(*subtarget, *instructions, *registers, analysis.get(),
                                                    *instruments, kCallLatency);
    auto made = builder->createInstruction(one, {});
    if (!made) {
      consumeError(made.takeError());
      return nullptr;
    }
    // What push, pop, call and return do to the stack pointer is known before they are executed.
    if (stack_pointer && instructions->get(one.getOpcode()).hasImplicitDefOfPhysReg(stack_pointer))
      for (mca::WriteState &write : (*made)->getDefs())
        if (write.getRegisterID() == stack_pointer) write.setRegisterID(0);
    return std::move(*made);
  }

  // The register that calls and returns change.
  MCRegister stack_pointer;

  // Zen 2 and its successors remember operands of stores.
  opcost::Machine machine() const {
    StringRef name = subtarget->getCPU();
    return {*instructions, *registers, name.starts_with("znver") && name != "znver1"};
  }

  // In which cycle each retires; empty where the simulator gives up. `stores` has for each step the
  // step of the store that it waits for.
  std::vector<unsigned> run(ArrayRef<std::unique_ptr<mca::Instruction>> known, ArrayRef<unsigned> order,
                            ArrayRef<std::optional<unsigned>> stores) {
    std::vector<const mca::Instruction *> steps;
    for (unsigned position : order) steps.push_back(known[position].get());
    Links links;
    link(known, order, stores, steps, links);
    Stream stream(known, steps);
    mca::CustomBehaviour behaviour(*subtarget, stream, *instructions);
    mca::Context context(*registers, *subtarget);
    mca::PipelineOptions options(0, 0, 0, 0, 0, 0, /*NoAlias=*/true);
    bool waits = !subtarget->getSchedModel().isOutOfOrder();
    auto pipeline = waits ? context.createInOrderPipeline(options, stream, behaviour)
                          : context.createDefaultPipeline(options, stream, behaviour);
    Clock clock(order.size());
    pipeline->addEventListener(&clock);
    auto cycles = pipeline->run();
    if (cycles) return std::move(clock.retired);
    consumeError(cycles.takeError());
    return {};
  }

private:
  // Stores and loads that are linked by a register, and what describes it.
  struct Links {
    std::deque<mca::WriteDescriptor> writes;
    std::deque<mca::ReadDescriptor> reads;
    std::vector<std::unique_ptr<mca::Instruction>> changed;
  };

  // Has loads wait for the stores of what they load.
  void link(ArrayRef<std::unique_ptr<mca::Instruction>> known, ArrayRef<unsigned> order,
            ArrayRef<std::optional<unsigned>> stores, std::vector<const mca::Instruction *> &steps, Links &links) {
    // A register holds the last value alone, so a load of an earlier one does not wait.
    std::vector<std::optional<unsigned>> last(known.size());
    std::map<unsigned, unsigned> waiting; // loads by their store's position
    std::vector<std::optional<unsigned>> waits(order.size());
    for (size_t at = 0; at < order.size(); at++) {
      if (at < stores.size() && stores[at] && last[order[*stores[at]]] == *stores[at]) {
        waits[at] = order[*stores[at]];
        waiting[*waits[at]]++;
      }
      last[order[at]] = at;
    }
    if (waiting.empty()) return;
    std::vector<std::pair<unsigned, unsigned>> by_loads;
    for (auto [store, loads] : waiting) by_loads.push_back({loads, store});
    llvm::sort(by_loads, std::greater<>());
    std::vector<MCRegister> free = unused(known);
    std::map<unsigned, MCRegister> slot;
    for (size_t i = 0; i < std::min(free.size(), by_loads.size()); i++) slot[by_loads[i].second] = free[i];
    // By position, and by what it waits for.
    std::map<std::pair<unsigned, std::optional<unsigned>>, const mca::Instruction *> made;
    for (size_t at = 0; at < order.size(); at++) {
      std::optional<unsigned> store = waits[at] && slot.count(*waits[at]) ? waits[at] : std::nullopt;
      if (!store && !slot.count(order[at])) continue;
      const mca::Instruction *&one = made[{order[at], store}];
      if (!one) {
        auto changed = std::make_unique<mca::Instruction>(*known[order[at]]);
        if (store) {
          links.reads.push_back({-1, 0, MCPhysReg(slot[*store].id()), 0});
          changed->getUses().emplace_back(links.reads.back(), links.reads.back().RegisterID);
        }
        if (slot.count(order[at])) {
          links.writes.push_back({-1, kForwarding, MCPhysReg(slot[order[at]].id()), 0, false});
          changed->getDefs().emplace_back(links.writes.back(), links.writes.back().RegisterID);
        }
        one = changed.get();
        links.changed.push_back(std::move(changed));
      }
      steps[at] = one;
    }
  }

  // Registers that share nothing with others, and that no instruction reads or writes.
  std::vector<MCRegister> unused(ArrayRef<std::unique_ptr<mca::Instruction>> known) const {
    std::vector<bool> is_used(registers->getNumRegs(), false);
    for (const auto &one : known) {
      for (const mca::WriteState &write : one->getDefs()) is_used[write.getRegisterID()] = true;
      for (const mca::ReadState &read : one->getUses()) is_used[read.getRegisterID()] = true;
    }
    std::vector<MCRegister> found;
    for (unsigned at = 1; at < registers->getNumRegs(); at++)
      if (!is_used[at] && registers->subregs(at).empty() && registers->superregs(at).empty()) found.push_back(at);
    return found;
  }

  std::unique_ptr<MCSubtargetInfo> subtarget;
  const MCInstrInfo *instructions = nullptr;
  const MCRegisterInfo *registers = nullptr;
  std::unique_ptr<MCInstrAnalysis> analysis;
  std::unique_ptr<mca::InstrumentManager> instruments;
  std::unique_ptr<mca::InstrBuilder> builder;
};

// The machine blocks of a function with their counts, and its regions.
class Regions {
public:
  Regions(const MachineFunction &function, const opcost::Flow &flow, ArrayRef<unsigned> sizes)
      : flow(flow), dominators(const_cast<MachineFunction &>(function)), loops(dominators) {
    std::map<const MachineLoop *, bool> is_part;
    for (const MachineLoop *loop : loops.getLoopsInPreorder()) is_part[loop] = is_short(*loop, sizes);
    for (const MachineBasicBlock &block : function) {
      const MachineLoop *loop = loops.getLoopFor(&block);
      while (loop && is_part[loop]) loop = loop->getParentLoop();
      region_of.push_back(loop);
    }
  }

  // Each once; null is the function without its loops that run long.
  std::vector<const MachineLoop *> all() const {
    std::vector<const MachineLoop *> found;
    for (const MachineLoop *region : region_of)
      if (!is_contained(found, region)) found.push_back(region);
    return found;
  }

  const MachineLoop *of(unsigned block) const { return region_of[block]; }

  // The outermost loop that is a region of its own and lies between a region and a block in it; null if there is none.
  const MachineLoop *inner(const MachineLoop *region, unsigned block) const {
    const MachineLoop *found = nullptr;
    for (const MachineLoop *loop = region_of[block]; loop && loop != region; loop = loop->getParentLoop())
      if (is_contained(region_of, loop)) found = loop;
    return found;
  }

  // How often a block was left by another edge than its most frequent one. Where all of its edges ran
  // a whole and small number of times for each iteration of a loop around its own, or for each call
  // of the function, they did the same each time, and a processor learns it. An indirect jump is one of
  // a switch or an interpreter: by the history of branches its target is nearly always known (Rohou,
  // Swamy and Seznec, CGO 2015).
  double rare(const MachineBasicBlock &block) const {
    if (any_of(block.terminators(), [](const MachineInstr &end) { return end.isIndirectBranch(); })) return 0;
    if (repeats(block, flow.count(*flow.block(0)))) return 0;
    const MachineLoop *own = loops.getLoopFor(&block);
    for (const MachineLoop *around = own ? own->getParentLoop() : nullptr; around; around = around->getParentLoop())
      if (repeats(block, flow.count(*around->getHeader()))) return 0;
    return flow.rare(block.getNumber());
  }

  // Whether a block lies in a region, also deep in it.
  bool holds(const MachineLoop *region, const MachineBasicBlock &block) const {
    return !region || region->contains(&block);
  }

private:
  // Whether a block's edges ran equally often for each of so many times, as far as counts tell.
  bool repeats(const MachineBasicBlock &block, double times) const {
    if (times < kOften || flow.count(block) / times > kLearned) return false;
    return llvm::all_of(flow.leaving(block.getNumber()),
                        [&](unsigned edge) { return std::fmod(flow.edges()[edge].count, times) == 0; });
  }

  bool is_short(const MachineLoop &loop, ArrayRef<unsigned> sizes) const {
    double entries = 0, instructions = 0;
    for (const MachineBasicBlock *block : loop.blocks()) instructions += flow.count(*block) * sizes[block->getNumber()];
    for (const opcost::Edge &edge : flow.edges())
      if (edge.to == unsigned(loop.getHeader()->getNumber()) && !loop.contains(flow.block(edge.from)))
        entries += edge.count;
    return entries > 0 && instructions / entries < kShort;
  }

  const opcost::Flow &flow;
  MachineDominatorTree dominators;
  MachineLoopInfo loops;
  std::vector<const MachineLoop *> region_of;
};

// Goes through a region as its counts say.
class Walk {
public:
  Walk(const opcost::Flow &flow, const Regions &regions, const MachineLoop *region)
      : flow(flow), regions(regions), region(region), at(start()) {}

  unsigned block() const { return at; }

  // To the next block of the region. Whether a jump was taken.
  bool step() {
    unsigned from = at;
    std::optional<unsigned> next = choose(flow.leaving(at));
    // From one inner region into another, and so on: without end where a cycle has several entries.
    for (unsigned inner_regions = 0; next && inner_regions < kInnerRegions; inner_regions++) {
      const MachineBasicBlock &block = *flow.block(*next);
      if (!regions.holds(region, block)) break;
      const MachineLoop *inner = regions.inner(region, *next);
      if (!inner) {
        at = *next;
        return at != from + 1;
      }
      next = choose(exits(*inner));
    }
    at = start();
    return true;
  }

private:
  unsigned start() const { return region ? unsigned(region->getHeader()->getNumber()) : 0; }

  // Edges out of a loop.
  const std::vector<unsigned> &exits(const MachineLoop &inner) {
    auto [found, is_new] = exits_of.try_emplace(&inner);
    if (is_new)
      for (unsigned edge = 0; edge < flow.edges().size(); edge++) {
        const opcost::Edge &one = flow.edges()[edge];
        if (inner.contains(flow.block(one.from)) && !inner.contains(flow.block(one.to))) found->second.push_back(edge);
      }
    return found->second;
  }

  // The edge that is most behind its share.
  std::optional<unsigned> choose(const std::vector<unsigned> &edges) {
    double total = 0;
    for (unsigned edge : edges) total += flow.edges()[edge].count;
    if (total <= 0) return std::nullopt;
    unsigned best = edges.front();
    for (unsigned edge : edges) {
      due[edge] += flow.edges()[edge].count / total;
      if (due[edge] > due[best]) best = edge;
    }
    due[best] -= 1;
    return flow.edges()[best].to;
  }

  const opcost::Flow &flow;
  const Regions &regions;
  const MachineLoop *region;
  unsigned at;
  std::map<unsigned, double> due;
  std::map<const MachineLoop *, std::vector<unsigned>> exits_of;
};

// The function outside of the module that an instruction calls; empty if there is none.
StringRef called_outside(const MachineInstr &instruction) {
  if (!instruction.isCall()) return "";
  for (const MachineOperand &operand : instruction.operands()) {
    if (operand.isSymbol()) return operand.getSymbolName();
    if (!operand.isGlobal()) continue;
    auto *called = dyn_cast<Function>(operand.getGlobal()->stripPointerCasts());
    if (called) return called->isDeclaration() ? called->getName() : "";
  }
  return "";
}

// Simulates each function when all of its code was taken down.
class Scheduler : public AsmPrinterHandler {
public:
  Scheduler(const Module &module, Recorder &recorder, Processor &processor, ArrayRef<uint64_t> counts,
            const opcost_schedule_sink &sink)
      : recorder(recorder), processor(processor), counts(counts), sink(sink) {
    uint32_t block = 0, number = 0;
    for (const Function &function : module) {
      first_block[&function] = block;
      if (!function.isDeclaration()) number_of[&function] = number++;
      for (const BasicBlock &one : function) work += double(counts[block++]) * one.size();
    }
  }

  void beginFunction(const MachineFunction *) override {
    recorder.code.clear();
    calls.clear();
  }
  void beginInstruction(const MachineInstr *instruction) override {
    recorder.block = instruction->getParent();
    StringRef called = called_outside(*instruction);
    if (!called.empty()) calls[recorder.block].push_back(called.str());
  }
  void endInstruction() override { recorder.block = nullptr; }

  void endModule() override {}

  void endFunction(const MachineFunction *machine) override {
    recorder.block = nullptr;
    processor.stack_pointer =
        machine->getSubtarget().getTargetLowering()->getStackPointerRegisterToSaveRestore().asMCReg();
    // Numbers of blocks are their positions from here on.
    const_cast<MachineFunction *>(machine)->RenumberBlocks();
    auto number = number_of.find(&machine->getFunction());
    if (number == number_of.end() || counts[first_block[&machine->getFunction()]] == 0) return;
    opcost::Flow flow(*machine, counts);
    std::vector<std::unique_ptr<mca::Instruction>> known;
    std::vector<MCInst> texts;
    std::vector<Code> code(machine->size());
    std::vector<unsigned> sizes(machine->size()), strange(machine->size());
    for (const MachineBasicBlock &block : *machine) {
      unsigned at = block.getNumber();
      if (flow.count(block) <= 0) continue;
      sizes[at] = recorder.code[&block].size();
      for (const MCInst &one : recorder.code[&block]) {
        auto made = processor.instruction(one);
        if (!made) {
          strange[at]++;
          continue;
        }
        code[at].instructions.push_back(known.size());
        known.push_back(std::move(made));
        texts.push_back(one);
      }
    }
    std::vector<double> cycles(machine->size(), 0);
    Regions regions(*machine, flow, sizes);
    for (const MachineLoop *region : regions.all()) simulate(*machine, flow, regions, region, {code, known, texts, cycles});
    for (const MachineBasicBlock &block : *machine) {
      unsigned at = block.getNumber();
      if (flow.count(block) <= 0) continue;
      opcost_scheduled row = {number->second, flow.home(at), flow.count(block), cycles[at], regions.rare(block),
                              sizes[at], strange[at], flow.is_guess(at)};
      sink.row(sink.data, &row);
      for (const std::string &name : calls[&block])
        sink.call(sink.data, number->second, name.data(), name.size(), flow.count(block));
    }
  }

private:
  struct Simulated {
    const std::vector<Code> &code;
    const std::vector<std::unique_ptr<mca::Instruction>> &known;
    const std::vector<MCInst> &texts;
    std::vector<double> &cycles;
  };

  void simulate(const MachineFunction &machine, const opcost::Flow &flow, const Regions &regions,
                const MachineLoop *region, Simulated what) {
    double share = 0;
    for (const MachineBasicBlock &block : machine)
      if (regions.of(block.getNumber()) == region)
        share += flow.count(block) * what.code[block.getNumber()].instructions.size();
    if (share <= 0) return;
    size_t length = share < work * kColdShare ? kLittle : kLong;
    // The walk, as blocks and as instructions.
    std::vector<unsigned> order;
    struct Visit {
      unsigned block;
      size_t end;
      bool jumped;
    };
    std::vector<Visit> visits;
    Walk walk(flow, regions, region);
    bool jumped = false;
    while (order.size() < length && visits.size() < length) {
      const std::vector<unsigned> &block = what.code[walk.block()].instructions;
      order.insert(order.end(), block.begin(), block.end());
      visits.push_back({walk.block(), order.size(), jumped});
      jumped = walk.step();
    }
    std::vector<opcost::Stretch> stretches;
    for (size_t i = 0; i < visits.size(); i++) {
      // An inner region that was stepped over has changed registers.
      bool follows = i > 0 && flow.block(visits[i - 1].block)->isSuccessor(flow.block(visits[i].block));
      stretches.push_back({i > 0 ? visits[i - 1].end : 0, visits[i].end, follows});
    }
    std::vector<std::optional<unsigned>> stores =
        opcost::forwards(what.texts, order, stretches, processor.machine());
    std::vector<unsigned> retired =
        order.empty() ? std::vector<unsigned>() : processor.run(what.known, order, stores);
    if (retired.empty()) return;
    // The start, when nothing is under way yet, is left out where there is enough behind it.
    size_t skipped = visits.size() >= 16 ? visits.size() / 8 : 0;
    std::map<unsigned, std::pair<double, double>> of_block;
    double total = 0, jumps = 0;
    unsigned before = 0;
    for (size_t i = 0; i < visits.size(); i++) {
      const Visit &visit = visits[i];
      unsigned now = visit.end ? std::max(before, retired[visit.end - 1]) : before;
      if (i >= skipped) {
        auto &[cycles, times] = of_block[visit.block];
        cycles += now - before;
        times++;
        total += now - before;
        jumps += visit.jumped;
      }
      before = now;
    }
    double scale = total > 0 ? std::max(1.0, jumps / total) : 1;
    for (auto &[block, sum] : of_block) what.cycles[block] = sum.first / sum.second * scale;
    for (const MachineBasicBlock &block : machine) {
      unsigned at = block.getNumber();
      if (regions.of(at) == region && !of_block.count(at)) alone(what, at);
    }
  }

  // A block that the walk did not come to: by itself, again and again.
  void alone(Simulated what, unsigned block) {
    const std::vector<unsigned> &code = what.code[block].instructions;
    if (code.empty()) return;
    size_t times = std::max<size_t>(2, std::min<size_t>(20, kLittle / code.size()));
    std::vector<unsigned> order;
    for (size_t i = 0; i < times; i++) order.insert(order.end(), code.begin(), code.end());
    std::vector<unsigned> retired = processor.run(what.known, order, {});
    if (!retired.empty()) what.cycles[block] = double(retired.back()) / double(times);
  }

  Recorder &recorder;
  Processor &processor;
  ArrayRef<uint64_t> counts;
  const opcost_schedule_sink &sink;
  double work = 0;
  std::map<const MachineBasicBlock *, std::vector<std::string>> calls;
  std::map<const Function *, uint32_t> first_block, number_of;
};

// Puts the two into code generation.
class ScheduleOnlooker : public opcost::Onlooker {
public:
  ScheduleOnlooker(const Module &module, Processor &processor, ArrayRef<uint64_t> counts,
                   const opcost_schedule_sink &sink)
      : module(module), processor(processor), counts(counts), sink(sink) {}

  std::unique_ptr<MCStreamer> streamer(const Target &target, MCContext &context) override {
    auto made = std::make_unique<Recorder>(context);
    target.createNullTargetStreamer(*made);
    recorder = made.get();
    return made;
  }

  void printer(AsmPrinter &printer) override {
    printer.addAsmPrinterHandler(std::make_unique<Scheduler>(module, *recorder, processor, counts, sink));
  }

private:
  const Module &module;
  Processor &processor;
  ArrayRef<uint64_t> counts;
  const opcost_schedule_sink &sink;
  Recorder *recorder = nullptr;
};

} // namespace

extern "C" {

// The name by which LLVM knows the processor that runs this; the caller frees it.
char *opcost_host_processor() { return opcost::copy(sys::getHostCPUName().str()); }

// Tells each machine block that ran, and its calls out of the module; null, or what went wrong.
char *opcost_schedule(LLVMModuleRef handle, const opcost_emission *how, const opcost_schedule_wish *wish,
                      const opcost_schedule_sink *sink) {
  Module &module = *unwrap(handle);
  std::string error;
  std::unique_ptr<TargetMachine> machine = opcost::machine_for(module, *how, error);
  if (!machine) return opcost::copy(error);
  std::unique_ptr<Processor> processor = Processor::of(*machine, wish->processor, error);
  if (!processor) return opcost::copy(error);
  opcost::touch(module, *wish, *sink);
  opcost::name_blocks(module);
  ScheduleOnlooker onlooker(module, *processor, {wish->counts, wish->count}, *sink);
  raw_null_ostream nowhere;
  error = opcost::generate(module, *machine, nowhere, CodeGenFileType::ObjectFile, how->keep_calls_apart, onlooker);
  return error.empty() ? nullptr : opcost::copy(error);
}

} // extern "C"
