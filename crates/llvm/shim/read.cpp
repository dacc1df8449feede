// Reading a module, and the facts about it that LLVM's C interface does not
// tell: what a call may do, and the linkage name behind a debug scope.
#include "home.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

// Keeps what LLVM calls an error.
struct Errors : DiagnosticHandler {
  explicit Errors(std::string &text) : text(text) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error) return true;
    raw_string_ostream stream(text);
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }
  std::string &text;
};

} // namespace

extern "C" {

void opcost_free(char *text) { free(text); }

// Reads bitcode or text. On failure returns null and a message. It is not
// verified: see opcost_admit. LLVM would verify what has debug information while
// it reads, end the process if it is malformed, and be asked for it once more.
LLVMModuleRef opcost_read(LLVMContextRef context, const char *path, char **message) {
  auto &options = cl::getRegisteredOptions();
  if (auto found = options.find("disable-auto-upgrade-debug-info"); found != options.end())
    static_cast<cl::opt<bool> *>(found->second)->setValue(true);
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIRFile(path, diagnostic, *unwrap(context));
  if (!module) {
    std::string text;
    raw_string_ostream stream(text);
    diagnostic.print(nullptr, stream, /*ShowColors=*/false);
    *message = opcost::copy(text);
    return nullptr;
  }
  if (getDebugMetadataVersionFromModule(*module) != DEBUG_METADATA_VERSION) StripDebugInfo(*module);
  return wrap(module.release());
}

// Null when a module of anyone is well-formed, else what is wrong with it.
// Debug information that is broken goes, as LLVM's own tools have it.
char *opcost_admit(LLVMModuleRef module) {
  std::string text;
  raw_string_ostream stream(text);
  bool broken_debug_info = false;
  if (verifyModule(*unwrap(module), &stream, &broken_debug_info)) return opcost::copy(text);
  if (broken_debug_info) StripDebugInfo(*unwrap(module));
  return nullptr;
}

// Adds the module in a file to another; null, or what went wrong.
char *opcost_link(LLVMContextRef context, LLVMModuleRef into, const char *path, bool is_trusted) {
  char *message = nullptr;
  LLVMModuleRef read = opcost_read(context, path, &message);
  if (!read) return message;
  std::unique_ptr<Module> other(unwrap(read));
  if (char *wrong = is_trusted ? nullptr : opcost_admit(read)) return wrong;
  const Triple &wanted = unwrap(into)->getTargetTriple(), &given = other->getTargetTriple();
  if (!wanted.str().empty() && !given.str().empty() && wanted.getArch() != given.getArch())
    return opcost::copy(std::string(path) + " is for " + given.str() + ", and the others are for " + wanted.str());
  std::string text;
  LLVMContext &owner = *unwrap(context);
  std::unique_ptr<DiagnosticHandler> before = owner.getDiagnosticHandler();
  owner.setDiagnosticHandler(std::make_unique<Errors>(text));
  opcost::note_homes(*unwrap(into));
  opcost::note_homes(*other);
  bool has_failed = Linker::linkModules(*unwrap(into), std::move(other));
  owner.setDiagnosticHandler(std::move(before));
  if (!has_failed) return nullptr;
  return opcost::copy(text.empty() ? std::string("cannot be linked to the others") : text);
}

// Null when an edited module is well-formed, else what is wrong with it.
char *opcost_verify(LLVMModuleRef module) {
  std::string text;
  raw_string_ostream stream(text);
  bool broken_debug_info = false;
  return verifyModule(*unwrap(module), &stream, &broken_debug_info) ? opcost::copy(text) : nullptr;
}

// What is known of a call, as bits: see `CallFacts` on the Rust side.
uint32_t opcost_call_facts(LLVMValueRef value) {
  auto *call = cast<CallBase>(unwrap(value));
  uint32_t facts = 0;
  if (call->doesNotThrow()) facts |= 1;
  if (call->hasFnAttr(Attribute::WillReturn)) facts |= 2;
  if (call->doesNotReturn()) facts |= 4;
  if (call->hasFnAttr(Attribute::ReturnsTwice)) facts |= 8;
  if (call->isInlineAsm()) facts |= 16;
  for (unsigned i = 0; i < call->arg_size(); i++)
    if (call->isByValArgument(i)) facts |= 32;
  if (call->isNoBuiltin()) facts |= 64;
  if (auto *plain = dyn_cast<CallInst>(call)) facts |= uint32_t(plain->getTailCallKind()) << 8;
  return facts;
}

// The function that a call calls directly (through casts, and aliases that no
// other module can take the place of), or null.
LLVMValueRef opcost_called_function(LLVMValueRef value) {
  Value *called = cast<CallBase>(unwrap(value))->getCalledOperand()->stripPointerCasts();
  while (auto *alias = dyn_cast<GlobalAlias>(called)) {
    if (alias->isInterposable()) return nullptr;
    called = alias->getAliasee()->stripPointerCasts();
  }
  return wrap(dyn_cast<Function>(called));
}

// Linkage name (or name) of the subprogram that a scope lies in.
const char *opcost_scope_function(LLVMMetadataRef scope, size_t *length) {
  DISubprogram *subprogram = cast<DILocalScope>(unwrap(scope))->getSubprogram();
  StringRef name = subprogram->getLinkageName();
  if (name.empty()) name = subprogram->getName();
  *length = name.size();
  return name.data();
}

// 0 splittable, 1 invoke, 2 unsplittable, 3 none.
uint32_t opcost_flow(LLVMValueRef terminator) {
  auto *instruction = cast<Instruction>(unwrap(terminator));
  switch (instruction->getOpcode()) {
  case Instruction::Br:
  case Instruction::Switch:
    return 0;
  case Instruction::Invoke:
    return 1;
  case Instruction::Ret:
  case Instruction::Resume:
  case Instruction::Unreachable:
    return 3;
  default:
    return 2;
  }
}

// Branch weights of a terminator into `weights` (room for `count`); how many there are.
uint32_t opcost_branch_weights(LLVMValueRef terminator, uint32_t *weights, uint32_t count) {
  MDNode *node = cast<Instruction>(unwrap(terminator))->getMetadata(LLVMContext::MD_prof);
  if (!node || node->getNumOperands() < 2) return 0;
  auto *kind = dyn_cast<MDString>(node->getOperand(0));
  if (!kind || kind->getString() != "branch_weights") return 0;
  uint32_t found = 0;
  for (unsigned i = 1; i < node->getNumOperands() && found < count; i++)
    if (auto *weight = mdconst::dyn_extract<ConstantInt>(node->getOperand(i)))
      weights[found++] = uint32_t(weight->getLimitedValue(UINT32_MAX));
  return found;
}

// Whether anything but direct calls refers to the function.
bool opcost_is_address_taken(LLVMValueRef function) { return unwrap<Function>(function)->hasAddressTaken(); }

// Whether no parameter can be added to the function and its direct calls.
bool opcost_is_called_oddly(LLVMValueRef handle) {
  auto *function = unwrap<Function>(handle);
  if (function->isVarArg()) return true;
  if (function->getCallingConv() != CallingConv::C && function->getCallingConv() != CallingConv::Fast) return true;
  for (auto kind : {Attribute::SwiftError, Attribute::SwiftSelf, Attribute::SwiftAsync, Attribute::InAlloca,
                    Attribute::Preallocated, Attribute::Nest})
    if (function->getAttributes().hasAttrSomewhere(kind)) return true;
  return false;
}

} // extern "C"
