// A module that means the same on every machine.
//
// What machines differ in is spelt out (spell.cpp); variable arguments, which
// front ends write as one machine passes them, become arrays; the world starts
// the program through one function, and nobody else sees what it defines. Last
// of all it is given to the code generation of the machine that is wanted.
#include "shim.h"
#include "spell.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

using namespace llvm;

namespace {

constexpr const char *kStart = "opc_portable_start";

// Hands the variable arguments of a call on as an array of 64-bit slots.
bool pack(CallInst *call, Function &variadic, StringRef name) {
  FunctionType *old = variadic.getFunctionType();
  unsigned fixed = old->getNumParams(), count = call->arg_size() - fixed;
  for (unsigned at = fixed; at < call->arg_size(); at++) {
    Type *type = call->getArgOperand(at)->getType();
    if (!type->isPointerTy() && !type->isDoubleTy() && !type->isIntegerTy(32) && !type->isIntegerTy(64)) return false;
  }
  IRBuilder<> entry(&*call->getFunction()->getEntryBlock().getFirstInsertionPt());
  Type *word = entry.getInt64Ty();
  AllocaInst *slots = entry.CreateAlloca(ArrayType::get(word, count ? count : 1));
  IRBuilder<> builder(call);
  SmallVector<Type *, 6> types(old->params());
  SmallVector<Value *, 6> arguments(call->arg_begin(), call->arg_begin() + fixed);
  for (unsigned at = 0; at < count; at++) {
    Value *value = call->getArgOperand(fixed + at);
    if (value->getType()->isIntegerTy(32)) value = builder.CreateSExt(value, word);
    builder.CreateStore(value, builder.CreateConstInBoundsGEP2_64(slots->getAllocatedType(), slots, 0, at));
  }
  types.push_back(slots->getType());
  arguments.push_back(slots);
  FunctionCallee callee = call->getModule()->getOrInsertFunction(
      name, FunctionType::get(old->getReturnType(), types, /*isVarArg=*/false));
  CallInst *fresh = builder.CreateCall(callee, arguments);
  fresh->setDebugLoc(call->getDebugLoc());
  if (call->doesNotReturn()) fresh->setDoesNotReturn();
  call->replaceAllUsesWith(fresh);
  call->eraseFromParent();
  return true;
}

} // namespace

extern "C" {

// Spells out what machines differ in, in code that a front end wrote; before
// the library is linked to it.
void opcost_spell_out(LLVMModuleRef handle) {
  Module &module = *unwrap(handle);
  for (Function &function : module) {
    // A copy for the optimiser is as good as the original.
    if (function.hasAvailableExternallyLinkage()) function.setLinkage(GlobalValue::LinkOnceODRLinkage);
    if (!function.isDeclaration()) opcost::spell_out(function);
  }
  for (GlobalVariable &variable : module.globals()) variable.setThreadLocal(false);
}

// Calls of the declared variadic functions among `names` hand their arguments
// on in slots, to functions with `prefix` before their names.
void opcost_pack_variadic(LLVMModuleRef handle, const char *const *names, uint32_t count, const char *prefix) {
  Module &module = *unwrap(handle);
  for (uint32_t i = 0; i < count; i++) {
    Function *function = module.getFunction(names[i]);
    if (!function || !function->isDeclaration() || !function->isVarArg()) continue;
    std::string name = std::string(prefix) + names[i];
    for (User *user : make_early_inc_range(function->users()))
      if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledOperand() == function)
        pack(call, *function, name);
  }
}

// Makes the function by which the world starts the program; false without a `main`.
bool opcost_portable_start(LLVMModuleRef handle) {
  Module &module = *unwrap(handle);
  LLVMContext &context = module.getContext();
  Function *main = module.getFunction("main");
  if (!main || main->isDeclaration() || main->arg_size() > 3 || main->isVarArg()) return false;
  Type *word = Type::getInt64Ty(context), *pointer = PointerType::get(context, 0);
  auto *start = Function::Create(FunctionType::get(Type::getVoidTy(context), {word, pointer}, false),
                                 GlobalValue::ExternalLinkage, kStart, module);
  IRBuilder<> builder(BasicBlock::Create(context, "", start));
  SmallVector<Value *, 3> given{start->getArg(0), start->getArg(1), ConstantPointerNull::get(PointerType::get(context, 0))};
  SmallVector<Value *, 3> arguments;
  for (Argument &argument : main->args()) {
    Value *value = given[argument.getArgNo()];
    arguments.push_back(value->getType()->isIntegerTy() ? builder.CreateTrunc(value, argument.getType()) : value);
  }
  Value *status = builder.CreateCall(main, arguments);
  if (status->getType()->isVoidTy()) status = builder.getInt32(0);
  FunctionCallee exit = module.getOrInsertFunction("exit", builder.getVoidTy(), builder.getInt32Ty());
  builder.CreateCall(exit, {status});
  builder.CreateUnreachable();
  main->setLinkage(GlobalValue::InternalLinkage);
  return true;
}

// Nobody else sees what the module defines, and no machine is asked for; what is
// no number has the same bits in the program and its library.
void opcost_enclose(LLVMModuleRef handle) {
  Module &module = *unwrap(handle);
  for (GlobalObject &object : module.global_objects()) {
    object.setComdat(nullptr);
    if (object.isDeclaration() || object.getName().starts_with("llvm.") || object.getName() == kStart) continue;
    object.setLinkage(GlobalValue::InternalLinkage);
    object.setVisibility(GlobalValue::DefaultVisibility);
    object.setDSOLocal(true);
  }
  for (Function &function : module) {
    opcost::make_nans_alike(function);
    bool unwinds = any_of(function, [](const BasicBlock &block) { return block.isEHPad(); });
    if (function.hasPersonalityFn() && !unwinds) function.setPersonalityFn(nullptr);
    for (StringRef name : {"target-cpu", "target-features", "tune-cpu", "unsafe-fp-math", "no-nans-fp-math",
                           "no-infs-fp-math", "no-signed-zeros-fp-math", "denormal-fp-math", "denormal-fp-math-f32"})
      function.removeFnAttr(name);
  }
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty()) function.eraseFromParent();
}

// Makes code generation generate for another machine. Null, or what is wrong.
char *opcost_retarget(LLVMModuleRef handle, const char *triple) {
  opcost::initialize_targets();
  Module &module = *unwrap(handle);
  module.setTargetTriple(Triple(triple));
  // Code generation for Windows puts more into a function of this name.
  if (Function *main = module.getFunction("main")) main->setName("opc_portable_main");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  if (!target) return opcost::copy(error);
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(module.getTargetTriple(), "", "", TargetOptions(), Reloc::PIC_));
  module.setDataLayout(machine->createDataLayout());
  if (!module.getTargetTriple().isRISCV64()) return nullptr;
  module.addModuleFlag(Module::Error, "target-abi", MDString::get(module.getContext(), "lp64d"));
  for (Function &function : module)
    if (!function.isDeclaration()) function.addFnAttr("target-features", "+64bit,+m,+a,+f,+d,+c,+zicsr,+zifencei");
  return nullptr;
}

} // extern "C"
