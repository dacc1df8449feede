// Library functions that are compiled with the program: declarations get the
// names of what takes their place, and of that as much as is needed is linked
// in, seen by this module alone.
#include "shim.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Operator.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

namespace {

// The remainder of scalars is a call of `fmod` sooner or later; here it is one that can be replaced. Null for
// types that have no such function here.
Value *remainder(IRBuilder<> &builder, Value *left, Value *right) {
  Type *type = left->getType();
  if (!type->isDoubleTy() && !type->isFloatTy() && !type->isX86_FP80Ty()) return nullptr;
  Module &module = *builder.GetInsertBlock()->getModule();
  FunctionCallee fmod = module.getOrInsertFunction(type->isDoubleTy() ? "fmod" : type->isFloatTy() ? "fmodf" : "fmodl", type, type, type);
  if (auto *function = dyn_cast<Function>(fmod.getCallee())) function->setDoesNotThrow();
  return builder.CreateCall(fmod, {left, right});
}

// The same of each element of a vector.
Value *remainders(IRBuilder<> &builder, Value *left, Value *right) {
  auto *type = dyn_cast<FixedVectorType>(left->getType());
  if (!type) return remainder(builder, left, right);
  if (!type->getElementType()->isDoubleTy() && !type->getElementType()->isFloatTy()) return nullptr;
  Value *all = PoisonValue::get(type);
  for (uint64_t i = 0; i < type->getNumElements(); i++) {
    Value *one = remainder(builder, builder.CreateExtractElement(left, i), builder.CreateExtractElement(right, i));
    all = builder.CreateInsertElement(all, one, i);
  }
  return all;
}

bool is_remainder(const Instruction &instruction) {
  if (instruction.getOpcode() == Instruction::FRem) return true;
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::experimental_constrained_frem;
}

// A function of the program that calls the declared one, which is charged there. All modules of a program have the
// same, since addresses are compared.
Function *caller_of(Function &callee) {
  Function *caller = Function::Create(callee.getFunctionType(), GlobalValue::LinkOnceODRLinkage,
                                      callee.getAddressSpace(), "opc_through_" + callee.getName(), callee.getParent());
  caller->copyAttributesFrom(&callee);
  caller->setVisibility(GlobalValue::HiddenVisibility);
  caller->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  caller->setDSOLocal(true);
  IRBuilder<> builder(BasicBlock::Create(callee.getContext(), "", caller));
  SmallVector<Value *, 8> arguments;
  for (Argument &argument : caller->args()) arguments.push_back(&argument);
  CallInst *call = builder.CreateCall(&callee, arguments);
  call->setCallingConv(callee.getCallingConv());
  call->setAttributes(callee.getAttributes());
  if (call->getType()->isVoidTy()) builder.CreateRetVoid();
  else builder.CreateRet(call);
  return caller;
}

// Offsets of `xsgetn` and `xsputn` in the table of a C++ stream's buffer, which `sgetn` and `sputn` call.
constexpr uint64_t READS = 64, WRITES = 96;

// Whether a call may be one of those two: of that type, through that place of an object's table.
bool is_of_buffer(const CallBase &call) {
  auto *type = call.getFunctionType();
  if (type->isVarArg() || type->getNumParams() != 3 || call.hasOperandBundles() || call.isMustTailCall()) return false;
  if (!type->getReturnType()->isIntegerTy(64) || !type->getParamType(2)->isIntegerTy(64)) return false;
  if (!type->getParamType(0)->isPointerTy() || !type->getParamType(1)->isPointerTy()) return false;
  auto *function = dyn_cast<LoadInst>(call.getCalledOperand());
  auto *place = function ? dyn_cast<GEPOperator>(function->getPointerOperand()) : nullptr;
  if (!place || !isa<LoadInst>(place->getPointerOperand())) return false;
  const DataLayout &layout = call.getModule()->getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(place->getType()), 0);
  return place->accumulateConstantOffset(layout, offset) && (offset == READS || offset == WRITES);
}

// Leads such a call through a function that charges what the library's own ones copy.
void lead_through(CallBase &call) {
  IRBuilder<> builder(&call);
  Type *word = builder.getInt64Ty(), *pointer = builder.getPtrTy();
  FunctionCallee through =
      call.getModule()->getOrInsertFunction("opc_virtual", FunctionType::get(word, {pointer, pointer, word, pointer}, false));
  Value *arguments[] = {call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2), call.getCalledOperand()};
  CallBase *made;
  if (auto *invoke = dyn_cast<InvokeInst>(&call))
    made = builder.CreateInvoke(through, invoke->getNormalDest(), invoke->getUnwindDest(), arguments);
  else made = builder.CreateCall(through, arguments);
  made->takeName(&call);
  call.replaceAllUsesWith(made);
  call.eraseFromParent();
}

// Whether a module has to do with streams of C++.
bool has_streams(const Module &module) {
  auto is_of_streams = [](StringRef name) {
    return name.starts_with("_Z") && (name.contains("stream") || name.contains("filebuf") || name.starts_with("_ZNSo") ||
                                      name.starts_with("_ZNSi") || name == "_ZSt4cout" || name == "_ZSt3cin" ||
                                      name == "_ZSt4cerr" || name == "_ZSt4clog");
  };
  return any_of(module.functions(), [&](const Function &function) {
           return function.isDeclaration() && is_of_streams(function.getName());
         }) ||
         any_of(module.globals(), [&](const GlobalVariable &variable) {
           return variable.isDeclaration() && is_of_streams(variable.getName());
         });
}

// Whether a use is an address, and not whom a call calls or what unwinds a function.
bool is_address(const Use &use) {
  if (auto *call = dyn_cast<CallBase>(use.getUser())) return !call->isCallee(&use);
  return !isa<Function>(use.getUser());
}

} // namespace

extern "C" {

// Makes calls of what is none and yet becomes library work: remainders, and calls through addresses of the declared
// ones among `names`, and through the tables of streams' buffers. Addresses of functions with variable arguments stay as they are.
void opcost_make_calls(LLVMModuleRef handle, const char *const *names, uint32_t count) {
  Module &module = *unwrap(handle);
  for (Function &function : module) {
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      if (!is_remainder(instruction)) continue;
      IRBuilder<> builder(&instruction);
      if (Value *made = remainders(builder, instruction.getOperand(0), instruction.getOperand(1))) {
        instruction.replaceAllUsesWith(made);
        instruction.eraseFromParent();
      }
    }
  }
  if (has_streams(module))
    for (Function &function : module)
      for (Instruction &instruction : make_early_inc_range(instructions(function)))
        if (auto *call = dyn_cast<CallBase>(&instruction); call && is_of_buffer(*call)) lead_through(*call);
  SmallVector<Function *, 16> declared;
  for (const char *name : ArrayRef(names, count)) {
    Function *function = module.getFunction(name);
    if (function && function->isDeclaration() && !function->isVarArg() && function->hasExternalLinkage() &&
        !function->hasFnAttribute(Attribute::ReturnsTwice))
      declared.push_back(function);
  }
  for (Function *function : declared) {
    if (none_of(function->uses(), is_address)) continue;
    Function *caller = caller_of(*function);
    function->replaceUsesWithIf(caller, [&](Use &use) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      return is_address(use) && !isa<Constant>(use.getUser()) && !(user && user->getFunction() == caller);
    });
    // Constants are one for all: those that name it are made anew.
    SmallSetVector<Constant *, 8> constants;
    for (User *user : function->users())
      if (auto *constant = dyn_cast<Constant>(user); constant && !isa<GlobalValue>(constant)) constants.insert(constant);
    for (Constant *constant : constants) constant->handleOperandChange(function, caller);
    function->replaceUsesWithIf(caller, [](Use &use) { return isa<GlobalVariable>(use.getUser()); });
  }
}

LLVMModuleRef opcost_read(LLVMContextRef context, const char *path, char **message);

// Names the declared ones among `names` anew; how many there were.
uint32_t opcost_rename_declared(LLVMModuleRef handle, const char *const *names, uint32_t count, const char *prefix) {
  Module &module = *unwrap(handle);
  uint32_t renamed = 0;
  for (uint32_t i = 0; i < count; i++) {
    Function *function = module.getFunction(names[i]);
    if (!function || !function->isDeclarationForLinker() || function->use_empty()) continue;
    // A copy for the optimiser is a declaration with a body.
    if (!function->isDeclaration()) function->deleteBody();
    function->setName(Twine(prefix) + names[i]);
    renamed++;
  }
  return renamed;
}

// Links what is needed of the module at `path`. Null, or what is wrong.
char *opcost_link_needed(LLVMContextRef context, LLVMModuleRef handle, const char *path, const char *prefix) {
  char *message = nullptr;
  LLVMModuleRef read = opcost_read(context, path, &message);
  if (!read) return message;
  Module &module = *unwrap(handle);
  if (Linker::linkModules(module, std::unique_ptr<Module>(unwrap(read)), Linker::Flags::LinkOnlyNeeded))
    return opcost::copy("opcost's library cannot be linked to it");
  for (Function &function : module)
    if (function.getName().starts_with(prefix) && !function.isDeclaration())
      function.setLinkage(GlobalValue::InternalLinkage);
  return nullptr;
}

} // extern "C"
