// What first versions and later ones of a function have in common.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace opcost {

// A loop header at which a running activation may be left for a newer version.
struct Header {
  llvm::BasicBlock *at;
  uint32_t block;                              // its number in the function
  uint32_t depth;                              // 1 is an outermost loop
  uint32_t outer;                              // number of the next header around it, or UINT32_MAX
  llvm::SmallVector<llvm::Value *, 16> values; // what the rest of the function needs, in a fixed order
};

// Why a function has no versions; null: it has some.
const char *unreplaceable(const llvm::Function &function);

// Why activations of a function are not left; null: they may be.
const char *unleavable(llvm::Function &function);

// The headers of loops, in the order of blocks: the same for the same bitcode. Innermost ones are among them. In first
// code, which is not optimised, a check there costs little, and a loop that runs for long is left.
std::vector<Header> headers_of(llvm::Function &function);

// Names of what belongs to a function. `name` is that of its symbol.
std::string word_name(llvm::StringRef name);
std::string loop_word_name(llvm::StringRef name, uint32_t block);

// Lets direct calls of replaceable functions go by their words.
void call_by_words(llvm::Module &module);

// Marks functions that have a word.
constexpr const char *kReplaceable = "opcost-replaceable";
// Marks functions that one call of their module calls, and nobody else.
constexpr const char *kCalledOnce = "opcost-called-once";
// Marks functions that are inlined nowhere, since they have more than so many instructions.
constexpr const char *kLarge = "opcost-large";
constexpr unsigned kLargest = 400;
// Says of a function the number of its first instruction among those of its module, and that of its first block.
constexpr const char *kFirst = "opcost-first";
// The section of words. The runtime's pads (c/live.c) stand around it.
constexpr const char *kWordSection = "opc_word";

// The most bytes of values that are written down at a header.
constexpr uint64_t kMostBytes = 2032;

// How values lie in memory when an activation is left.
llvm::StructType *record_of(const Header &header);

} // namespace opcost
