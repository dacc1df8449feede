// What is new, another or gone in a state, against the state before it.
//
// Things are known by their serial numbers (identity.h) and compared by hash; a
// state keeps a hash for each thing, no text. Cost: a table look-up for each thing.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>
#include <vector>

namespace opcost::life {

// What stood there last.
struct State {
  struct Seen {
    uint64_t hash;
    unsigned comparison;
  };
  llvm::DenseMap<uint64_t, Seen> items;
  uint64_t order = 0;
  unsigned comparison = 0;
};

enum class ChangeKind : uint8_t { kNone, kOther, kNew };

// One comparison: all things first, then what is gone.
class Change {
public:
  // `is_ordered`: whether another order is a change.
  Change(State &state, bool is_ordered) : state(state), is_ordered(is_ordered) { state.comparison++; }

  // What is known of a thing with this content.
  ChangeKind of(uint64_t thing, uint64_t hash) {
    if (is_ordered) order = llvm::hash_combine(order, thing);
    auto [known, is_new] = state.items.try_emplace(thing, State::Seen{hash, state.comparison});
    bool is_changed = is_new || known->second.hash != hash;
    known->second.hash = hash;
    known->second.comparison = state.comparison;
    is_any |= is_changed;
    return is_new ? ChangeKind::kNew : is_changed ? ChangeKind::kOther : ChangeKind::kNone;
  }

  // What no longer stands there, by number; it is forgotten.
  std::vector<uint64_t> gone() {
    std::vector<uint64_t> list;
    for (auto &[thing, seen] : state.items)
      if (seen.comparison != state.comparison) list.push_back(thing);
    // The order of a table is by chance.
    llvm::sort(list);
    for (uint64_t thing : list) state.items.erase(thing);
    is_any |= !list.empty() || order != state.order;
    state.order = order;
    return list;
  }

  bool has_changes() const { return is_any; }

private:
  State &state;
  bool is_ordered;
  bool is_any = false;
  uint64_t order = 0;
};

} // namespace opcost::life
