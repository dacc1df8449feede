// What a module holds beside its functions, as bits and lists: see
// `ir/src/globals.rs` for what they mean.
#include "shim.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#include <set>

using namespace llvm;

namespace {

// Whether a constant is a function under whatever name.
bool isCode(const Constant *constant) {
  if (isa<Function>(constant) || isa<GlobalIFunc>(constant)) return true;
  auto *alias = dyn_cast<GlobalAlias>(constant);
  return alias && isa_and_nonnull<Function>(alias->getAliaseeObject());
}

// Calls `visit` on every constant that `root` is made of, up to other globals.
template <typename Visit> void walk(const Constant *root, Visit visit) {
  SmallPtrSet<const Constant *, 32> seen;
  SmallVector<const Constant *, 32> waiting{root};
  while (!waiting.empty()) {
    const Constant *constant = waiting.pop_back_val();
    if (!seen.insert(constant).second) continue;
    visit(constant);
    if (isa<GlobalValue>(constant) || isa<BlockAddress>(constant)) continue;
    for (const Use &operand : constant->operands())
      if (auto *part = dyn_cast<Constant>(operand.get())) waiting.push_back(part);
  }
}

bool leadsIntoCode(const Constant *root) {
  bool found = false;
  walk(root, [&](const Constant *constant) {
    auto *expression = dyn_cast<ConstantExpr>(constant);
    if (!expression || found) return;
    // A function's address as a number, as a pointer to a member holds it.
    bool isNumber = expression->getOpcode() == Instruction::PtrToInt;
    if (isNumber && isCode(expression->getOperand(0))) return;
    walk(expression, [&](const Constant *part) { found |= isCode(part); });
  });
  return found;
}

bool holdsBlocks(const Constant *root) {
  bool found = false;
  walk(root, [&](const Constant *constant) { found |= isa<BlockAddress>(constant); });
  return found;
}

// Whether nothing is done with the values in it but branching to them.
bool isBranchedToOnly(const Value *root) {
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<const Value *, 16> waiting{root};
  while (!waiting.empty()) {
    const Value *value = waiting.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const User *user : value->users()) {
      if (isa<IndirectBrInst>(user)) continue;
      bool isStep = isa<GEPOperator>(user) || isa<LoadInst>(user) || isa<PHINode>(user) || isa<SelectInst>(user);
      if (!isStep) return false;
      waiting.push_back(user);
    }
  }
  return true;
}

} // namespace

extern "C" {

// 1 its initialiser (or what the alias stands for) leads into code; 2 it gives
// away addresses of blocks.
uint32_t opcost_global_facts(LLVMValueRef handle) {
  Value *value = unwrap(handle);
  uint32_t facts = 0;
  if (auto *alias = dyn_cast<GlobalAlias>(value)) return leadsIntoCode(alias->getAliasee()) ? 1 : 0;
  auto *variable = dyn_cast<GlobalVariable>(value);
  if (!variable || !variable->hasInitializer()) return 0;
  if (leadsIntoCode(variable->getInitializer())) facts |= 1;
  if (holdsBlocks(variable->getInitializer())) {
    bool isOurs = variable->isConstant() && variable->hasLocalLinkage() && isBranchedToOnly(variable);
    if (!isOurs) facts |= 2;
  }
  return facts;
}

// Sections that `#pragma clang section` gives a variable, joined by commas; for
// Rust to free, or null.
char *opcost_implicit_section(LLVMValueRef handle) {
  auto *variable = dyn_cast<GlobalVariable>(unwrap(handle));
  if (!variable || !variable->hasImplicitSection()) return nullptr;
  std::string names;
  for (const char *kind : {"bss-section", "data-section", "rodata-section", "relro-section"})
    if (variable->hasAttribute(kind))
      names += (names.empty() ? "" : ",") + variable->getAttribute(kind).getValueAsString().str();
  return opcost::copy(names);
}

// The file in which a variable is written, and its line; null if unknown.
LLVMMetadataRef opcost_global_place(LLVMValueRef handle, uint32_t *line) {
  auto *variable = dyn_cast<GlobalVariable>(unwrap(handle));
  if (!variable) return nullptr;
  SmallVector<DIGlobalVariableExpression *, 1> expressions;
  variable->getDebugInfo(expressions);
  if (expressions.empty()) return nullptr;
  DIGlobalVariable *written = expressions.front()->getVariable();
  *line = written->getLine();
  return wrap(written->getFile());
}

// How many entries `llvm.global_ctors` (or, `at_end`, `llvm.global_dtors`) has.
uint32_t opcost_initializer_count(LLVMModuleRef module, bool at_end) {
  GlobalVariable *list = unwrap(module)->getGlobalVariable(at_end ? "llvm.global_dtors" : "llvm.global_ctors");
  if (!list || !list->hasInitializer()) return 0;
  auto *entries = dyn_cast<ConstantArray>(list->getInitializer());
  return entries ? entries->getNumOperands() : 0;
}

// One of them: its function, or null if it is none, and its priority.
LLVMValueRef opcost_initializer(LLVMModuleRef module, bool at_end, uint32_t position, uint32_t *priority) {
  GlobalVariable *list = unwrap(module)->getGlobalVariable(at_end ? "llvm.global_dtors" : "llvm.global_ctors");
  auto *entry = dyn_cast<ConstantStruct>(cast<ConstantArray>(list->getInitializer())->getOperand(position));
  *priority = 0;
  if (!entry) return nullptr;
  if (auto *number = dyn_cast<ConstantInt>(entry->getOperand(0))) *priority = uint32_t(number->getLimitedValue());
  return wrap(dyn_cast<Function>(entry->getOperand(1)->stripPointerCasts()));
}

// The name of module-wide metadata number `position`; null behind the last.
const char *opcost_metadata_name(LLVMModuleRef module, uint32_t position, size_t *length) {
  uint32_t at = 0;
  for (NamedMDNode &node : unwrap(module)->named_metadata()) {
    if (at++ != position) continue;
    *length = node.getName().size();
    return node.getName().data();
  }
  return nullptr;
}

// The name of attribute number `position` that is a text, of those of a
// function; null behind the last.
const char *opcost_text_attribute(LLVMValueRef function, uint32_t position, size_t *length) {
  uint32_t at = 0;
  for (const Attribute &attribute : unwrap<Function>(function)->getAttributes().getFnAttrs()) {
    if (!attribute.isStringAttribute() || at++ != position) continue;
    *length = attribute.getKindAsString().size();
    return attribute.getKindAsString().data();
  }
  return nullptr;
}

// 1 bytes before its entry, 2 bytes at its entry, 4 a strategy of collecting garbage.
uint32_t opcost_function_extras(LLVMValueRef handle) {
  auto *function = unwrap<Function>(handle);
  return (function->hasPrefixData() ? 1 : 0) | (function->hasPrologueData() ? 2 : 0) | (function->hasGC() ? 4 : 0) |
         (function->hasDLLExportStorageClass() ? 8 : 0);
}

// Whether inline assembly has no word in it and names no register.
bool opcost_is_empty_assembly(LLVMValueRef call) {
  auto *assembly = dyn_cast<InlineAsm>(cast<CallBase>(unwrap(call))->getCalledOperand());
  if (!assembly || !StringRef(assembly->getAsmString()).trim().empty()) return false;
  for (const InlineAsm::ConstraintInfo &constraint : assembly->ParseConstraints()) {
    if (constraint.Type == InlineAsm::isClobber) continue;
    for (const std::string &code : constraint.Codes)
      if (StringRef(code).starts_with("{")) return false;
  }
  return true;
}

// The text of inline assembly, or its constraints.
const char *opcost_assembly_text(LLVMValueRef call, bool constraints, size_t *length) {
  auto *assembly = cast<InlineAsm>(cast<CallBase>(unwrap(call))->getCalledOperand());
  StringRef text = constraints ? assembly->getConstraintString() : assembly->getAsmString();
  *length = text.size();
  return text.data();
}

// The text of the assembly beside the functions.
const char *opcost_module_assembly(LLVMModuleRef module, size_t *length) {
  const std::string &text = unwrap(module)->getModuleInlineAsm();
  *length = text.size();
  return text.data();
}

// Names of the module that stand as words in assembly within its functions, one a
// line, sorted; for Rust to free, or null where there are none.
char *opcost_assembly_names(LLVMModuleRef handle) {
  Module *module = unwrap(handle);
  std::set<std::string> names;
  auto isPart = [](char c) { return isAlnum(c) || c == '_' || c == '$' || c == '.'; };
  for (Function &function : *module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block) {
        auto *call = dyn_cast<CallBase>(&instruction);
        auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
        if (!assembly) continue;
        StringRef rest = assembly->getAsmString();
        while (!rest.empty()) {
          rest = rest.drop_until(isPart);
          StringRef word = rest.take_while(isPart);
          rest = rest.drop_front(word.size());
          // `$f` is an immediate, `$$f` its escape, `f.part` may be a part of `f`.
          for (StringRef name : {word, word.ltrim('$'), word.ltrim('$').split('.').first})
            if (!name.empty() && module->getNamedValue(name)) names.insert(name.str());
        }
      }
  if (names.empty()) return nullptr;
  return opcost::copy(join(names.begin(), names.end(), "\n"));
}

// Bytes of arguments that are copied on the way.
uint64_t opcost_copied_bytes(LLVMValueRef handle) {
  auto *call = cast<CallBase>(unwrap(handle));
  const DataLayout &layout = call->getModule()->getDataLayout();
  uint64_t bytes = 0;
  for (unsigned position = 0; position < call->arg_size(); position++)
    if (Type *type = call->getParamByValType(position)) bytes += layout.getTypeAllocSize(type).getKnownMinValue();
  return bytes;
}

} // extern "C"
