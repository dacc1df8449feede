// First versions: functions that are entered by words, and loops that may be left.
//
// Each function F gets a word: the address of its newest version. F itself becomes a jump by that word, for those who
// take its address or call it from elsewhere; direct calls load the word. Behind the phis of a loop's header another
// word is read. 0 goes on. Else it is a function that is told where the live values lie, and chooses: null goes on, too,
// and any other address is a function that does the rest with them. The old frame stays below the new one, so addresses
// of its objects stay valid.
//
// What was local to a module gets a name of the program, since later versions, which are linked by themselves, refer
// to it. Numbers of blocks are those of the module before checks are added.
//
// A version of a function must not jump to another's blocks. So tables of labels are looked at (`unreplaceable`).
// The mechanism is on-stack replacement by continuations (D'Elia and Demetrescu, CGO 2016).
#include "../generate.h"
#include "../identify.h"
#include "../passes.h"
#include "../shim.h"
#include "live.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/GlobalOpt.h"
#include "llvm/Transforms/IPO/InferFunctionAttrs.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/IPO/SCCP.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <map>

using namespace llvm;
using opcost::Header;

namespace {

// Whether a value that holds a label goes to indirect branches only.
bool only_branches(const Value &label, SmallPtrSetImpl<const Value *> &seen) {
  if (!seen.insert(&label).second) return true;
  return all_of(label.users(), [&](const User *user) {
    if (isa<IndirectBrInst>(user)) return true;
    if (isa<PHINode>(user) || isa<SelectInst>(user)) return only_branches(*user, seen);
    return false;
  });
}

// Whether a pointer into a table of labels is only read from, in one function, to branch.
bool only_read(const Value &table, const Function &by, SmallPtrSetImpl<const Value *> &seen) {
  if (!seen.insert(&table).second) return true;
  return all_of(table.users(), [&](const User *user) {
    if (auto *load = dyn_cast<LoadInst>(user)) {
      SmallPtrSet<const Value *, 8> labels;
      return load->getFunction() == &by && only_branches(*load, labels);
    }
    if (isa<GetElementPtrInst>(user)) return only_read(*user, by, seen);
    if (auto *constant = dyn_cast<ConstantExpr>(user))
      return constant->getOpcode() == Instruction::GetElementPtr && only_read(*constant, by, seen);
    return false;
  });
}

// Whether a constant that holds labels of `by` is part of tables alone that `by` alone reads.
bool is_private_table(const Constant &constant, const Function &by) {
  return all_of(constant.users(), [&](const User *user) {
    if (auto *table = dyn_cast<GlobalVariable>(user)) {
      SmallPtrSet<const Value *, 8> seen;
      return table->hasLocalLinkage() && table->isConstant() && only_read(*table, by, seen);
    }
    auto *whole = dyn_cast<ConstantAggregate>(user);
    return whole && is_private_table(*whole, by);
  });
}

// Whether labels of a function are known to its own branches alone.
bool has_private_labels(const Function &function) {
  for (const BasicBlock &block : function) {
    if (!block.hasAddressTaken()) continue;
    const BlockAddress *label = BlockAddress::lookup(&block);
    if (!label) continue;
    for (const User *user : label->users()) {
      if (isa<IndirectBrInst>(user)) continue;
      if (auto *constant = dyn_cast<Constant>(user)) {
        if (auto *table = dyn_cast<GlobalVariable>(constant)) {
          SmallPtrSet<const Value *, 8> seen;
          if (!table->hasLocalLinkage() || !table->isConstant() || !only_read(*table, function, seen)) return false;
        } else if (!isa<ConstantAggregate>(constant) || !is_private_table(*constant, function)) {
          return false;
        }
        continue;
      }
      SmallPtrSet<const Value *, 8> seen;
      if (!(isa<PHINode>(user) || isa<SelectInst>(user)) || !only_branches(*user, seen)) return false;
    }
  }
  return true;
}

// Callees of at most this cost are inlined in first versions, and more where the source says `inline`.
constexpr int kSmall = 10, kHinted = 75;

// What takes most out of a front end's code for the least time: variables become values, blocks are merged.
FunctionPassManager cheap_passes() {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  return passes;
}

bool calls_returning_twice(const Function &function) {
  return any_of(instructions(function), [](const Instruction &one) {
    auto *call = dyn_cast<CallBase>(&one);
    return call && (call->hasFnAttr(Attribute::ReturnsTwice) ||
                    (call->getCalledFunction() && call->getCalledFunction()->hasFnAttribute(Attribute::ReturnsTwice)));
  });
}

StringRef plain(StringRef name) { return name.starts_with("\1") ? name.drop_front() : name; }

// A word of a function. Where several modules define the function, the linker takes one word. It is in no group with
// the function: another object, which has no words, may have the function that is taken.
GlobalVariable *word_of(Function &function, const std::string &name, Constant *content) {
  Module &module = *function.getParent();
  auto *word = new GlobalVariable(module, content->getType(), /*isConstant=*/false, GlobalValue::ExternalLinkage, content, name);
  if (function.hasWeakLinkage() || function.hasLinkOnceLinkage())
    word->setLinkage(function.hasWeakODRLinkage() || function.hasLinkOnceODRLinkage() ? GlobalValue::WeakODRLinkage
                                                                                      : GlobalValue::WeakAnyLinkage);
  word->setSection(opcost::kWordSection);
  word->setAlignment(Align(8));
  word->setVisibility(GlobalValue::HiddenVisibility);
  word->setDSOLocal(true);
  return word;
}

// Puts a check behind the phis of a header. Values go by memory of the frame, so that little code is there for what is
// rare.
void add_check(Function &function, const Header &header, GlobalVariable *cell, AllocaInst *record) {
  BasicBlock *block = header.at;
  Instruction *first = &*block->getFirstNonPHIIt();
  DebugLoc where = first->getDebugLoc();
  BasicBlock *rest = SplitBlock(block, first->getIterator());
  LLVMContext &context = function.getContext();
  BasicBlock *asked = BasicBlock::Create(context, "", &function), *left = BasicBlock::Create(context, "", &function);
  block->getTerminator()->eraseFromParent();
  IRBuilder<> builder(block);
  builder.SetCurrentDebugLocation(where);
  // An acquiring load would keep others from being moved over it (2.2 against 1.3 times the time of a middle loop).
  LoadInst *word = builder.CreateLoad(builder.getPtrTy(), cell);
  word->setAtomic(AtomicOrdering::Monotonic);
  word->setAlignment(Align(8));
  MDNode *rare = MDBuilder(context).createBranchWeights(0, 1 << 20);
  builder.CreateCondBr(builder.CreateIsNotNull(word), asked, rest, rare);
  builder.SetInsertPoint(asked);
  builder.CreateFence(AtomicOrdering::Acquire);
  StructType *type = opcost::record_of(header);
  for (unsigned i = 0; i < header.values.size(); i++)
    builder.CreateStore(header.values[i], builder.CreateStructGEP(type, record, i));
  Type *pointer = builder.getPtrTy();
  CallInst *chosen = builder.CreateCall(FunctionType::get(pointer, {pointer, pointer}, false), word, {record, cell});
  chosen->addFnAttr(Attribute::Cold);
  builder.CreateCondBr(builder.CreateIsNull(chosen), rest, left);
  builder.SetInsertPoint(left);
  CallInst *call = builder.CreateCall(FunctionType::get(function.getReturnType(), {pointer}, false), chosen, {record});
  call->addFnAttr(Attribute::Cold);
  if (function.getReturnType()->isVoidTy()) builder.CreateRetVoid();
  else builder.CreateRet(call);
}

// Memory of the frame that is large enough for the values at each header.
AllocaInst *record_for(Function &function, ArrayRef<Header> headers) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  uint64_t bytes = 8;
  Align align(8);
  for (const Header &header : headers) {
    StructType *type = opcost::record_of(header);
    bytes = std::max<uint64_t>(bytes, alignTo(layout.getTypeAllocSize(type).getFixedValue(), 8));
    align = std::max(align, layout.getABITypeAlign(type));
  }
  auto *type = ArrayType::get(Type::getInt8Ty(function.getContext()), bytes);
  return new AllocaInst(type, layout.getAllocaAddrSpace(), nullptr, align, "", function.getEntryBlock().getFirstInsertionPt());
}

// Bytes of an object of the frame; 0 of anything else.
uint64_t object_bytes(const Value &value, const DataLayout &layout) {
  auto *object = dyn_cast<AllocaInst>(&value);
  std::optional<TypeSize> size = object && object->isStaticAlloca() ? object->getAllocationSize(layout) : std::nullopt;
  return size && !size->isScalable() ? size->getFixedValue() : 0;
}

// Variables that loads of a function read by an address in them, each once.
SetVector<const GlobalVariable *> variables_of(const Function &function) {
  SetVector<const GlobalVariable *> found;
  for (const Instruction &one : instructions(function))
    if (auto *load = dyn_cast<LoadInst>(&one))
      if (auto *variable = dyn_cast<GlobalVariable>(getUnderlyingObject(load->getPointerOperand())))
        if (!variable->isConstant() && !variable->isThreadLocal() && variable->getValueType()->isSized()) found.insert(variable);
  return found;
}

// A jump by the word, with all arguments.
void jump(Function &from, Function &to, GlobalVariable *word) {
  BasicBlock *block = BasicBlock::Create(from.getContext(), "", &from);
  IRBuilder<> builder(block);
  LoadInst *target = builder.CreateLoad(builder.getPtrTy(), word);
  target->setAtomic(AtomicOrdering::Monotonic);
  target->setAlignment(Align(8));
  SmallVector<Value *, 8> arguments;
  for (Argument &one : from.args()) arguments.push_back(&one);
  CallInst *call = builder.CreateCall(to.getFunctionType(), target, arguments);
  call->setTailCallKind(CallInst::TCK_MustTail);
  call->setCallingConv(to.getCallingConv());
  call->setAttributes(to.getAttributes().removeFnAttributes(from.getContext()));
  if (from.getReturnType()->isVoidTy()) builder.CreateRetVoid();
  else builder.CreateRet(call);
}

} // namespace

const char *opcost::unreplaceable(const Function &function) {
  if (function.isVarArg()) return "it takes any number of arguments";
  if (function.hasFnAttribute(Attribute::Naked)) return "it is written in assembly";
  if (function.hasFnAttribute(Attribute::ReturnsTwice)) return "it returns twice";
  if (function.hasFnAttribute(Attribute::PresplitCoroutine)) return "it is a coroutine";
  if (function.hasPrologueData() || function.hasPrefixData()) return "there is data before its code";
  if (!has_private_labels(function)) return "addresses of its labels leave it";
  for (const Argument &one : function.args())
    if (one.hasInAllocaAttr() || one.hasPreallocatedAttr()) return "its arguments are on its caller's stack";
  return nullptr;
}

const char *opcost::unleavable(Function &function) {
  if (calls_returning_twice(function)) return "it calls setjmp";
  for (Instruction &one : instructions(function)) {
    if (one.getType()->isTokenTy()) return "it has tokens";
    if (isa<CallBrInst>(&one)) return "its assembly branches";
    auto *call = dyn_cast<CallBase>(&one);
    if (!call) continue;
    if (call->isMustTailCall()) return "it must end in a call";
    switch (call->getIntrinsicID()) {
    case Intrinsic::stacksave:
    case Intrinsic::stackrestore: return "it has objects of variable length";
    case Intrinsic::frameaddress:
    case Intrinsic::returnaddress:
    case Intrinsic::addressofreturnaddress:
    case Intrinsic::localescape:
    case Intrinsic::sponentry: return "it asks for its frame";
    default: break;
    }
  }
  return nullptr;
}

std::vector<Header> opcost::headers_of(Function &function) {
  std::vector<Header> found;
  if (function.isDeclaration() || unreplaceable(function) || unleavable(function)) return found;
  DominatorTree tree(function);
  LoopInfo loops(tree);
  std::map<const BasicBlock *, uint32_t> numbers;
  for (BasicBlock &block : function) numbers.emplace(&block, uint32_t(numbers.size()));
  for (BasicBlock &block : function) {
    Loop *loop = loops.getLoopFor(&block);
    if (!loop || loop->getHeader() != &block || block.isEHPad()) continue;
    // Blocks that may run after the header was entered.
    SmallPtrSet<BasicBlock *, 32> later;
    SmallVector<BasicBlock *, 32> open{&block};
    while (!open.empty()) {
      BasicBlock *at = open.pop_back_val();
      if (later.insert(at).second) append_range(open, successors(at));
    }
    auto is_needed = [&](const Value &value) {
      return any_of(value.uses(), [&](const Use &use) {
        auto *user = cast<Instruction>(use.getUser());
        const BasicBlock *at = user->getParent();
        if (auto *phi = dyn_cast<PHINode>(user)) at = phi->getIncomingBlock(use);
        return later.contains(at);
      });
    };
    Header header{&block, numbers[&block], loop->getLoopDepth(), UINT32_MAX, {}};
    for (Loop *around = loop->getParentLoop(); around; around = around->getParentLoop())
      if (!around->getHeader()->isEHPad()) {
        header.outer = numbers[around->getHeader()];
        break;
      }
    for (Argument &one : function.args())
      if (is_needed(one)) header.values.push_back(&one);
    for (BasicBlock &before : function) {
      if (&before == &block) {
        for (PHINode &phi : block.phis()) header.values.push_back(&phi);
        continue;
      }
      if (!tree.dominates(&before, &block)) continue;
      for (Instruction &one : before)
        if (!one.getType()->isVoidTy() && is_needed(one)) header.values.push_back(&one);
    }
    // A label of this version is none of another's.
    bool has_label = any_of(header.values, [](const Value *value) {
      return any_of(value->users(), [](const User *user) { return isa<IndirectBrInst>(user); });
    });
    bool has_strange = any_of(header.values, [](const Value *value) {
      Type *type = value->getType();
      return type->isX86_AMXTy() || type->isTargetExtTy() || type->isScalableTy() || !type->isSized();
    });
    if (has_label || has_strange) continue;
    uint64_t bytes = function.getParent()->getDataLayout().getTypeAllocSize(record_of(header)).getFixedValue();
    if (bytes <= kMostBytes) found.push_back(std::move(header));
  }
  return found;
}

StructType *opcost::record_of(const Header &header) {
  SmallVector<Type *, 16> types;
  for (const Value *value : header.values) types.push_back(value->getType());
  return StructType::get(header.at->getContext(), types);
}

std::string opcost::word_name(StringRef name) { return (plain(name) + ".opc.word").str(); }
std::string opcost::loop_word_name(StringRef name, uint32_t block) {
  return (plain(name) + ".opc.loop" + Twine(block)).str();
}

void opcost::call_by_words(Module &module) {
  for (Function &function : module)
    for (Instruction &one : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<CallBase>(&one);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !callee->hasFnAttribute(kReplaceable) || callee->isInterposable()) continue;
      // What is the same for all that the linker may choose from.
      if (callee->getFunctionType() != call->getFunctionType()) continue;
      std::string name = word_name(callee->getName());
      GlobalVariable *word = module.getGlobalVariable(name, true);
      if (!word) {
        word = new GlobalVariable(module, PointerType::get(module.getContext(), 0), false, GlobalValue::ExternalLinkage,
                                  nullptr, name);
        word->setDSOLocal(true);
        word->setVisibility(GlobalValue::HiddenVisibility);
      }
      auto *target = new LoadInst(PointerType::get(module.getContext(), 0), word, "", false, Align(8),
                                  AtomicOrdering::Monotonic, SyncScope::System, call->getIterator());
      target->setDebugLoc(call->getDebugLoc());
      call->setCalledOperand(target);
    }
}

extern "C" {

struct opcost_live_sink {
  void *context;
  // A function: its name, its instructions, whether it is the only definition, and why it has no versions, or why its loops
  // are not left; both may be null.
  void (*function)(void *, const char *, size_t, uint64_t, bool, const char *, const char *);
  // A loop header of it: number of its block, depth, the next header around it, values.
  void (*header)(void *, uint32_t, uint32_t, uint32_t, uint32_t);
  // A value there: whether it is the same in all iterations of all loops around, where it lies among them, its bytes
  // if it is a whole number or a pointer, else 0, and bytes of the frame's object that it points to, 0 if there is none.
  void (*value)(void *, bool, uint32_t, uint32_t, uint64_t);
  // A variable that the function reads: its name, its bytes.
  void (*variable)(void *, const char *, size_t, uint64_t);
};

// Prepares a front end's module for first versions, of which nothing is expected but that they are there soon. On
// SQLite it takes a third of the time of clang's passes before profiles are read (0.5 to 1.1 s, and 2.9 to 3.2 s).
char *opcost_live_simplify(LLVMModuleRef handle, const opcost_emission *how) {
  Module &module = *unwrap(handle);
  std::string error;
  std::unique_ptr<TargetMachine> machine = opcost::machine_for(module, *how, error);
  if (!machine) return opcost::copy(error);
  opcost::Watched watched;
  PassBuilder builder(machine.get(), PipelineTuningOptions(), {}, &watched.callbacks);
  opcost::Managers managers(builder, module);
  ModulePassManager passes;
  passes.addPass(InferFunctionAttrsPass());
  passes.addPass(createModuleToFunctionPassAdaptor(cheap_passes()));
  // What is the same wherever a function is called, and variables that nobody writes: a version alone does not show it.
  passes.addPass(IPSCCPPass());
  passes.addPass(GlobalOptPass());
  InlineParams limits;
  limits.DefaultThreshold = kSmall;
  limits.HintThreshold = kHinted;
  ModuleInlinerWrapperPass inliner(limits);
  inliner.getPM().addPass(createCGSCCToFunctionPassAdaptor(cheap_passes()));
  passes.addPass(std::move(inliner));
  passes.run(module, managers.modules);
  return nullptr;
}

// Gives what is local to the module a name of the program. Numbers the module among those of the program. What
// functions do to memory is worked out before, since a version sees few of them.
void opcost_live_share(LLVMModuleRef handle, uint32_t number) {
  Module &module = *unwrap(handle);
  PassBuilder builder;
  opcost::Managers managers(builder, module);
  ModulePassManager passes;
  passes.addPass(InferFunctionAttrsPass());
  passes.addPass(createModuleToPostOrderCGSCCPassAdaptor(PostOrderFunctionAttrsPass()));
  passes.addPass(ReversePostOrderFunctionAttrsPass());
  passes.run(module, managers.modules);
  // What one call alone calls is inlined there, as long as nobody else could call it.
  for (Function &function : module)
    if (function.hasLocalLinkage() && function.hasOneUse())
      if (auto *call = dyn_cast<CallBase>(*function.user_begin()); call && call->getCalledOperand() == &function)
        function.addFnAttr(opcost::kCalledOnce);
  for (Function &function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute(opcost::kCalledOnce) &&
        !function.hasFnAttribute(Attribute::AlwaysInline) && function.getInstructionCount() > opcost::kLargest)
      function.addFnAttr(opcost::kLarge);
  // A version has a few of them, whose instructions and blocks are those of the module nevertheless.
  uint64_t instruction = 1, block = 0;
  for (Function &function : module) {
    if (!opcost::is_mapped(function)) continue;
    function.addFnAttr(opcost::kFirst, (Twine(instruction) + " " + Twine(block)).str());
    instruction += function.getInstructionCount();
    block += function.size();
  }
  unsigned unnamed = 0;
  for (GlobalValue &global : module.global_values()) {
    // What the first versions do not need is there for later ones.
    if (global.hasLinkOnceODRLinkage()) global.setLinkage(GlobalValue::WeakODRLinkage);
    if (global.hasLinkOnceAnyLinkage()) global.setLinkage(GlobalValue::WeakAnyLinkage);
    if (!global.hasLocalLinkage()) continue;
    if (auto *variable = dyn_cast<GlobalVariable>(&global)) {
      // Its address is nobody's affair, so each version may have its own.
      if (variable->isConstant() && variable->hasGlobalUnnamedAddr()) continue;
      bool has_labels = false;
      if (variable->hasInitializer())
        if (auto *whole = dyn_cast<ConstantAggregate>(variable->getInitializer()))
          has_labels = any_of(whole->operands(), [](const Use &use) { return isa<BlockAddress>(use); });
      if (has_labels) continue;
    }
    std::string name = global.hasName() ? plain(global.getName()).str() : "unnamed" + std::to_string(unnamed++);
    global.setName(name + ".opc" + std::to_string(number));
    global.setLinkage(GlobalValue::ExternalLinkage);
    global.setVisibility(GlobalValue::HiddenVisibility);
    global.setDSOLocal(true);
    if (auto *object = dyn_cast<GlobalObject>(&global))
      if (Comdat *comdat = object->getComdat(); comdat && comdat->getName() == name) object->setComdat(nullptr);
  }
  for (Function &function : module)
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage() && !opcost::unreplaceable(function))
      function.addFnAttr(opcost::kReplaceable);
}

// Tells functions and loops, and adds checks to loops if that is wanted.
void opcost_live_checks(LLVMModuleRef handle, bool with_loops, const opcost_live_sink *sink) {
  Module &module = *unwrap(handle);
  SmallVector<Function *, 64> defined;
  for (Function &function : module)
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage()) defined.push_back(&function);
  for (Function *function : defined) {
    StringRef name = function->getName();
    const char *why = opcost::unreplaceable(*function);
    sink->function(sink->context, name.data(), name.size(), function->getInstructionCount(), function->hasExternalLinkage(), why,
                   why ? nullptr : opcost::unleavable(*function));
    if (why || !with_loops) continue;
    std::vector<Header> headers = opcost::headers_of(*function);
    if (!headers.empty())
      for (const GlobalVariable *variable : variables_of(*function))
        sink->variable(sink->context, variable->getName().data(), variable->getName().size(),
                       module.getDataLayout().getTypeAllocSize(variable->getValueType()));
    DominatorTree tree(*function);
    LoopInfo loops(tree);
    for (const Header &header : headers) {
      sink->header(sink->context, header.block, header.depth, header.outer, uint32_t(header.values.size()));
      Loop *outermost = loops.getLoopFor(header.at);
      while (Loop *around = outermost->getParentLoop()) outermost = around;
      const StructLayout *places = module.getDataLayout().getStructLayout(opcost::record_of(header));
      for (unsigned i = 0; i < header.values.size(); i++) {
        Value *value = header.values[i];
        auto *inner = dyn_cast<Instruction>(value);
        uint64_t bits = module.getDataLayout().getTypeSizeInBits(value->getType()).getKnownMinValue();
        bool is_number = value->getType()->isPointerTy() || value->getType()->isIntegerTy();
        sink->value(sink->context, !inner || !outermost->contains(inner), uint32_t(places->getElementOffset(i)),
                    is_number && bits <= 64 ? uint32_t((bits + 7) / 8) : 0, object_bytes(*value, module.getDataLayout()));
      }
    }
    if (headers.empty()) continue;
    Constant *nothing = ConstantPointerNull::get(PointerType::get(module.getContext(), 0));
    AllocaInst *record = record_for(*function, headers);
    for (const Header &header : headers)
      add_check(*function, header, word_of(*function, opcost::loop_word_name(name, header.block), nothing), record);
  }
}

// Gives functions their words. For a module that was optimised. The number of the module is in the names of the bodies,
// so that by its word one sees whose copy of a function was linked.
void opcost_live_words(LLVMModuleRef handle, uint32_t number) {
  Module &module = *unwrap(handle);
  SmallVector<Function *, 64> defined;
  for (Function &function : module)
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage() && function.hasFnAttribute(opcost::kReplaceable))
      defined.push_back(&function);
  SmallVector<GlobalVariable *, 64> words;
  for (Function *body : defined) {
    std::string name = body->getName().str();
    words.push_back(word_of(*body, opcost::word_name(name), ConstantPointerNull::get(PointerType::get(module.getContext(), 0))));
  }
  opcost::call_by_words(module);
  for (auto [body, word] : zip(defined, words)) {
    std::string name = body->getName().str();
    body->setName(plain(name) + ".opc.first" + Twine(number));
    Function *thunk = Function::Create(body->getFunctionType(), body->getLinkage(), body->getAddressSpace(), name, &module);
    thunk->setCallingConv(body->getCallingConv());
    thunk->setAttributes(body->getAttributes());
    thunk->removeFnAttr(Attribute::OptimizeNone);
    thunk->removeFnAttr(Attribute::Cold);
    thunk->setVisibility(body->getVisibility());
    thunk->setUnnamedAddr(body->getUnnamedAddr());
    thunk->setDSOLocal(body->isDSOLocal());
    thunk->setComdat(body->getComdat());
    body->replaceUsesWithIf(thunk, [](Use &use) { return !isa<BlockAddress>(use.getUser()); });
    word->setInitializer(body);
    body->setLinkage(GlobalValue::InternalLinkage);
    body->setComdat(nullptr);
    body->setVisibility(GlobalValue::DefaultVisibility);
    jump(*thunk, *body, word);
  }
}

} // extern "C"
