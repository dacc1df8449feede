// The optimiser's passes as clang runs them, each followed by a look.
#include "life/recorder.h"
#include "passes.h"
#include "shim.h"

#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace opcost::life;

namespace {

// Pass managers and adaptors are no passes.
bool is_pass(StringRef name) { return !name.contains("PassManager") && !name.contains("PassAdaptor") && !name.contains("Proxy"); }

void look(Recorder &recorder, StringRef pass, Any &unit) {
  if (auto *function = any_cast<const Function *>(&unit)) {
    recorder.ir(pass, *const_cast<Function *>(*function));
  } else if (auto *module = any_cast<const Module *>(&unit)) {
    for (Function &function : *const_cast<Module *>(*module)) recorder.ir(pass, function);
  } else if (auto *component = any_cast<const LazyCallGraph::SCC *>(&unit)) {
    for (LazyCallGraph::Node &node : **component) recorder.ir(pass, node.getFunction());
  } else if (auto *loop = any_cast<const Loop *>(&unit)) {
    recorder.ir(pass, *(*loop)->getHeader()->getParent());
  }
}

} // namespace

extern "C" void opcost_life_optimise(LLVMModuleRef handle, void *machine_handle, int32_t level, Recorder *recorder) {
  Module &module = *unwrap(handle);
  auto *machine = static_cast<TargetMachine *>(machine_handle);
  opcost::Watched watched;
  auto name = [&](StringRef type) {
    StringRef known = watched.callbacks.getPassNameForClassName(type);
    return known.empty() ? type : known;
  };
  if (recorder) {
    watched.callbacks.registerAfterPassCallback([&](StringRef pass, Any unit, const PreservedAnalyses &kept) {
      if (kept.areAllPreserved() || !is_pass(pass)) return;
      look(*recorder, name(pass), unit);
    });
    watched.callbacks.registerAfterPassInvalidatedCallback(
        [&](StringRef pass, const PreservedAnalyses &) { recorder->look_for_lost(name(pass)); });
  }
  PassBuilder builder(machine, opcost::clang_tuning(level), std::nullopt, &watched.callbacks);
  opcost::Managers managers(builder, module);
  ModulePassManager passes = opcost::clang_pipeline(builder, level);
  if (recorder)
    for (Function &function : module) recorder->ir("front end", function);
  passes.run(module, managers.modules);
}
