// Where clang's profile passes read and write: the module as it is there, what
// they would count in it, and the file that they read.
//
// The way there is the optimiser's own pipeline for `-fprofile-generate`, as clang
// sets it up, up to the pass that would put counters in; from there on nothing
// runs. Which counters there would be, that pass is asked itself: it works on the
// module, and for each increment it is told how often the block that it stands in
// runs, in edges of the module as it was before (the pass splits edges and, before
// indirect branches, blocks). Hashes, names and the file's format are LLVM's too.
//
// A coroutine is whole there, and its frames cannot be followed. LLVM's own passes split it into functions,
// which can be counted. They bear a mark: clang's profile is of the whole coroutine, so it has none of them.
#include "generate.h"
#include "passes.h"
#include "shim.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/ProfileData/InstrProfWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/PGOOptions.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"
#include "llvm/Transforms/Instrumentation/PGOInstrumentation.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace {

// The pass at whose door the anchor stands, by its class.
constexpr const char *kDoor = "PGOInstrumentationGen";
// Stands for the function's entry among blocks.
constexpr uint32_t kEntry = UINT32_MAX;

char *write_bitcode(const Module &module, const char *path) {
  std::error_code code;
  raw_fd_ostream out(path, code, sys::fs::OF_None);
  if (code) return opcost::copy(std::string("cannot write ") + path + ": " + code.message());
  WriteBitcodeToFile(module, out, /*ShouldPreserveUseListOrder=*/true);
  out.flush();
  if (!out.has_error()) return nullptr;
  std::string message = std::string("cannot write ") + path + ": " + out.error().message();
  out.clear_error();
  return opcost::copy(message);
}

// The mark of functions that were a coroutine, or a part of one.
constexpr const char *kSplit = "opcost-split";

// Splits all coroutines as LLVM does.
void split_coroutines(Module &module, TargetMachine *machine, int32_t level) {
  DenseSet<const Function *> whole;
  for (Function &function : module)
    if (!function.isPresplitCoroutine()) whole.insert(&function);
  PassBuilder builder(machine);
  opcost::Managers managers(builder, module);
  ModulePassManager passes;
  passes.addPass(CoroEarlyPass());
  passes.addPass(createModuleToPostOrderCGSCCPassAdaptor(CoroSplitPass(/*OptimizeFrame=*/level > 0)));
  passes.addPass(CoroCleanupPass());
  passes.run(module, managers.modules);
  for (Function &function : module)
    if (!function.isDeclaration() && !whole.contains(&function)) function.addFnAttr(kSplit);
}

// Writes the module, with its coroutines split.
char *write_anchor(const Module &module, TargetMachine *machine, int32_t level, const char *path) {
  if (none_of(module, [](const Function &function) { return function.isPresplitCoroutine(); }))
    return write_bitcode(module, path);
  std::unique_ptr<Module> copy = CloneModule(module);
  split_coroutines(*copy, machine, level);
  return write_bitcode(*copy, path);
}

// One way into a block: a successor of a block as it was, or the entry.
struct Way {
  uint32_t block;
  uint32_t slot;
};

// Blocks of a function by the terminators that they had.
using Ends = DenseMap<const Instruction *, uint32_t>;

// All ways by which control comes into `block`, through blocks that were not there.
void ways_into(const BasicBlock *block, const Ends &ends, SmallVectorImpl<Way> &ways) {
  SmallVector<const BasicBlock *, 4> open{block};
  SmallPtrSet<const BasicBlock *, 4> seen{block};
  while (!open.empty()) {
    const BasicBlock *into = open.pop_back_val();
    if (into->isEntryBlock()) ways.push_back({kEntry, 0});
    SmallPtrSet<const BasicBlock *, 8> sources(llvm::from_range, predecessors(into));
    SmallVector<const BasicBlock *, 8> ordered;
    for (const BasicBlock *source : predecessors(into))
      if (sources.erase(source)) ordered.push_back(source);
    for (const BasicBlock *source : ordered) {
      const Instruction *end = source->getTerminator();
      auto known = ends.find(end);
      if (known == ends.end()) {
        if (seen.insert(source).second) open.push_back(source);
        continue;
      }
      for (uint32_t slot = 0; slot < end->getNumSuccessors(); slot++)
        if (end->getSuccessor(slot) == into) ways.push_back({known->second, slot});
    }
  }
}

} // namespace

extern "C" {

struct opcost_pgo_sink {
  void *context;
  // A function that is profiled: its number among those defined, name, hash, counters.
  void (*function)(void *, uint32_t, const char *, size_t, uint64_t, uint32_t);
  // A counter counts as often as these ways are taken, or those of them that
  // choose the first value of a select.
  void (*counter)(void *, uint32_t, bool, const uint32_t *, size_t);
  // So many values of a kind are profiled.
  void (*sites)(void *, uint32_t, uint32_t);
};

// Writes the module as clang's profile passes find it; null, or what went wrong.
char *opcost_pgo_anchor(LLVMModuleRef handle, const opcost_emission *how, int32_t level, const char *path) {
  Module &module = *unwrap(handle);
  std::string error;
  std::unique_ptr<TargetMachine> machine = opcost::machine_for(module, *how, error);
  if (!machine) return opcost::copy(error);
  opcost::Watched watched;
  bool is_there = false;
  char *wrong = nullptr;
  watched.callbacks.registerShouldRunOptionalPassCallback([&](StringRef pass, Any) {
    if (!is_there && pass == kDoor) {
      is_there = true;
      wrong = write_anchor(module, machine.get(), level, path);
    }
    return !is_there;
  });
  // Blocks on one line are kept apart by discriminators, for profiles by line.
  PGOOptions profile("default_%m.profraw", "", "", "", PGOOptions::IRInstr, PGOOptions::NoCSAction,
                     PGOOptions::ColdFuncOpt::Default, /*DebugInfoForProfiling=*/true);
  PassBuilder builder(machine.get(), opcost::clang_tuning(level), profile, &watched.callbacks);
  opcost::Managers managers(builder, module);
  opcost::clang_pipeline(builder, level).run(module, managers.modules);
  return is_there ? wrong : opcost::copy("LLVM's pipeline has no pass that profiles");
}

// Tells what would be counted. The module is good for nothing else afterwards.
void opcost_pgo_counters(LLVMModuleRef handle, const opcost_pgo_sink *sink) {
  Module &module = *unwrap(handle);
  DenseMap<const Function *, uint32_t> numbers;
  DenseMap<const Function *, Ends> ends;
  for (Function &function : module) {
    if (function.isDeclaration()) continue;
    numbers[&function] = uint32_t(numbers.size());
    Ends &own = ends[&function];
    uint32_t number = 0;
    for (BasicBlock &block : function) own[block.getTerminator()] = number++;
  }
  PassBuilder builder;
  opcost::Managers managers(builder, module);
  PGOInstrumentationGen().run(module, managers.modules);
  for (Function &function : module) {
    auto number = numbers.find(&function);
    if (number == numbers.end() || function.hasFnAttribute(kSplit)) continue;
    bool is_told = false;
    uint32_t sites[IPVK_Last + 1] = {};
    for (Instruction &instruction : instructions(function)) {
      if (auto *site = dyn_cast<InstrProfValueProfileInst>(&instruction)) {
        uint64_t kind = site->getValueKind()->getZExtValue();
        if (kind <= IPVK_Last) sites[kind] = std::max(sites[kind], uint32_t(site->getIndex()->getZExtValue()) + 1);
        continue;
      }
      auto *increment = dyn_cast<InstrProfIncrementInst>(&instruction);
      if (!increment) continue;
      if (!is_told) {
        is_told = true;
        auto *named = cast<GlobalVariable>(increment->getArgOperand(0)->stripPointerCasts());
        StringRef name = getPGOFuncNameVarInitializer(named);
        sink->function(sink->context, number->second, name.data(), name.size(), increment->getHash()->getZExtValue(),
                       uint32_t(increment->getNumCounters()->getZExtValue()));
      }
      SmallVector<Way, 8> ways;
      ways_into(increment->getParent(), ends[&function], ways);
      static_assert(sizeof(Way) == 2 * sizeof(uint32_t), "told as pairs");
      sink->counter(sink->context, uint32_t(increment->getIndex()->getZExtValue()),
                    isa<InstrProfIncrementInstStep>(increment), reinterpret_cast<const uint32_t *>(ways.data()),
                    ways.size());
    }
    for (uint32_t kind = 0; is_told && kind <= IPVK_Last; kind++)
      if (sites[kind]) sink->sites(sink->context, kind, sites[kind]);
  }
}

// A function that was called through a pointer, at one of its caller's sites.
struct opcost_pgo_target {
  const char *name;
  size_t name_length;
  uint64_t calls;
  uint32_t site;
};

struct opcost_pgo_record {
  const char *name;
  size_t name_length;
  uint64_t hash;
  const uint64_t *counts;
  size_t count;
  // Of each kind, how many values are profiled.
  const uint32_t *sites;
  size_t kinds;
  // What is known of them: whom calls through pointers called.
  const opcost_pgo_target *targets;
  size_t target_count;
};

// Writes an indexed profile; null, or what went wrong.
char *opcost_pgo_write(const char *path, const opcost_pgo_record *records, size_t count) {
  InstrProfWriter writer;
  std::string text;
  auto warn = [&](Error error) { text = toString(std::move(error)); };
  if (Error error = writer.mergeProfileKind(InstrProfKind::IRInstrumentation))
    return opcost::copy(toString(std::move(error)));
  for (size_t i = 0; i < count; i++) {
    const opcost_pgo_record &one = records[i];
    NamedInstrProfRecord record(StringRef(one.name, one.name_length), one.hash,
                                std::vector<uint64_t>(one.counts, one.counts + one.count));
    for (uint32_t kind = 0; kind < one.kinds; kind++) {
      if (!one.sites[kind]) continue;
      record.reserveSites(kind, one.sites[kind]);
      for (uint32_t site = 0; site < one.sites[kind]; site++) {
        std::vector<InstrProfValueData> values;
        for (size_t at = 0; kind == IPVK_IndirectCallTarget && at < one.target_count; at++) {
          const opcost_pgo_target &target = one.targets[at];
          if (target.site != site) continue;
          values.push_back({IndexedInstrProf::ComputeHash(StringRef(target.name, target.name_length)), target.calls});
        }
        record.addValueData(kind, site, values, nullptr);
      }
    }
    writer.addRecord(std::move(record), warn);
    if (!text.empty()) return opcost::copy(std::string(one.name, one.name_length) + ": " + text);
  }
  std::error_code code;
  raw_fd_ostream out(path, code, sys::fs::OF_None);
  if (code) return opcost::copy(std::string("cannot write ") + path + ": " + code.message());
  if (Error error = writer.write(out)) return opcost::copy(toString(std::move(error)));
  out.flush();
  if (!out.has_error()) return nullptr;
  std::string message = std::string("cannot write ") + path + ": " + out.error().message();
  out.clear_error();
  return opcost::copy(message);
}

} // extern "C"
