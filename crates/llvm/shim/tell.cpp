// Where is what is left, at each instruction of the machine's?
//
// Between two settlements what is left stands in a register or a slot of the
// frame, and whoever ends the program there (a fault, a deadline) leaves the cell
// behind the work. Each stretch says by a debug record what is left before its
// work: a value, and a constant to be added, with the number of the stretch in its
// high bits. How far into the stretch the program is, `reach.h` knows. Debug records cost no code, and code
// generation follows them to registers and slots as it does for a debugger
// (LiveDebugValues). A handler on the printer writes what became of them into a
// table that is loaded, but that nobody reads while the program computes.
//
// The table is a list of rows of 16 bytes, little-endian: where it begins (i32,
// from the row), what is known (u8: 0 nothing, 1 a register has it, 2 a word of
// memory has it, 3 nothing, for here a function ends), the register in DWARF's
// numbers (u8), what is known of what was done (u8: `Known`, and 4 if a call stands
// here that does not keep the register), what is done more if a division ends the
// program (u8), what is to be added for the word's address (i32), and for what is
// left (i32). A row holds to the next address that any row begins at. `told.h` of
// the host reads it.
//
// Limit: where a value is between two places, nothing is known.
#include "tell.h"
#include "reach.h"
#include "shim.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSymbolELF.h"
#include "llvm/Target/TargetMachine.h"
#include <vector>

using namespace llvm;

namespace {

constexpr const char *kVariable = "opcost.left";
constexpr const char *kSection = "opc_told";
// In a record's constant, above any advance, stands which stretch it is of.
constexpr unsigned kStraightBit = 40;
// Names the module's variables, so that code generation knows that there are any.
constexpr const char *kMark = "opcost.told";

// A subprogram for a function that has none: debug records need one.
DISubprogram *subprogram(Function &function) {
  if (DISubprogram *known = function.getSubprogram()) return known;
  Module &module = *function.getParent();
  DICompileUnit *unit = nullptr;
  for (DICompileUnit *other : module.debug_compile_units())
    if (other->getProducer() == "opcost") unit = other;
  // A builder gives functions the unit that it knows, whatever scope they are made in.
  DIBuilder builder(module, true, unit);
  DIFile *file = builder.createFile("opcost", "");
  if (!unit)
    unit = builder.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C11), file, "opcost", true, "", 0, "",
                                     DICompileUnit::LineTablesOnly);
  if (!module.getModuleFlag("Debug Info Version"))
    module.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
  auto *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  DISubprogram *made = builder.createFunction(unit, function.getName(), function.getName(), file, 0, type, 0,
                                              DINode::FlagArtificial, DISubprogram::SPFlagDefinition);
  builder.finalizeSubprogram(made);
  function.setSubprogram(made);
  // A call that could be inlined must have a place, and has none.
  for (Instruction &instruction : instructions(function))
    if (isa<CallBase>(instruction) && !instruction.getDebugLoc())
      instruction.setDebugLoc(DILocation::get(module.getContext(), 0, 0, made));
  return made;
}

// The function's variable of what is left.
DILocalVariable *variable(Function &function) {
  DISubprogram *scope = subprogram(function);
  LLVMContext &context = function.getContext();
  function.getParent()->getOrInsertNamedMetadata(kMark);
  auto *type = DIBasicType::get(context, dwarf::DW_TAG_base_type, "long", 64, 0, dwarf::DW_ATE_signed,
                                DINode::FlagZero);
  return DILocalVariable::get(context, scope, kVariable, scope->getFile(), 0, type, 0, DINode::FlagArtificial, 0,
                              nullptr);
}

// What is known from an address on.
struct Place {
  enum Kind : uint8_t { kNothing, kRegister, kMemory, kOutside };
  Kind kind = kNothing;
  Register base;
  int64_t offset = 0, addend = 0;
  bool is_lost = false;
  // How far the program has come, where that is not taken off `addend` yet.
  opcost::Reached reached;
  bool operator==(const Place &other) const {
    return kind == other.kind && base == other.base && offset == other.offset && addend == other.addend &&
           is_lost == other.is_lost && reached.straight == other.reached.straight &&
           reached.done == other.reached.done && reached.known == other.reached.known &&
           reached.more == other.reached.more;
  }
};

Place in(Register base) {
  Place place;
  place.kind = Place::kRegister;
  place.base = base;
  return place;
}

// What a debug record says; nothing if it is of another form than ours become.
Place place(const MachineInstr &record) {
  if (record.isUndefDebugValue() || record.getNumDebugOperands() != 1) return {};
  const MachineOperand &operand = record.getDebugOperand(0);
  if (!operand.isReg() || !operand.getReg().isPhysical()) return {};
  Place found = in(operand.getReg());
  auto follow = [&] {
    if (found.kind == Place::kMemory) return false;
    found.kind = Place::kMemory;
    found.offset = found.addend;
    found.addend = 0;
    return true;
  };
  bool is_value = false;
  const DIExpression *expression = record.getDebugExpression();
  for (auto at = expression->expr_op_begin(), end = expression->expr_op_end(); at != end; ++at) {
    switch (at->getOp()) {
    case dwarf::DW_OP_LLVM_arg: break;
    case dwarf::DW_OP_plus_uconst: found.addend += int64_t(at->getArg(0)); break;
    case dwarf::DW_OP_constu: {
      auto amount = int64_t(at->getArg(0));
      if (++at == end) return {};
      if (at->getOp() == dwarf::DW_OP_plus) found.addend += amount;
      else if (at->getOp() == dwarf::DW_OP_minus) found.addend -= amount;
      else return {};
      break;
    }
    case dwarf::DW_OP_deref:
      if (!follow()) return {};
      break;
    case dwarf::DW_OP_stack_value: is_value = true; break;
    default: return {};
    }
  }
  if (record.isIndirectDebugValue() && !is_value && !follow()) return {};
  found.reached.straight = (found.addend + (int64_t(1) << (kStraightBit - 1))) >> kStraightBit;
  found.addend -= found.reached.straight << kStraightBit;
  return isInt<32>(found.offset) && isInt<32>(found.addend) ? found : Place{};
}

class Told : public AsmPrinterHandler {
public:
  explicit Told(AsmPrinter &printer) : printer(printer) {}

  // Takes the records out: a unit of lines alone has no place for variables.
  void beginFunction(const MachineFunction *machine) override {
    function = machine;
    registers = machine->getSubtarget().getRegisterInfo();
    stack = machine->getSubtarget().getTargetLowering()->getStackPointerRegisterToSaveRestore();
    frame = registers->getFrameRegister(*machine);
    rows.clear();
    places.clear();
    has_any = false;
    opcost::Reach reach(*machine);
    Place written;
    for (MachineBasicBlock &block : const_cast<MachineFunction &>(*machine)) {
      // What is known at the start of a block, it says.
      Place here = &block == &machine->front() ? handed() : Place{};
      for (MachineInstr &instruction : make_early_inc_range(block)) {
        if (is_ours(instruction)) {
          opcost::Reached before = here.reached;
          here = place(instruction);
          // The address of a slot is no number of what is left: without optimisation a record may lose what led
          // from the one to the other.
          if (here.kind == Place::kRegister && (here.base == stack || here.base == frame)) here = {};
          // It only moved.
          if (here.reached.straight == before.straight) here.reached = before;
          has_any = true;
          instruction.eraseFromParent();
          continue;
        }
        if (!instruction.isMetaInstruction()) {
          bool is_known = here.kind != Place::kNothing, is_changed = is_known && changes(here, instruction);
          here.is_lost = is_changed && instruction.isCall();
          if (is_known && reach.can_end(instruction)) arrive(here, reach.of(instruction));
          if (!(here == written)) places[&instruction] = written = here;
          if (is_changed) here = {};
        }
        reach.give_back(instruction);
      }
    }
  }

  void beginInstruction(const MachineInstr *instruction) override {
    auto known = places.find(instruction);
    if (known != places.end()) write(known->second);
  }

  void endInstruction() override {}
  void endFunction(const MachineFunction *) override {}
  void endModule() override {}

  // Before jump tables, which lie in another section.
  void markFunctionEnd() override {
    if (!has_any) return;
    Place outside;
    outside.kind = Place::kOutside;
    write(outside);
    MCStreamer &out = *printer.OutStreamer;
    out.pushSection();
    auto *text = static_cast<const MCSectionELF *>(function->getSection());
    unsigned flags = ELF::SHF_ALLOC | ELF::SHF_LINK_ORDER;
    StringRef group;
    if (const MCSymbol *signature = text->getGroup()) {
      group = signature->getName();
      flags |= ELF::SHF_GROUP;
    }
    out.switchSection(printer.OutContext.getELFSection(kSection, ELF::SHT_PROGBITS, flags, 0, group, true,
                                                       text->getUniqueID(),
                                                       static_cast<const MCSymbolELF *>(text->getBeginSymbol())));
    for (const Row &row : rows) emit(out, row);
    out.popSection();
  }

private:
  struct Row {
    MCSymbol *label;
    Place place;
  };

  // What stands in the code of another stretch than its own is at the start of this.
  static void arrive(Place &here, const opcost::Reached &there) {
    bool is_here = there.straight == here.reached.straight;
    here.reached.done = is_here ? there.done : 0;
    here.reached.known = is_here ? there.known : opcost::Known::kAtLeast;
    here.reached.more = is_here ? there.more : 0;
  }

  static bool is_ours(const MachineInstr &instruction) {
    return instruction.isDebugValue() && instruction.getDebugVariable()->getName() == kVariable &&
           !instruction.getDebugLoc()->getInlinedAt();
  }

  // A function that is handed what is left has it in a register when it begins.
  Place handed() const {
    for (const MachineBasicBlock::RegisterMaskPair &live : function->front().liveins()) {
      if (!is_hand(live.PhysReg)) continue;
      for (const Argument &argument : function->getFunction().args())
        if (argument.hasSwiftErrorAttr()) return in(live.PhysReg);
    }
    return {};
  }

  bool is_hand(MCRegister reg) const {
    int number = registers->getDwarfRegNum(reg, false);
    const Triple &triple = function->getTarget().getTargetTriple();
    return (triple.getArch() == Triple::x86_64 && number == 12) || (triple.isAArch64() && number == 21);
  }

  // Whether it leaves something else in the register. A call gives its stack back.
  bool changes(const Place &place, const MachineInstr &instruction) const {
    if (instruction.isCall() && place.base == stack) return false;
    return instruction.modifiesRegister(place.base, registers);
  }

  void write(const Place &place) {
    MCSymbol *label = printer.OutContext.createTempSymbol("opcost");
    printer.OutStreamer->emitLabel(label);
    rows.push_back({label, place});
  }

  void emit(MCStreamer &out, const Row &row) {
    Place::Kind kind = row.place.kind;
    bool is_known = kind == Place::kRegister || kind == Place::kMemory;
    int number = is_known ? registers->getDwarfRegNum(row.place.base, false) : 0;
    if (number < 0 || number > 31) {
      kind = Place::kNothing;
      number = 0;
    }
    MCSymbol *self = printer.OutContext.createTempSymbol("opcost");
    out.emitLabel(self);
    out.emitAbsoluteSymbolDiff(row.label, self, 4);
    out.emitInt8(kind);
    out.emitInt8(uint8_t(number));
    out.emitInt8(uint8_t(row.place.reached.known) | (row.place.is_lost ? 4 : 0));
    out.emitInt8(row.place.reached.more);
    out.emitInt32(uint32_t(int32_t(row.place.offset)));
    // What was done is not left.
    out.emitInt32(uint32_t(int32_t(row.place.addend - row.place.reached.done)));
  }

  AsmPrinter &printer;
  const MachineFunction *function = nullptr;
  const TargetRegisterInfo *registers = nullptr;
  Register stack, frame;
  // What is known from an instruction on, where that changes.
  DenseMap<const MachineInstr *, Place> places;
  bool has_any = false;
  std::vector<Row> rows;
};

} // namespace

std::unique_ptr<AsmPrinterHandler> opcost::told(AsmPrinter &printer, const Module &module) {
  if (!module.getNamedMetadata(kMark) || !module.getTargetTriple().isOSBinFormatELF()) return nullptr;
  return std::make_unique<Told>(printer);
}

extern "C" {

// Says that from here on the register and `advance` are what was left where the
// straight code of this number began.
void opcost_fuel_tell(LLVMValueRef before, LLVMValueRef reg, int64_t advance, uint32_t straight) {
  auto *at = unwrap<Instruction>(before);
  LLVMContext &context = at->getContext();
  DILocalVariable *told = variable(*at->getFunction());
  IRBuilder<> builder(at);
  Value *left = builder.CreateLoad(builder.getInt64Ty(), unwrap(reg));
  DIExpression *sum = DIExpression::get(context, {});
  int64_t numbered = advance + (int64_t(straight + 1) << kStraightBit);
  sum = DIExpression::prepend(sum, DIExpression::StackValue, numbered);
  auto *place = DILocation::get(context, 0, 0, told->getScope());
  auto *record = DbgVariableRecord::createDbgVariableRecord(left, told, sum, place);
  at->getParent()->insertDbgRecordBefore(record, at->getIterator());
}

} // extern "C"
