// Alias tags and names of the source, as LLVM's metadata has them: see
// `ir/src/tags.rs` and `ir/src/module.rs` for what they mean.
#include "shim.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

#include <string>
#include <vector>

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

// Whether an expression only changes the size of a value, or says of which part of a variable it is.
bool is_resized(const DIExpression &expression) {
  for (const DIExpression::ExprOperand &operation : expression.expr_ops())
    switch (operation.getOp()) {
    case dwarf::DW_OP_LLVM_arg:
    case dwarf::DW_OP_LLVM_convert:
    case dwarf::DW_OP_LLVM_fragment:
    case dwarf::DW_OP_LLVM_extract_bits_sext:
    case dwarf::DW_OP_LLVM_extract_bits_zext:
    case dwarf::DW_OP_stack_value: break;
    default: return false;
    }
  return true;
}

// What a value was before its size or kind was changed.
const Value *unresized(const Value *value) {
  while (isa<CastInst>(value) || isa<FreezeInst>(value)) value = cast<Instruction>(value)->getOperand(0);
  return value;
}

// Whether a type is an address, also under other names.
bool is_pointer(const DIType *type) {
  while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
    case dwarf::DW_TAG_pointer_type:
    case dwarf::DW_TAG_reference_type:
    case dwarf::DW_TAG_rvalue_reference_type: return true;
    default: type = derived->getBaseType();
    }
  }
  return false;
}

// The fields of a type at an offset, as `.a.b`; `[8]` where no one field has that size.
std::string field_at(const DIType *type, uint64_t offset, uint64_t size) {
  std::string name;
  uint64_t rest = offset;
  while (type) {
    if (auto *derived = dyn_cast<DIDerivedType>(type)) {
      type = derived->getBaseType();
      continue;
    }
    auto *whole = dyn_cast<DICompositeType>(type);
    if (!whole) break;
    const DIDerivedType *found = nullptr;
    for (const DINode *element : whole->getElements()) {
      auto *member = dyn_cast<DIDerivedType>(element);
      if (!member || member->getTag() != dwarf::DW_TAG_member || member->isStaticMember() || member->getName().empty()) continue;
      bool is_in = member->getOffsetInBits() <= rest && rest < member->getOffsetInBits() + member->getSizeInBits();
      if (is_in) found = member;
    }
    if (!found || rest + size > found->getOffsetInBits() + found->getSizeInBits()) break;
    name += "." + found->getName().str();
    rest -= found->getOffsetInBits();
    if (rest == 0 && size == found->getSizeInBits()) return name;
    type = found->getBaseType();
  }
  return "[" + std::to_string(offset / 8) + "]";
}

// Collects the names of a function's parameters that are passed in another form than the source
// has them: of other sizes, or a part of a variable in each.
class Parameters {
public:
  explicit Parameters(const Function &function) : function(function), names(function.arg_size()) {
    const DISubprogram *written = function.getSubprogram();
    if (!written) return;
    for (const Instruction &instruction : instructions(function))
      for (const DbgVariableRecord &record : filterDbgVars(const_cast<Instruction &>(instruction).getDbgRecordRange())) {
        DebugLoc place = record.getDebugLoc();
        const DILocalVariable *variable = record.getVariable();
        bool is_own = variable->getArg() && !(place && place.getInlinedAt()) && variable->getScope()->getSubprogram() == written;
        if (is_own) look_at(record, *variable);
      }
    for (const DINode *node : written->getRetainedNodes())
      if (auto *variable = dyn_cast<DILocalVariable>(node)) by_number.try_emplace(variable->getArg(), variable);
    by_position(*written);
  }

  const Function &function;
  std::vector<std::string> names;

private:
  void look_at(const DbgVariableRecord &record, const DILocalVariable &variable) {
    by_number.try_emplace(variable.getArg(), &variable);
    if (record.isKillLocation() || record.getNumVariableLocationOps() != 1) return;
    const Value *value = record.getVariableLocationOp(0);
    if (auto *local = dyn_cast<AllocaInst>(value); local && record.isDbgDeclare() && is_plain(*record.getExpression(), false))
      return stored_in(*local, variable);
    if (record.isDbgDeclare() || !is_resized(*record.getExpression())) return;
    auto part = record.getExpression()->getFragmentInfo();
    if (part) put(value, variable, part->OffsetInBits, part->SizeInBits);
    else put(value, variable, 0, variable.getSizeInBits().value_or(0));
  }

  // Without optimisation a parameter is stored in a local at the start.
  void stored_in(const AllocaInst &local, const DILocalVariable &variable) {
    const DataLayout &layout = function.getDataLayout();
    for (const Instruction &instruction : function.getEntryBlock()) {
      auto *store = dyn_cast<StoreInst>(&instruction);
      if (!store) continue;
      APInt offset(layout.getIndexTypeSizeInBits(store->getPointerOperandType()), 0);
      const Value *base = store->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
      if (base != &local || offset.isNegative()) continue;
      uint64_t size = layout.getTypeStoreSizeInBits(store->getValueOperand()->getType());
      put(store->getValueOperand(), variable, offset.getZExtValue() * 8, size);
    }
  }

  void put(const Value *value, const DILocalVariable &variable, uint64_t offset, uint64_t size) {
    auto *argument = dyn_cast<Argument>(unresized(value));
    if (!argument || !names[argument->getArgNo()].empty() || variable.getName().empty()) return;
    std::string name = variable.getName().str();
    // Cut to a part the argument holds more than that: perhaps all of it.
    uint64_t passed = function.getDataLayout().getTypeSizeInBits(argument->getType()).getFixedValue();
    uint64_t bits = variable.getSizeInBits().value_or(size);
    bool is_whole = passed >= bits || (offset == 0 && size >= bits);
    if (!is_whole) name += field_at(variable.getType(), offset, std::max(size, passed));
    names[argument->getArgNo()] = name;
  }

  // If the source has as many parameters, each is the one of its number.
  void by_position(const DISubprogram &written) {
    auto *type = written.getType();
    DITypeRefArray types = type ? type->getTypeArray() : DITypeRefArray();
    unsigned hidden = 0;
    for (const Argument &argument : function.args()) hidden += argument.hasStructRetAttr();
    if (!types || types.size() != function.arg_size() - hidden + 1) return;
    std::vector<std::string> found = names;
    unsigned number = 0;
    for (const Argument &argument : function.args()) {
      if (argument.hasStructRetAttr()) continue;
      const DILocalVariable *variable = by_number.lookup(++number);
      const std::string &known = names[argument.getArgNo()];
      // What is known to be another one is not passed in the order of the source.
      if (!known.empty() && (!variable || variable->getName() != known)) return;
      if (variable && (argument.getType()->isPointerTy() || !is_pointer(variable->getType())))
        found[argument.getArgNo()] = variable->getName().str();
    }
    names = found;
  }

  DenseMap<unsigned, const DILocalVariable *> by_number;
};

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
  // What has a name by now keeps it.
  Parameters parameters(*unwrap<Function>(handle));
  for (Argument &argument : unwrap<Function>(handle)->args()) {
    const std::string &name = parameters.names[argument.getArgNo()];
    if (!name.empty()) named(context, wrap(&argument), name.data(), name.size(), false);
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
