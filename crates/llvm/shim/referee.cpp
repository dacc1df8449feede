// What LLVM says where opcost has an answer of its own: for tests.
#include "shim.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

// Mirrors `LlvmSizes`.
struct Sizes {
  uint64_t size;
  uint64_t stride;
  uint64_t bits;
  uint64_t alignment;
};

} // namespace

extern "C" {

// Whether two accesses may overlap by their tags alone.
bool opcost_referee_overlap(LLVMValueRef left, LLVMValueRef right) {
  auto *first = cast<Instruction>(unwrap(left)), *second = cast<Instruction>(unwrap(right));
  TargetLibraryInfoImpl names(first->getModule()->getTargetTriple());
  TargetLibraryInfo library(names);
  AAResults analyses(library);
  TypeBasedAAResult types(/*UsingTypeSanitizer=*/false);
  analyses.addAAResult(types);
  return !analyses.isNoAlias(MemoryLocation::get(first), MemoryLocation::get(second));
}

// Sizes of the type that an `alloca` takes; whether it has any.
bool opcost_referee_sizes(LLVMValueRef handle, Sizes *sizes) {
  auto *alloca = cast<AllocaInst>(unwrap(handle));
  const DataLayout &layout = alloca->getDataLayout();
  Type *type = alloca->getAllocatedType();
  if (layout.getTypeSizeInBits(type).isScalable()) return false;
  *sizes = {layout.getTypeStoreSize(type).getFixedValue(), layout.getTypeAllocSize(type).getFixedValue(),
            layout.getTypeSizeInBits(type).getFixedValue(), layout.getABITypeAlign(type).value()};
  return true;
}

// Offset of a field of the struct that an `alloca` takes.
uint64_t opcost_referee_field(LLVMValueRef handle, uint32_t field) {
  auto *alloca = cast<AllocaInst>(unwrap(handle));
  auto *type = cast<StructType>(alloca->getAllocatedType());
  return alloca->getDataLayout().getStructLayout(type)->getElementOffset(field).getFixedValue();
}

} // extern "C"
