// Code generation with a look behind every pass, and where each machine
// instruction came to lie.
//
// The manager puts a look behind whatever pass is added to it. A look keeps all
// analyses and changes nothing. Bytes: the printer's handler puts a label before
// and behind each instruction, temporary ones, of which nothing is written; when
// all is laid out the assembler knows their offsets.
#include "generate.h"
#include "life/operation.h"
#include "life/recorder.h"
#include "shim.h"

#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/MC/MCAssembler.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectStreamer.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace opcost::life;

namespace opcost::life {
// In hooks.cpp.
std::string silent_hooks(const Triple &target);
} // namespace opcost::life

namespace {

// What the printer wrote for the instruction at hand.
std::string encoded;
// The same as plain data, in functions that have a chosen instruction.
std::vector<Operation> operations;
bool is_printing = false, is_told = false;
const MCInstrInfo *names = nullptr;

// As the encoder is given it, with the register's and the symbol's names.
void print(raw_ostream &out, const MCOperand &operand, const MCContext &context) {
  if (operand.isReg())
    out << (operand.getReg() ? context.getRegisterInfo()->getName(operand.getReg()) : "-");
  else if (operand.isImm())
    out << operand.getImm();
  else if (operand.isExpr())
    context.getAsmInfo()->printExpr(out, *operand.getExpr());
  else
    operand.print(out, &context);
}

class Look : public FunctionPass {
public:
  static char ID;
  Look(Recorder &recorder, std::string pass) : FunctionPass(ID), recorder(recorder), pass(std::move(pass)) {}

  StringRef getPassName() const override { return "look"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override { usage.setPreservesAll(); }

  bool runOnFunction(Function &function) override {
    auto *information = getAnalysisIfAvailable<MachineModuleInfoWrapperPass>();
    MachineFunction *machine = information ? information->getMMI().getMachineFunction(function) : nullptr;
    if (machine)
      recorder.machine(pass, *machine);
    else
      recorder.ir(pass, function);
    return false;
  }

private:
  Recorder &recorder;
  std::string pass;
};
char Look::ID = 0;

class LookingManager : public legacy::PassManager {
public:
  explicit LookingManager(Recorder &recorder) : recorder(recorder) {}

  void add(Pass *pass) override {
    std::string name = pass->getPassName().str();
    bool is_immutable = pass->getAsImmutablePass() != nullptr;
    bool is_of_loops = pass->getPassKind() == PT_Loop, is_of_functions = pass->getPassKind() == PT_Function;
    // Passes of loops run together, loop by loop; a look between them would part them.
    if (!is_of_loops && !is_immutable && !of_loops.empty()) {
      legacy::PassManager::add(new Look(recorder, of_loops));
      of_loops.clear();
    }
    if (is_of_loops) of_loops += (of_loops.empty() ? "" : ", ") + name;
    legacy::PassManager::add(pass);
    if (is_of_functions && !is_immutable) legacy::PassManager::add(new Look(recorder, std::move(name)));
  }

private:
  Recorder &recorder;
  std::string of_loops;
};

struct Placed {
  const MCSymbol *from, *to, *start;
  std::string function, operation, text, block, encoded, creator, kind;
  std::vector<Operation> operations;
  uint32_t number;
  bool is_chosen;
  Certainty certainty;
};

// Notes where the bytes of each instruction begin and end.
class Labels : public AsmPrinterHandler {
public:
  Labels(AsmPrinter &printer, Recorder &recorder, std::vector<Placed> &placed)
      : printer(printer), recorder(recorder), placed(placed) {}

  void beginFunction(const MachineFunction *function) override {
    slots = std::make_unique<ModuleSlotTracker>(function->getFunction().getParent(), false);
    slots->incorporateFunction(function->getFunction());
    is_told = recorder.ancestry(*function).has_chosen();
  }
  void endFunction(const MachineFunction *function) override { recorder.forget(*function); }
  void endModule() override {}

  void beginInstruction(const MachineInstr *instruction) override {
    if (instruction->isMetaInstruction()) return;
    current = instruction;
    from = label();
    encoded.clear();
    operations.clear();
    is_printing = true;
  }

  void endInstruction() override {
    if (!current) return;
    is_printing = false;
    const MachineFunction &function = *current->getMF();
    const TargetInstrInfo *machine = function.getSubtarget().getInstrInfo();
    const Ancestry &ancestry = recorder.ancestry(function);
    uint32_t number = ancestry.number(*current);
    bool is_chosen = recorder.numbers().is_chosen(number);
    std::string text;
    if (is_chosen || recorder.is_whole()) {
      raw_string_ostream stream(text);
      current->print(stream, *slots, false, false, true, false, machine);
    }
    auto [creator, kind] = maker(*current, ancestry, number);
    placed.push_back({from, label(), printer.CurrentFnSym, function.getName().str(),
                      machine->getName(current->getOpcode()).str(), StringRef(text).trim().str(),
                      ("bb." + Twine(current->getParent()->getNumber())).str(), encoded, creator, kind,
                      operations, recorder.numbers().representative(number), is_chosen, ancestry.certainty(*current)});
    current = nullptr;
  }

private:
  MCSymbol *label() {
    MCSymbol *label = printer.OutContext.createTempSymbol("opcost");
    printer.OutStreamer->emitLabel(label);
    return label;
  }

  // The pass that made it, and as what; of what a pass made in IR, that.
  std::pair<std::string, std::string> maker(const MachineInstr &instruction, const Ancestry &ancestry,
                                            uint32_t number) const {
    const Origin *origin = ancestry.origin(instruction);
    if (!origin || !origin->pass) return {};
    if (const Numbers::Meaning *meaning = recorder.numbers().meaning(number); meaning && meaning->pass)
      return {meaning->pass, meaning->operation};
    return {origin->pass, origin->kind};
  }

  AsmPrinter &printer;
  Recorder &recorder;
  std::vector<Placed> &placed;
  std::unique_ptr<ModuleSlotTracker> slots;
  const MachineInstr *current = nullptr;
  MCSymbol *from = nullptr;
};

class Recording;
// Whose labels they are, until the printer forgets them.
Recording *recording = nullptr;

class Recording : public opcost::Onlooker {
public:
  explicit Recording(Recorder &recorder) : recorder(recorder) { recording = this; }
  ~Recording() override { recording = nullptr; }

  std::unique_ptr<legacy::PassManager> passes() override { return std::make_unique<LookingManager>(recorder); }

  void printer(AsmPrinter &printer) override {
    names = printer.TM.getMCInstrInfo();
    printer.addAsmPrinterHandler(std::make_unique<Labels>(printer, recorder, placed));
  }

  void tell(const MCAssembler &assembler) {
    const Sink &sink = recorder.sink();
    for (const Placed &one : placed) {
      uint64_t start = assembler.getSymbolOffset(*one.start);
      uint64_t from = assembler.getSymbolOffset(*one.from), to = assembler.getSymbolOffset(*one.to);
      Item item = {from, one.number, one.is_chosen, one.certainty, one.operation.c_str(), one.text.c_str(), one.block.c_str(),
                   nullptr, 0};
      std::vector<opcost_operation> raw;
      for (const Operation &operation : one.operations) raw.push_back(operation.raw());
      sink.bytes(sink.context, one.function.c_str(), &item, from - start, to - start, one.encoded.c_str(),
                 one.creator.c_str(), one.kind.c_str(), raw.data(), raw.size());
    }
  }

private:
  Recorder &recorder;
  std::vector<Placed> placed;
};

} // namespace

#define OPCOST_ENCODE _ZN4llvm16MCObjectStreamer15emitInstructionERKNS_6MCInstERKNS_15MCSubtargetInfoE
#define OPCOST_FINISH _ZN4llvm11MCAssembler6FinishEv
#define OPCOST_JOIN2(a, b) a##b
#define OPCOST_JOIN(a, b) OPCOST_JOIN2(a, b)

extern "C" {

void OPCOST_JOIN(__real_, OPCOST_ENCODE)(MCObjectStreamer *, const MCInst &, const MCSubtargetInfo &)
    __attribute__((weak));

// One machine instruction may be several here, or none.
void OPCOST_JOIN(__wrap_, OPCOST_ENCODE)(MCObjectStreamer *streamer, const MCInst &instruction,
                                         const MCSubtargetInfo &subtarget) {
  passed[kEncode]++;
  if (active && is_printing) {
    raw_string_ostream out(encoded);
    if (!encoded.empty()) out << "; ";
    out << names->getName(instruction.getOpcode());
    for (const MCOperand &operand : instruction) {
      out << (&operand == instruction.begin() ? " " : ", ");
      print(out, operand, streamer->getContext());
    }
    if (is_told) operations.emplace_back(instruction);
  }
  if (encodings) encodings->before(*streamer, instruction);
  OPCOST_JOIN(__real_, OPCOST_ENCODE)(streamer, instruction, subtarget);
  if (encodings) encodings->behind(*streamer);
}

void OPCOST_JOIN(__real_, OPCOST_FINISH)(MCAssembler *) __attribute__((weak));

// All is laid out and written; the printer forgets its labels right after.
void OPCOST_JOIN(__wrap_, OPCOST_FINISH)(MCAssembler *assembler) {
  OPCOST_JOIN(__real_, OPCOST_FINISH)(assembler);
  passed[kFinish]++;
  if (recording) recording->tell(*assembler);
}

// Optimises and generates code while the recorder looks on; without one, the
// same without a look. Null, or what went wrong.
char *opcost_life_run(LLVMModuleRef handle, const char *path, const opcost_emission *how, int32_t optimise,
                      const Sink *sink, const uint32_t *numbers, size_t count, bool is_whole);

void opcost_life_optimise(LLVMModuleRef handle, void *machine, int32_t level, Recorder *recorder);

char *opcost_life_run(LLVMModuleRef handle, const char *path, const opcost_emission *how, int32_t optimise,
                      const Sink *sink, const uint32_t *numbers, size_t count, bool is_whole) {
  Module &module = *unwrap(handle);
  std::string error = sink ? silent_hooks(module.getTargetTriple()) : "";
  if (!error.empty()) return opcost::copy(error);
  std::unique_ptr<TargetMachine> machine = opcost::machine_for(module, *how, error);
  if (!machine) return opcost::copy(error);
  std::unique_ptr<Recorder> recorder;
  if (sink) recorder = std::make_unique<Recorder>(*sink, module, numbers, count, is_whole);
  if (optimise >= 0)
    opcost_life_optimise(handle, machine.get(), optimise, recorder.get());
  else if (recorder)
    for (Function &function : module) recorder->ir("as given", function);

  std::error_code code;
  raw_fd_ostream out(path, code, sys::fs::OF_None);
  if (code) return opcost::copy(std::string("cannot write ") + path + ": " + code.message());
  if (recorder) {
    Recording onlooker(*recorder);
    error = opcost::generate(module, *machine, out, CodeGenFileType::ObjectFile, false, onlooker);
    recorder->finish();
  } else {
    opcost::Onlooker nobody;
    error = opcost::generate(module, *machine, out, CodeGenFileType::ObjectFile, false, nobody);
  }
  if (!error.empty()) return opcost::copy(error);
  out.flush();
  if (out.has_error()) {
    error = std::string("cannot write ") + path + ": " + out.error().message();
    out.clear_error();
    return opcost::copy(error);
  }
  return nullptr;
}

} // extern "C"
