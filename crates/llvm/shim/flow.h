// How often did machine blocks and their edges run, by the counts of the module's blocks?
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <cstdint>
#include <vector>

namespace opcost {

struct Edge {
  unsigned from, to;
  double count;
};

// Blocks go by their numbers, which are their positions.
class Flow {
public:
  Flow(const llvm::MachineFunction &function, llvm::ArrayRef<uint64_t> counts);

  double count(const llvm::MachineBasicBlock &block) const;
  const std::vector<Edge> &edges() const { return all; }
  // Edges out of a block, by position in `edges`.
  const std::vector<unsigned> &leaving(unsigned block) const { return out[block]; }
  const llvm::MachineBasicBlock *block(unsigned number) const { return blocks[number]; }
  // The module's block that it is made of, plus one; 0 where it is none.
  uint32_t home(unsigned block) const { return homes[block]; }
  // How often it was not left by its most frequent edge.
  double rare(unsigned block) const;
  // Whether counts alone did not decide how often it ran.
  bool is_guess(unsigned block) const { return guessed[block]; }

private:
  bool solve();
  bool deduce(double &block, const std::vector<unsigned> &around, double beside);
  void guess_edges(unsigned block);

  std::vector<const llvm::MachineBasicBlock *> blocks;
  std::vector<Edge> all;
  std::vector<std::vector<unsigned>> in, out;
  std::vector<double> ran;
  std::vector<uint32_t> homes;
  std::vector<bool> guessed;
  double entries = 0;
};

} // namespace opcost
