// What LLVM promises of instructions, calls, functions and data, as bits: what
// they mean stands in `ir/src/flags.rs`, `ir/src/effects.rs` and
// `ir/src/module.rs`. Each function is a few loads.
#include "shim.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/ModRef.h"

using namespace llvm;

namespace {

// In the order of `Flags` on the Rust side.
constexpr uint32_t kNuw = 1;
constexpr uint32_t kNsw = 1 << 1;
constexpr uint32_t kExact = 1 << 2;
constexpr uint32_t kInbounds = 1 << 3;
constexpr uint32_t kDisjoint = 1 << 4;
constexpr uint32_t kNneg = 1 << 5;
constexpr uint32_t kSameSign = 1 << 6;
constexpr uint32_t kVolatile = 1 << 7;
constexpr uint32_t kAtomic = 1 << 8;
constexpr uint32_t kRelaxed = 1 << 9;

uint32_t wraps(bool nuw, bool nsw) { return (nuw ? kNuw : 0) | (nsw ? kNsw : 0); }

uint32_t flags_of_address(const GEPOperator &address) {
  GEPNoWrapFlags flags = address.getNoWrapFlags();
  return wraps(flags.hasNoUnsignedWrap(), flags.hasNoUnsignedSignedWrap()) | (flags.isInBounds() ? kInbounds : 0);
}

// Whether another number may be computed than IEEE 754 says.
bool is_relaxed(const Instruction &instruction) {
  FastMathFlags flags = instruction.getFastMathFlags();
  if (flags.allowReassoc() || flags.allowContract() || flags.allowReciprocal() || flags.approxFunc()) return true;
  if (instruction.getMetadata(LLVMContext::MD_fpmath)) return true;
  const Function &function = *instruction.getFunction();
  // The 387 computes with 64 bits whatever the type.
  Triple::ArchType machine = function.getParent()->getTargetTriple().getArch();
  if (machine == Triple::x86 || machine == Triple::m68k) return true;
  Type *type = instruction.getType()->getScalarType();
  return type->isFloatingPointTy() && function.getDenormalMode(type->getFltSemantics()) != DenormalMode::getIEEE();
}

// Two bits a place. Memory of the target counts as any other.
uint32_t bits_of(MemoryEffects effects) {
  ModRefInfo other = effects.getModRef(IRMemLocation::Other);
  for (IRMemLocation place : MemoryEffects::locations())
    if (place >= IRMemLocation::FirstTarget) other |= effects.getModRef(place);
  return uint32_t(effects.getModRef(IRMemLocation::ArgMem)) |
         uint32_t(effects.getModRef(IRMemLocation::InaccessibleMem)) << 2 |
         uint32_t(effects.getModRef(IRMemLocation::ErrnoMem)) << 4 | uint32_t(other) << 6;
}

static_assert(uint32_t(ModRefInfo::Ref) == 1 && uint32_t(ModRefInfo::Mod) == 2, "bits of an access");

} // namespace

extern "C" {

uint32_t opcost_flags(LLVMValueRef handle) {
  auto *instruction = cast<Instruction>(unwrap(handle));
  switch (instruction->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl: {
    auto *wrapping = cast<OverflowingBinaryOperator>(instruction);
    return wraps(wrapping->hasNoUnsignedWrap(), wrapping->hasNoSignedWrap());
  }
  case Instruction::Trunc: {
    auto *trunc = cast<TruncInst>(instruction);
    return wraps(trunc->hasNoUnsignedWrap(), trunc->hasNoSignedWrap());
  }
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::LShr:
  case Instruction::AShr:
    return cast<PossiblyExactOperator>(instruction)->isExact() ? kExact : 0;
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(instruction)->isDisjoint() ? kDisjoint : 0;
  case Instruction::ZExt:
  case Instruction::UIToFP:
    return instruction->hasNonNeg() ? kNneg : 0;
  case Instruction::ICmp:
    return cast<ICmpInst>(instruction)->hasSameSign() ? kSameSign : 0;
  case Instruction::GetElementPtr:
    return flags_of_address(*cast<GEPOperator>(instruction));
  case Instruction::Load:
  case Instruction::Store:
  case Instruction::AtomicCmpXchg:
  case Instruction::AtomicRMW:
  case Instruction::Fence:
    return (instruction->isVolatile() ? kVolatile : 0) | (instruction->isAtomic() ? kAtomic : 0);
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FRem:
    return is_relaxed(*instruction) ? kRelaxed : 0;
  case Instruction::Call:
    return isa<FPMathOperator>(instruction) && is_relaxed(*instruction) ? kRelaxed : 0;
  default:
    return 0;
  }
}

// The value of case number `position` of a switch: it is no operand.
LLVMValueRef opcost_case_value(LLVMValueRef handle, uint32_t position) {
  auto *instruction = cast<SwitchInst>(unwrap(handle));
  return wrap(SwitchInst::CaseHandle(instruction, position).getCaseValue());
}

// 1 it must make progress, 2 the vectoriser is through with it, 4 the unroller.
uint32_t opcost_latch_facts(LLVMValueRef terminator) {
  MDNode *loop = cast<Instruction>(unwrap(terminator))->getMetadata(LLVMContext::MD_loop);
  if (!loop) return 0;
  uint32_t facts = 0;
  for (const MDOperand &operand : loop->operands()) {
    auto *property = dyn_cast_or_null<MDNode>(operand.get());
    if (!property || property == loop || property->getNumOperands() == 0) continue;
    auto *name = dyn_cast_or_null<MDString>(property->getOperand(0).get());
    if (!name) continue;
    ConstantInt *value =
        property->getNumOperands() > 1 ? mdconst::dyn_extract_or_null<ConstantInt>(property->getOperand(1)) : nullptr;
    bool isSet = !value || !value->isZero();
    if (name->getString() == "llvm.loop.mustprogress") facts |= 1;
    if (name->getString() == "llvm.loop.isvectorized" && isSet) facts |= 2;
    if (name->getString() == "llvm.loop.unroll.disable") facts |= 4;
  }
  return facts;
}

// What a call and its callee together let it do to memory.
uint32_t opcost_call_effects(LLVMValueRef call) { return bits_of(cast<CallBase>(unwrap(call))->getMemoryEffects()); }

// 1 nounwind, 2 willreturn, 4 noreturn, 8 mustprogress, 16 its result is
// noalias; from bit 8 on what it may do to memory.
uint32_t opcost_function_facts(LLVMValueRef handle) {
  auto *function = unwrap<Function>(handle);
  uint32_t facts = bits_of(function->getMemoryEffects()) << 8;
  if (function->doesNotThrow()) facts |= 1;
  if (function->hasFnAttribute(Attribute::WillReturn)) facts |= 2;
  if (function->doesNotReturn()) facts |= 4;
  if (function->hasFnAttribute(Attribute::MustProgress)) facts |= 8;
  if (function->returnDoesNotAlias()) facts |= 16;
  return facts;
}

// 1 noalias, 2 captures(none), 4 readonly, 8 writeonly, 16 readnone, 32 noundef,
// 64 sret; what is copied goes to `copied`, else null.
uint32_t opcost_parameter_facts(LLVMValueRef handle, uint32_t position, LLVMTypeRef *copied) {
  AttributeSet facts = unwrap<Function>(handle)->getAttributes().getParamAttrs(position);
  *copied = wrap(facts.getByValType());
  if (!facts.hasAttributes()) return 0;
  uint32_t bits = 0;
  if (facts.hasAttribute(Attribute::NoAlias)) bits |= 1;
  if (facts.hasAttribute(Attribute::Captures) && capturesNothing(CaptureComponents(facts.getCaptureInfo()))) bits |= 2;
  if (facts.hasAttribute(Attribute::ReadOnly)) bits |= 4;
  if (facts.hasAttribute(Attribute::WriteOnly)) bits |= 8;
  if (facts.hasAttribute(Attribute::ReadNone)) bits |= 16;
  if (facts.hasAttribute(Attribute::NoUndef)) bits |= 32;
  if (facts.hasAttribute(Attribute::StructRet)) bits |= 64;
  return bits;
}

// 1 never written, 2 one for each thread, 4 others decide what it holds.
uint32_t opcost_data_facts(LLVMValueRef handle) {
  auto *global = unwrap<GlobalValue>(handle);
  auto *variable = dyn_cast<GlobalVariable>(global);
  // The lists of LLVM itself are appended to, too, but they are no data of the program.
  bool isList = global->hasAppendingLinkage() && !global->getName().starts_with("llvm.");
  bool isGivenAway = isList || global->hasDLLExportStorageClass() || (variable && variable->isExternallyInitialized());
  return (variable && variable->isConstant() ? 1 : 0) | (global->isThreadLocal() ? 2 : 0) | (isGivenAway ? 4 : 0);
}

} // extern "C"

// Whether assembly of the module may have the assembler read further files. A macro may spell what does.
extern "C" bool opcost_assembly_reads_files(LLVMModuleRef module_handle) {
  auto reads = [](StringRef text) {
    for (StringRef word : {".incbin", ".include", ".macro", ".irp"})
      if (text.contains_insensitive(word)) return true;
    return false;
  };
  Module &module = *unwrap(module_handle);
  if (reads(module.getModuleInlineAsm())) return true;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()); assembly && reads(assembly->getAsmString()))
          return true;
  return false;
}
