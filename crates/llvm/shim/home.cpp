// Which module is a local function from, and what was its name there? Linking
// renames a local function whose name is taken, so both are noted before, once,
// in metadata of the function that nothing else reads.
#include "home.h"

#include "llvm/IR/Metadata.h"

using namespace llvm;

static constexpr const char *kHome = "opcost.home";

void opcost::note_homes(Module &module) {
  LLVMContext &context = module.getContext();
  for (Function &function : module) {
    if (function.isDeclaration() || !function.hasLocalLinkage() || function.getMetadata(kHome)) continue;
    Metadata *home[] = {MDString::get(context, module.getSourceFileName()),
                        MDString::get(context, function.getName())};
    function.setMetadata(kHome, MDNode::get(context, home));
  }
}

extern "C" {

// The module (part 0) or the name there (part 1) of a local function; null if
// neither is noted.
const char *opcost_home(LLVMValueRef function, uint32_t part, size_t *length) {
  const MDNode *home = unwrap<Function>(function)->getMetadata(kHome);
  if (!home || part >= home->getNumOperands()) return nullptr;
  const auto *text = dyn_cast_or_null<MDString>(home->getOperand(part).get());
  if (!text) return nullptr;
  *length = text->getLength();
  return text->getString().data();
}

} // extern "C"
