// What does LLVM's inference of counts from samples ("profi") make of counts that
// are seen of blocks?
//
//     profi blocks IN.bc OUT.bc   the module with block k of each function on line
//                                 k + 1 of a function that begins on line 1
//     profi lines IN.bc OUT.bc    the module with its own lines
//     profi infer FILE.bc SEEN    the same of what the inference itself says of SEEN: a
//                                 name, a tab, a count for each block or `-`
//     profi read FILE.bc          a line for each function: its name, how often it
//                                 is entered, how often each of its blocks runs
//
// `infer` calls LLVM's algorithm as the loader does, and takes its counts before they
// become weights of branches: in 32 bits, and multiplied out again, they are others.
//
// The loader of sample profiles finds counts by lines, and annotates functions that
// ask for it (attribute `use-sample-profile`), so the first two make a module ready
// for `opt -passes=sample-profile`. It passes over branches, phis and intrinsics:
// in the first form each block gets an instruction that does nothing and alone
// stands on its line, so that every block can be told of. What the loader inferred
// is an entry count and weights of branches; it is read as LLVM's passes read it, by
// BlockFrequencyInfo. A function without an entry count is told with zeros.
//
// `cargo xtask bench sampling` builds this with clang++ and llvm-config.

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/SampleProfileInference.h"
#include <string>

using namespace llvm;

[[noreturn]] static void fail(const Twine &Why) {
  errs() << "profi: " << Why << "\n";
  exit(1);
}

// Every block on a line of its own.
static void numberBlocks(Module &M) {
  StripDebugInfo(M);
  DIBuilder Builder(M);
  DIFile *File = Builder.createFile("blocks", ".");
  Builder.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C), File, "profi", true, "", 0,
                            "", DICompileUnit::LineTablesOnly, 0, true, true);
  DISubroutineType *Type = Builder.createSubroutineType(Builder.getOrCreateTypeArray({}));
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    DISubprogram *Place =
        Builder.createFunction(File, F.getName(), F.getName(), File, 1, Type, 1,
                               DINode::FlagZero, DISubprogram::SPFlagDefinition);
    F.setSubprogram(Place);
    unsigned Line = 1;
    for (BasicBlock &B : F) {
      // Calls of functions that may be put in place must have some line.
      DILocation *Here = DILocation::get(M.getContext(), Line++, 0, Place);
      BasicBlock::iterator First = B.getFirstInsertionPt();
      if (First == B.end())
        continue;
      for (Instruction &I : B)
        if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
          I.setDebugLoc(Here);
      auto *Mark = new FreezeInst(ConstantInt::getTrue(M.getContext()), "", First);
      Mark->setDebugLoc(Here);
    }
  }
  Builder.finalize();
  if (!M.getModuleFlag("Debug Info Version"))
    M.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
}

static void save(Module &M, const char *Path) {
  for (Function &F : M)
    if (!F.isDeclaration()) {
      F.addFnAttr("use-sample-profile");
      F.setMetadata(LLVMContext::MD_prof, nullptr);
    }
  std::string Broken;
  raw_string_ostream Words(Broken);
  if (verifyModule(M, &Words))
    fail(Broken);
  std::error_code Error;
  raw_fd_ostream Out(Path, Error, sys::fs::OF_None);
  if (Error)
    fail(Twine(Path) + ": " + Error.message());
  WriteBitcodeToFile(M, Out);
}

static void read(Module &M) {
  PassBuilder Builder;
  FunctionAnalysisManager Functions;
  LoopAnalysisManager Loops;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    auto Entries = F.getEntryCount();
    outs() << F.getName() << "\t" << (Entries ? Entries->getCount() : 0) << "\t";
    auto &Frequencies = Functions.getResult<BlockFrequencyAnalysis>(F);
    for (BasicBlock &B : F) {
      uint64_t Count = 0;
      if (Entries)
        if (auto Known = Frequencies.getBlockProfileCount(&B))
          Count = *Known;
      outs() << (&B == &F.getEntryBlock() ? "" : " ") << Count;
    }
    outs() << "\n";
  }
}

// What the loader of profiles (LLVM's SampleProfile.cpp) tells the inference of IR.
namespace llvm {
template <> bool SampleProfileInference<Function>::isExit(const BasicBlock *B) {
  return succ_empty(B);
}

template <>
void SampleProfileInference<Function>::findUnlikelyJumps(
    const std::vector<const BasicBlock *> &Blocks, BlockEdgeMap &Successors,
    FlowFunction &Flow) {
  for (FlowJump &Jump : Flow.Jumps) {
    const auto &Ways = Successors[Blocks[Jump.Source]];
    const BasicBlock *To = Blocks[Jump.Target];
    bool IsUnwinding = isa<InvokeInst>(Blocks[Jump.Source]->getTerminator()) &&
                       Ways.size() == 2 && Ways.back() == To;
    Jump.IsUnlikely = IsUnwinding || isa<UnreachableInst>(To->getTerminator());
  }
}
} // namespace llvm

// Profi's own counts of one function.
static void inferFunction(Function &F, ArrayRef<StringRef> Seen) {
  using Inference = SampleProfileInference<Function>;
  Inference::BlockWeightMap Weights, Inferred;
  Inference::EdgeWeightMap Edges;
  Inference::BlockEdgeMap Successors;
  size_t At = 0;
  bool IsSeen = false;
  for (BasicBlock &B : F) {
    uint64_t Weight;
    if (At < Seen.size() && !Seen[At++].getAsInteger(10, Weight)) {
      Weights[&B] = Weight;
      IsSeen |= Weight > 0;
    }
    SmallPtrSet<const BasicBlock *, 8> Known;
    for (const BasicBlock *Next : successors(&B))
      if (Known.insert(Next).second)
        Successors[&B].push_back(Next);
  }
  if (At != F.size())
    fail(F.getName() + " has another number of blocks");
  // A function without samples is not in a profile.
  if (IsSeen)
    Inference(F, Successors, Weights).apply(Inferred, Edges);
  outs() << F.getName() << "\t" << Inferred.lookup(&F.getEntryBlock()) << "\t";
  for (BasicBlock &B : F)
    outs() << (&B == &F.getEntryBlock() ? "" : " ") << Inferred.lookup(&B);
  outs() << "\n";
}

static void infer(Module &M, const char *Path) {
  auto File = MemoryBuffer::getFile(Path);
  if (!File)
    fail(Twine(Path) + ": " + File.getError().message());
  SmallVector<StringRef> Lines, Counts;
  (*File)->getBuffer().split(Lines, '\n', -1, false);
  for (StringRef Line : Lines) {
    auto [Name, Rest] = Line.split('\t');
    Function *F = M.getFunction(Name);
    if (!F || F->isDeclaration())
      fail("no function is called " + Name);
    Counts.clear();
    Rest.split(Counts, ' ');
    inferFunction(*F, Counts);
  }
}

int main(int Count, char **Words) {
  if (Count < 3)
    fail("blocks IN OUT, lines IN OUT, infer FILE SEEN, or read FILE");
  std::string Verb = Words[1];
  LLVMContext Context;
  SMDiagnostic Problem;
  std::unique_ptr<Module> M = parseIRFile(Words[2], Problem, Context);
  if (!M)
    fail(Twine(Words[2]) + ": " + Problem.getMessage());
  if (Verb == "read") {
    read(*M);
    return 0;
  }
  if (Verb == "infer" && Count == 4) {
    infer(*M, Words[3]);
    return 0;
  }
  if (Count != 4 || (Verb != "blocks" && Verb != "lines"))
    fail("blocks IN OUT, lines IN OUT, infer FILE SEEN, or read FILE");
  if (Verb == "blocks")
    numberBlocks(*M);
  save(*M, Words[3]);
}
