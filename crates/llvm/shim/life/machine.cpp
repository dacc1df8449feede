// A machine's own reader and writer: LLVM's disassembler, encoder and printer
// for one triple, without a module.
//
// Bytes become an operation, an operation becomes text or bytes again. An
// encoder leaves what is relative to the place for the assembler to fill in;
// where that is a number it is filled in here, so that what was decoded encodes
// to the same bytes. For x86 the disassembler also tells which bytes it read a
// displacement or an immediate from.
#include "life/operation.h"
#include "shim.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCDisassembler/MCRelocationInfo.h"
#include "llvm/MC/MCDisassembler/MCSymbolizer.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCFixup.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace opcost::life;

#define OPCOST_DISASSEMBLERS(X) X(X86) X(AArch64) X(RISCV)
extern "C" {
#define OPCOST_DECLARE(T) void LLVMInitialize##T##Disassembler();
OPCOST_DISASSEMBLERS(OPCOST_DECLARE)
}

Encodings *opcost::life::encodings = nullptr;

Operation::Operation(const MCInst &instruction) : opcode(instruction.getOpcode()), flags(instruction.getFlags()) {
  for (const MCOperand &operand : instruction) {
    if (operand.isReg())
      operands.push_back({operand.getReg().id(), kRegisterOperand});
    else if (operand.isImm())
      operands.push_back({uint64_t(operand.getImm()), kImmediateOperand});
    else if (operand.isSFPImm())
      operands.push_back({operand.getSFPImm(), kSingleOperand});
    else if (operand.isDFPImm())
      operands.push_back({operand.getDFPImm(), kDoubleOperand});
    else
      operands.push_back({0, kSymbolOperand});
  }
}

Operation::Operation(const opcost_operation &raw)
    : opcode(raw.opcode), flags(raw.flags), line(raw.line), operands(raw.operands, raw.operands + raw.operand_count) {}

MCInst Operation::instruction() const {
  MCInst instruction;
  instruction.setOpcode(opcode);
  instruction.setFlags(flags);
  for (const opcost_operand &operand : operands) switch (operand.kind) {
    case kRegisterOperand: instruction.addOperand(MCOperand::createReg(unsigned(operand.value))); break;
    case kSingleOperand: instruction.addOperand(MCOperand::createSFPImm(uint32_t(operand.value))); break;
    case kDoubleOperand: instruction.addOperand(MCOperand::createDFPImm(operand.value)); break;
    default: instruction.addOperand(MCOperand::createImm(int64_t(operand.value)));
    }
  return instruction;
}

opcost_operation Operation::raw() const {
  return {operands.data(), uint32_t(operands.size()), opcode, flags, line};
}

namespace {

// Where the disassembler read a number from.
struct Piece {
  uint32_t offset, size;
};

class Pieces : public MCSymbolizer {
public:
  Pieces(MCContext &context, std::vector<Piece> &pieces) : MCSymbolizer(context, nullptr), pieces(pieces) {}
  bool tryAddingSymbolicOperand(MCInst &, raw_ostream &, int64_t, uint64_t, bool, uint64_t offset, uint64_t size,
                                uint64_t) override {
    if (size) pieces.push_back({uint32_t(offset), uint32_t(size)});
    return false;
  }
  void tryAddingPcLoadReferenceComment(raw_ostream &, int64_t, uint64_t) override {}

private:
  std::vector<Piece> &pieces;
};

struct Machine {
  Triple triple;
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> style;
  std::unique_ptr<MCInstrInfo> operations;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  std::unique_ptr<MCContext> context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCCodeEmitter> encoder;
  std::unique_ptr<MCAsmBackend> backend;
  std::unique_ptr<MCInstPrinter> printer;
  std::unique_ptr<MCInstrAnalysis> analysis;
  std::unique_ptr<Operation> last;
  std::vector<Piece> pieces;
};

std::string create(Machine &machine, const char *cpu, const char *features, int32_t dialect) {
  opcost::initialize_targets();
  static bool done = [] {
#define OPCOST_CALL(T) LLVMInitialize##T##Disassembler();
    OPCOST_DISASSEMBLERS(OPCOST_CALL)
    return true;
  }();
  (void)done;
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(machine.triple, error);
  if (!target) return error;
  const Triple &triple = machine.triple;
  machine.registers.reset(target->createMCRegInfo(triple));
  machine.style.reset(target->createMCAsmInfo(*machine.registers, triple, machine.options));
  machine.operations.reset(target->createMCInstrInfo());
  machine.subtarget.reset(target->createMCSubtargetInfo(triple, cpu, features));
  machine.context = std::make_unique<MCContext>(triple, machine.style.get(), machine.registers.get(),
                                                machine.subtarget.get());
  machine.disassembler.reset(target->createMCDisassembler(*machine.subtarget, *machine.context));
  machine.encoder.reset(target->createMCCodeEmitter(*machine.operations, *machine.context));
  machine.backend.reset(target->createMCAsmBackend(*machine.subtarget, *machine.registers, machine.options));
  unsigned variant = dialect < 0 ? machine.style->getAssemblerDialect() : unsigned(dialect);
  machine.printer.reset(
      target->createMCInstPrinter(triple, variant, *machine.style, *machine.operations, *machine.registers));
  machine.analysis.reset(target->createMCInstrAnalysis(machine.operations.get()));
  if (!machine.disassembler || !machine.encoder || !machine.printer || !machine.backend)
    return "LLVM has no disassembler for " + triple.str();
  machine.printer->setPrintImmHex(false);
  machine.disassembler->setSymbolizer(std::make_unique<Pieces>(*machine.context, machine.pieces));
  return "";
}

} // namespace

extern "C" {

// A reader and writer for a triple; null, and why. `dialect` is the assembler's:
// 0 AT&T and 1 Intel on x86, -1 the usual one.
Machine *opcost_machine_create(const char *triple, const char *cpu, const char *features, int32_t dialect,
                               char **message) {
  auto machine = std::make_unique<Machine>();
  machine->triple = Triple(Triple::normalize(triple));
  std::string error = create(*machine, cpu, features, dialect);
  if (error.empty()) return machine.release();
  *message = opcost::copy(error);
  return nullptr;
}

void opcost_machine_free(Machine *machine) { delete machine; }

// The first operation of these bytes, and its length; 0 if they are none. What
// it leads to lives until the next call.
uint32_t opcost_machine_decode(Machine *machine, const uint8_t *bytes, size_t count, uint64_t address,
                               opcost_operation *operation, const uint32_t **pieces, uint32_t *piece_count) {
  MCInst instruction;
  uint64_t length = 0;
  machine->pieces.clear();
  ArrayRef<uint8_t> data(bytes, count);
  if (machine->disassembler->getInstruction(instruction, length, data, address, nulls()) != MCDisassembler::Success ||
      length == 0 || length > count)
    return 0;
  machine->last = std::make_unique<Operation>(instruction);
  *operation = machine->last->raw();
  *pieces = reinterpret_cast<const uint32_t *>(machine->pieces.data());
  *piece_count = uint32_t(machine->pieces.size());
  return uint32_t(length);
}

// The assembler's text of an operation, as objdump prints it.
char *opcost_machine_print(Machine *machine, const opcost_operation *operation) {
  MCInst instruction = Operation(*operation).instruction();
  SmallString<64> text;
  raw_svector_ostream out(text);
  machine->printer->printInst(&instruction, 0, "", *machine->subtarget, out);
  return opcost::copy(StringRef(text).trim().str());
}

// The same of one that lies at `address` and has so many bytes, with the address that it
// leads to: `leads` is 1 if that is an operand (jumps, calls), 2 if it is in
// memory and relative to the place, 0 if there is none.
char *opcost_machine_print_at(Machine *machine, const opcost_operation *operation, uint64_t address, uint64_t size,
                              uint64_t *target, uint8_t *leads) {
  MCInst instruction = Operation(*operation).instruction();
  *leads = 0;
  if (machine->analysis && machine->analysis->evaluateBranch(instruction, address, size, *target)) {
    *leads = 1;
  } else if (machine->analysis) {
    std::optional<uint64_t> memory =
        machine->analysis->evaluateMemoryOperandAddress(instruction, machine->subtarget.get(), address, size);
    if (memory) *leads = 2, *target = *memory;
  }
  SmallString<64> text;
  raw_svector_ostream out(text);
  machine->printer->setPrintBranchImmAsAddress(true);
  // x86 counts from the next instruction.
  uint64_t from = machine->triple.isX86() ? address + size : address;
  machine->printer->printInst(&instruction, from, "", *machine->subtarget, out);
  machine->printer->setPrintBranchImmAsAddress(false);
  return opcost::copy(StringRef(text).trim().str());
}

// Bytes of an operation without holes; how many, at most `room`, or 0 if the
// encoder needs what only an assembler knows.
uint32_t opcost_machine_encode(Machine *machine, const opcost_operation *operation, uint8_t *bytes, uint32_t room) {
  SmallVector<char, 32> code;
  SmallVector<MCFixup, 2> fixups;
  machine->encoder->encodeInstruction(Operation(*operation).instruction(), code, fixups, *machine->subtarget);
  for (const MCFixup &fixup : fixups) {
    // x86 leaves numbers that are relative to the place.
    int64_t value = 0;
    if (!machine->triple.isX86() || !fixup.getValue()->evaluateAsAbsolute(value)) return 0;
    MCFixupKindInfo kind = machine->backend->getFixupKindInfo(fixup.getKind());
    unsigned size = (kind.TargetOffset + kind.TargetSize + 7) / 8;
    if (fixup.getOffset() + size > code.size()) return 0;
    for (unsigned i = 0; i < size; i++) code[fixup.getOffset() + i] = char(uint64_t(value) >> (8 * i));
  }
  if (code.size() > room) return 0;
  std::copy(code.begin(), code.end(), bytes);
  return uint32_t(code.size());
}

// LLVM's name of an opcode; lives as long as the machine.
const char *opcost_machine_opcode(Machine *machine, uint32_t opcode) {
  return opcode < machine->operations->getNumOpcodes() ? machine->operations->getName(opcode).data() : "";
}

// As the assembler writes a register.
char *opcost_machine_register(Machine *machine, uint32_t number) {
  if (number == 0 || number >= machine->registers->getNumRegs()) return opcost::copy("");
  SmallString<16> text;
  raw_svector_ostream out(text);
  machine->printer->printRegName(out, number);
  return opcost::copy(std::string(text));
}

} // extern "C"
