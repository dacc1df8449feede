// What is a constant, and what does data hold at the start? What the answers
// mean stands in `ir/src/constant.rs` and `ir/src/contents.rs`.
//
// Addresses are folded to data and a number of bytes. Initialisers are walked
// with a stack of our own; zeros are passed over whole.
#include "shim.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

// As the Rust side has them.
enum Kind : uint8_t { kOther, kInteger, kFloat, kNull, kUndef, kPoison, kZero, kData, kFunction };

// Mirrors `RawConstant`.
struct Facts {
  uint64_t low;
  uint64_t high;
  LLVMValueRef base;
  int64_t offset;
  uint8_t kind;
};

// Mirrors `RawScalar`.
struct Scalar {
  Facts facts;
  uint64_t offset;
  LLVMTypeRef type;
};

using Told = void (*)(void *context, const Scalar *scalar);

Facts integer(const APInt &value) {
  Facts facts{};
  facts.kind = kInteger;
  facts.low = value.extractBitsAsZExtValue(std::min(64u, value.getBitWidth()), 0);
  if (value.getBitWidth() > 64) facts.high = value.extractBitsAsZExtValue(value.getBitWidth() - 64, 64);
  return facts;
}

bool fits_a_double(const Type *type) {
  return type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() || type->isDoubleTy();
}

Facts number(APFloat value) {
  bool loses = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  Facts facts{};
  facts.kind = kFloat;
  facts.low = value.bitcastToAPInt().getZExtValue();
  return facts;
}

// Data, or a second name whose definition may be another one.
bool is_data(const Value *base) {
  if (isa<GlobalVariable>(base)) return true;
  auto *alias = dyn_cast<GlobalAlias>(base);
  return alias && isa_and_nonnull<GlobalVariable>(alias->getAliaseeObject());
}

Facts address(const DataLayout &layout, const Value *value) {
  Facts facts{};
  APInt offset(layout.getIndexTypeSizeInBits(value->getType()), 0);
  const Value *base = value->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (!offset.isSignedIntN(64)) return facts;
  facts.base = wrap(base);
  facts.offset = offset.getSExtValue();
  if (is_data(base)) facts.kind = kData;
  if (isa<Function>(base) && offset.isZero()) facts.kind = kFunction;
  return facts;
}

Facts describe(const DataLayout &layout, const Value *value) {
  Facts facts{};
  Type *type = value->getType();
  if (auto *known = dyn_cast<ConstantInt>(value)) {
    if (type->isIntegerTy() && type->getIntegerBitWidth() <= 128) return integer(known->getValue());
  } else if (auto *known = dyn_cast<ConstantFP>(value)) {
    if (fits_a_double(type)) return number(known->getValueAPF());
  } else if (isa<ConstantPointerNull>(value)) {
    facts.kind = kNull;
  } else if (isa<PoisonValue>(value)) {
    facts.kind = kPoison;
  } else if (isa<UndefValue>(value)) {
    facts.kind = kUndef;
  } else if (isa<ConstantAggregateZero>(value)) {
    facts.kind = kZero;
  } else if (isa<Constant>(value) && type->isPointerTy()) {
    return address(layout, value);
  }
  return facts;
}

// A constant of parts, and how far the walk has come.
struct Frame {
  const Constant *constant;
  uint64_t offset;
  uint64_t next;
};

struct Walk {
  const DataLayout &layout;
  uint64_t left;
  void *context;
  Told told;
  bool is_complete = true;

  // Whether there is room for one more.
  bool tell(uint64_t offset, Type *type, const Facts &facts) {
    if (left == 0) return is_complete = false;
    left--;
    if (facts.kind == kOther) is_complete = false;
    Scalar scalar{facts, offset, wrap(type)};
    told(context, &scalar);
    return true;
  }

  bool sequence(const ConstantDataSequential &data, uint64_t offset) {
    Type *type = data.getElementType();
    for (uint64_t i = 0; i < data.getNumElements(); i++) {
      uint64_t at = offset + i * data.getElementByteSize();
      if (type->isIntegerTy()) {
        APInt value = data.getElementAsAPInt(i);
        if (!value.isZero() && !tell(at, type, integer(value))) return false;
      } else {
        APFloat value = data.getElementAsAPFloat(i);
        if (!value.isPosZero() && !tell(at, type, number(value))) return false;
      }
    }
    return true;
  }

  // Where part `position` lies; nothing if it does not begin at a byte.
  std::optional<uint64_t> place(const Constant &whole, uint64_t position) {
    if (auto *type = dyn_cast<StructType>(whole.getType()))
      return layout.getStructLayout(type)->getElementOffset(position).getFixedValue();
    Type *element = whole.getOperand(0)->getType();
    if (isa<ArrayType>(whole.getType())) return position * layout.getTypeAllocSize(element).getFixedValue();
    uint64_t bits = layout.getTypeSizeInBits(element).getFixedValue();
    if (bits % 8 != 0) return std::nullopt;
    return position * bits / 8;
  }

  void run(const Constant *root) {
    SmallVector<Frame, 8> open{{root, 0, 0}};
    while (!open.empty()) {
      Frame &frame = open.back();
      const Constant *constant = frame.constant;
      bool hasParts = isa<ConstantAggregate>(constant);
      if (hasParts && frame.next < constant->getNumOperands()) {
        uint64_t position = frame.next++;
        std::optional<uint64_t> at = place(*constant, position);
        if (!at) {
          is_complete = false;
          open.pop_back();
          continue;
        }
        auto *part = cast<Constant>(constant->getOperand(position));
        uint64_t offset = frame.offset + *at;
        if (!part->isNullValue()) open.push_back({part, offset, 0});
        continue;
      }
      uint64_t offset = frame.offset;
      open.pop_back();
      if (hasParts || constant->isNullValue()) continue;
      auto *data = dyn_cast<ConstantDataSequential>(constant);
      bool goesOn = data ? sequence(*data, offset) : tell(offset, constant->getType(), describe(layout, constant));
      if (!goesOn) return;
    }
  }
};

} // namespace

extern "C" {

// What an operand is that is no local value.
void opcost_constant(LLVMTargetDataRef layout, LLVMValueRef value, Facts *facts) {
  *facts = describe(*unwrap(layout), unwrap(value));
}

// Tells at most `most` scalars of data that are not zero, ascending by offset.
// 0 there is nothing to look at, 1 that is all, 2 there is more.
uint32_t opcost_contents(LLVMValueRef handle, uint64_t most, void *context, Told told) {
  auto *variable = dyn_cast<GlobalVariable>(unwrap(handle));
  // What is common, another module may fill.
  if (!variable || !variable->hasInitializer() || variable->hasCommonLinkage()) return 0;
  if (variable->isExternallyInitialized()) return 0;
  // The linker puts those of other modules before or after it.
  if (variable->hasAppendingLinkage() && !variable->getName().starts_with("llvm.")) return 0;
  Walk walk{variable->getDataLayout(), most, context, told};
  walk.run(variable->getInitializer());
  return walk.is_complete ? 1 : 2;
}

} // extern "C"
