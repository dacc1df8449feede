// From a module to an object file, with a table of return addresses.
//
// The pipeline is the one behind TargetMachine::addPassesToEmitFile, spelt out
// so that a handler can be hung on the printer: behind each call that carries
// a tabled number it puts a label, and at the end of the module it writes the
// table (address, call site) into a section that is not loaded. Labels change
// no byte of code. Calls are kept apart (no tail merging) when a table is
// asked for, since one return address must lead to one call site.
#include "code.h"
#include "generate.h"
#include "shim.h"
#include "tell.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"
#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Analysis/RuntimeLibcallInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/Passes.h"

using namespace llvm;

#define OPCOST_TARGETS(X) X(X86) X(AArch64) X(RISCV) X(WebAssembly)
extern "C" {
#define OPCOST_DECLARE(T)                                                                                             \
  void LLVMInitialize##T##TargetInfo();                                                                               \
  void LLVMInitialize##T##Target();                                                                                   \
  void LLVMInitialize##T##TargetMC();                                                                                 \
  void LLVMInitialize##T##AsmPrinter();                                                                               \
  void LLVMInitialize##T##AsmParser();
OPCOST_TARGETS(OPCOST_DECLARE)
}

namespace {

// Tables the return addresses of one module.
class CallTable : public AsmPrinterHandler {
public:
  CallTable(AsmPrinter *printer, const uint8_t *hash, const uint32_t *sites, uint32_t count)
      : printer(printer), hash(hash), sites(sites), count(count) {}

  void beginFunction(const MachineFunction *) override {}
  void endFunction(const MachineFunction *) override {}
  void beginInstruction(const MachineInstr *instruction) override { current = instruction; }

  void endInstruction() override {
    if (!current || !current->isCall()) return;
    if (calls_unwind_resume(*current)) {
      // The frame goes on unwinding here; the runtime notes it once more.
      table(UINT32_MAX);
      return;
    }
    if (!current->getDebugLoc()) return;
    unsigned line = current->getDebugLoc().getLine();
    // Line n is instruction n - 1; a site is stored as its number + 1.
    if (line == 0 || line > count || sites[line - 1] == 0) return;
    // A tail call leaves no frame: its return address is its caller's.
    if (current->isReturn()) return;
    table(sites[line - 1] - 1);
  }

  void endModule() override {
    MCStreamer &out = *printer->OutStreamer;
    out.switchSection(printer->OutContext.getELFSection(opcost::kCallSection, ELF::SHT_PROGBITS, 0));
    out.emitBytes("OPCCALLS");
    out.emitBytes(StringRef(reinterpret_cast<const char *>(hash), 16));
    out.emitInt64(entries.size());
    for (auto &[label, site] : entries) {
      out.emitSymbolValue(label, 8);
      out.emitInt64(site);
    }
  }

private:
  static bool calls_unwind_resume(const MachineInstr &call) {
    for (const MachineOperand &operand : call.operands()) {
      if (operand.isSymbol() && StringRef(operand.getSymbolName()) == "_Unwind_Resume") return true;
      if (operand.isGlobal() && operand.getGlobal()->getName() == "_Unwind_Resume") return true;
    }
    return false;
  }

  // Labels the spot behind the current call.
  void table(uint32_t site) {
    MCSymbol *label = printer->OutContext.createTempSymbol("opcost");
    printer->OutStreamer->emitLabel(label);
    entries.push_back({label, site});
  }

  AsmPrinter *printer;
  const uint8_t *hash;
  const uint32_t *sites;
  uint32_t count;
  const MachineInstr *current = nullptr;
  std::vector<std::pair<MCSymbol *, uint32_t>> entries;
};

// A signal handler may count where the program was about to: an addition to
// memory must be one instruction. Selection makes it so, but not without
// optimisation; there it is written out.
void make_indivisible(Module &module) {
  LLVMContext &context = module.getContext();
  Type *word = Type::getInt64Ty(context);
  auto *type = FunctionType::get(Type::getVoidTy(context), {PointerType::get(context, 0), word}, false);
  InlineAsm *addition =
      InlineAsm::get(type, "addq $1, $0", "=*m,er,~{dirflag},~{fpsr},~{flags},~{memory}", /*hasSideEffects=*/true);
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *store = dyn_cast<StoreInst>(&instruction);
      if (!store || !store->hasMetadata(opcost::kCountMark)) continue;
      // An optimiser may have been at work on counted bitcode.
      auto *sum = dyn_cast<BinaryOperator>(store->getValueOperand());
      auto *old = sum ? dyn_cast<LoadInst>(sum->getOperand(0)) : nullptr;
      if (!old || sum->getOpcode() != Instruction::Add || !sum->hasOneUse() || !old->hasOneUse() ||
          old->getPointerOperand() != store->getPointerOperand() || old->getParent() != store->getParent())
        continue;
      auto *call = CallInst::Create(type, addition, {store->getPointerOperand(), sum->getOperand(1)}, "",
                                    store->getIterator());
      call->addParamAttr(0, Attribute::get(context, Attribute::ElementType, word));
      call->setDoesNotThrow();
      call->setDebugLoc(store->getDebugLoc());
      store->eraseFromParent();
      sum->eraseFromParent();
      old->eraseFromParent();
    }
}

TargetOptions options_like_clang(const Module &module) {
  TargetOptions options;
  options.UseInitArray = true;
  options.NoTrappingFPMath = true;
  options.UniqueSectionNames = true;
  options.EmitAddrsig = true;
  options.AllowFPOpFusion = FPOpFusion::Standard;
  options.MCOptions.MCUseDwarfDirectory = MCTargetOptions::EnableDwarfDirectory;
  if (module.getTargetTriple().isRISCV()) {
    if (auto *abi = dyn_cast_or_null<MDString>(module.getModuleFlag("target-abi")))
      options.MCOptions.ABIName = abi->getString().str();
  }
  return options;
}

// Hangs the table on the printer, if one is wanted.
class WithTable : public opcost::Onlooker {
public:
  WithTable(const Module &module, const opcost_emission &how) : module(module), how(how) {}

  void printer(AsmPrinter &printer) override {
    if (auto told = opcost::told(printer, module)) printer.addAsmPrinterHandler(std::move(told));
    if (how.map_hash && how.code_table)
      printer.addAsmPrinterHandler(opcost::code_table(printer, module, how.map_hash, {how.block_of, how.numbered}));
    else if (how.map_hash)
      printer.addAsmPrinterHandler(
          std::make_unique<CallTable>(&printer, how.map_hash, how.call_sites, how.call_site_count));
  }

private:
  const Module &module;
  const opcost_emission &how;
};

} // namespace

void opcost::initialize_targets() {
  static bool done = [] {
#define OPCOST_CALL(T)                                                                                                \
  LLVMInitialize##T##TargetInfo();                                                                                    \
  LLVMInitialize##T##Target();                                                                                        \
  LLVMInitialize##T##TargetMC();                                                                                      \
  LLVMInitialize##T##AsmPrinter();                                                                                    \
  LLVMInitialize##T##AsmParser();
    OPCOST_TARGETS(OPCOST_CALL)
    return true;
  }();
  (void)done;
}

std::unique_ptr<legacy::PassManager> opcost::Onlooker::passes() { return std::make_unique<legacy::PassManager>(); }

std::unique_ptr<MCStreamer> opcost::Onlooker::streamer(const Target &, MCContext &) { return nullptr; }

std::unique_ptr<TargetMachine> opcost::machine_for(Module &module, const opcost_emission &how, std::string &error) {
  opcost::initialize_targets();
  if (module.getTargetTriple().empty()) {
    error = "the module says no machine that it is for; give it one, as in: target triple = \"" +
            sys::getDefaultTargetTriple() + "\"";
    return nullptr;
  }
  const Target *target = TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  if (!target) return nullptr;
  TargetOptions options = options_like_clang(module);
  options.FunctionSections = how.function_sections;
  options.DataSections = how.data_sections;
  std::optional<Reloc::Model> position;
  if (how.position == 2 || (how.position == 0 && module.getPICLevel() == PICLevel::NotPIC))
    position = Reloc::Static;
  else
    position = Reloc::PIC_;
  // What Linux asks of every such machine, and of its objects' headers.
  const char *features = module.getTargetTriple().isRISCV64() ? "+m,+a,+f,+d,+c" : "";
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(module.getTargetTriple(), "", features, options, position, module.getCodeModel(),
                                  CodeGenOptLevel(how.level)));
  if (!machine) {
    error = "no code generation for " + module.getTargetTriple().str();
    return nullptr;
  }
  if (module.getDataLayout().isDefault()) module.setDataLayout(machine->createDataLayout());
  if (std::optional<uint64_t> limit = module.getLargeDataThreshold()) machine->setLargeDataThreshold(*limit);
  return machine;
}

std::string opcost::generate(Module &module, TargetMachine &machine, raw_pwrite_stream &out, CodeGenFileType type,
                             bool keep_calls_apart, Onlooker &onlooker) {
  auto &generator = static_cast<CodeGenTargetMachineImpl &>(machine);
  std::unique_ptr<legacy::PassManager> passes = onlooker.passes();
  TargetLibraryInfoImpl library(module.getTargetTriple());
  passes->add(new TargetLibraryInfoWrapperPass(library));
  // Without it code generation knows of no memset and writes loops instead.
  const TargetOptions &options = machine.Options;
  passes->add(new RuntimeLibraryInfoWrapper(module.getTargetTriple(), options.ExceptionModel, options.FloatABIType,
                                            options.EABIVersion, options.MCOptions.ABIName, options.VecLib));
  auto *information = new MachineModuleInfoWrapperPass(&generator);
  TargetPassConfig *config = generator.createPassConfig(*passes);
  config->setDisableVerify(true);
  if (keep_calls_apart) config->setEnableTailMerge(false);
  onlooker.configure(*config);
  passes->add(config);
  passes->add(information);
  if (config->addISelPasses()) return "code generation refused the target";
  config->addMachinePasses();
  config->setInitialized();
  MCContext &context = information->getMMI().getContext();
  std::unique_ptr<MCStreamer> taker = onlooker.streamer(machine.getTarget(), context);
  if (!taker) {
    auto streamer = generator.createMCStreamer(out, nullptr, type, context);
    if (!streamer) return toString(streamer.takeError());
    taker = std::move(*streamer);
  }
  AsmPrinter *printer = machine.getTarget().createAsmPrinter(machine, std::move(taker));
  onlooker.printer(*printer);
  passes->add(printer);
  passes->add(createFreeMachineFunctionPass());
  passes->run(module);
  return "";
}

namespace {

// Calls that say what is to be charged have said it: what they are charged is counted beside them.
void drop_charges(Module &module) {
  Function *charge = module.getFunction("opc_libc_charge");
  if (!charge || !charge->isDeclaration()) return;
  for (User *user : make_early_inc_range(charge->users()))
    if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledOperand() == charge) call->eraseFromParent();
}

// LLVM's option that has registers allocated as with optimisation at any level, as long as this lives. Nothing but the
// command line of LLVM's tools sets it.
class AllocateRegisters {
public:
  explicit AllocateRegisters(bool is_wanted) {
    auto found = cl::getRegisteredOptions().find("optimize-regalloc");
    if (!is_wanted || found == cl::getRegisteredOptions().end()) return;
    option = static_cast<cl::opt<cl::boolOrDefault> *>(found->second);
    option->setValue(cl::BOU_TRUE);
  }
  ~AllocateRegisters() {
    if (option) option->setValue(cl::BOU_UNSET);
  }

private:
  cl::opt<cl::boolOrDefault> *option = nullptr;
};

} // namespace

extern "C" {

// Writes the object file; null, or what went wrong.
char *opcost_emit(LLVMModuleRef handle, const char *path, const opcost_emission *how) {
  Module &module = *unwrap(handle);
  std::string error;
  std::unique_ptr<TargetMachine> machine = opcost::machine_for(module, *how, error);
  if (!machine) return opcost::copy(error);
  drop_charges(module);
  if (how->level == 0 && module.getTargetTriple().getArch() == Triple::x86_64) make_indivisible(module);

  std::error_code code;
  raw_fd_ostream out(path, code, sys::fs::OF_None);
  if (code) return opcost::copy(std::string("cannot write ") + path + ": " + code.message());
  if (how->code_table && !how->block_of) opcost::name_blocks(module);
  WithTable onlooker(module, *how);
  AllocateRegisters allocation(how->allocate_registers);
  error = opcost::generate(module, *machine, out, CodeGenFileType::ObjectFile, how->keep_calls_apart, onlooker);
  if (!error.empty()) return opcost::copy(error);
  out.flush();
  if (out.has_error()) {
    std::string message = std::string("cannot write ") + path + ": " + out.error().message();
    out.clear_error();
    return opcost::copy(message);
  }
  return nullptr;
}

// Puts the bytes of a file into the object, in a section that is not loaded.
void opcost_embed_map(LLVMModuleRef handle, const char *path) {
  std::string quoted;
  for (const char *c = path; *c; c++) {
    if (*c == '"' || *c == '\\') quoted += '\\';
    quoted += *c;
  }
  Module &module = *unwrap(handle);
  module.appendModuleInlineAsm(std::string(".pushsection ") + opcost::kMapSection + ",\"\",@progbits\n.incbin \"" +
                               quoted + "\"\n.popsection\n");
}

// Puts bytes into the object, in a section that is not loaded; on Windows, whose
// linkers drop such sections, in one that is only read; WebAssembly has a place
// of its own for that.
void opcost_embed(LLVMModuleRef handle, const char *section, const uint8_t *bytes, size_t count) {
  Module &module = *unwrap(handle);
  if (module.getTargetTriple().isWasm()) {
    LLVMContext &context = module.getContext();
    StringRef text(reinterpret_cast<const char *>(bytes), count);
    module.getOrInsertNamedMetadata("wasm.custom_sections")
        ->addOperand(MDNode::get(context, {MDString::get(context, section), MDString::get(context, text)}));
    return;
  }
  bool is_windows = module.getTargetTriple().isOSWindows();
  std::string text = is_windows ? std::string(".section ") + section + ",\"dr\"\n"
                                : std::string(".pushsection ") + section + ",\"\",@progbits\n";
  for (size_t i = 0; i < count; i++) text += ".byte " + std::to_string(bytes[i]) + "\n";
  module.appendModuleInlineAsm(text + (is_windows ? ".text\n" : ".popsection\n"));
}

} // extern "C"
