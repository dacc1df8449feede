// Which lines does an instruction come from, as readers of sample profiles name
// them: function, lines below its first, discriminator, and the call that each was
// inlined at.
#include "shim.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"

using namespace llvm;

extern "C" {

struct opcost_frame {
  const char *function; // linkage name
  size_t function_length;
  const char *file;
  size_t file_length;
  uint32_t line;
  uint32_t first_line; // of the function
  uint32_t discriminator;
  uint32_t copies; // how many copies of the instruction this one stands for
};

// Writes up to `room` frames of an instruction, innermost first; returns how many it has.
uint32_t opcost_frames(LLVMValueRef instruction, opcost_frame *frames, uint32_t room) {
  uint32_t count = 0;
  for (const DILocation *at = unwrap<Instruction>(instruction)->getDebugLoc(); at; at = at->getInlinedAt()) {
    if (count < room) {
      const DISubprogram *subprogram = at->getScope()->getSubprogram();
      StringRef name = subprogram->getLinkageName();
      if (name.empty()) name = subprogram->getName();
      StringRef file = at->getFilename();
      frames[count] = {name.data(), name.size(),           file.data(),
                       file.size(), at->getLine(),         subprogram->getLine(),
                       at->getBaseDiscriminator(), at->getDuplicationFactor()};
    }
    count++;
  }
  return count;
}

} // extern "C"
