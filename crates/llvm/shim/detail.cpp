// Alias tags and names of the source, as LLVM's metadata has them: see
// `ir/src/tags.rs` and `ir/src/module.rs` for what they mean.
#include "shim.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace {

// Mirrors `RawStep`.
struct Step {
  LLVMMetadataRef type;
  uint64_t offset;
};

const MDNode *node_at(const MDNode &node, unsigned position) {
  return position < node.getNumOperands() ? dyn_cast_or_null<MDNode>(node.getOperand(position).get()) : nullptr;
}

std::optional<uint64_t> number_at(const MDNode &node, unsigned position) {
  if (position >= node.getNumOperands()) return std::nullopt;
  auto *number = mdconst::dyn_extract_or_null<ConstantInt>(node.getOperand(position));
  return number ? std::optional(number->getLimitedValue()) : std::nullopt;
}

// Nodes of the format with sizes begin with their parents.
bool has_sizes(const MDNode &type) { return type.getNumOperands() >= 3 && node_at(type, 0); }

// The field of a type that `offset` lies in, and the offset in that: as
// `TBAAStructTypeNode::getField` has it. A scalar's one field is its parent.
const MDNode *field(const MDNode &type, uint64_t &offset) {
  unsigned count = type.getNumOperands();
  if (count < 2) return nullptr;
  unsigned chosen = 1;
  for (unsigned at = 3; count > 3 && at + 1 < count; at += 2) {
    std::optional<uint64_t> begins = number_at(type, at + 1);
    if (!begins || *begins > offset) break;
    chosen = at;
  }
  offset -= count == 2 ? 0 : number_at(type, chosen + 1).value_or(0);
  return node_at(type, chosen);
}

const MDNode *tag_of(LLVMMetadataRef handle) { return dyn_cast<MDNode>(unwrap(handle)); }

// Whether an expression leaves the value as it is, or (`or_memory`) takes what
// it points to.
bool is_plain(const DIExpression &expression, bool or_memory) {
  ArrayRef<uint64_t> rest = expression.getElements();
  if (rest.size() >= 2 && rest[0] == dwarf::DW_OP_LLVM_arg && rest[1] == 0) rest = rest.drop_front(2);
  return rest.empty() || (or_memory && rest.size() == 1 && rest[0] == dwarf::DW_OP_deref);
}

using Named = void (*)(void *context, LLVMValueRef value, const char *name, size_t length, bool is_inlined);
using Shared = void (*)(void *context, bool is_member, uint64_t offset, const char *name, size_t length);

} // namespace

extern "C" {

// The tag of an access, or null.
LLVMMetadataRef opcost_tag(LLVMValueRef instruction) {
  return wrap(cast<Instruction>(unwrap(instruction))->getMetadata(LLVMContext::MD_tbaa));
}

// The way of a tag from its base type to the root into `steps` (room for
// `room`), which step is the access type, and whether what is accessed never
// changes. How many steps, or 0: another format, or not well-formed.
uint32_t opcost_tag_steps(LLVMMetadataRef handle, Step *steps, uint32_t room, uint32_t *access, bool *is_constant) {
  const MDNode *tag = tag_of(handle);
  if (!tag || tag->getNumOperands() < 3) return 0;
  const MDNode *base = node_at(*tag, 0), *accessed = node_at(*tag, 1);
  std::optional<uint64_t> offset = number_at(*tag, 2);
  if (!base || !accessed || !offset || has_sizes(*base) || has_sizes(*accessed)) return 0;
  *is_constant = number_at(*tag, 3) == 1;
  *access = room;
  uint32_t count = 0;
  uint64_t here = *offset;
  for (const MDNode *type = base; type; type = field(*type, here)) {
    if (count == room || has_sizes(*type)) return 0;
    if (*access == room && type == accessed) *access = count;
    // Behind the access type only parents are left.
    if (*access != room && type->getNumOperands() > 3) return 0;
    steps[count++] = {wrap(const_cast<MDNode *>(type)), here};
  }
  return *access == room ? 0 : count;
}

// The name of a type of tags.
const char *opcost_tag_type_name(LLVMMetadataRef handle, size_t *length) {
  *length = 0;
  for (const MDOperand &operand : cast<MDNode>(unwrap(handle))->operands()) {
    auto *name = dyn_cast_or_null<MDString>(operand.get());
    if (!name) continue;
    *length = name->getString().size();
    return name->getString().data();
  }
  return nullptr;
}

// A function's name in the source, or null.
const char *opcost_source_name(LLVMValueRef function, size_t *length) {
  DISubprogram *subprogram = unwrap<Function>(function)->getSubprogram();
  *length = subprogram ? subprogram->getName().size() : 0;
  return subprogram ? subprogram->getName().data() : nullptr;
}

// Tells of each value of a function that is a variable's value or address, and
// the variable's name, in program order; a value as often as it is noted.
void opcost_source_names(LLVMValueRef handle, void *context, Named named) {
  auto tell = [&](Value *value, const DbgVariableRecord &record) {
    StringRef name = record.getVariable()->getName();
    if (name.empty() || !(isa<Argument>(value) || isa<Instruction>(value))) return;
    DebugLoc place = record.getDebugLoc();
    named(context, wrap(value), name.data(), name.size(), place && place.getInlinedAt());
  };
  for (Instruction &instruction : instructions(*unwrap<Function>(handle)))
    for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange())) {
      if (record.isDbgAssign() && !record.isKillAddress() && is_plain(*record.getAddressExpression(), false))
        tell(record.getAddress(), record);
      if (record.isKillLocation() || record.getNumVariableLocationOps() != 1) continue;
      Value *value = record.getVariableLocationOp(0);
      bool is_pointer = value->getType()->isPointerTy() && !record.isDbgDeclare();
      if (is_plain(*record.getExpression(), is_pointer)) tell(value, record);
    }
}

// Tells of the name of data in the source and of the variables that share it,
// in LLVM's order.
void opcost_data_names(LLVMValueRef handle, void *context, Shared shared) {
  auto *variable = dyn_cast<GlobalVariable>(unwrap(handle));
  if (!variable) return;
  SmallVector<DIGlobalVariableExpression *, 4> expressions;
  variable->getDebugInfo(expressions);
  for (DIGlobalVariableExpression *expression : expressions) {
    DIGlobalVariable *written = expression->getVariable();
    StringRef name = written->getName();
    int64_t offset = 0;
    if (expression->getExpression() && !expression->getExpression()->extractIfOffset(offset)) continue;
    if (name.empty() || offset < 0) continue;
    auto *common = dyn_cast_or_null<DICommonBlock>(written->getScope());
    if (common && !common->getName().empty())
      shared(context, false, 0, common->getName().data(), common->getName().size());
    shared(context, common || offset > 0, uint64_t(offset), name.data(), name.size());
  }
}

} // extern "C"
