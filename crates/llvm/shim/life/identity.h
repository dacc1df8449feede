// Which thing is which, while LLVM gives the addresses of things that went to
// things that come.
//
// Each thing gets a serial number when it is met first, and loses it when LLVM
// deletes it: values say so themselves (value handles), nodes of a graph to a
// listener (dag.cpp), machine instructions to a hook (lineage.cpp). So a number
// is never that of two things, whatever stage they are of. Numbers go by the
// order in which things are met, and are the same in every run.
//
// Cost: a table look-up; of values a handle each.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Value.h"
#include "llvm/IR/ValueMap.h"
#include <cstdint>

namespace llvm {
class SDNode;
} // namespace llvm

namespace opcost::life {

class Identities {
public:
  // A number that nothing has.
  uint64_t make() { return ++latest; }
  // The highest that something has.
  uint64_t last() const { return latest; }

  // Of a node of the graph at hand.
  uint64_t of(const llvm::SDNode *node) {
    auto [known, is_new] = nodes.try_emplace(node, 0);
    if (is_new) known->second = make();
    return known->second;
  }
  // 0 if it has none: it is deleted.
  uint64_t known(const llvm::SDNode *node) const { return nodes.lookup(node); }
  void forget(const llvm::SDNode *node) { nodes.erase(node); }
  void forget_graph() { nodes.clear(); }

  // Of whatever IR is made of.
  uint64_t of(const llvm::Value *value) {
    auto known = values.find(value);
    if (known != values.end()) return known->second;
    uint64_t number = make();
    values.insert({value, number});
    return number;
  }

private:
  // What takes the place of a value is another one.
  struct Own : llvm::ValueMapConfig<const llvm::Value *> {
    enum { FollowRAUW = false };
  };

  uint64_t latest = 0;
  llvm::DenseMap<const llvm::SDNode *, uint64_t> nodes;
  llvm::ValueMap<const llvm::Value *, uint64_t, Own> values;
};

} // namespace opcost::life
