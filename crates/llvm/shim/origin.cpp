// Which instruction was which before a module was metered? A number on each,
// put on before the first edit, for those who check what the edits did.
#include "shim.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

MDNode *list(LLVMContext &context, ArrayRef<uint32_t> numbers) {
  SmallVector<Metadata *, 2> nodes;
  for (uint32_t number : numbers)
    nodes.push_back(ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), number)));
  return MDNode::get(context, nodes);
}

SmallVector<uint32_t, 2> numbers_of(const Instruction &instruction) {
  SmallVector<uint32_t, 2> found;
  if (MDNode *node = instruction.getMetadata(opcost::kOrigin))
    for (const MDOperand &operand : node->operands())
      found.push_back(uint32_t(mdconst::extract<ConstantInt>(operand)->getZExtValue()));
  return found;
}

} // namespace

// `into` does what `other` did, too.
void opcost::join_origins(Instruction *into, const Instruction *other) {
  SmallVector<uint32_t, 2> all = numbers_of(*into);
  all.append(numbers_of(*other));
  if (!all.empty()) into->setMetadata(opcost::kOrigin, list(into->getContext(), all));
}

extern "C" {

// Numbers the instructions of each function from 0.
void opcost_tag_origins(LLVMModuleRef handle) {
  Module &module = *unwrap(handle);
  for (Function &function : module) {
    uint32_t number = 0;
    for (Instruction &instruction : instructions(function))
      instruction.setMetadata(opcost::kOrigin, list(module.getContext(), {number++}));
  }
}

// Writes up to `room` numbers of an instruction; returns how many it has.
uint32_t opcost_origins(LLVMValueRef instruction, uint32_t *to, uint32_t room) {
  SmallVector<uint32_t, 2> found = numbers_of(*unwrap<Instruction>(instruction));
  for (uint32_t i = 0; i < found.size() && i < room; i++) to[i] = found[i];
  return uint32_t(found.size());
}

} // extern "C"
