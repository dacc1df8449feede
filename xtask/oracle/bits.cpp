// How many bits does each integer of a module need, by what LLVM knows, and by
// what runs show?
//
//     bits FILE.bc                    what LLVM knows, a line of JSON each
//     bits --part FILE.bc OUT.bc      the module, with calls of kernels kept
//     bits --observe FILE.bc OUT.bc   the module, telling bits_seen.c of values
//
// A value is an argument or an instruction of integer type with at most 64 bits,
// in the order of the module; its key is the function and a number that counts
// first the arguments, then all instructions, whatever their type. Each is asked
// for once, at its definition. The width of a range is the smaller of what its
// largest member needs without a sign and of what all need in two's complement.
//
// Functions that drive kernels (`main`, and those called `plain_…`, `drive_…` or
// `bits_…`) are told from the others. So that kernels stay what they are, their
// calls in those may be kept from being put in place, before anything is optimised.
//
//   lvi       LazyValueInfo's range, where undef is not allowed for
//   scev      ScalarEvolution's ranges, with and without sign
//   known     ValueTracking: without leading zeros or copies of the sign, or
//             bits that are not known, whichever are fewer
//   demanded  DemandedBits: how many; of an argument, by all uses together
//   fwd       the meet of the ranges of the first three; `range` is it in words
//   type      what a smaller type could have: fwd, or the highest demanded bit
//   all       of fwd's bits those that are not known and are demanded, and one
//             more if only copies of a sign are demanded and the sign is not
//
// The observer keeps of each value what any bit ever was, the extremes and how
// often it was computed without being poison (bits_poison.h says when it is).
//
// `cargo xtask bench bits` builds this with clang++ and llvm-config.

#include "bits_poison.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/DemandedBits.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <string>
#include <vector>

using namespace llvm;

namespace {

bool drives(const Function &function) {
  StringRef name = function.getName();
  return name == "main" || name.starts_with("plain_") || name.starts_with("bits_") || name.starts_with("drive_");
}

/// A value that is asked for, with its number in the function.
struct Asked {
  Value *value;
  unsigned index;
};

bool isAsked(const Value &value) {
  auto *type = dyn_cast<IntegerType>(value.getType());
  return type && type->getBitWidth() <= 64;
}

std::vector<Asked> valuesOf(Function &function) {
  std::vector<Asked> all;
  unsigned index = 0;
  for (Argument &argument : function.args()) {
    if (isAsked(argument)) all.push_back({&argument, index});
    ++index;
  }
  for (Instruction &instruction : instructions(function)) {
    if (isAsked(instruction)) all.push_back({&instruction, index});
    ++index;
  }
  return all;
}

/// Bits without a sign, and in two's complement.
struct Width {
  unsigned plain, withSign;
  unsigned least() const { return std::min(plain, withSign); }
  void meet(Width other) {
    plain = std::min(plain, other.plain);
    withSign = std::min(withSign, other.withSign);
  }
};

Width widthOf(const ConstantRange &range) {
  if (range.isEmptySet()) return {0, 0};
  unsigned low = range.getSignedMin().getSignificantBits(), high = range.getSignedMax().getSignificantBits();
  return {range.getUnsignedMax().getActiveBits(), std::max(low, high)};
}

/// With the sign that needs fewer bits.
std::string textOf(const ConstantRange &range) {
  if (range.isEmptySet()) return "never";
  Width width = widthOf(range);
  bool isSigned = width.withSign < width.plain;
  APInt low = isSigned ? range.getSignedMin() : range.getUnsignedMin();
  APInt high = isSigned ? range.getSignedMax() : range.getUnsignedMax();
  return toString(low, 10, isSigned) + ".." + toString(high, 10, isSigned);
}

/// The analyses of one function.
struct Analyses {
  Function &function;
  AssumptionCache &assumptions;
  DominatorTree &dominators;
  LazyValueInfo &lazy;
  ScalarEvolution &evolution;
  DemandedBits &demanded;

  Analyses(Function &function, FunctionAnalysisManager &manager)
      : function(function),
        assumptions(manager.getResult<AssumptionAnalysis>(function)),
        dominators(manager.getResult<DominatorTreeAnalysis>(function)),
        lazy(manager.getResult<LazyValueAnalysis>(function)),
        evolution(manager.getResult<ScalarEvolutionAnalysis>(function)),
        demanded(manager.getResult<DemandedBitsAnalysis>(function)) {}

  Instruction *placeOf(Value *value) {
    if (auto *instruction = dyn_cast<Instruction>(value)) return instruction;
    return &function.getEntryBlock().front();
  }

  APInt demandedOf(Value *value) {
    unsigned width = value->getType()->getIntegerBitWidth();
    if (auto *instruction = dyn_cast<Instruction>(value)) {
      if (demanded.isInstructionDead(instruction)) return APInt::getZero(width);
      return demanded.getDemandedBits(instruction);
    }
    APInt bits = APInt::getZero(width);
    for (Use &use : value->uses()) {
      if (demanded.isUseDead(&use)) continue;
      // Users without a size (stores, branches, returns) take all, and may not be asked.
      if (!use.getUser()->getType()->isSized()) return APInt::getAllOnes(width);
      bits |= demanded.getDemandedBits(&use);
    }
    return bits;
  }
};

/// Of the lowest `fwd` bits those that are neither known nor free.
unsigned liveBits(Width fwd, const KnownBits &known, const APInt &demanded) {
  unsigned width = demanded.getBitWidth(), kept = std::min(fwd.least(), width);
  APInt open = demanded & ~(known.Zero | known.One);
  APInt live = open & APInt::getLowBitsSet(width, kept);
  unsigned count = live.popcount();
  bool hasSign = fwd.withSign < fwd.plain && kept > 0 && kept < width;
  if (!hasSign || live[kept - 1]) return count;
  bool isSignAsked = !(open & APInt::getHighBitsSet(width, width - kept)).isZero();
  return count + isSignAsked;
}

void describe(Asked asked, Analyses &analyses, raw_ostream &out) {
  Value *value = asked.value;
  Instruction *place = analyses.placeOf(value);
  const DataLayout &layout = analyses.function.getDataLayout();
  unsigned width = value->getType()->getIntegerBitWidth();

  KnownBits known = computeKnownBits(value, layout, &analyses.assumptions, place, &analyses.dominators);
  unsigned copies = ComputeNumSignBits(value, layout, &analyses.assumptions, place, &analyses.dominators);
  // What is known of code that is never reached may contradict itself.
  if (known.hasConflict()) known.resetAll();
  Width byKnown{width - known.countMinLeadingZeros(), width - copies + 1};
  unsigned unknown = width - (known.Zero | known.One).popcount();

  ConstantRange lazy = analyses.lazy.getConstantRange(value, place, /*UndefAllowed=*/false);
  Width byLazy = widthOf(lazy), byEvolution{width, width};
  ConstantRange meet = lazy;
  if (analyses.evolution.isSCEVable(value->getType())) {
    const SCEV *expression = analyses.evolution.getSCEV(value);
    ConstantRange plain = analyses.evolution.getUnsignedRange(expression);
    ConstantRange withSign = analyses.evolution.getSignedRange(expression);
    byEvolution.meet(widthOf(plain));
    byEvolution.meet(widthOf(withSign));
    meet = meet.intersectWith(plain).intersectWith(withSign);
  }
  meet = meet.intersectWith(ConstantRange::fromKnownBits(known, false));
  meet = meet.intersectWith(ConstantRange::fromKnownBits(known, true));
  Width fwd = widthOf(meet);
  for (Width other : {byLazy, byEvolution, byKnown}) fwd.meet(other);
  APInt demanded = analyses.demandedOf(value);

  json::Object row;
  row["function"] = analyses.function.getName().str();
  row["drives"] = drives(analyses.function);
  row["index"] = asked.index;
  row["parameters"] = analyses.function.arg_size();
  auto *instruction = dyn_cast<Instruction>(value);
  row["opcode"] = instruction ? instruction->getOpcodeName() : "argument";
  if (instruction && instruction->getDebugLoc()) row["line"] = instruction->getDebugLoc().getLine();
  row["width"] = width;
  row["lvi"] = byLazy.least();
  row["scev"] = byEvolution.least();
  row["known"] = std::min(byKnown.least(), unknown);
  row["demanded"] = demanded.popcount();
  row["fwd"] = fwd.least();
  row["range"] = textOf(meet);
  row["type"] = std::min(fwd.least(), demanded.getActiveBits());
  row["all"] = liveBits(fwd, known, demanded);
  out << json::Value(std::move(row)) << "\n";
}

void ask(Module &module) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  for (Function &function : module) {
    if (function.isDeclaration()) continue;
    Analyses analyses(function, functions);
    for (Asked asked : valuesOf(function)) describe(asked, analyses, outs());
    // What is known of one function is of no use for the next.
    functions.clear(function, function.getName());
  }
}

int write(Module &module, StringRef path) {
  if (verifyModule(module, &errs())) return 1;
  std::error_code trouble;
  raw_fd_ostream out(path, trouble, sys::fs::OF_None);
  if (trouble) {
    errs() << "bits: " << path << ": " << trouble.message() << "\n";
    return 1;
  }
  WriteBitcodeToFile(module, out);
  return 0;
}

/// Keeps the calls that lead from what drives kernels into these.
int part(Module &module, StringRef path) {
  for (Function &function : module) {
    if (!drives(function)) continue;
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      Function *called = call ? call->getCalledFunction() : nullptr;
      if (called && !called->isDeclaration() && !drives(*called)) call->setIsNoInline();
    }
  }
  return write(module, path);
}

/// Where the value can be looked at first, if anywhere.
std::optional<BasicBlock::iterator> placeAfter(Value *value, Function &function) {
  if (isa<Argument>(value)) return function.getEntryBlock().getFirstInsertionPt();
  auto *instruction = cast<Instruction>(value);
  auto *call = dyn_cast<CallInst>(instruction);
  if (call && call->isMustTailCall()) return std::nullopt;
  return instruction->getInsertionPointAfterDef();
}

/// After each value a call that tells of it; a list of the keys for the end.
int observe(Module &module, StringRef path) {
  LLVMContext &context = module.getContext();
  IRBuilder<> builder(context);
  Type *word = builder.getInt64Ty(), *number = builder.getInt32Ty();
  FunctionCallee see = module.getOrInsertFunction("opcost_bits_see", builder.getVoidTy(), number, number, word);
  std::vector<Constant *> names, indices;
  for (Function &function : module) {
    if (function.isDeclaration()) continue;
    Constant *name = nullptr;
    std::vector<Asked> all = valuesOf(function);
    PoisonBits poison(function);
    for (Asked asked : all) {
      auto place = placeAfter(asked.value, function);
      if (!place) continue;
      if (!name) name = builder.CreateGlobalString(function.getName(), "", 0, &module);
      Value *bit = poison.of(asked.value);
      if (auto behind = poison.placeBehind(asked.value)) place = behind;
      builder.SetInsertPoint((*place)->getParent(), *place);
      // The verifier wants a place at calls of functions that may be inlined.
      if (DISubprogram *program = function.getSubprogram()) {
        builder.SetCurrentDebugLocation(DILocation::get(context, 0, 0, program));
      } else {
        builder.SetCurrentDebugLocation(DebugLoc());
      }
      Value *wide = builder.CreateZExt(asked.value, word);
      Value *width = builder.getInt32(asked.value->getType()->getIntegerBitWidth());
      width = builder.CreateSelect(bit, builder.getInt32(0), width);
      builder.CreateCall(see, {builder.getInt32(names.size()), width, wide});
      names.push_back(name);
      indices.push_back(builder.getInt32(asked.index));
    }
  }
  Type *pointer = builder.getPtrTy();
  auto table = [&](Type *type, ArrayRef<Constant *> entries, const char *name) {
    auto *all = ArrayType::get(type, entries.size());
    new GlobalVariable(module, all, true, GlobalValue::ExternalLinkage, ConstantArray::get(all, entries), name);
  };
  Constant *count = builder.getInt32(names.size());
  new GlobalVariable(module, number, true, GlobalValue::ExternalLinkage, count, "opcost_bits_count");
  names.push_back(Constant::getNullValue(pointer));
  indices.push_back(builder.getInt32(0));
  table(pointer, names, "opcost_bits_functions");
  table(number, indices, "opcost_bits_indices");
  return write(module, path);
}

} // namespace

int main(int count, char **words) {
  StringRef verb = count == 4 ? words[1] : "";
  if (count != 2 && verb != "--observe" && verb != "--part") {
    errs() << "usage: bits FILE.bc, or bits --observe FILE.bc OUT.bc, or bits --part FILE.bc OUT.bc\n";
    return 2;
  }
  LLVMContext context;
  SMDiagnostic trouble;
  std::unique_ptr<Module> module = parseIRFile(words[count == 4 ? 2 : 1], trouble, context);
  if (!module) {
    trouble.print("bits", errs());
    return 1;
  }
  if (verb == "--part") return part(*module, words[3]);
  if (verb == "--observe") return observe(*module, words[3]);
  ask(*module);
  return 0;
}
