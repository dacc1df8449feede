// In which form are the parameters and the result of a function passed? What the source has of them,
// by debug data, and what LLVM's parameters are: see `src/shape.rs`.
#include "shim.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"

#include <string>
#include <vector>

using namespace llvm;

namespace {

// Mirrors `RawPart`.
struct Part {
  uint32_t argument;
  uint32_t kind;
  uint64_t offset, bits;
  const char *name;
  size_t length;
};

enum Kind : uint32_t { Plain, Boolean, Padded, SignExtended, ZeroExtended, Dropped };
constexpr uint32_t RESULT = UINT32_MAX;
constexpr uint64_t MOST_BITS = 128;

using Told = void (*)(void *context, const Part *part);

// A member of a variable that is a number or a pointer, and where it lies.
struct Leaf {
  std::string name;
  uint64_t offset, bits;
  Kind kind;
};

const DIType *without_names(const DIType *type) {
  while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type: type = derived->getBaseType(); break;
    default: return type;
    }
  }
  return type;
}

// A complex number is passed as a struct of two numbers.
bool is_complex(const DIType *type) {
  auto *basic = dyn_cast_or_null<DIBasicType>(type);
  return basic && (basic->getEncoding() == dwarf::DW_ATE_complex_float || basic->getEncoding() == dwarf::DW_ATE_lo_user);
}

bool is_whole_number(const DIType *type) {
  if (is_complex(type)) return false;
  auto *composite = dyn_cast_or_null<DICompositeType>(type);
  return !composite || composite->getTag() == dwarf::DW_TAG_enumeration_type;
}

// Bits of a number that mean something.
uint64_t number_bits(const DIType &type) {
  auto *basic = dyn_cast<DIBasicType>(&type);
  return basic && basic->getDataSizeInBits() ? basic->getDataSizeInBits() : type.getSizeInBits();
}

// The members of a type. A union is a member by itself: all of its bits may mean something.
void leaves(const DIType *written, std::string name, uint64_t offset, std::vector<Leaf> &all) {
  const DIType *type = without_names(written);
  if (!type || all.size() > MOST_BITS) return;
  auto *composite = dyn_cast<DICompositeType>(type);
  if (composite && composite->getTag() == dwarf::DW_TAG_array_type) {
    const DIType *element = composite->getBaseType();
    uint64_t size = element ? element->getSizeInBits() : 0;
    for (uint64_t at = 0; size && (at + 1) * size <= composite->getSizeInBits() && at < MOST_BITS; at++)
      leaves(element, name + "[" + std::to_string(at) + "]", offset + at * size, all);
    return;
  }
  bool has_members = composite && (composite->getTag() == dwarf::DW_TAG_structure_type || composite->getTag() == dwarf::DW_TAG_class_type);
  if (is_complex(type)) {
    uint64_t half = type->getSizeInBits() / 2;
    all.push_back({name + ".real", offset, half, Plain});
    all.push_back({name + ".imaginary", offset + half, half, Plain});
    return;
  }
  if (!has_members) {
    auto *basic = dyn_cast<DIBasicType>(type);
    bool is_boolean = basic && basic->getEncoding() == dwarf::DW_ATE_boolean;
    all.push_back({name, offset, number_bits(*type), is_boolean ? Boolean : Plain});
    return;
  }
  for (const DINode *element : composite->getElements()) {
    auto *member = dyn_cast<DIDerivedType>(element);
    bool is_base = member && member->getTag() == dwarf::DW_TAG_inheritance;
    if (!member || member->isStaticMember() || !(is_base || member->getTag() == dwarf::DW_TAG_member)) continue;
    std::string own = is_base || member->getName().empty() ? name : name + "." + member->getName().str();
    if (member->isBitField()) {
      const auto *basic = dyn_cast_or_null<DIBasicType>(without_names(member->getBaseType()));
      bool is_boolean = basic && basic->getEncoding() == dwarf::DW_ATE_boolean;
      all.push_back({own, offset + member->getOffsetInBits(), member->getSizeInBits(), is_boolean ? Boolean : Plain});
    } else {
      leaves(member->getBaseType(), own, offset + member->getOffsetInBits(), all);
    }
  }
}

struct Reporter {
  void *context;
  Told told;

  void report(uint32_t argument, Kind kind, uint64_t offset, uint64_t bits, const std::string &name) {
    Part part = {argument, kind, offset, bits, name.data(), name.size()};
    told(context, &part);
  }

  // The members that lie in a word of a variable.
  void members(uint32_t argument, const std::vector<Leaf> &all, uint64_t begin, uint64_t bits) {
    report(argument, Padded, 0, bits, "");
    for (const Leaf &leaf : all) {
      uint64_t low = std::max(leaf.offset, begin), high = std::min(leaf.offset + leaf.bits, begin + bits);
      if (low >= high) continue;
      std::string name = leaf.name;
      if (high - low < leaf.bits) name += "[" + std::to_string(high - leaf.offset - 1) + ":" + std::to_string(low - leaf.offset) + "]";
      report(argument, leaf.kind, low - begin, high - low, name);
    }
  }
};

// A parameter of the source. Without optimisation it is known by its records alone.
const DILocalVariable *parameter(const Function &function, const DISubprogram &written, unsigned number) {
  for (const DINode *node : written.getRetainedNodes())
    if (auto *variable = dyn_cast<DILocalVariable>(node))
      if (variable->getArg() == number) return variable;
  for (const Instruction &instruction : instructions(function))
    for (const DbgVariableRecord &record : filterDbgVars(const_cast<Instruction &>(instruction).getDbgRecordRange())) {
      const DILocalVariable *variable = record.getVariable();
      if (variable->getArg() == number && variable->getScope()->getSubprogram() == &written) return variable;
    }
  return nullptr;
}

} // namespace

extern "C" {

// Tells how each parameter is extended, and of each that is a word of a struct of the source its
// members; those of the result, too. Whether it is known which parameters of the source are which.
bool opcost_shape(LLVMValueRef handle, void *context, Told told) {
  const Function &function = *unwrap<Function>(handle);
  Reporter reporter = {context, told};
  std::vector<const Argument *> passed;
  for (const Argument &argument : function.args()) {
    if (argument.hasSExtAttr()) reporter.report(argument.getArgNo(), SignExtended, 0, 0, "");
    if (argument.hasZExtAttr()) reporter.report(argument.getArgNo(), ZeroExtended, 0, 0, "");
    if (!argument.hasStructRetAttr()) passed.push_back(&argument);
  }
  const DISubprogram *written = function.getSubprogram();
  auto *type = written ? written->getType() : nullptr;
  DITypeRefArray types = type ? type->getTypeArray() : DITypeRefArray();
  if (!types || types.size() == 0) return false;
  const DataLayout &layout = function.getDataLayout();
  size_t next = 0;
  for (unsigned number = 1; number < types.size(); number++) {
    const DIType *one = without_names(types[number]);
    if (!one) return false;
    uint64_t size = one->getSizeInBits();
    // Large structs are copied to the stack, and those of C++ with a constructor for copies are at an address.
    bool is_at_address = size > MOST_BITS || (one->getFlags() & DINode::FlagTypePassByReference) || (next < passed.size() && passed[next]->hasByValAttr());
    bool is_indirect = next < passed.size() && passed[next]->getType()->isPointerTy() && !is_whole_number(one) && is_at_address;
    bool is_wide = size > 64 && next < passed.size() && layout.getTypeSizeInBits(passed[next]->getType()).getFixedValue() < size;
    std::vector<Leaf> all;
    leaves(one, "", 0, all);
    if (all.empty()) {
      // A struct without members is not passed at all.
      reporter.report(RESULT, Dropped, 0, 0, "");
      continue;
    }
    all.clear();
    if (is_indirect || (is_whole_number(one) && !is_wide)) {
      next++;
      continue;
    }
    const DILocalVariable *variable = parameter(function, *written, number);
    leaves(one, variable ? variable->getName().str() : "p" + std::to_string(number - 1), 0, all);
    uint64_t begin = 0;
    for (unsigned word = 0; word < (is_wide ? 2u : 1u); word++, next++) {
      if (next >= passed.size()) return false;
      uint64_t bits = layout.getTypeSizeInBits(passed[next]->getType()).getFixedValue();
      reporter.members(passed[next]->getArgNo(), all, begin, bits);
      begin += 64;
    }
  }
  if (next != passed.size()) return false;
  const DIType *result = without_names(types[0]);
  bool is_word = result && is_whole_number(result) && !function.getReturnType()->isStructTy();
  if (result && !is_word && !function.getReturnType()->isVoidTy()) {
    std::vector<Leaf> all;
    leaves(result, "result", 0, all);
    reporter.members(RESULT, all, 0, MOST_BITS);
  }
  return true;
}

} // extern "C"
