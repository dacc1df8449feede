// How often does a loop take its back edge, computed before it? What the
// numbers mean stands in `ir/src/metering.rs`.
#include "shim.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

// As the Rust side has it, field by field.
struct Trips {
  LLVMValueRef counter;
  LLVMValueRef test;
  uint32_t bound;
  bool is_next_tested;
  uint32_t step_bits;
  bool is_down;
  bool is_divisible;
  uint64_t most;
  uint32_t cost;
};

// An address is the number that it is.
Value *number(IRBuilder<> &builder, Value *value) {
  return value->getType()->isPointerTy() ? builder.CreatePtrToInt(value, builder.getInt64Ty()) : value;
}

// In 64 bits, and never more than `most`.
Value *back_edges(IRBuilder<> &builder, const Trips &trips, BasicBlock *from) {
  auto *counter = unwrap<PHINode>(trips.counter);
  Value *start = number(builder, counter->getIncomingValueForBlock(from));
  Value *bound = number(builder, unwrap<ICmpInst>(trips.test)->getOperand(trips.bound));
  Value *distance = trips.is_down ? builder.CreateSub(start, bound) : builder.CreateSub(bound, start);
  Type *type = distance->getType();
  APInt step = APInt::getOneBitSet(type->getIntegerBitWidth(), trips.step_bits);
  Value *first = trips.is_next_tested ? builder.CreateSub(distance, ConstantInt::get(type, step)) : distance;
  Value *back = builder.CreateLShr(first, trips.step_bits);
  Value *wide = builder.CreateZExt(back, builder.getInt64Ty());
  Value *most = builder.getInt64(trips.most);
  // What cannot be more need not be compared.
  if (type->getIntegerBitWidth() - trips.step_bits > Log2_64(trips.most))
    wide = builder.CreateSelect(builder.CreateICmpUGT(wide, most), most, wide);
  if (trips.step_bits == 0 || trips.is_divisible) return wide;
  Value *rest = builder.CreateAnd(distance, ConstantInt::get(type, step - 1));
  return builder.CreateSelect(builder.CreateIsNotNull(rest), most, wide);
}

} // namespace

extern "C" void opcost_fuel_charge_trips(LLVMValueRef before_handle, LLVMValueRef reg, Trips trips) {
  auto *before = unwrap<Instruction>(before_handle);
  IRBuilder<> builder(before);
  Value *left = builder.CreateLoad(builder.getInt64Ty(), unwrap(reg));
  Value *back = back_edges(builder, trips, before->getParent());
  Value *cost = builder.CreateMul(back, builder.getInt64(trips.cost));
  builder.CreateStore(builder.CreateSub(left, cost), unwrap(reg));
}
