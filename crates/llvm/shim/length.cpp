// How many units does an instruction work on? Code that reads it before the
// instruction starts. What a length means stands in `ir/src/length.rs`.
#include "length.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

constexpr uint64_t kBytesShift = 4;
constexpr uint64_t kBulk = 2048, kBulkTimes = 5, kLongestBulk = uint64_t(1) << 61;

Value *bytes_allocated(IRBuilder<> &builder, AllocaInst *alloca) {
  Value *elements = builder.CreateZExtOrTrunc(alloca->getArraySize(), builder.getInt64Ty());
  const DataLayout &layout = alloca->getModule()->getDataLayout();
  uint64_t size = layout.getTypeAllocSize(alloca->getAllocatedType()).getKnownMinValue();
  return builder.CreateMul(elements, builder.getInt64(size));
}

} // namespace

Value *opcost::units(IRBuilder<> &builder, Instruction *instruction, int32_t first, int32_t second, bool is_moved) {
  if (first < 0)
    return builder.CreateLShr(bytes_allocated(builder, cast<AllocaInst>(instruction)), kBytesShift);
  auto *call = cast<CallBase>(instruction);
  auto argument = [&](int32_t position) {
    return builder.CreateZExtOrTrunc(call->getArgOperand(unsigned(position)), builder.getInt64Ty());
  };
  Value *bytes = argument(first);
  if (second >= 0) bytes = builder.CreateMul(bytes, argument(second));
  if (is_moved) {
    Value *longest = builder.getInt64(kLongestBulk);
    Value *bounded = builder.CreateSelect(builder.CreateICmpULT(bytes, longest), bytes, longest);
    Value *times = builder.CreateMul(bounded, builder.getInt64(kBulkTimes));
    bytes = builder.CreateSelect(builder.CreateICmpUGE(bytes, builder.getInt64(kBulk)), times, bytes);
  }
  return builder.CreateLShr(bytes, kBytesShift);
}
