// A module as bitcode: as it was read, or counted and to be turned into
// machine code another time.
//
// What code generation needs besides the code itself (the map's bytes, its
// hash, the call site behind each instruction's number) is kept in one node of
// named metadata, as strings of bytes. Optimisers leave named metadata alone;
// llvm-link puts the nodes of its inputs one behind the other, which shows.
#include "shim.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static constexpr const char *kKept = "opcost.counted";

extern "C" {

struct opcost_bytes {
  const char *data;
  size_t length;
};

// Writes the module; null, or what went wrong.
char *opcost_write(LLVMModuleRef module, const char *path) {
  std::error_code code;
  raw_fd_ostream out(path, code, sys::fs::OF_None);
  if (code) return opcost::copy(std::string("cannot write ") + path + ": " + code.message());
  WriteBitcodeToFile(*unwrap(module), out, /*ShouldPreserveUseListOrder=*/true);
  out.flush();
  if (!out.has_error()) return nullptr;
  std::string message = std::string("cannot write ") + path + ": " + out.error().message();
  out.clear_error();
  return opcost::copy(message);
}

// Keeps `count` strings of bytes in the module.
void opcost_keep(LLVMModuleRef handle, const opcost_bytes *strings, uint32_t count) {
  Module &module = *unwrap(handle);
  LLVMContext &context = module.getContext();
  SmallVector<Metadata *, 4> kept;
  for (uint32_t i = 0; i < count; i++)
    kept.push_back(MDString::get(context, StringRef(strings[i].data, strings[i].length)));
  module.getOrInsertNamedMetadata(kKept)->addOperand(MDNode::get(context, kept));
}

// How many times opcost_keep was called on the parts of this module.
uint32_t opcost_kept(LLVMModuleRef module) {
  NamedMDNode *node = unwrap(module)->getNamedMetadata(kKept);
  return node ? node->getNumOperands() : 0;
}

// Gives back the first `count` strings kept; false if there are fewer.
bool opcost_kept_strings(LLVMModuleRef module, opcost_bytes *strings, uint32_t count) {
  MDNode *node = unwrap(module)->getNamedMetadata(kKept)->getOperand(0);
  if (node->getNumOperands() != count) return false;
  for (uint32_t i = 0; i < count; i++) {
    auto *string = dyn_cast_or_null<MDString>(node->getOperand(i).get());
    if (!string) return false;
    strings[i] = {string->getString().data(), string->getLength()};
  }
  return true;
}

} // extern "C"
