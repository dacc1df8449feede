// How many lines of memory does each function fetch from beyond each level of the cache?
//
// A load or store in loops has an address that grows by a stride for each of them, as LLVM's scalar
// evolution says. With the trip counts, which counts of blocks give as a mean, that makes the lines
// that one execution of a loop touches: its footprint. A level of the cache holds what the outermost
// loop touches that fits into it; for each execution of that loop its lines are fetched once, and a
// loop that fits nowhere fetches them each time. Accesses that differ by a constant are one where
// they touch the same lines: neighbours, and what a loop around them comes to in a later iteration.
//
// A stride that the code does not say is that of rows that follow each other without a gap. An address
// that a load gives has the stride of what is loaded: it begins again where the load's own address
// does. Loads from one array of pointers give rows of one matrix. Loops that walk along one base touch the
// same lines one after the other: the one that touches most counts. No group has more lines than its object, where the size of that is known.
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
#include "llvm/Analysis/ValueTracking.h"
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
// Loads that are followed to the address of an address.
constexpr unsigned kDeep = 3;
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
  const Value *object; // a variable of known size; null if there is none
  double most;         // lines that the object has; infinite if that is not known
  const SCEV *rows;    // the array whose pointers give its rows; null if there is none
  size_t rows_at;      // the depth of the loop that goes from row to row

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
    return std::min(most, pieces * std::max(1.0, span / kLine));
  }

  bool is_far() const { return !strides.empty() && std::abs(strides[0]) >= kFar; }

  // Whether another touches its lines in one execution of the loop at this depth.
  bool shares(const Group &other, size_t depth) const {
    bool is_matrix = rows && rows == other.rows && rows_at == other.rows_at && depth >= rows_at;
    if (is_matrix && strides == other.strides && loops[0].loop == other.loops[0].loop) return true;
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
    Group group{{}, {}, nullptr, 0, double(size.getFixedValue()), nullptr, std::numeric_limits<double>::infinity(),
                nullptr, 0};
    const SCEV *rest = evolution.getSCEV(pointer);
    bool is_known = true;
    for (const Loop *loop = loops.getLoopFor(one.getParent()); loop; loop = loop->getParentLoop()) {
      auto *recurrence = dyn_cast<SCEVAddRecExpr>(rest);
      double stride = 0;
      if (recurrence && recurrence->getLoop() == loop) {
        auto *step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution));
        bool is_number = step && step->getAPInt().getSignificantBits() <= 63;
        // A stride of the loop itself that is not known may be any.
        if (!is_number && group.loops.empty()) return;
        stride = is_number ? double(step->getAPInt().getSExtValue()) : kUnknown;
        rest = recurrence->getStart();
      } else if (!evolution.isLoopInvariant(rest, loop)) {
        // Addresses that data decides, in the loop itself.
        if (group.loops.empty()) return;
        // The first loop that changes it is the one of its rows.
        stride = is_known || varies(rest, *loop, kDeep) ? kUnknown : 0;
        if (is_known) find_rows(group, rest);
        is_known = false;
      }
      group.loops.push_back(turns(loop));
      group.strides.push_back(stride);
    }
    group.base = evolution.getPointerBase(rest);
    limit(group, getUnderlyingObject(pointer));
    if (auto *offset = dyn_cast<SCEVConstant>(evolution.removePointerBase(rest)))
      group.offset = offset->getAPInt().getSExtValue();
    else
      group.base = rest;
    bool is_there = llvm::any_of(groups, [&](const Group &other) {
      return other.base == group.base && other.strides == group.strides && other.loops[0].loop == group.loops[0].loop &&
             std::abs(double(other.offset - group.offset)) < kLine;
    });
    if (!is_there) groups.push_back(group);
  }

  // The array of pointers from which an address is loaded.
  void find_rows(Group &group, const SCEV *address) const {
    auto *unknown = dyn_cast<SCEVUnknown>(evolution.getPointerBase(address));
    auto *load = unknown ? dyn_cast<LoadInst>(unknown->getValue()) : nullptr;
    if (!load) return;
    group.rows = evolution.getPointerBase(evolution.getSCEV(load->getPointerOperand()));
    group.rows_at = group.loops.size();
  }

  // The lines of a variable whose size is known.
  void limit(Group &group, const Value *object) const {
    std::optional<TypeSize> bytes;
    if (auto *global = dyn_cast<GlobalVariable>(object); global && !global->isDeclaration())
      bytes = layout.getTypeAllocSize(global->getValueType());
    if (auto *local = dyn_cast<AllocaInst>(object)) bytes = local->getAllocationSize(layout);
    if (!bytes || bytes->isScalable()) return;
    group.object = object;
    group.most = double(bytes->getFixedValue()) / kLine + 1;
  }

  // Whether a loop changes an address by itself, or by what is loaded to find it.
  bool varies(const SCEV *address, const Loop &loop, unsigned deep) const {
    return SCEVExprContains(address, [&](const SCEV *part) {
      if (auto *recurrence = dyn_cast<SCEVAddRecExpr>(part)) return recurrence->getLoop() == &loop;
      auto *unknown = dyn_cast<SCEVUnknown>(part);
      auto *load = unknown ? dyn_cast<LoadInst>(unknown->getValue()) : nullptr;
      return load && deep > 0 && varies(evolution.getSCEV(load->getPointerOperand()), loop, deep - 1);
    });
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
    std::map<std::pair<const void *, const Loop *>, double> walked; // by base and innermost loop
    std::map<const void *, double> most;                            // by base, what its object has
    for (const Group &group : groups)
      for (size_t depth = 0; depth < group.loops.size(); depth++) {
        if (group.loops[depth].loop != loop || is_shared(group, depth)) continue;
        const void *along = group.object ? static_cast<const void *>(group.object) : group.rows ? group.rows : group.base;
        walked[{along, group.loops[0].loop}] += group.lines(depth);
        most[along] = group.most;
      }
    std::map<const void *, double> of_base;
    for (const auto &[where, lines] : walked) {
      double &own = of_base[where.first];
      own = std::min(std::max(own, lines), most[where.first]);
    }
    double lines = 0;
    for (const auto &[along, own] : of_base) lines += own;
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
