// A later version of one function: from the bitcode of its module to a module that holds the version alone.
//
// Of the module only the function is read, and what it may inline. All else is declared, and is linked to what the
// running program has. The version is a whole function, and for loops that are left its continuations: a function of
// the live values that does the rest from a header on, and one that chooses whether it does. Values that were written
// down become constants; where they differ, the activation stays where it is.
//
// A version gives the results of the first one, to the last bit: without a fused multiplication and addition if the
// first one had none. Objects of the old frame are reached by their addresses, which are live values, or move (frame.cpp).
#include "../generate.h"
#include "../identify.h"
#include "../jam.h"
#include "../passes.h"
#include "../shim.h"
#include "contents.h"
#include "frame.h"
#include "live.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using opcost::Header;

extern "C" {

// How often branches of a function were taken.
struct opcost_live_weight {
  const char *function;
  uint64_t entries;
  const uint32_t *blocks; // of each branch its block,
  const uint32_t *slots;  // the position of the successor,
  const uint64_t *counts; // and how often
  size_t count;
};

// The first bytes of an object: of a variable of the program, or of one of an old frame, by its value.
struct opcost_live_memory {
  const char *variable; // or null
  uint32_t value;
  const uint8_t *bytes;
  size_t length;
};

// A version.
struct opcost_live_request {
  const char *function;    // its symbol
  const uint32_t *headers; // continuations are made at these
  size_t header_count;
  uint32_t known_header;   // values are known at this one of them; UINT32_MAX: at none
  const uint8_t *is_known; // by value there: 0 no, 1 for good, 2 at that moment
  const uint64_t *values;
  size_t value_count;
  const opcost_live_memory *memory; // what was read then
  size_t memory_count;
  const opcost_live_weight *weights;
  size_t weight_count;
  const char *const *words; // functions of other modules that have words
  size_t word_count;
  uint8_t has_entry;       // whether there is one to be entered
  uint8_t is_native;       // all that this processor can do
  // Is given the numbers of instructions of the module, from 1, with those of their blocks, from 0.
  void (*block)(void *, uint32_t, uint32_t);
  void *context;
};

} // extern "C"

namespace {

// Callees that are read to be inlined: at most so deep, of so many instructions, and so many in all.
constexpr unsigned kDepth = 3;
constexpr unsigned kMostInAll = 4000;
// Functions that call themselves are inlined into themselves: of so many instructions at most, so many levels, and so many
// instructions in all.
constexpr unsigned kSmallRecursion = 80, kLevels = 2, kLargestRecursion = 400;
// The vectoriser's bound for loops of few iterations (TinyTripCountVectorThreshold).
constexpr uint64_t kShort = 16;

// Reads the bodies of what a function may inline.
Error read_callees(Function &function, unsigned depth, unsigned &room, SmallPtrSetImpl<Function *> &kept) {
  if (depth == 0) return Error::success();
  for (Instruction &one : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&one);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isInterposable() || kept.contains(callee) || callee->hasFnAttribute(Attribute::NoInline)) continue;
    if (!callee->isMaterializable() || callee->hasFnAttribute(opcost::kLarge)) continue;
    if (Error error = callee->materialize()) return error;
    unsigned size = callee->getInstructionCount();
    bool is_once = callee->hasFnAttribute(opcost::kCalledOnce);
    bool is_wanted = callee->hasFnAttribute(Attribute::AlwaysInline) || (size <= (is_once ? kMostInAll : opcost::kLargest) && size <= room);
    // Its labels would be others.
    if (!is_wanted || any_of(*callee, [](const BasicBlock &block) { return block.hasAddressTaken(); })) continue;
    if (is_once && !callee->hasFnAttribute(Attribute::OptimizeNone)) callee->addFnAttr(Attribute::AlwaysInline);
    room -= std::min(size, room);
    kept.insert(callee);
    if (Error error = read_callees(*callee, depth - 1, room, kept)) return error;
  }
  return Error::success();
}

bool holds_labels(const GlobalVariable &table) {
  auto *whole = table.hasInitializer() ? dyn_cast<ConstantAggregate>(table.getInitializer()) : nullptr;
  return whole && any_of(whole->operands(), [](const Use &use) { return isa<BlockAddress>(use); });
}

// Declares all but what is kept.
void declare_rest(Module &module, const SmallPtrSetImpl<Function *> &kept) {
  module.setModuleInlineAsm("");
  for (GlobalAlias &alias : make_early_inc_range(module.aliases())) {
    GlobalValue *declared;
    if (auto *type = dyn_cast<FunctionType>(alias.getValueType()))
      declared = Function::Create(type, GlobalValue::ExternalLinkage, alias.getAddressSpace(), "", &module);
    else
      declared = new GlobalVariable(module, alias.getValueType(), false, GlobalValue::ExternalLinkage, nullptr, "", nullptr,
                                    alias.getThreadLocalMode(), alias.getAddressSpace());
    declared->setDSOLocal(alias.isDSOLocal());
    alias.replaceAllUsesWith(declared);
    declared->takeName(&alias);
    alias.eraseFromParent();
  }
  for (GlobalIFunc &chosen : make_early_inc_range(module.ifuncs())) {
    auto *declared = Function::Create(cast<FunctionType>(chosen.getValueType()), GlobalValue::ExternalLinkage,
                                      chosen.getAddressSpace(), "", &module);
    chosen.replaceAllUsesWith(declared);
    declared->takeName(&chosen);
    chosen.eraseFromParent();
  }
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    if (variable.getName().starts_with("llvm.")) {
      if (variable.use_empty()) variable.eraseFromParent();
      continue;
    }
    if (variable.isDeclaration()) continue;
    variable.setComdat(nullptr);
    if (variable.hasLocalLinkage()) continue;
    if (variable.isConstant() && variable.hasDefinitiveInitializer()) variable.setLinkage(GlobalValue::AvailableExternallyLinkage);
    else {
      variable.setInitializer(nullptr);
      variable.setLinkage(GlobalValue::ExternalLinkage);
    }
  }
  for (Function &function : module) {
    function.setComdat(nullptr);
    if (kept.contains(&function)) continue;
    if (function.isMaterializable() || !function.isDeclaration()) {
      function.deleteBody();
      function.setIsMaterializable(false);
      function.setSubprogram(nullptr);
    }
  }
}

// Takes away what nobody uses, which is nearly all of a large module: every pass would look at it.
void forget_unused(Module &module) {
  auto forget = [](GlobalObject &one) {
    one.removeDeadConstantUsers();
    if (!one.use_empty()) return false;
    one.eraseFromParent();
    return true;
  };
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (GlobalVariable &variable : make_early_inc_range(module.globals()))
      if (!variable.getName().starts_with("llvm.")) is_new |= forget(variable);
  }
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration()) forget(function);
}

// Clones a function, with tables of labels of its own.
void clone_into(Function &into, const Function &from, ValueToValueMapTy &map) {
  Module &module = *into.getParent();
  SmallVector<std::pair<GlobalVariable *, GlobalVariable *>, 2> tables;
  for (GlobalVariable &table : module.globals())
    if (table.hasLocalLinkage() && holds_labels(table)) tables.push_back({&table, nullptr});
  for (auto &[table, own] : tables) {
    own = new GlobalVariable(module, table->getValueType(), true, GlobalValue::PrivateLinkage,
                             Constant::getNullValue(table->getValueType()), table->getName());
    map[table] = own;
  }
  SmallVector<ReturnInst *, 4> returns;
  CloneFunctionInto(&into, &from, map, CloneFunctionChangeType::LocalChangesOnly, returns);
  for (auto &[table, own] : tables) own->setInitializer(MapValue(table->getInitializer(), map));
}

// The rest of a function from a header on.
struct Continuation {
  Function *body;
  SmallVector<Instruction *, 16> values; // loads of the live values, in their order
};

// The value that lies at a place of a record.
LoadInst *load_value(IRBuilder<> &builder, const Header &header, Value *record, unsigned place) {
  Value *address = builder.CreateStructGEP(opcost::record_of(header), record, place);
  return builder.CreateLoad(header.values[place]->getType(), address);
}

// Makes it, as a function of a record of the live values.
Continuation continuation(Function &function, const Header &header, const Twine &name) {
  Module &module = *function.getParent();
  LLVMContext &context = module.getContext();
  auto *type = FunctionType::get(function.getReturnType(), {PointerType::get(context, 0)}, false);
  Function *rest = Function::Create(type, GlobalValue::ExternalLinkage, function.getAddressSpace(), name, &module);
  ValueToValueMapTy map;
  for (Argument &one : function.args()) map[&one] = PoisonValue::get(one.getType());
  BasicBlock *arrival = BasicBlock::Create(context, "", rest);
  IRBuilder<> builder(arrival);
  Continuation made{rest, {}};
  for (unsigned i = 0; i < header.values.size(); i++) {
    made.values.push_back(load_value(builder, header, rest->getArg(0), i));
    if (isa<Argument>(header.values[i])) map[header.values[i]] = made.values.back();
  }
  clone_into(*rest, function, map);
  rest->setLinkage(GlobalValue::ExternalLinkage);
  rest->setCallingConv(CallingConv::C);
  AttrBuilder of_function(context, function.getAttributes().getFnAttrs());
  // What the function did to its own objects it does to another frame's now.
  for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::Speculatable, Attribute::AllocKind, Attribute::AllocSize,
                                   Attribute::NoRecurse, Attribute::WillReturn, Attribute::AlwaysInline})
    of_function.removeAttribute(kind);
  of_function.addAttribute(Attribute::NoInline);
  rest->setAttributes(AttributeList().addFnAttributes(context, of_function));
  BasicBlock *old = cast<BasicBlock>(map[&function.getEntryBlock()]);
  BasicBlock *into = cast<BasicBlock>(map[header.at]);
  DebugLoc where = into->getTerminator()->getDebugLoc();
  builder.CreateBr(into);
  for (Instruction &one : *arrival) one.setDebugLoc(where);
  // Phis come first: from the first one of a block the updater learns which ways lead into it.
  for (auto [value, load] : zip(header.values, made.values))
    if (auto *phi = dyn_cast<PHINode>(value); phi && phi->getParent() == header.at)
      cast<PHINode>(map[phi])->addIncoming(load, arrival);
  for (PHINode &phi : into->phis())
    if (phi.getBasicBlockIndex(arrival) < 0) phi.addIncoming(PoisonValue::get(phi.getType()), arrival);
  for (auto [value, load] : zip(header.values, made.values)) {
    auto *before = dyn_cast<Instruction>(value);
    if (!before || (isa<PHINode>(before) && before->getParent() == header.at)) continue;
    auto *own = cast<Instruction>(map[before]);
    if (isa<AllocaInst>(own) && own->getParent() == old) {
      // Marks of an object's life stand at its own function only.
      for (User *user : make_early_inc_range(own->users()))
        if (auto *mark = dyn_cast<Instruction>(user); mark && mark->isLifetimeStartOrEnd()) mark->eraseFromParent();
      own->replaceAllUsesWith(load);
      continue;
    }
    SmallVector<Use *, 8> uses;
    for (Use &use : own->uses()) uses.push_back(&use);
    SSAUpdater updater;
    updater.Initialize(own->getType(), "");
    updater.AddAvailableValue(arrival, load);
    updater.AddAvailableValue(own->getParent(), own);
    for (Use *use : uses) {
      auto *user = cast<Instruction>(use->getUser());
      if (isa<PHINode>(user) || user->getParent() != own->getParent()) updater.RewriteUse(*use);
    }
  }
  removeUnreachableBlocks(*rest);
  return made;
}

// Whether a whole number only grows, or only shrinks, while its loop runs; 0: neither is known.
int direction_of(const Value &value, ScalarEvolution &evolution) {
  auto *phi = dyn_cast<PHINode>(&value);
  if (!phi || !evolution.isSCEVable(phi->getType())) return 0;
  auto *steps = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<PHINode *>(phi)));
  auto *step = steps && steps->isAffine() ? dyn_cast<SCEVConstant>(steps->getStepRecurrence(evolution)) : nullptr;
  if (!step || steps->getLoop()->getHeader() != phi->getParent() || step->isZero()) return 0;
  return step->getAPInt().isNegative() ? -1 : 1;
}

// What is known of the values at a header, as a comparison in the function that chooses, and as constants and bounds in
// the continuation. What no loop changes is a constant. What grows or shrinks has a bound.
Value *compare(IRBuilder<> &builder, Value *record, Continuation &rest, const Header &header, const opcost_live_request &request) {
  Function &function = *header.at->getParent();
  LLVMContext &context = function.getContext();
  PassBuilder passes;
  opcost::Managers managers(passes, *function.getParent());
  ScalarEvolution &evolution = managers.functions.getResult<ScalarEvolutionAnalysis>(function);
  Value *is_same = builder.getTrue();
  for (unsigned i = 0; i < request.value_count; i++) {
    auto *type = dyn_cast<IntegerType>(header.values[i]->getType());
    if (!request.is_known[i] || !type || type->getBitWidth() > 64) continue;
    APInt value(type->getBitWidth(), request.values[i], false, true);
    Constant *constant = ConstantInt::get(context, value);
    if (request.is_known[i] == 1) {
      is_same = builder.CreateAnd(is_same, builder.CreateICmpEQ(load_value(builder, header, record, i), constant));
      rest.values[i]->replaceAllUsesWith(constant);
      continue;
    }
    int direction = direction_of(*header.values[i], evolution);
    if (direction == 0 || type->getBitWidth() < 8) continue;
    APInt least = APInt::getSignedMinValue(type->getBitWidth());
    APInt low = direction > 0 ? value : least, high = direction > 0 ? least : value + 1;
    if (low == high) continue;
    Value *there = load_value(builder, header, record, i);
    is_same = builder.CreateAnd(is_same, direction > 0 ? builder.CreateICmpSGE(there, constant) : builder.CreateICmpSLE(there, constant));
    rest.values[i]->setMetadata(LLVMContext::MD_range, MDBuilder(context).createRange(low, high));
  }
  return is_same;
}

// What memory held, of the objects that are there in a continuation.
SmallVector<opcost::Contents, 16> contents_of(Continuation &rest, const Header &header, const opcost_live_request &request) {
  SmallVector<opcost::Contents, 16> contents;
  for (const opcost_live_memory &one : ArrayRef(request.memory, request.memory_count)) {
    ArrayRef<uint8_t> bytes(one.bytes, one.length);
    if (!one.variable) {
      // An old frame is there as long as this one.
      if (one.value < header.values.size() && isa<AllocaInst>(header.values[one.value]))
        contents.push_back({rest.values[one.value], bytes});
    } else if (GlobalVariable *variable = rest.body->getParent()->getGlobalVariable(one.variable);
               variable && !variable->isThreadLocal()) {
      contents.push_back({variable, bytes});
    }
  }
  return contents;
}

// The function that chooses whether an activation goes on in a continuation: always, or if its values are known ones.
void add_chooser(Continuation &rest, const Header &header, const std::string &name, const opcost_live_request *known) {
  Function &body = *rest.body;
  LLVMContext &context = body.getContext();
  Type *pointer = PointerType::get(context, 0);
  Function *chooser = Function::Create(FunctionType::get(pointer, {pointer, pointer}, false), GlobalValue::ExternalLinkage,
                                       body.getAddressSpace(), name, body.getParent());
  chooser->addFnAttr(Attribute::NoInline);
  for (StringRef kind : {"target-cpu", "target-features", "frame-pointer"})
    if (Attribute one = body.getFnAttribute(kind); one.isValid()) chooser->addFnAttr(one);
  IRBuilder<> builder(BasicBlock::Create(context, "", chooser));
  if (!known) {
    builder.CreateRet(&body);
    return;
  }
  Value *is_same = compare(builder, chooser->getArg(0), rest, header, *known);
  BasicBlock *same = BasicBlock::Create(context, "", chooser), *other = BasicBlock::Create(context, "", chooser);
  builder.CreateCondBr(is_same, same, other);
  builder.SetInsertPoint(other);
  builder.CreateRet(ConstantPointerNull::get(PointerType::get(context, 0)));
  builder.SetInsertPoint(same);
  if (Instruction *holds = opcost::use_contents(body, contents_of(rest, header, *known))) {
    // What is computed there in the body's first block is computed here.
    ValueToValueMapTy map;
    map[body.getArg(0)] = chooser->getArg(0);
    for (Instruction &one : *holds->getParent()) {
      if (one.isTerminator()) break;
      Instruction *copy = one.clone();
      copy->setDebugLoc(DebugLoc());
      builder.Insert(copy);
      map[&one] = copy;
      RemapInstruction(copy, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    }
    BasicBlock *held = BasicBlock::Create(context, "", chooser);
    builder.CreateCondBr(map[holds], held, other);
    builder.SetInsertPoint(held);
    holds->eraseFromParent();
  }
  builder.CreateRet(&body);
}

// Has a small function that calls itself hold its callees for some levels. A call costs more than what it does, and what
// two calls compute twice is computed once, if it is a function of its arguments alone.
void inline_recursion(Function &entry) {
  // Its frames are to be there one by one.
  if (entry.hasFnAttribute(Attribute::NoInline) || entry.callsFunctionThatReturnsTwice()) return;
  SmallVector<CallBase *, 4> calls;
  for (Instruction &one : instructions(entry)) {
    auto *call = dyn_cast<CallBase>(&one);
    if (isa<IndirectBrInst>(one) || (call && (call->isMustTailCall() || call->isInlineAsm()))) return;
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&one))
      if (is_contained({Intrinsic::returnaddress, Intrinsic::frameaddress, Intrinsic::sponentry}, intrinsic->getIntrinsicID())) return;
    if (call && call->getCalledOperand() == &entry) calls.push_back(call);
  }
  if (calls.empty() || entry.getInstructionCount() > kSmallRecursion) return;
  // A pure one is worth most with one level: then two calls are seldom the same any more.
  bool is_pure = entry.doesNotAccessMemory();
  Function *last = &entry;
  uint64_t size = entry.getInstructionCount(), all = size;
  for (unsigned level = 0; level < (is_pure ? 1 : kLevels); level++) {
    size *= calls.size();
    if ((all += size) > kLargestRecursion) break;
    ValueToValueMapTy map;
    Function *again = CloneFunction(&entry, map);
    again->setLinkage(GlobalValue::InternalLinkage);
    again->setName("opc.again");
    again->removeFnAttr(Attribute::NoInline);
    again->removeFnAttr(Attribute::OptimizeNone);
    again->addFnAttr(Attribute::AlwaysInline);
    for (Instruction &one : instructions(*again))
      if (auto *call = dyn_cast<CallBase>(&one); call && call->getCalledOperand() == &entry) call->setCalledFunction(last);
    last = again;
  }
  if (last != &entry)
    for (CallBase *call : calls) call->setCalledFunction(last);
}

// Whether branches say that a loop is left after a few iterations. Samples do not know that well: who comes by without
// going in leaves no sample. And the vectoriser masks every operation of a loop that it takes for so short (a sieve took
// five times its time).
bool seems_short(const BasicBlock &block, ArrayRef<uint64_t> counts, const LoopInfo &loops) {
  const Loop *loop = loops.getLoopFor(&block);
  if (!loop || !loop->isLoopExiting(&block)) return false;
  uint64_t stays = 0, leaves = 0;
  for (auto [successor, count] : zip(successors(&block), counts)) (loop->contains(successor) ? stays : leaves) += count;
  return leaves > stays / kShort;
}

void weigh(Function &function, const opcost_live_weight &weight) {
  SmallVector<BasicBlock *, 64> blocks;
  for (BasicBlock &block : function) blocks.push_back(&block);
  DominatorTree tree(function);
  LoopInfo loops(tree);
  function.setEntryCount(weight.entries);
  for (size_t i = 0; i < weight.count;) {
    uint32_t number = weight.blocks[i];
    size_t end = i;
    while (end < weight.count && weight.blocks[end] == number) end++;
    Instruction *branch = number < blocks.size() ? blocks[number]->getTerminator() : nullptr;
    if (branch && branch->getNumSuccessors() > 1) {
      SmallVector<uint64_t, 8> counts(branch->getNumSuccessors(), 0);
      for (size_t at = i; at < end; at++)
        if (weight.slots[at] < counts.size()) counts[weight.slots[at]] = weight.counts[at];
      if (!seems_short(*blocks[number], counts, loops))
        opcost_weigh_branch(wrap(branch), counts.data(), uint32_t(counts.size()));
    }
    i = end;
  }
}

// Numbers what was read as it is numbered in the whole module.
void number(Module &module, const SmallPtrSetImpl<Function *> &kept, const opcost_live_request &request) {
  opcost::Numbering numbering(module, /*for_copies=*/true);
  for (Function &function : module) {
    if (!kept.contains(&function)) continue;
    auto [first, first_block] = function.getFnAttribute(opcost::kFirst).getValueAsString().split(' ');
    uint32_t from, block;
    if (first.getAsInteger(10, from) || first_block.getAsInteger(10, block)) continue;
    numbering.number(function, from);
    for (BasicBlock &one : function) {
      for (unsigned i = 0; i < one.size(); i++) request.block(request.context, from++, block);
      block++;
    }
  }
}

bool is_wide(const Type *type) {
  auto *vector = dyn_cast<VectorType>(type);
  return vector && (vector->getPrimitiveSizeInBits().isScalable() || vector->getPrimitiveSizeInBits().getFixedValue() > 128);
}

// Whether a vector is passed whose place another processor's code would look for elsewhere.
bool passes_wide(const Function &function) {
  auto has = [](const FunctionType *type) { return is_wide(type->getReturnType()) || any_of(type->params(), is_wide); };
  return has(function.getFunctionType()) || any_of(instructions(function), [&](const Instruction &one) {
           auto *call = dyn_cast<CallBase>(&one);
           return call && !isa<IntrinsicInst>(call) && has(call->getFunctionType());
         });
}

// Code of this very processor, with the results of the one that it was compiled for.
void make_native(Module &module, const SmallPtrSetImpl<Function *> &kept) {
  if (any_of(kept, [](const Function *function) { return passes_wide(*function); })) return;
  std::string features;
  for (auto &[name, is_there] : sys::getHostCPUFeatures()) {
    if (!features.empty()) features += ",";
    features += (is_there ? "+" : "-") + name.str();
  }
  for (Function &function : module) {
    if (function.isDeclaration()) continue;
    bool had_fused = function.getFnAttribute("target-features").getValueAsString().contains("+fma");
    function.addFnAttr("target-cpu", sys::getHostCPUName());
    function.addFnAttr("target-features", features);
    function.removeFnAttr("tune-cpu");
    if (had_fused) continue;
    for (Instruction &one : make_early_inc_range(instructions(function))) {
      if (isa<FPMathOperator>(&one)) one.setHasAllowContract(false);
      auto *fused = dyn_cast<IntrinsicInst>(&one);
      if (!fused || fused->getIntrinsicID() != Intrinsic::fmuladd) continue;
      IRBuilder<> builder(fused);
      builder.setFastMathFlags(fused->getFastMathFlags());
      Value *product = builder.CreateFMul(fused->getArgOperand(0), fused->getArgOperand(1));
      fused->replaceAllUsesWith(builder.CreateFAdd(product, fused->getArgOperand(2)));
      fused->eraseFromParent();
    }
  }
}

// Has a module of which nothing was read but names hold a version.
Error make_version(Module &module, const opcost_live_request &request) {
  Function *function = module.getFunction(request.function);
  if (!function || function->isDeclaration()) return createStringError("there is no function %s", request.function);
  // One whose labels are in a table was read with the table.
  if (Error error = function->materialize()) return error;
  SmallPtrSet<Function *, 16> kept{function};
  unsigned room = kMostInAll;
  if (Error error = read_callees(*function, kDepth, room, kept)) return error;
  declare_rest(module, kept);
  forget_unused(module);
  for (const char *name : ArrayRef(request.words, request.word_count))
    if (Function *called = module.getFunction(name); called && called->isDeclaration()) called->addFnAttr(opcost::kReplaceable);
  StripDebugInfo(module);
  number(module, kept, request);
  for (const opcost_live_weight &weight : ArrayRef(request.weights, request.weight_count))
    if (Function *weighed = module.getFunction(weight.function); weighed && !weighed->isDeclaration()) weigh(*weighed, weight);
  std::vector<Header> headers = opcost::headers_of(*function);
  SmallVector<Function *, 4> rests;
  for (uint32_t wanted : ArrayRef(request.headers, request.header_count)) {
    auto header = find_if(headers, [&](const Header &one) { return one.block == wanted; });
    if (header == headers.end()) return createStringError("%s has no loop to leave at block %u", request.function, wanted);
    std::string name = "opc.rest" + std::to_string(wanted);
    bool is_known = wanted == request.known_header;
    if (is_known && request.value_count != header->values.size())
      return createStringError("%s has other values at block %u", request.function, wanted);
    Continuation rest = continuation(*function, *header, name + ".body");
    rests.push_back(rest.body);
    add_chooser(rest, *header, name, is_known ? &request : nullptr);
    opcost::move_objects(*header, rest.values);
  }
  // Others, and itself when it recurs, go on by words. What is here is there for inlining, and the version is new.
  if (request.has_entry) {
    Function *entry = Function::Create(function->getFunctionType(), GlobalValue::ExternalLinkage,
                                       function->getAddressSpace(), "opc.entry", &module);
    ValueToValueMapTy map;
    for (auto [from, to] : zip(function->args(), entry->args())) map[&from] = &to;
    clone_into(*entry, *function, map);
    entry->setLinkage(GlobalValue::ExternalLinkage);
    entry->setVisibility(GlobalValue::DefaultVisibility);
    rests.push_back(entry);
    // Where it calls itself it stays, so that its recursion can be optimised.
    for (Function *one : rests)
      for (Instruction &at : instructions(*one))
        if (auto *call = dyn_cast<CallBase>(&at); call && call->getCalledOperand() == function) call->setCalledFunction(entry);
    entry->setCallingConv(function->getCallingConv());
    if (!entry->hasFnAttribute(Attribute::OptimizeNone)) inline_recursion(*entry);
  }
  for (Function *one : rests) one->removeFnAttr(opcost::kReplaceable);
  kept.insert(rests.begin(), rests.end());
  function->deleteBody();
  function->setSubprogram(nullptr);
  function->setLinkage(GlobalValue::ExternalLinkage);
  kept.erase(function);
  for (Function *one : kept)
    if (!is_contained(rests, one)) one->setLinkage(GlobalValue::AvailableExternallyLinkage);
  if (request.is_native) make_native(module, kept);
  std::string text;
  raw_string_ostream stream(text);
  if (verifyModule(module, &stream)) return createStringError("the version of %s is not well-formed: %s", request.function, text.c_str());
  return Error::success();
}

} // namespace

extern "C" {

// Names of a module of which versions are made; null, and what went wrong. Its functions are read when they are needed.
LLVMModuleRef opcost_live_basis(LLVMContextRef context, const char *path, char **message) {
  auto read = [&]() -> Expected<std::unique_ptr<Module>> {
    auto file = MemoryBuffer::getFile(path);
    if (!file) return createStringError(file.getError(), "cannot read %s", path);
    // Of metadata too only what is used is read.
    auto read = getOwningLazyBitcodeModule(std::move(*file), *unwrap(context), /*ShouldLazyLoadMetadata=*/true, /*IsImporting=*/true);
    if (read)
      if (Error error = (*read)->materializeMetadata()) return std::move(error);
    return read;
  }();
  if (read) return wrap(read->release());
  *message = opcost::copy(toString(read.takeError()));
  return nullptr;
}

// Has such a module hold a version; null, or what went wrong.
char *opcost_live_version(LLVMModuleRef basis, const opcost_live_request *request) {
  Error error = make_version(*unwrap(basis), *request);
  return error ? opcost::copy(toString(std::move(error))) : nullptr;
}

// The optimiser's passes as clang runs them, and loops that add up are jammed; null, or what went wrong.
char *opcost_live_optimise(LLVMModuleRef handle, const opcost_emission *how, int32_t level) {
  Module &module = *unwrap(handle);
  std::string error;
  std::unique_ptr<TargetMachine> machine = opcost::machine_for(module, *how, error);
  if (!machine) return opcost::copy(error);
  opcost::Watched watched;
  PassBuilder builder(machine.get(), opcost::clang_tuning(level), std::nullopt, &watched.callbacks);
  opcost::jam_loops(builder);
  opcost::Managers managers(builder, module);
  opcost::clang_pipeline(builder, level).run(module, managers.modules);
  return nullptr;
}

// Calls of functions that have words go by these. For a version that was optimised.
void opcost_live_calls(LLVMModuleRef module) { opcost::call_by_words(*unwrap(module)); }

} // extern "C"
