// What the numbers in debug locations mean while code is watched.
//
// The numbers up to that of the last instruction of the source are those of
// the instructions themselves. LLVM keeps locations as it keeps lines: where two
// instructions become one it writes line 0, and what a pass makes of nothing has
// no location. Both get numbers of their own here: one that stands for both
// that were merged, and one for what was made, with the pass that made it. So
// every merge that LLVM itself tells of is followed, not guessed.
//
// Cost: a table entry for each pair that was merged, one for each thing made.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace opcost::life {

// How sure it is that something comes from an instruction.
enum Certainty : uint8_t {
  kExact = 0,    // it carries its number
  kMerged = 1,   // LLVM made it of several, and said so
  kInferred = 2, // it serves, carries or replaces what has the number
};

// The most instructions that one merge is said to come from.
constexpr unsigned kMostSources = 16;

class Numbers {
public:
  struct Meaning {
    llvm::SmallVector<uint32_t, 2> sources; // of the source, ascending
    Certainty certainty;
    const char *pass;      // that made it; lives as long as the program
    const char *operation; // as it was made
    uint32_t own = 0;      // what took the others in, if it is one of them
  };

  // `last`: the highest number of the source. `chosen` says which are followed.
  Numbers(uint32_t last, std::vector<bool> chosen) : last(last), chosen(std::move(chosen)) {}

  // One number for what was two.
  uint32_t merge(uint32_t one, uint32_t other);
  // One number for what does its own work and, since selection, that of another.
  uint32_t fold(uint32_t own, uint32_t other);
  // Without what was folded into it.
  uint32_t own(uint32_t number) const;
  // A number for what a pass made. `source`: what it alone serves, or 0.
  uint32_t make(const char *pass, const char *operation, uint32_t source);

  // The instructions of the source behind a number; none for 0.
  llvm::ArrayRef<uint32_t> sources(const uint32_t &number) const;
  Certainty certainty(uint32_t number) const { return number <= last ? kExact : derived[number - last - 1].certainty; }
  bool is_keyed(uint32_t number) const { return !sources(number).empty(); }
  // Null for what is of the source, or was merged.
  const Meaning *meaning(uint32_t number) const { return number <= last ? nullptr : &derived[number - last - 1]; }
  bool is_chosen(uint32_t number) const { return number < chosen.size() && chosen[number]; }
  // The one to tell it by: its own if that was chosen, or the first that was, or
  // the first.
  uint32_t representative(uint32_t number) const;

private:
  uint32_t add(Meaning meaning);

  uint32_t last;
  std::vector<bool> chosen;
  std::vector<Meaning> derived;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> merges;
};

} // namespace opcost::life
