// How often did machine blocks and their edges run, by the counts of the module's blocks?
//
// A block of the module that became one machine block gives it its count. All else follows from
// what flows in and out: of a block whose count is known, the last edge that is not; of a block
// whose edges are known, its count. So blocks that code generation put on edges, split off or
// copied have their own counts. Where that is not enough (a select that became a diamond), the
// first machine block of the module's block has the module's count, and then edges share by the
// probabilities of code generation; blocks behind such edges are marked as guessed.
//
// Input: a function whose blocks are numbered by position and bear the names of `name_blocks`.
// Cost: edges × rounds, of which there are few.
#include "flow.h"

#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/IR/BasicBlock.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace llvm;

namespace {

constexpr StringLiteral kBlockName = "opcost.b";
constexpr double kUnknown = -1;

// The block of the module whose name it bears, plus one. What stands on an edge bears more.
uint32_t home_of(const MachineBasicBlock &machine) {
  const BasicBlock *block = machine.getBasicBlock();
  if (!block) return 0;
  StringRef name = block->getName();
  uint32_t number;
  return name.consume_front(kBlockName) && !name.getAsInteger(10, number) ? number + 1 : 0;
}

} // namespace

opcost::Flow::Flow(const MachineFunction &function, ArrayRef<uint64_t> counts)
    : in(function.size()), out(function.size()), ran(function.size(), kUnknown), guessed(function.size(), false) {
  std::map<uint32_t, unsigned> copies;
  for (const MachineBasicBlock &block : function) {
    blocks.push_back(&block);
    homes.push_back(home_of(block));
    copies[homes.back()]++;
  }
  for (const MachineBasicBlock *block : blocks)
    for (const MachineBasicBlock *successor : block->successors()) {
      out[block->getNumber()].push_back(all.size());
      in[successor->getNumber()].push_back(all.size());
      all.push_back({unsigned(block->getNumber()), unsigned(successor->getNumber()), kUnknown});
    }
  auto count_of = [&](unsigned block) {
    return homes[block] && homes[block] <= counts.size() ? double(counts[homes[block] - 1]) : kUnknown;
  };
  for (unsigned block = 0; block < blocks.size(); block++)
    if (copies[homes[block]] == 1) ran[block] = count_of(block);
  // How often the function was entered: what its first block ran without its edges back.
  double first = count_of(0);
  entries = first;
  if (!in[0].empty()) entries = kUnknown;
  while (solve()) {
  }
  // The first of several, then edges by probability, one at a time.
  std::map<uint32_t, bool> is_given;
  for (unsigned block = 0; block < blocks.size(); block++) {
    bool is_first = homes[block] && !is_given[homes[block]];
    is_given[homes[block]] = true;
    if (!is_first || ran[block] >= 0 || count_of(block) < 0) continue;
    ran[block] = count_of(block);
    guessed[block] = true;
    while (solve()) {
    }
  }
  for (unsigned block = 0; block < blocks.size(); block++) {
    guess_edges(block);
    while (solve()) {
    }
  }
  for (unsigned block = 0; block < blocks.size(); block++) {
    if (ran[block] >= 0) continue;
    ran[block] = 0;
    for (unsigned edge : in[block]) ran[block] += std::max(0.0, all[edge].count);
    guessed[block] = true;
    guess_edges(block);
  }
  for (Edge &edge : all) edge.count = std::max(0.0, edge.count);
}

// What can be told of a block by edges on one side of it. Whether there was anything.
bool opcost::Flow::deduce(double &block, const std::vector<unsigned> &around, double beside) {
  if (around.empty() || beside < 0) return false;
  double sum = beside;
  Edge *open = nullptr;
  unsigned unknown = 0;
  for (unsigned edge : around) {
    if (all[edge].count >= 0) {
      sum += all[edge].count;
    } else {
      open = &all[edge];
      unknown++;
    }
  }
  if (block < 0 && unknown == 0) {
    block = sum;
    return true;
  }
  if (block >= 0 && unknown == 1) {
    open->count = std::max(0.0, block - sum);
    return true;
  }
  // Nothing flows through what never ran.
  if (block == 0 && unknown > 1) {
    for (unsigned edge : around) all[edge].count = std::max(0.0, all[edge].count);
    return true;
  }
  return false;
}

bool opcost::Flow::solve() {
  bool is_more = false;
  for (unsigned block = 0; block < blocks.size(); block++) {
    is_more |= deduce(ran[block], in[block], block == 0 ? entries : 0);
    is_more |= deduce(ran[block], out[block], 0);
  }
  return is_more;
}

// Shares what is left of a block among its edges of which nothing is known.
void opcost::Flow::guess_edges(unsigned block) {
  if (ran[block] < 0) return;
  double left = ran[block], odds = 0;
  unsigned unknown = 0;
  auto probability = [&](unsigned position) {
    auto successor = blocks[block]->succ_begin() + position;
    auto value = blocks[block]->getSuccProbability(successor);
    return value.isUnknown() ? 1.0 : double(value.getNumerator()) / double(value.getDenominator());
  };
  for (unsigned i = 0; i < out[block].size(); i++) {
    if (all[out[block][i]].count >= 0) {
      left -= all[out[block][i]].count;
    } else {
      odds += probability(i);
      unknown++;
    }
  }
  left = std::max(0.0, left);
  for (unsigned i = 0; i < out[block].size(); i++) {
    Edge &edge = all[out[block][i]];
    if (edge.count >= 0) continue;
    edge.count = odds > 0 ? left * probability(i) / odds : left / unknown;
    guessed[edge.to] = guessed[edge.to] || unknown > 1;
  }
}

double opcost::Flow::count(const MachineBasicBlock &block) const { return ran[block.getNumber()]; }

double opcost::Flow::rare(unsigned block) const {
  double sum = 0, most = 0;
  for (unsigned edge : out[block]) {
    sum += all[edge].count;
    most = std::max(most, all[edge].count);
  }
  return sum - most;
}
