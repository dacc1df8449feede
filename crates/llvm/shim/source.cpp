// Who made a module, and of which contents of files? What a module says of it.
#include "shim.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/MD5.h"
#include <cstring>

using namespace llvm;

// The words of `llvm.ident`, then the producers of compile units, one after the other.
static const MDString *producer(Module &module, uint32_t position) {
  if (NamedMDNode *identities = module.getNamedMetadata("llvm.ident")) {
    for (const MDNode *node : identities->operands()) {
      const auto *text = node->getNumOperands() ? dyn_cast_or_null<MDString>(node->getOperand(0)) : nullptr;
      if (text && position-- == 0) return text;
    }
  }
  for (const DICompileUnit *unit : module.debug_compile_units()) {
    const MDString *text = unit->getRawProducer();
    if (text && position-- == 0) return text;
  }
  return nullptr;
}

extern "C" {

// What compiler number `position` of a module calls itself; null behind the last.
const char *opcost_producer(LLVMModuleRef module, uint32_t position, size_t *length) {
  const MDString *text = producer(*unwrap(module), position);
  if (!text) return nullptr;
  *length = text->getLength();
  return text->getString().data();
}

// The MD5 of a file that was compiled, as digits; null if the module does not say it.
const char *opcost_file_md5(LLVMMetadataRef file, size_t *length) {
  const auto checksum = unwrap<DIFile>(file)->getChecksum();
  if (!checksum || checksum->Kind != DIFile::CSK_MD5) return nullptr;
  *length = checksum->Value.size();
  return checksum->Value.data();
}

// The MD5 of bytes as 32 digits.
void opcost_md5(const uint8_t *bytes, size_t count, char *digits) {
  const auto text = MD5::hash(ArrayRef<uint8_t>(bytes, count)).digest();
  std::memcpy(digits, text.data(), 32);
}

} // extern "C"
