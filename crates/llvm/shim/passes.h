// The optimiser's passes as clang runs them: analyses, tuning, pipeline.
#pragma once

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"

namespace opcost {

// -Oz; -Os is one less, and the others are themselves.
constexpr int32_t kSmallest = 5;

// The analyses that passes ask for.
struct Managers {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;

  Managers(llvm::PassBuilder &builder, const llvm::Module &module) {
    llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
    functions.registerPass([=] { return llvm::TargetLibraryAnalysis(library); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

// What is called before and after passes. As clang does: a function marked `optnone`, as all are at -O0, is passed over.
struct Watched {
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::OptNoneInstrumentation unoptimised{/*DebugLogging=*/false};

  Watched() { unoptimised.registerCallbacks(callbacks); }
};

// clang's options at a level: with these the result is clang's own, byte for byte.
inline llvm::PipelineTuningOptions clang_tuning(int32_t level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = level > 1;
  tuning.LoopInterleaving = level > 1;
  // -Oz leaves loops as they are, and packs what stands in a row.
  tuning.LoopVectorization = level > 1 && level != kSmallest;
  tuning.SLPVectorization = level > 1;
  tuning.CallGraphProfile = true;
  return tuning;
}

// clang's pipeline at a level.
inline llvm::ModulePassManager clang_pipeline(llvm::PassBuilder &builder, int32_t level) {
  static const llvm::OptimizationLevel kLevels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                                    llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3,
                                                    llvm::OptimizationLevel::Os, llvm::OptimizationLevel::Oz};
  return level == 0 ? builder.buildO0DefaultPipeline(kLevels[0])
                    : builder.buildPerModuleDefaultPipeline(kLevels[level]);
}

} // namespace opcost
