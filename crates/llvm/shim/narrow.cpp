// What debug records say of a value that is computed in fewer bits: the narrow value, widened in
// their expressions, as LLVM's own passes write it (DW_OP_LLVM_convert).
#include "shim.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instruction.h"

using namespace llvm;

extern "C" {

// Lets debug records of `original` speak of `narrow`, which is there wherever the original is.
void opcost_narrow_records(LLVMValueRef original_handle, LLVMValueRef narrow_handle, bool is_signed) {
  Value *original = unwrap(original_handle), *narrow = unwrap(narrow_handle);
  SmallVector<DbgVariableRecord *, 4> records;
  findDbgUsers(original, records);
  auto widened = DIExpression::getExtOps(narrow->getType()->getIntegerBitWidth(),
                                         original->getType()->getIntegerBitWidth(), is_signed);
  for (DbgVariableRecord *record : records) {
    DIExpression *expression = record->getExpression();
    unsigned position = 0;
    for (Value *part : record->location_ops()) {
      if (part == original) expression = DIExpression::appendOpsToArg(expression, widened, position, /*StackValue=*/true);
      position++;
    }
    record->replaceVariableLocationOp(original, narrow, /*AllowEmpty=*/true);
    record->setExpression(expression);
  }
}

} // extern "C"
