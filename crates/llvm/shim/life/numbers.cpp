// See numbers.h; and the hook on LLVM's own merging of locations.
#include "life/numbers.h"
#include "life/recorder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;
using namespace opcost::life;

ArrayRef<uint32_t> Numbers::sources(const uint32_t &number) const {
  if (number == 0) return {};
  if (number <= last) return ArrayRef<uint32_t>(&number, 1);
  return derived[number - last - 1].sources;
}

uint32_t Numbers::representative(uint32_t number) const {
  if (number <= last) return number;
  uint32_t own = derived[number - last - 1].own;
  if (is_chosen(own)) return representative(own);
  ArrayRef<uint32_t> all = derived[number - last - 1].sources;
  for (uint32_t source : all)
    if (is_chosen(source)) return source;
  if (is_keyed(own)) return representative(own);
  return all.empty() ? 0 : all.front();
}

uint32_t Numbers::add(Meaning meaning) {
  uint32_t number = last + 1 + uint32_t(derived.size());
  bool is_followed = any_of(meaning.sources, [&](uint32_t source) { return is_chosen(source); });
  if (is_followed) {
    if (chosen.size() <= number) chosen.resize(number + 1);
    chosen[number] = true;
  }
  derived.push_back(std::move(meaning));
  return number;
}

uint32_t Numbers::merge(uint32_t one, uint32_t other) {
  if (one == other) return one;
  auto key = std::minmax(one, other);
  auto [known, is_new] = merges.try_emplace({key.first, key.second}, 0);
  if (!is_new) return known->second;
  SmallVector<uint32_t, 2> all(sources(one));
  append_range(all, sources(other));
  llvm::sort(all);
  all.erase(llvm::unique(all), all.end());
  if (all.size() > kMostSources) all.truncate(kMostSources);
  Certainty certainty = std::max({Certainty(kMerged), this->certainty(one), this->certainty(other)});
  uint32_t number = add({all, certainty, nullptr, nullptr, 0});
  return merges[{key.first, key.second}] = number;
}

uint32_t Numbers::fold(uint32_t own, uint32_t other) {
  SmallVector<uint32_t, 2> all(sources(own));
  append_range(all, sources(other));
  llvm::sort(all);
  all.erase(llvm::unique(all), all.end());
  if (all.size() > kMostSources) all.truncate(kMostSources);
  if (ArrayRef<uint32_t>(all) == sources(own)) return own;
  const Meaning *known = meaning(own);
  Certainty certainty = std::max(Certainty(kMerged), this->certainty(own));
  return add({all, certainty, known ? known->pass : nullptr, known ? known->operation : nullptr, this->own(own)});
}

uint32_t Numbers::own(uint32_t number) const {
  const Meaning *known = meaning(number);
  return known && known->own ? known->own : number;
}

uint32_t Numbers::make(const char *pass, const char *operation, uint32_t source) {
  SmallVector<uint32_t, 2> all;
  append_range(all, sources(source));
  return add({all, kInferred, pass, operation, 0});
}

#define OPCOST_MERGE _ZN4llvm10DILocation17getMergedLocationEPS0_S1_
#define OPCOST_JOIN2(a, b) a##b
#define OPCOST_JOIN(a, b) OPCOST_JOIN2(a, b)

extern "C" {

DILocation *OPCOST_JOIN(__real_, OPCOST_MERGE)(DILocation *, DILocation *) __attribute__((weak));

// The scope is LLVM's choice; only the line says more than 0.
DILocation *OPCOST_JOIN(__wrap_, OPCOST_MERGE)(DILocation *one, DILocation *other) {
  DILocation *merged = OPCOST_JOIN(__real_, OPCOST_MERGE)(one, other);
  passed[kMerge]++;
  if (!active || !merged || merged == one || merged == other) return merged;
  uint32_t number = active->numbers().merge(one->getLine(), other->getLine());
  return DILocation::get(merged->getContext(), number, 0, merged->getScope(), merged->getInlinedAt());
}

} // extern "C"
