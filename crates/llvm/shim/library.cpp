// Library functions that are compiled with the program: declarations get the
// names of what takes their place, and of that as much as is needed is linked
// in, seen by this module alone.
#include "shim.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

extern "C" {

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
