// What is new, another or gone in a state, against the state before it.
//
// Things are known by address and compared by hash; a state keeps a hash and
// a place for each thing, no text. Cost: a table look-up for each thing.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace opcost::life {

// What stood there last.
struct State {
  struct Seen {
    uint64_t hash;
    unsigned turn;
    // How many things were met before it.
    uint64_t place;
  };
  llvm::DenseMap<const void *, Seen> items;
  uint64_t order = 0;
  uint64_t met = 0;
  unsigned turn = 0;
};

// One comparison: all things first, then what is gone.
class Change {
public:
  // `is_ordered`: whether another order is a change.
  Change(State &state, bool is_ordered) : state(state), is_ordered(is_ordered) { state.turn++; }

  // Whether it is new, or another.
  bool is_news(const void *thing, uint64_t hash) {
    if (is_ordered) order = llvm::hash_combine(order, thing);
    auto [known, is_new] = state.items.try_emplace(thing, State::Seen{hash, state.turn, state.met});
    state.met += is_new;
    bool is_changed = is_new || known->second.hash != hash;
    known->second.hash = hash;
    known->second.turn = state.turn;
    is_any |= is_changed;
    return is_changed;
  }

  // What no longer stands there, in the order in which it was met; it is forgotten.
  std::vector<const void *> gone() {
    std::vector<std::pair<uint64_t, const void *>> places;
    for (auto &[thing, seen] : state.items)
      if (seen.turn != state.turn) places.emplace_back(seen.place, thing);
    // Addresses are others in every build, and so is the order of a table.
    llvm::sort(places);
    std::vector<const void *> list;
    for (auto [place, thing] : places) {
      state.items.erase(thing);
      list.push_back(thing);
    }
    is_any |= !list.empty() || order != state.order;
    state.order = order;
    return list;
  }

  bool has_news() const { return is_any; }

private:
  State &state;
  bool is_ordered;
  bool is_any = false;
  uint64_t order = 0;
};

} // namespace opcost::life
