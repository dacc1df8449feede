// Which nodes does selection treat itself, before it asks the table of patterns?
//
// `SelectionDAGISel::SelectCodeCommon` begins with a switch over operations that are the same on every machine. Some
// stay what they are (copies, tokens, labels). An assertion goes, and its operand takes its place. Some become an
// operation of every target: `freeze` a COPY, `undef` an IMPLICIT_DEF. None of them meets a pattern. The list is that
// of LLVM 22, read from the jump table of the library that is linked in.
//
// Input: an operation. Output: how it is treated. Cost: a switch. Limit: what a target selects in C++ of its own never
// comes to that function, and nothing is told of it.
#ifndef OPCOST_LIFE_BY_HAND_H
#define OPCOST_LIFE_BY_HAND_H

#include "llvm/CodeGen/ISDOpcodes.h"

namespace opcost::life {

enum class Selected {
  kByPattern, // the table is asked
  kStays,     // the node is the same behind it
  kByHand,    // another takes its place, or it becomes one of every target
};

inline Selected selected(unsigned operation) {
  using namespace llvm;
  switch (operation) {
  case ISD::EntryToken:
  case ISD::TokenFactor:
  case ISD::BasicBlock:
  case ISD::Register:
  case ISD::RegisterMask:
  case ISD::HANDLENODE:
  case ISD::MDNODE_SDNODE:
  case ISD::TargetConstant:
  case ISD::TargetConstantFP:
  case ISD::TargetGlobalAddress:
  case ISD::TargetGlobalTLSAddress:
  case ISD::TargetFrameIndex:
  case ISD::TargetJumpTable:
  case ISD::TargetConstantPool:
  case ISD::TargetExternalSymbol:
  case ISD::TargetBlockAddress:
  case ISD::MCSymbol:
  case ISD::CopyToReg:
  case ISD::CopyFromReg:
  case ISD::EH_LABEL:
  case ISD::ANNOTATION_LABEL:
  case ISD::LIFETIME_START:
  case ISD::LIFETIME_END:
  case ISD::PSEUDO_PROBE:
    return Selected::kStays;
  case ISD::AssertSext:
  case ISD::AssertZext:
  case ISD::AssertAlign:
  case ISD::AssertNoFPClass:
  case ISD::INLINEASM:
  case ISD::INLINEASM_BR:
  case ISD::READ_REGISTER:
  case ISD::WRITE_REGISTER:
  case ISD::UNDEF:
  case ISD::POISON:
  case ISD::FREEZE:
  case ISD::FAKE_USE:
  case ISD::RELOC_NONE:
  case ISD::ARITH_FENCE:
  case ISD::MEMBARRIER:
  case ISD::STACKMAP:
  case ISD::PATCHPOINT:
  case ISD::JUMP_TABLE_DEBUG_INFO:
  case ISD::CONVERGENCECTRL_ANCHOR:
  case ISD::CONVERGENCECTRL_ENTRY:
  case ISD::CONVERGENCECTRL_LOOP:
    return Selected::kByHand;
  default:
    return Selected::kByPattern;
  }
}

} // namespace opcost::life

#endif
