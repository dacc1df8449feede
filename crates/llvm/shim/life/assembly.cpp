// Assembly text to an object, in process, as `clang -c` does it with a .s file.
//
// Each instruction is told with its operation, the line that it stands in and
// where its bytes came to lie: a temporary label before and behind, as the
// recorder does it. Macros and repetitions stand in the line that uses them.
#include "life/operation.h"
#include "shim.h"

#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCAssembler.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectStreamer.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSection.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace opcost::life;

extern "C" {

struct opcost_assembly {
  const char *triple;
  const char *cpu;
  const char *features;
  const char *abi; // RISC-V's, or ""
  uint8_t position_independent;
  uint8_t intel; // the syntax to begin with
};

// One instruction: the section and its bytes there.
typedef void (*opcost_assembled)(void *context, const char *section, const opcost_operation *operation, uint64_t from,
                                 uint64_t to);

} // extern "C"

namespace {

struct Assembled {
  Operation operation;
  const MCSymbol *from, *to;
};

class Lines : public Encodings {
public:
  explicit Lines(const SourceMgr &sources) : sources(sources) { encodings = this; }
  ~Lines() override { encodings = nullptr; }

  void before(MCObjectStreamer &streamer, const MCInst &instruction) override {
    Operation operation(instruction);
    operation.line = line(instruction.getLoc());
    assembled.push_back({std::move(operation), label(streamer), nullptr});
  }
  void behind(MCObjectStreamer &streamer) override { assembled.back().to = label(streamer); }

  void tell(const MCAssembler &assembler, opcost_assembled sink, void *context) const {
    for (const Assembled &one : assembled) {
      if (!one.from->isInSection()) continue;
      opcost_operation raw = one.operation.raw();
      sink(context, one.from->getSection().getName().str().c_str(), &raw, assembler.getSymbolOffset(*one.from),
           assembler.getSymbolOffset(*one.to));
    }
  }

private:
  static MCSymbol *label(MCObjectStreamer &streamer) {
    MCSymbol *label = streamer.getContext().createTempSymbol("opcost");
    streamer.emitLabel(label);
    return label;
  }

  // What a macro wrote stands in a buffer of its own.
  uint32_t line(SMLoc place) const {
    while (place.isValid()) {
      unsigned buffer = sources.FindBufferContainingLoc(place);
      if (buffer == 0) return 0;
      if (buffer == sources.getMainFileID()) return sources.FindLineNumber(place, buffer);
      place = sources.getParentIncludeLoc(buffer);
    }
    return 0;
  }

  const SourceMgr &sources;
  std::vector<Assembled> assembled;
};

// All that an assembler is made of.
struct Parts {
  Triple triple;
  MCTargetOptions options;
  SourceMgr sources;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> style;
  std::unique_ptr<MCInstrInfo> operations;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  std::unique_ptr<MCContext> context;
  std::unique_ptr<MCObjectFileInfo> sections;
  std::unique_ptr<MCStreamer> streamer;
};

std::string make(Parts &parts, const opcost_assembly &how, raw_pwrite_stream &out, const Target *&target) {
  opcost::initialize_targets();
  std::string error;
  target = TargetRegistry::lookupTarget(parts.triple, error);
  if (!target) return error;
  const Triple &triple = parts.triple;
  parts.options.ABIName = how.abi;
  parts.registers.reset(target->createMCRegInfo(triple));
  parts.style.reset(target->createMCAsmInfo(*parts.registers, triple, parts.options));
  parts.operations.reset(target->createMCInstrInfo());
  parts.subtarget.reset(target->createMCSubtargetInfo(triple, how.cpu, how.features));
  parts.context = std::make_unique<MCContext>(triple, parts.style.get(), parts.registers.get(), parts.subtarget.get(),
                                              &parts.sources, &parts.options);
  parts.sections.reset(target->createMCObjectFileInfo(*parts.context, how.position_independent));
  parts.context->setObjectFileInfo(parts.sections.get());
  MCAsmBackend *backend = target->createMCAsmBackend(*parts.subtarget, *parts.registers, parts.options);
  MCCodeEmitter *encoder = target->createMCCodeEmitter(*parts.operations, *parts.context);
  if (!backend || !encoder || !target->hasMCAsmParser()) return "LLVM has no assembler for " + triple.str();
  std::unique_ptr<MCAsmBackend> owned(backend);
  std::unique_ptr<MCObjectWriter> writer = owned->createObjectWriter(out);
  parts.streamer.reset(target->createMCObjectStreamer(triple, *parts.context, std::move(owned), std::move(writer),
                                                      std::unique_ptr<MCCodeEmitter>(encoder), *parts.subtarget));
  return "";
}

} // namespace

extern "C" {

// Assembles; null, or what went wrong: the assembler's words with line and caret.
// `told` may be null.
char *opcost_assemble(const char *text, size_t length, const char *name, const opcost_assembly *how,
                      const char *object, opcost_assembled told, void *context) {
  Parts parts;
  parts.triple = Triple(Triple::normalize(how->triple));
  std::error_code code;
  raw_fd_ostream out(object, code, sys::fs::OF_None);
  if (code) return opcost::copy(std::string("cannot write ") + object + ": " + code.message());
  std::string said;
  parts.sources.setDiagHandler(
      [](const SMDiagnostic &diagnostic, void *words) {
        raw_string_ostream stream(*static_cast<std::string *>(words));
        if (diagnostic.getKind() == SourceMgr::DK_Error) diagnostic.print(nullptr, stream, /*ShowColors=*/false);
      },
      &said);
  parts.sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(StringRef(text, length), name), SMLoc());
  const Target *target = nullptr;
  std::string error = make(parts, *how, out, target);
  if (!error.empty()) return opcost::copy(error);
  // Where things go wrong behind the parser the context is asked for the words.
  parts.context->setDiagnosticHandler([&](const SMDiagnostic &diagnostic, bool, const SourceMgr &,
                                          std::vector<const MDNode *> &) {
    raw_string_ostream stream(said);
    if (diagnostic.getKind() == SourceMgr::DK_Error) diagnostic.print(nullptr, stream, /*ShowColors=*/false);
  });
  std::unique_ptr<MCAsmParser> parser(
      createMCAsmParser(parts.sources, *parts.context, *parts.streamer, *parts.style));
  std::unique_ptr<MCTargetAsmParser> reader(
      target->createMCAsmParser(*parts.subtarget, *parser, *parts.operations, parts.options));
  if (!reader) return opcost::copy("LLVM has no assembler for " + parts.triple.str());
  parser->setTargetParser(*reader);
  if (how->intel) parser->setAssemblerDialect(1);
  bool has_failed;
  if (told) {
    Lines lines(parts.sources);
    has_failed = parser->Run(/*NoInitialTextSection=*/false);
    if (!has_failed) lines.tell(*static_cast<MCObjectStreamer &>(*parts.streamer).getAssemblerPtr(), told, context);
  } else {
    has_failed = parser->Run(false);
  }
  if (has_failed || parts.context->hadError()) return opcost::copy(said.empty() ? "it cannot be assembled" : said);
  out.flush();
  if (!out.has_error()) return nullptr;
  error = std::string("cannot write ") + object + ": " + out.error().message();
  out.clear_error();
  return opcost::copy(error);
}

} // extern "C"
