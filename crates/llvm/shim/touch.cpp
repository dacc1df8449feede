// How many lines of memory does each function fetch from beyond each level of the cache?
//
// A load or store in loops has an address that grows by a stride for each of them, as LLVM's scalar
// evolution says. With the trip counts, which counts of blocks give as a mean, that makes the lines
// that one execution of a loop touches: its footprint. A level of the cache holds what the outermost
// loop touches that fits into it; for each execution of that loop its lines are fetched once, and a
// loop that fits nowhere fetches them each time. Accesses that differ by a constant are one where
// they touch the same lines: neighbours, and what a loop around them comes to in a later iteration.
// What a later iteration finds is still there if all that is touched until then fits: of the planes
// of a stencil one is fetched where a level holds them all (the layer condition of Stengel, Treibig,
// Hager and Wellein, "Quantifying performance bottlenecks of stencil computations", 2015). So does what
// another loop inside the one that fits touches: of loops that walk along the same lines one fetches.
//
// A stride that the code does not say is that of rows that follow each other without a gap. An address
// that a load gives has the stride of what is loaded: it begins again where the load's own address
// does. Loads from one array of pointers give rows of one matrix. Loops that walk along one base touch the
// same lines one after the other: the one that touches most counts. No group has more lines than its object, where the size of that is known.
//
// Lines that follow each other are told apart from lines that are far from each other (kFar).
//
// Input: a module, its blocks' counts, capacities. Output: for each innermost loop and capacity, lines.
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

  // Lines in one execution of so many loops, from inside; of none: of one access.
  double lines(size_t inner) const {
    double pieces = 1, span = width;
    for (size_t at = 0; at < inner; at++) {
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

  // First and last byte of them, beside the base; infinite where a stride is not known.
  std::pair<double, double> extent(size_t inner) const {
    double low = double(offset), high = low + width;
    for (size_t at = 0; at < inner; at++) {
      double way = strides[at] * std::max(0.0, loops[at].trips - 1);
      (way < 0 ? low : high) += way;
    }
    return {low, high};
  }

  // How many of its loops are inside this one; none if it is not around.
  std::optional<size_t> inside(const Loop *loop) const {
    for (size_t at = 0; at < loops.size(); at++)
      if (loops[at].loop == loop) return at;
    return std::nullopt;
  }

  // Whether loops around make the same steps as they do for another.
  bool goes_with(size_t inner, const Group &other, size_t its_inner) const {
    return base == other.base &&
           std::equal(strides.begin() + long(inner), strides.end(), other.strides.begin() + long(its_inner), other.strides.end());
  }

  // Whether most of what so many loops touch is touched by those of another as well, that many bytes further.
  bool is_within(size_t inner, const Group &other, size_t its_inner, double further) const {
    auto [low, high] = extent(inner);
    auto [its_low, its_high] = other.extent(its_inner);
    double both = std::min(high, its_high - further) - std::max(low, its_low - further);
    if (!std::isfinite(both) || both < (high - low) / 2) return false;
    bool is_alike = std::equal(strides.begin(), strides.begin() + long(inner), other.strides.begin(), other.strides.begin() + long(its_inner));
    return is_alike || other.lines(its_inner) * kLine >= (its_high - its_low) / 2;
  }

  bool is_far() const { return !strides.empty() && std::abs(strides[0]) >= kFar; }

  // Whether another access of the same loop touches its lines in one execution of so many loops.
  bool shares(const Group &other, size_t inner) const {
    bool is_matrix = rows && rows == other.rows && rows_at == other.rows_at && inner > rows_at;
    if (is_matrix && strides == other.strides && loops[0].loop == other.loops[0].loop) return true;
    if (base != other.base || strides != other.strides || loops[0].loop != other.loops[0].loop) return false;
    double apart = std::abs(double(offset) - double(other.offset));
    if (apart < kLine) return true;
    for (size_t at = 0; at < inner; at++) {
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

  // Lines in a row, and lines far from each other.
  struct Fetched {
    double near = 0, far = 0;
  };

  // Lines that one capacity does not hold, by the first block of the loop that touches them.
  std::map<const BasicBlock *, Fetched> fetched(double capacity) const {
    std::map<const BasicBlock *, Fetched> found;
    for (const Group &group : groups) {
      const std::vector<Turns> &around = group.loops;
      size_t inner = 1;
      while (inner < around.size() && footprint(around[inner].loop) <= capacity) inner++;
      bool fits = footprint(around[inner - 1].loop) <= capacity;
      // All that the function's loops touch stays where it is.
      if (inner == around.size() && fits) continue;
      if (is_shared(group, inner) || (fits && is_met(group, inner, around[inner - 1].loop, inner - 1))) continue;
      if (inner < around.size() && is_kept(group, inner, capacity)) continue;
      Fetched &own = found[around[0].loop->getHeader()];
      (group.is_far() ? own.far : own.near) += around[inner - 1].entries * group.lines(inner);
    }
    return found;
  }

private:
  double count(const BasicBlock *block) const {
    auto found = counts.find(block);
    return found == counts.end() ? 0 : found->second;
  }

  // How often a loop was entered, and how often its header ran each time.
  Turns turns(const Loop *loop) const {
    double header = count(loop->getHeader()), entries = entered(loop);
    return {loop, entries, entries > 0 ? header / entries : 0};
  }

  // How often control came to a loop. A loop before it is left as often as it was entered, while its
  // last block ran for each iteration.
  double entered(const Loop *loop) const {
    // A loop that comes before itself, through others, is entered as often as its first block ran.
    auto [known, is_new] = entered_by_loop.try_emplace(loop, count(loop->getHeader()));
    if (!is_new) return known->second;
    double entries = 0;
    for (const BasicBlock *before : predecessors(loop->getHeader())) {
      if (loop->contains(before)) continue;
      const Loop *left = loops.getLoopFor(before);
      while (left && left->getParentLoop() && !left->getParentLoop()->contains(loop)) left = left->getParentLoop();
      bool is_left = left && !left->contains(loop);
      entries += is_left ? std::min(count(before), entered(left)) : count(before);
    }
    return entered_by_loop[loop] = std::min(std::max(entries, 1.0), count(loop->getHeader()));
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
    set_base(group, rest);
    limit(group, getUnderlyingObject(pointer));
    bool is_there = llvm::any_of(groups, [&](const Group &other) {
      return other.base == group.base && other.strides == group.strides && other.loops[0].loop == group.loops[0].loop &&
             std::abs(double(other.offset - group.offset)) < kLine;
    });
    if (!is_there) groups.push_back(group);
  }

  // Splits where it begins into a base and a number of bytes. Bounds of loops that are no numbers are
  // part of the base: u[k][ist][m] and u[k][ist][m + 1] have one.
  void set_base(Group &group, const SCEV *start) const {
    auto *sum = dyn_cast<SCEVAddExpr>(start);
    auto *bytes = sum ? dyn_cast<SCEVConstant>(sum->getOperand(0)) : nullptr;
    group.base = start;
    if (!bytes || bytes->getAPInt().getSignificantBits() > 63) return;
    SmallVector<const SCEV *, 4> others(sum->operands().begin() + 1, sum->operands().end());
    group.base = evolution.getAddExpr(others);
    group.offset = bytes->getAPInt().getSExtValue();
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

  // Whether an earlier access of its loop touches the same lines.
  bool is_shared(const Group &group, size_t inner) const {
    for (const Group &other : groups) {
      if (&other == &group) return false;
      if (group.shares(other, inner)) return true;
    }
    return false;
  }

  // Whether its lines in so many loops are those of another access in `loop`, which is around `within` of
  // them. The one that touches most fetches them, and of equals the first.
  bool is_met(const Group &group, size_t inner, const Loop *loop, size_t within) const {
    bool is_before = true;
    for (const Group &other : groups) {
      if (&other == &group) {
        is_before = false;
        continue;
      }
      std::optional<size_t> its = other.inside(loop);
      if (!its || *its + inner < within) continue;
      size_t its_inner = *its + inner - within;
      if (!group.goes_with(inner, other, its_inner) || !group.is_within(inner, other, its_inner, 0)) continue;
      double own_lines = group.lines(inner), its_lines = other.lines(its_inner);
      if (its_lines > own_lines || (its_lines == own_lines && is_before)) return true;
    }
    return false;
  }

  // Whether another touched its lines in this or an earlier iteration of the loop around, and all that
  // was touched since fits.
  bool is_kept(const Group &group, size_t inner, double capacity) const {
    const Loop *around = group.loops[inner].loop;
    double stride = group.strides[inner], once = iteration(around);
    if (once > capacity) return false;
    if (is_met(group, inner, around, inner)) return true;
    if (stride == 0 || std::isinf(stride)) return false;
    return llvm::any_of(groups, [&](const Group &other) {
      std::optional<size_t> its = other.inside(around);
      if (!its || !group.goes_with(inner, other, *its)) return false;
      double turns = std::round((other.extent(*its).first - group.extent(inner).first) / stride);
      bool is_there = turns >= 1 && turns < group.loops[inner].trips && turns * once <= capacity;
      return is_there && group.is_within(inner, other, *its, turns * stride);
    });
  }

  // Bytes that one execution of a loop touches.
  double footprint(const Loop *loop) const {
    auto [found, is_new] = footprints.try_emplace(loop, 0);
    return is_new ? footprints[loop] = touched(loop, 1) : found->second;
  }

  // Bytes that one iteration of a loop touches.
  double iteration(const Loop *loop) const {
    auto [found, is_new] = iterations.try_emplace(loop, 0);
    return is_new ? iterations[loop] = touched(loop, 0) : found->second;
  }

  // Bytes of the loops in a loop, and of itself if `more` is 1.
  double touched(const Loop *loop, size_t more) const {
    double lines = 0;
    // Where strides are not known, by base and innermost loop; and by base what its object has.
    std::map<std::pair<const void *, const Loop *>, double> walked;
    std::map<const void *, double> most, of_base;
    for (const Group &group : groups) {
      std::optional<size_t> inside = group.inside(loop);
      if (!inside || is_shared(group, *inside + more)) continue;
      const void *along = group.object ? static_cast<const void *>(group.object) : group.rows ? group.rows : group.base;
      most[along] = group.most;
      double own = group.lines(*inside + more);
      auto [low, high] = group.extent(*inside + more);
      if (!std::isfinite(high - low))
        walked[{along, group.loops[0].loop}] += own;
      else if (!is_met(group, *inside + more, loop, *inside))
        of_base[along] += own;
    }
    for (const auto &[where, own] : walked) of_base[where.first] = std::max(of_base[where.first], own);
    for (const auto &[along, own] : of_base) lines += std::min(own, most[along]);
    return lines * kLine;
  }

  static constexpr size_t kMost = 2000;

  LoopInfo &loops;
  ScalarEvolution &evolution;
  const DataLayout &layout;
  const std::map<const BasicBlock *, double> &counts;
  std::vector<Group> groups;
  mutable std::map<const Loop *, double> footprints, iterations, entered_by_loop;
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
    std::map<const BasicBlock *, uint32_t> places;
    for (const BasicBlock &one : function) {
      places[&one] = uint32_t(block);
      counts[&one] = double(wish.counts[block++]);
    }
    if (counts[&function.getEntryBlock()] > 0) {
      Touched touched(function, functions, counts);
      for (size_t level = 0; level < wish.capacity_count; level++) {
        std::map<uint32_t, Touched::Fetched> in_order;
        for (auto [loop, lines] : touched.fetched(double(wish.capacities[level]))) in_order[places[loop]] = lines;
        for (auto [loop, lines] : in_order)
          if (lines.near + lines.far > 0) sink.lines(sink.data, number, loop, uint32_t(level), lines.near, lines.far);
      }
    }
    functions.clear(function, function.getName());
    number++;
  }
}
