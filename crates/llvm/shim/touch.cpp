// How many lines of memory does each function fetch from beyond each level of the cache?
//
// A load or store in loops has an address that grows by a stride for each of them, as LLVM's scalar
// evolution says. With the trip counts, which counts of blocks give as a mean, that makes the lines
// that one execution of a loop touches: its footprint. A level of the cache holds what the outermost
// loop touches that fits into it; for each execution of that loop its lines are fetched once, and a
// loop that fits nowhere fetches them each time. Accesses that differ by a constant are one where
// they touch the same lines: neighbours, and what a loop around them comes to in a later iteration.
//
// Lines that follow each other are told apart from lines that are far from each other (kFar).
//
// Input: a module, its blocks' counts, capacities. Output: for each function and capacity, lines.
// Cost: that of scalar evolution. Limits: a mean is taken for each trip count; an address that is no
// such sum in its own loop is not told; what a function leaves in the cache for another is taken to be gone, but
// for functions whose loops fit as a whole, which find all in it.
#include "schedule.h"
#include "touch.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

using namespace llvm;

namespace {

constexpr double kLine = 64;
// Bytes between two lines from which on no prefetcher follows.
constexpr double kFar = 2048;
// A stride that the code does not say. In a loop around another, its iterations are taken to follow
// each other without a gap, as rows of a matrix do.
constexpr double kUnknown = std::numeric_limits<double>::infinity();

// A loop with what counts say of it.
struct Turns {
  const Loop *loop;
  double entries, trips;
};

// What is touched by accesses that are one.
struct Group {
  std::vector<Turns> loops;   // the innermost first
  std::vector<double> strides; // for each of these, in bytes
  const SCEV *base;
  int64_t offset;
  double width;

  // Lines in one execution of the loop at this depth, from inside.
  double lines(size_t depth) const {
    double pieces = 1, span = width;
    for (size_t at = 0; at <= depth; at++) {
      double stride = std::abs(strides[at]), more = std::max(0.0, loops[at].trips - 1);
      if (std::isinf(stride))
        span *= more + 1;
      else if (stride <= span || stride < kLine)
        span += stride * more;
      else
        pieces *= more + 1;
    }
    return pieces * std::max(1.0, span / kLine);
  }

  bool is_far() const { return !strides.empty() && std::abs(strides[0]) >= kFar; }

  // Whether another touches its lines in one execution of the loop at this depth.
  bool shares(const Group &other, size_t depth) const {
    if (base != other.base || strides != other.strides || loops[0].loop != other.loops[0].loop) return false;
    double apart = std::abs(double(offset) - double(other.offset));
    if (apart < kLine) return true;
    for (size_t at = 0; at <= depth; at++) {
      double stride = std::abs(strides[at]);
      if (stride > 0 && !std::isinf(stride) && std::fmod(apart, stride) < kLine && apart / stride < loops[at].trips) return true;
    }
    return false;
  }
};

class Touched {
public:
  Touched(Function &function, FunctionAnalysisManager &analyses, const std::map<const BasicBlock *, double> &counts)
      : loops(analyses.getResult<LoopAnalysis>(function)), evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        layout(function.getDataLayout()), counts(counts) {
    for (BasicBlock &block : function)
      if (count(&block) > 0 && loops.getLoopFor(&block))
        for (Instruction &one : block) add(one);
  }

  // Lines that one capacity does not hold: in a row, and far from each other.
  std::pair<double, double> fetched(double capacity) const {
    double near = 0, far = 0;
    for (const Group &group : groups) {
      size_t depth = 0;
      while (depth + 1 < group.loops.size() && footprint(group.loops[depth + 1].loop) <= capacity) depth++;
      // All that the function's loops touch stays where it is.
      if (depth + 1 == group.loops.size() && footprint(group.loops[depth].loop) <= capacity) continue;
      if (is_shared(group, depth)) continue;
      (group.is_far() ? far : near) += group.loops[depth].entries * group.lines(depth);
    }
    return {near, far};
  }

private:
  double count(const BasicBlock *block) const {
    auto found = counts.find(block);
    return found == counts.end() ? 0 : found->second;
  }

  // How often a loop was entered, and how often its header ran each time.
  Turns turns(const Loop *loop) const {
    double header = count(loop->getHeader()), entries = 0;
    for (const BasicBlock *before : predecessors(loop->getHeader()))
      if (!loop->contains(before)) entries += count(before);
    entries = std::min(std::max(entries, 1.0), header);
    return {loop, entries, entries > 0 ? header / entries : 0};
  }

  void add(Instruction &one) {
    Value *pointer = getLoadStorePointerOperand(&one);
    if (!pointer || groups.size() >= kMost) return;
    TypeSize size = layout.getTypeStoreSize(getLoadStoreType(&one));
    if (size.isScalable()) return;
    Group group{{}, {}, nullptr, 0, double(size.getFixedValue())};
    const SCEV *rest = evolution.getSCEV(pointer);
    for (const Loop *loop = loops.getLoopFor(one.getParent()); loop; loop = loop->getParentLoop()) {
      auto *recurrence = dyn_cast<SCEVAddRecExpr>(rest);
      double stride = 0;
      if (recurrence && recurrence->getLoop() == loop) {
        auto *step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution));
        bool is_known = step && step->getAPInt().getSignificantBits() <= 63;
        // A stride of the loop itself that is not known may be any.
        if (!is_known && group.loops.empty()) return;
        stride = is_known ? double(step->getAPInt().getSExtValue()) : kUnknown;
        rest = recurrence->getStart();
      } else if (!evolution.isLoopInvariant(rest, loop)) {
        // Addresses that data decides, in the loop itself.
        if (group.loops.empty()) return;
        stride = kUnknown;
      }
      group.loops.push_back(turns(loop));
      group.strides.push_back(stride);
    }
    group.base = evolution.getPointerBase(rest);
    if (auto *offset = dyn_cast<SCEVConstant>(evolution.removePointerBase(rest)))
      group.offset = offset->getAPInt().getSExtValue();
    else
      group.base = rest;
    bool is_known = llvm::any_of(groups, [&](const Group &other) {
      return other.base == group.base && other.strides == group.strides && other.loops[0].loop == group.loops[0].loop &&
             std::abs(double(other.offset - group.offset)) < kLine;
    });
    if (!is_known) groups.push_back(group);
  }

  // Whether an earlier group touches the same lines.
  bool is_shared(const Group &group, size_t depth) const {
    for (const Group &other : groups) {
      if (&other == &group) return false;
      if (group.shares(other, depth)) return true;
    }
    return false;
  }

  // Bytes that one execution of a loop touches.
  double footprint(const Loop *loop) const {
    auto [found, is_new] = footprints.try_emplace(loop, 0);
    if (!is_new) return found->second;
    double lines = 0;
    for (const Group &group : groups)
      for (size_t depth = 0; depth < group.loops.size(); depth++)
        if (group.loops[depth].loop == loop && !is_shared(group, depth)) lines += group.lines(depth);
    return footprints[loop] = lines * kLine;
  }

  static constexpr size_t kMost = 2000;

  LoopInfo &loops;
  ScalarEvolution &evolution;
  const DataLayout &layout;
  const std::map<const BasicBlock *, double> &counts;
  std::vector<Group> groups;
  mutable std::map<const Loop *, double> footprints;
};

} // namespace

void opcost::touch(Module &module, const opcost_schedule_wish &wish, const opcost_schedule_sink &sink) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  uint32_t number = 0;
  size_t block = 0;
  for (Function &function : module) {
    if (function.isDeclaration()) continue;
    std::map<const BasicBlock *, double> counts;
    for (const BasicBlock &one : function) counts[&one] = double(wish.counts[block++]);
    if (counts[&function.getEntryBlock()] > 0) {
      Touched touched(function, functions, counts);
      for (size_t level = 0; level < wish.capacity_count; level++) {
        auto [near, far] = touched.fetched(double(wish.capacities[level]));
        if (near + far > 0) sink.lines(sink.data, number, uint32_t(level), near, far);
      }
    }
    functions.clear(function, function.getName());
    number++;
  }
}
