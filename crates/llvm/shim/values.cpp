// Carrying out the edits of a recording. Each function does one edit; Rust
// walks the list and knows which instruction or argument an id means.
//
// A loop has two cells in its function's frame, its slot and its turns; they
// become registers at the end, but in functions that return twice, where a
// register would be what it was before. What runs afterwards is code
// generation only.
#include "poison.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

// As in runtime's values.h.
struct opcost_step {
  uint32_t operation, argument;
  uint64_t low, high;
};

struct opcost_point {
  uint32_t kind, check, input_count, step_count;
  const opcost_step *steps;
};

// What a check needs.
struct opcost_input {
  uint32_t kind;
  uint64_t number;
  LLVMValueRef value, known;
};

// How a value is recorded: as a number with sign, or how many bits of it are significant.
struct Record {
  opcost::Poison *poison;
  bool is_signed, is_mantissa;
};

namespace {

constexpr uint64_t kNotedOffset = 8, kUnknownOffset = 48, kInputsOffset = 56;

FunctionCallee runtime(Module &module, const char *name, Type *result, ArrayRef<Type *> parameters) {
  FunctionCallee callee = module.getOrInsertFunction(name, FunctionType::get(result, parameters, false));
  auto *function = cast<Function>(callee.getCallee());
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->setDSOLocal(true);
  function->setDoesNotThrow();
  return callee;
}

Value *point_at(IRBuilder<> &builder, LLVMValueRef points, uint32_t index) {
  auto *array = cast<GlobalVariable>(unwrap(points));
  Type *word = builder.getInt64Ty();
  return ConstantExpr::getInBoundsGetElementPtr(
      array->getValueType(), array, ArrayRef<Constant *>{ConstantInt::get(word, 0), ConstantInt::get(word, index)});
}

Module &module_of(LLVMValueRef before) { return *unwrap<Instruction>(before)->getModule(); }

// Any value that can be recorded, as 64 bits: integers by their sign, addresses, numbers as doubles.
Value *as_word(IRBuilder<> &builder, Value *value, bool is_signed) {
  Type *word = builder.getInt64Ty(), *type = value->getType();
  if (type->isPointerTy()) return builder.CreatePtrToInt(value, word);
  if (type->isIntegerTy()) return is_signed ? builder.CreateSExtOrTrunc(value, word) : builder.CreateZExtOrTrunc(value, word);
  Type *number = builder.getDoubleTy();
  if (type->getPrimitiveSizeInBits() < 64) value = builder.CreateFPExt(value, number);
  if (type->getPrimitiveSizeInBits() > 64) value = builder.CreateFPTrunc(value, number);
  return builder.CreateBitCast(value, word);
}

// How many bits of a float or double are significant: from the highest to the
// lowest that is set. None of zero, and of what is not finite.
Value *significant_bits(IRBuilder<> &builder, Value *number) {
  auto constant = [&](uint64_t bits) { return builder.getInt64(bits); };
  auto is = [&](Value *bits, uint64_t word) { return builder.CreateICmpEQ(bits, constant(word)); };
  auto zeros = [&](Intrinsic::ID which, Value *bits) { return builder.CreateBinaryIntrinsic(which, bits, builder.getFalse()); };
  Value *bits = as_word(builder, number, false);
  Value *fraction = builder.CreateAnd(bits, constant((uint64_t(1) << 52) - 1));
  Value *exponent = builder.CreateAnd(builder.CreateLShr(bits, constant(52)), constant(0x7ff));
  Value *with_first = builder.CreateOr(fraction, constant(uint64_t(1) << 52));
  Value *normal = builder.CreateSub(constant(53), zeros(Intrinsic::cttz, with_first));
  Value *around = builder.CreateAdd(zeros(Intrinsic::ctlz, fraction), zeros(Intrinsic::cttz, fraction));
  Value *subnormal = builder.CreateSelect(is(fraction, 0), constant(0), builder.CreateSub(constant(64), around));
  Value *finite = builder.CreateSelect(is(exponent, 0), subnormal, normal);
  return builder.CreateSelect(is(exponent, 0x7ff), constant(0), finite);
}

void store_in_slot(IRBuilder<> &builder, Value *slot, uint64_t offset, Value *value) {
  builder.CreateStore(value, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), slot, offset), /*isVolatile=*/true);
}

Value *slot_of(IRBuilder<> &builder, LLVMValueRef cell) { return builder.CreateLoad(builder.getPtrTy(), unwrap(cell)); }

// What a load would read here. The address is gone back to what it starts from; a load that it
// starts from in the same block is made again, too: Rust has seen to it that both may be.
Value *read_again(IRBuilder<> &builder, LoadInst *load) {
  const DataLayout &layout = load->getModule()->getDataLayout();
  Value *address = load->getPointerOperand();
  APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
  Value *base = address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (auto *data = dyn_cast<GlobalValue>(base); data && data->hasExternalWeakLinkage()) return nullptr;
  if (auto *inner = dyn_cast<LoadInst>(base); inner && inner->getParent() == load->getParent()) {
    base = read_again(builder, inner);
    if (!base) return nullptr;
  }
  Value *place = builder.CreatePtrAdd(base, builder.getInt(offset));
  return builder.CreateAlignedLoad(load->getType(), place, Align(1));
}

// What an input is at a place, as 64 bits, and whether it has a number there.
// The kinds are those of crates/llvm/src/values.rs.
std::pair<Value *, Value *> input_at(IRBuilder<> &builder, const opcost_input &input) {
  Value *value = unwrap(input.value), *known = builder.getInt64(1);
  switch (input.kind) {
  case 0: return {as_word(builder, value, false), known};
  case 1: return {as_word(builder, builder.CreateAlignedLoad(builder.getIntNTy(input.number), value, Align(1)), false), known};
  case 2:
    value = read_again(builder, cast<LoadInst>(value));
    return {value ? as_word(builder, value, false) : builder.getInt64(0), builder.getInt64(value != nullptr)};
  case 3: return {builder.getInt64(input.number), known};
  case 4: return {builder.CreateLoad(builder.getInt64Ty(), value), known};
  case 5: return {builder.CreateLoad(builder.getInt64Ty(), value), builder.CreateLoad(builder.getInt64Ty(), unwrap(input.known))};
  default: return {builder.getInt64(0), builder.getInt64(0)};
  }
}

} // namespace

extern "C" {

// The module's list of points, with the entry by which the runtime finds it.
LLVMValueRef opcost_values_points(LLVMModuleRef handle, const opcost_point *points, uint32_t count, const uint8_t *hash) {
  Module &module = *unwrap(handle);
  LLVMContext &context = module.getContext();
  Type *word = Type::getInt64Ty(context), *half = Type::getInt32Ty(context);
  PointerType *pointer = PointerType::get(context, 0);
  auto *step_type = StructType::get(context, {half, half, word, word});
  auto *point_type = StructType::get(context, {word, half, half, pointer, word, word});
  SmallVector<Constant *, 64> all;
  for (uint32_t i = 0; i < count; i++) {
    const opcost_point &point = points[i];
    Constant *steps = ConstantPointerNull::get(pointer);
    if (point.step_count) {
      SmallVector<Constant *, 16> list;
      for (uint32_t at = 0; at < point.step_count; at++) {
        const opcost_step &step = point.steps[at];
        list.push_back(ConstantStruct::get(step_type, {ConstantInt::get(half, step.operation), ConstantInt::get(half, step.argument),
                                                       ConstantInt::get(word, step.low), ConstantInt::get(word, step.high)}));
      }
      auto *type = ArrayType::get(step_type, list.size());
      steps = new GlobalVariable(module, type, true, GlobalValue::InternalLinkage, ConstantArray::get(type, list), "opcost.steps");
    }
    all.push_back(ConstantStruct::get(point_type, {ConstantInt::get(word, 0), ConstantInt::get(half, point.kind),
                                                   ConstantInt::get(half, point.check), steps,
                                                   ConstantInt::get(word, point.step_count), ConstantInt::get(word, point.input_count)}));
  }
  auto *type = ArrayType::get(point_type, all.size());
  auto *array = new GlobalVariable(module, type, false, GlobalValue::InternalLinkage, ConstantArray::get(type, all), "opcost.points");
  array->setAlignment(Align(8));
  auto *bytes = ConstantDataArray::get(context, ArrayRef<uint8_t>(hash, 16));
  auto *entry = ConstantStruct::getAnon({bytes, array, ConstantInt::get(word, count)});
  auto *global = new GlobalVariable(module, entry->getType(), true, GlobalValue::InternalLinkage, entry, "opcost.values");
  global->setSection(opcost::kValuesSection);
  global->setAlignment(Align(8));
  appendToUsed(module, {global});
  return wrap(array);
}

bool opcost_returns_twice(LLVMValueRef function) { return unwrap<Function>(function)->callsFunctionThatReturnsTwice(); }

// A cell of a function's frame: a slot's address, or turns.
LLVMValueRef opcost_values_cell(LLVMValueRef function_handle, bool is_slot) {
  auto *function = unwrap<Function>(function_handle);
  IRBuilder<> builder(&*function->getEntryBlock().getFirstInsertionPt());
  return wrap(builder.CreateAlloca(is_slot ? static_cast<Type *>(builder.getPtrTy()) : builder.getInt64Ty()));
}

void opcost_values_enter(LLVMValueRef before, LLVMValueRef points, uint32_t index, LLVMValueRef slot_cell, LLVMValueRef turns_cell) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  FunctionCallee enter = runtime(module_of(before), "opc_values_enter", builder.getPtrTy(), {builder.getPtrTy()});
  builder.CreateStore(builder.CreateCall(enter, {point_at(builder, points, index)}), unwrap(slot_cell));
  builder.CreateStore(builder.getInt64(0), unwrap(turns_cell));
}

// A cell of a function's frame, with nothing in it when the function is entered.
LLVMValueRef opcost_values_empty(LLVMValueRef function_handle) {
  auto *function = unwrap<Function>(function_handle);
  IRBuilder<> builder(&*function->getEntryBlock().getFirstInsertionPt());
  Value *cell = builder.CreateAlloca(builder.getInt64Ty());
  builder.CreateStore(builder.getInt64(0), cell);
  return wrap(cell);
}

// Keeps an input in the cells of its value and of whether it is known.
void opcost_values_hold(LLVMValueRef before, LLVMValueRef cell, LLVMValueRef known_cell, const opcost_input *input) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  auto [value, known] = input_at(builder, *input);
  builder.CreateStore(value, unwrap(cell));
  builder.CreateStore(known, unwrap(known_cell));
}

// Input number `position` of a check.
void opcost_values_note(LLVMValueRef before, LLVMValueRef slot_cell, uint32_t position, const opcost_input *input) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *slot = slot_of(builder, slot_cell);
  auto [value, known] = input_at(builder, *input);
  store_in_slot(builder, slot, kInputsOffset + 8 * uint64_t(position), value);
  if (auto *constant = dyn_cast<ConstantInt>(known); !constant || constant->isZero()) {
    Value *place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), slot, kUnknownOffset);
    Value *so_far = builder.CreateLoad(builder.getInt64Ty(), place, /*isVolatile=*/true);
    Value *unknown = builder.CreateShl(builder.CreateXor(known, builder.getInt64(1)), position);
    store_in_slot(builder, slot, kUnknownOffset, builder.CreateOr(so_far, unknown));
  }
  store_in_slot(builder, slot, kNotedOffset, builder.getInt64(position + 1));
}

void opcost_values_turn(LLVMValueRef before, LLVMValueRef slot_cell, LLVMValueRef turns_cell, bool may_leave) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *turns = builder.CreateAdd(builder.CreateLoad(builder.getInt64Ty(), unwrap(turns_cell)), builder.getInt64(1));
  builder.CreateStore(turns, unwrap(turns_cell));
  Value *slot = slot_of(builder, slot_cell);
  store_in_slot(builder, slot, 0, turns);
  if (!may_leave) return;
  FunctionCallee turn = runtime(module_of(before), "opc_values_turn", builder.getVoidTy(), {builder.getPtrTy()});
  builder.CreateCall(turn, {slot});
}

void opcost_values_leave(LLVMValueRef before, LLVMValueRef points, uint32_t index, LLVMValueRef slot_cell, LLVMValueRef turns_cell) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  Type *pointer = builder.getPtrTy();
  FunctionCallee leave = runtime(module_of(before), "opc_values_leave", builder.getVoidTy(), {pointer, pointer, builder.getInt64Ty()});
  Value *turns = builder.CreateLoad(builder.getInt64Ty(), unwrap(turns_cell));
  builder.CreateCall(leave, {point_at(builder, points, index), slot_of(builder, slot_cell), turns});
}

// What is poison is not recorded: the runtime then gets no point. Frozen, poison is some word of
// its type.
void opcost_values_record(LLVMValueRef before, LLVMValueRef points, uint32_t index, LLVMValueRef value, Record how) {
  Value *is_poison = how.poison->of(unwrap(value));
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *word = builder.CreateFreeze(unwrap(value));
  word = how.is_mantissa ? significant_bits(builder, word) : as_word(builder, word, how.is_signed);
  Value *point = point_at(builder, points, index);
  if (is_poison) point = builder.CreateSelect(is_poison, ConstantPointerNull::get(builder.getPtrTy()), point);
  FunctionCallee record = runtime(module_of(before), "opc_values_record", builder.getVoidTy(), {builder.getPtrTy(), builder.getInt64Ty()});
  builder.CreateCall(record, {point, word});
}

} // extern "C"
