// Carrying out charges: a program adds up what is predicted of it. Each
// function does one edit; Rust walks the list and knows which spot an id means.
//
// What a formula needs is noted in a buffer of the function's frame, laid out
// as the runtime's `struct opc_slot`; the edits that note it are those of
// recordings (values.cpp). The runtime evaluates the formula and adds.
#include "shim.h"

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

// Mirrors RawCharge in crates/llvm/src/charge_ffi.rs.
struct opcost_charge {
  LLVMValueRef function;
  const opcost_step *steps;
  uint64_t step_count, input_count, flags;
  uint64_t amounts[6];
};

namespace {

constexpr uint64_t kNotedOffset = 8, kUnknownOffset = 48, kSlotBytes = 312;
constexpr const char *kPredictedSection = "opc_prd";

Constant *steps_of(Module &module, const opcost_charge &charge) {
  LLVMContext &context = module.getContext();
  Type *word = Type::getInt64Ty(context), *half = Type::getInt32Ty(context);
  if (!charge.step_count) return ConstantPointerNull::get(PointerType::get(context, 0));
  auto *type = StructType::get(context, {half, half, word, word});
  SmallVector<Constant *, 16> list;
  for (uint64_t at = 0; at < charge.step_count; at++) {
    const opcost_step &step = charge.steps[at];
    list.push_back(ConstantStruct::get(type, {ConstantInt::get(half, step.operation), ConstantInt::get(half, step.argument),
                                              ConstantInt::get(word, step.low), ConstantInt::get(word, step.high)}));
  }
  auto *array = ArrayType::get(type, list.size());
  return new GlobalVariable(module, array, true, GlobalValue::InternalLinkage, ConstantArray::get(array, list), "opcost.steps");
}

} // namespace

extern "C" {

// The list of charges, and the sums of the functions that have some, which the
// runtime finds by their section.
LLVMValueRef opcost_predict_charges(LLVMModuleRef handle, const opcost_charge *charges, uint64_t count) {
  Module &module = *unwrap(handle);
  LLVMContext &context = module.getContext();
  Type *word = Type::getInt64Ty(context);
  PointerType *pointer = PointerType::get(context, 0);
  auto *sums_type = StructType::get(context, {pointer, word, word, word, word});
  DenseMap<Value *, uint64_t> position;
  SmallVector<Constant *, 64> sums;
  IRBuilder<> builder(context);
  Constant *zero = ConstantInt::get(word, 0);
  for (uint64_t i = 0; i < count; i++) {
    Value *function = unwrap(charges[i].function);
    if (!position.try_emplace(function, sums.size()).second) continue;
    auto *text = ConstantDataArray::getString(context, function->getName());
    auto *name = new GlobalVariable(module, text->getType(), true, GlobalValue::InternalLinkage, text, "opcost.name");
    sums.push_back(ConstantStruct::get(sums_type, {name, zero, zero, zero, zero}));
  }
  auto *all_type = ArrayType::get(sums_type, sums.size());
  auto *all = new GlobalVariable(module, all_type, false, GlobalValue::InternalLinkage, ConstantArray::get(all_type, sums), "opcost.predicted");
  all->setSection(kPredictedSection);
  all->setAlignment(Align(8));
  appendToUsed(module, {all});
  auto *charge_type = StructType::get(context, {pointer, pointer, word, word, word, ArrayType::get(word, 6)});
  SmallVector<Constant *, 64> list;
  for (uint64_t i = 0; i < count; i++) {
    const opcost_charge &charge = charges[i];
    Constant *own = ConstantExpr::getInBoundsGetElementPtr(
        all_type, all, ArrayRef<Constant *>{zero, ConstantInt::get(word, position[unwrap(charge.function)])});
    list.push_back(ConstantStruct::get(charge_type, {own, steps_of(module, charge), ConstantInt::get(word, charge.step_count),
                                                     ConstantInt::get(word, charge.input_count), ConstantInt::get(word, charge.flags),
                                                     ConstantDataArray::get(context, ArrayRef<uint64_t>(charge.amounts, 6))}));
  }
  auto *type = ArrayType::get(charge_type, list.size());
  auto *array = new GlobalVariable(module, type, true, GlobalValue::InternalLinkage, ConstantArray::get(type, list), "opcost.charges");
  array->setAlignment(Align(8));
  return wrap(array);
}

// The buffer of a function's frame in which inputs of formulas are noted.
LLVMValueRef opcost_predict_buffer(LLVMValueRef function_handle) {
  auto *function = unwrap<Function>(function_handle);
  IRBuilder<> builder(&*function->getEntryBlock().getFirstInsertionPt());
  AllocaInst *buffer = builder.CreateAlloca(ArrayType::get(builder.getInt64Ty(), kSlotBytes / 8));
  buffer->setAlignment(Align(8));
  return wrap(buffer);
}

// A loop is entered: nothing is noted yet, and no iteration was taken.
void opcost_predict_enter(LLVMValueRef before, LLVMValueRef buffer_handle, LLVMValueRef buffer_cell, LLVMValueRef turns_cell) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *buffer = unwrap(buffer_handle), *zero = builder.getInt64(0);
  builder.CreateStore(buffer, unwrap(buffer_cell));
  builder.CreateStore(zero, unwrap(turns_cell));
  for (uint64_t offset : {kNotedOffset, kUnknownOffset})
    builder.CreateStore(zero, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), buffer, offset), /*isVolatile=*/true);
}

void opcost_predict_turn(LLVMValueRef before, LLVMValueRef turns_cell) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  Value *turns = builder.CreateLoad(builder.getInt64Ty(), unwrap(turns_cell));
  builder.CreateStore(builder.CreateAdd(turns, builder.getInt64(1)), unwrap(turns_cell));
}

// Has the runtime add a charge; `buffer` is null where it is constant.
void opcost_predict_charge(LLVMValueRef before, LLVMValueRef charges, uint64_t index, LLVMValueRef buffer) {
  IRBuilder<> builder(unwrap<Instruction>(before));
  Module &module = *unwrap<Instruction>(before)->getModule();
  PointerType *pointer = builder.getPtrTy();
  FunctionCallee callee = module.getOrInsertFunction(
      "opc_predict_charge", FunctionType::get(builder.getVoidTy(), {pointer, pointer}, false));
  auto *function = cast<Function>(callee.getCallee());
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->setDSOLocal(true);
  function->setDoesNotThrow();
  auto *array = cast<GlobalVariable>(unwrap(charges));
  Constant *charge = ConstantExpr::getInBoundsGetElementPtr(
      array->getValueType(), array, ArrayRef<Constant *>{builder.getInt64(0), builder.getInt64(index)});
  Value *noted = buffer ? unwrap(buffer) : static_cast<Value *>(ConstantPointerNull::get(pointer));
  builder.CreateCall(callee, {charge, noted});
}

} // extern "C"
