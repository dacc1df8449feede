// What does LLVM's ScalarEvolution say of every loop of a module?
//
//     evolution FILE.bc
//
// One line of JSON for each natural loop, function by function, in the order
// in which LoopInfo walks them. ScalarEvolution is asked three things of each:
// the exact number of times its back edges are taken, a symbolic maximum and a
// constant one. What it answers is put into words:
//
//   kind     constant  the exact number
//            formula   an exact expression; `leaves` says what stands in it:
//                      argument, load, call, phi, other, and counter for the
//                      counter of a loop around it
//            bound     not exact, but a maximum that means something: an
//                      expression, or a number well below what the counter's
//                      type gives by itself (a 256th of it)
//            unknown   none of these
//   blockers what stands behind the exits that it could not count: compare of
//            floats, load in the loop, result of a call, phi, switch, other
//
// Expressions are not printed: in a module of SQLite's size LLVM's printer
// needs minutes, for it numbers the function's values anew for each.
//
// `cargo xtask bench loops` builds this with clang++ and llvm-config.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <set>
#include <string>

using namespace llvm;

namespace {

using Words = std::set<std::string>;

/// What an expression is made of.
struct Leaves {
  Words words;
  bool follow(const SCEV *expression) {
    if (isa<SCEVAddRecExpr>(expression)) {
      words.insert("counter");
    } else if (auto *unknown = dyn_cast<SCEVUnknown>(expression)) {
      const Value *value = unknown->getValue();
      words.insert(isa<Argument>(value)   ? "argument"
                   : isa<LoadInst>(value) ? "load"
                   : isa<CallBase>(value) ? "call"
                   : isa<PHINode>(value)  ? "phi"
                                          : "other");
    }
    return true;
  }
  bool isDone() const { return false; }
};

Words leavesOf(const SCEV *expression) {
  Leaves leaves;
  visitAll(expression, leaves);
  return leaves.words;
}

/// What the condition of an exit that could not be counted rests on, looked up
/// through at most `fuel` operands.
void findBlockers(const Value *value, const Loop &loop, unsigned &fuel, Words &found) {
  if (fuel == 0) {
    found.insert("other");
    return;
  }
  --fuel;
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !loop.contains(instruction)) return;
  if (isa<FCmpInst>(instruction)) {
    found.insert("float compare");
  } else if (isa<LoadInst>(instruction)) {
    found.insert("load in the loop");
  } else if (isa<CallBase>(instruction)) {
    found.insert("call");
  } else if (isa<PHINode>(instruction)) {
    found.insert("phi");
  } else {
    for (const Value *operand : instruction->operands()) findBlockers(operand, loop, fuel, found);
  }
}

Words blockersOf(const Loop &loop, ScalarEvolution &evolution) {
  Words found;
  SmallVector<BasicBlock *, 8> exiting;
  loop.getExitingBlocks(exiting);
  if (exiting.empty()) found.insert("no exit");
  for (BasicBlock *block : exiting) {
    if (!isa<SCEVCouldNotCompute>(evolution.getExitCount(&loop, block))) continue;
    const Instruction *end = block->getTerminator();
    unsigned fuel = 64;
    if (auto *branch = dyn_cast<BranchInst>(end); branch && branch->isConditional()) {
      findBlockers(branch->getCondition(), loop, fuel, found);
    } else {
      found.insert(isa<SwitchInst>(end) ? "switch" : "other");
    }
  }
  return found;
}

/// Whether the number lies well below what a counter of this width can reach.
bool meansSomething(const APInt &maximum) {
  unsigned width = maximum.getBitWidth();
  return maximum.getActiveBits() + 8 <= width;
}

json::Array array(const Words &words) {
  json::Array result;
  for (const std::string &word : words) result.push_back(word);
  return result;
}

std::string decimal(const APInt &number) {
  SmallString<40> text;
  number.toStringUnsigned(text);
  return std::string(text);
}

void describeCount(const Loop &loop, ScalarEvolution &evolution, json::Object &row) {
  const SCEV *exact = evolution.getBackedgeTakenCount(&loop);
  if (auto *constant = dyn_cast<SCEVConstant>(exact)) {
    row["kind"] = "constant";
    row["back_edges"] = decimal(constant->getAPInt());
    return;
  }
  if (!isa<SCEVCouldNotCompute>(exact)) {
    row["kind"] = "formula";
    row["leaves"] = array(leavesOf(exact));
    return;
  }
  row["blockers"] = array(blockersOf(loop, evolution));
  const SCEV *symbolic = evolution.getSymbolicMaxBackedgeTakenCount(&loop);
  const SCEV *largest = evolution.getConstantMaxBackedgeTakenCount(&loop);
  bool isBound = !isa<SCEVCouldNotCompute>(symbolic) && !isa<SCEVConstant>(symbolic);
  if (auto *constant = dyn_cast<SCEVConstant>(largest)) {
    row["maximum"] = decimal(constant->getAPInt());
    isBound |= meansSomething(constant->getAPInt());
  }
  row["kind"] = isBound ? "bound" : "unknown";
}

void describe(Function &function, FunctionAnalysisManager &analyses, raw_ostream &out) {
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty()) return;
  ScalarEvolution &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  DenseMap<const BasicBlock *, unsigned> place;
  for (const BasicBlock &block : function) place.insert({&block, place.size()});
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    json::Object row;
    row["function"] = function.getName().str();
    row["header"] = place[loop->getHeader()];
    if (loop->getHeader()->hasName()) row["block"] = loop->getHeader()->getName().str();
    row["depth"] = loop->getLoopDepth();
    // Both a vector body and what is left over for single turns say so.
    row["vectorized"] = getBooleanLoopAttribute(loop, "llvm.loop.isvectorized");
    if (DebugLoc location = loop->getStartLoc()) {
      row["line"] = location.getLine();
      row["file"] = location->getFilename().str();
    }
    describeCount(*loop, evolution, row);
    out << json::Value(std::move(row)) << "\n";
  }
}

} // namespace

int main(int count, char **words) {
  if (count != 2) {
    errs() << "usage: evolution FILE.bc\n";
    return 2;
  }
  LLVMContext context;
  SMDiagnostic trouble;
  std::unique_ptr<Module> module = parseIRFile(words[1], trouble, context);
  if (!module) {
    trouble.print("evolution", errs());
    return 1;
  }
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
  for (Function &function : *module) {
    if (function.isDeclaration()) continue;
    describe(function, functions, outs());
    // What is known of one function is of no use for the next.
    functions.clear(function, function.getName());
  }
  return 0;
}
