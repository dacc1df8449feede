// From where clang's profile passes read to the end of the optimiser's pipeline.
//
// `-fprofile-use` is a pass in the middle of the pipeline. Here it runs by itself, so that what it wrote can be used
// before the rest runs. The rest is clang's own pipeline, of which everything up to that pass is skipped. If
// nothing is changed in between, the result is that of clang with the same profile.
#include "generate.h"
#include "passes.h"
#include "shim.h"
#include "unrolling.h"

#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/PGOOptions.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Transforms/Instrumentation/PGOInstrumentation.h"

using namespace llvm;

namespace {

// The pass after which the rest begins, by its class.
constexpr const char *kDoor = "PGOInstrumentationUse";
// The pass that unrolls loops that run as often as their code says.
constexpr const char *kUnroller = "LoopUnrollPass";

// A function whose flow is another than that of the profile is no error: it has no counts.
class Warned : public DiagnosticHandler {
public:
  explicit Warned(std::string &error) : error(error) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error && error.empty()) {
      raw_string_ostream text(error);
      DiagnosticPrinterRawOStream printer(text);
      info.print(printer);
    }
    return true;
  }

private:
  std::string &error;
};

} // namespace

extern "C" {

// Writes the counts of an indexed profile into the module as clang does; null, or what went wrong.
char *opcost_pgo_use(LLVMModuleRef handle, const char *profile) {
  Module &module = *unwrap(handle);
  std::string error;
  std::unique_ptr<DiagnosticHandler> before = module.getContext().getDiagnosticHandler();
  module.getContext().setDiagnosticHandler(std::make_unique<Warned>(error));
  PassBuilder builder;
  opcost::Managers managers(builder, module);
  ModulePassManager passes;
  passes.addPass(PGOInstrumentationUse(profile, "", /*IsCS=*/false, vfs::getRealFileSystem()));
  passes.addPass(RequireAnalysisPass<ProfileSummaryAnalysis, Module>());
  passes.run(module, managers.modules);
  module.getContext().setDiagnosticHandler(std::move(before));
  return error.empty() ? nullptr : opcost::copy(error);
}

// Runs what follows; null, or what went wrong. `profile` is the file that was read. Numbered loops are unrolled as
// `loops` says, which gets what was done.
char *opcost_pgo_finish(LLVMModuleRef handle, const opcost_emission *how, int32_t level, const char *profile,
                        opcost_unrolled_loop *loops, size_t count) {
  Module &module = *unwrap(handle);
  std::string error;
  std::unique_ptr<TargetMachine> machine = opcost::machine_for(module, *how, error);
  if (!machine) return opcost::copy(error);
  opcost::Watched watched;
  bool is_past = false;
  watched.callbacks.registerShouldRunOptionalPassCallback([&](StringRef pass, Any) {
    bool runs = is_past;
    is_past |= pass == kDoor;
    return runs;
  });
  PGOOptions options(profile, "", "", "", PGOOptions::IRUse);
  PassBuilder builder(machine.get(), opcost::clang_tuning(level), options, &watched.callbacks);
  opcost::Managers managers(builder, module);
  auto function_of = [](const Any &what) { return const_cast<Function *>(*any_cast<const Function *>(&what)); };
  if (count) {
    watched.callbacks.registerBeforeNonSkippedPassCallback([&](StringRef pass, Any what) {
      if (pass == kUnroller) opcost::ask_unroller(*function_of(what), managers.functions, loops, count);
    });
    watched.callbacks.registerAfterPassCallback([&](StringRef pass, Any what, const PreservedAnalyses &) {
      if (pass == kUnroller) opcost::ask_unroller_no_more(*function_of(what), loops, count);
    });
  }
  opcost::clang_pipeline(builder, level).run(module, managers.modules);
  return is_past ? nullptr : opcost::copy("LLVM's pipeline has no pass that reads a profile");
}

} // extern "C"
