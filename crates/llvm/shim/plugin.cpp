// What must a module be to be a plug-in's?
//
// Before it is metered, two tables are made of it: its constructors by
// priority, which would otherwise run while the host loads it, and the
// functions that a host may call, so that nothing but metered code can be
// found. Both make their functions' addresses known, which is how planning
// learns that the outside calls them. Afterwards everything is hidden (the
// host finds things by the table), thread-local variables become plain ones
// (an instance has one thread, which may change), and frames touch every page,
// so that a full stack meets its guard.
#include "shim.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace {

struct Constructor {
  uint64_t priority;
  Constant *function;
};

void define(Module &module, Constant *value, const char *name) {
  auto *variable = new GlobalVariable(module, value->getType(), true, GlobalValue::ExternalLinkage, value, name);
  variable->setVisibility(GlobalValue::HiddenVisibility);
  variable->setDSOLocal(true);
}

// Sections whose contents run while an image is loaded or dropped.
bool runs_by_itself(StringRef section) {
  for (StringRef start : {".init", ".fini", ".preinit", ".ctors", ".dtors"})
    if (section.starts_with(start)) return true;
  return false;
}

// What would get round the tables or the runtime, or nothing.
std::string objection(Module &module) {
  for (GlobalIFunc &ifunc : module.ifuncs())
    return ("'" + ifunc.getName() + "' is chosen while it is loaded (ifunc), before there is any fuel").str();
  for (GlobalValue &value : module.global_values()) {
    StringRef name = GlobalValue::dropLLVMManglingEscape(value.getName());
    if (!value.hasLocalLinkage() && (name.starts_with("opc_") || name.starts_with("opcost_")))
      return ("'" + name + "' is a name of opcost's runtime").str();
    auto *object = dyn_cast<GlobalObject>(&value);
    if (object && runs_by_itself(object->getSection()))
      return ("'" + name + "' lies in section " + object->getSection() + ", which runs before there is any fuel").str();
  }
  return "";
}

SmallVector<Constructor, 8> constructors(Module &module) {
  SmallVector<Constructor, 8> found;
  GlobalVariable *list = module.getNamedGlobal("llvm.global_ctors");
  if (!list || !list->hasInitializer()) return found;
  if (auto *entries = dyn_cast<ConstantArray>(list->getInitializer()))
    for (Value *entry : entries->operands()) {
      auto *one = cast<ConstantStruct>(entry);
      if (one->getOperand(1)->isNullValue()) continue;
      uint64_t priority = cast<ConstantInt>(one->getOperand(0))->getZExtValue();
      auto is_before = [](uint64_t priority, const Constructor &other) { return priority < other.priority; };
      found.insert(llvm::upper_bound(found, priority, is_before), {priority, one->getOperand(1)});
    }
  return found;
}

// Whether a host may call it with one pointer.
bool is_callable(const Function &function) {
  StringRef name = GlobalValue::dropLLVMManglingEscape(function.getName());
  FunctionType *type = function.getFunctionType();
  Type *result = type->getReturnType();
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() && !function.hasLocalLinkage() &&
         function.hasDefaultVisibility() && !name.starts_with("_") && !type->isVarArg() && type->getNumParams() <= 1 &&
         (type->getNumParams() == 0 ||
          (type->getParamType(0)->isPointerTy() && !function.hasParamAttribute(0, Attribute::StructRet))) &&
         (result->isVoidTy() || result->isIntegerTy() || result->isFloatingPointTy() || result->isPointerTy()) &&
         function.getCallingConv() == CallingConv::C;
}

} // namespace

extern "C" {

// Null, or why it cannot be a plug-in.
char *opcost_plugin_objection(LLVMModuleRef module) {
  std::string words = objection(*unwrap(module));
  return words.empty() ? nullptr : opcost::copy(words);
}

// Makes the tables; the number of functions that a host can call.
uint32_t opcost_plugin_open(LLVMModuleRef handle) {
  Module &module = *unwrap(handle);
  LLVMContext &context = module.getContext();
  Constant *null = ConstantPointerNull::get(PointerType::get(context, 0));
  SmallVector<Constant *, 8> list, functions;
  for (Constructor &constructor : constructors(module)) list.push_back(constructor.function);
  list.push_back(null);
  for (const char *name : {"llvm.global_ctors", "llvm.global_dtors"})
    if (GlobalVariable *variable = module.getNamedGlobal(name)) variable->eraseFromParent();
  for (Function &function : module) {
    if (!is_callable(function)) continue;
    Constant *name = ConstantDataArray::getString(context, GlobalValue::dropLLVMManglingEscape(function.getName()));
    auto *text = new GlobalVariable(module, name->getType(), true, GlobalValue::PrivateLinkage, name, "opcost.export");
    functions.push_back(ConstantStruct::getAnon({text, &function}));
  }
  uint32_t exports = uint32_t(functions.size());
  functions.push_back(ConstantStruct::getAnon({null, null}));
  define(module, ConstantArray::get(ArrayType::get(null->getType(), list.size()), list), "opc_plugin_constructors");
  define(module, ConstantArray::get(ArrayType::get(functions[0]->getType(), functions.size()), functions),
         "opc_plugin_functions");
  return exports;
}

// What is left to do when the module is metered.
void opcost_plugin_close(LLVMModuleRef handle, const char *cost_model, uint64_t overshoot) {
  Module &module = *unwrap(handle);
  LLVMContext &context = module.getContext();
  define(module, ConstantDataArray::getString(context, cost_model), "opc_plugin_cost_model");
  define(module, ConstantInt::get(Type::getInt64Ty(context), overshoot), "opc_plugin_overshoot");
  Triple triple(module.getTargetTriple());
  for (Function &function : module) {
    if (function.isDeclaration()) continue;
    if (triple.isX86() || triple.isAArch64() || triple.isRISCV()) function.addFnAttr("probe-stack", "inline-asm");
    SmallVector<IntrinsicInst *, 8> addresses;
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == Intrinsic::threadlocal_address)
        addresses.push_back(call);
    for (IntrinsicInst *call : addresses) {
      call->replaceAllUsesWith(call->getArgOperand(0));
      call->eraseFromParent();
    }
  }
  for (GlobalVariable &variable : module.globals()) variable.setThreadLocal(false);
  for (GlobalValue &value : module.global_values()) {
    if (value.isDeclaration() || value.hasLocalLinkage() || value.hasAppendingLinkage()) continue;
    if (value.hasAvailableExternallyLinkage()) continue;
    value.setVisibility(GlobalValue::HiddenVisibility);
    value.setDSOLocal(true);
  }
}

} // extern "C"
