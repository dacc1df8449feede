// The same functions once more, on other ways: as assembly text, and in the
// memory of a just-in-time compiler.
//
// Both start from the optimised module as bitcode with use-list orders, so that
// code generation sees what it saw before. Other functions lose their bodies,
// which no other function's code depends on; what they were to the linker
// stays, so calls of them differ in the field that is relocated only.
//
// The just-in-time compiler is LLVM's own (LLJIT with its own list of passes,
// and JITLink). Nothing is run. Names from outside stand for a block of zeros
// near the code, since real ones may be too far for the code's own model.
#include "generate.h"
#include "shim.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/ObjectTransformLayer.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace opcost::life {
class Recorder;
} // namespace opcost::life
extern "C" void opcost_life_optimise(LLVMModuleRef handle, void *machine, int32_t level,
                                     opcost::life::Recorder *recorder);

namespace {

// A name that is always there to be asked for, so that all is linked.
constexpr const char *kDoor = "__opcost_jit_door";

std::unique_ptr<Module> read(const char *path, LLVMContext &context, std::string &error) {
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIRFile(path, diagnostic, context);
  if (!module) {
    raw_string_ostream out(error);
    diagnostic.print(nullptr, out, false);
  }
  return module;
}

// Bodies of others go. An alias must lead to something.
void keep_only(Module &module, const char *const *names, size_t count) {
  if (count == 0) return;
  StringSet<> kept;
  for (size_t i = 0; i < count; i++) kept.insert(names[i]);
  for (GlobalAlias &alias : module.aliases())
    if (GlobalObject *object = alias.getAliaseeObject()) kept.insert(object->getName());
  for (GlobalIFunc &choice : module.ifuncs())
    if (Function *function = choice.getResolverFunction()) kept.insert(function->getName());
  for (Function &function : module) {
    if (function.isDeclaration() || kept.contains(function.getName())) continue;
    bool is_near = function.isDSOLocal() || function.hasLocalLinkage();
    function.setComdat(nullptr);
    function.deleteBody();
    if (is_near) function.setDSOLocal(true);
  }
}

// Takes the bytes of functions when all is in its place.
class Taking : public orc::LinkGraphLinkingLayer::Plugin {
public:
  using Sink = void (*)(void *, const char *, const uint8_t *, size_t);
  Taking(const char *const *names, size_t count, Sink sink, void *context) : sink(sink), context(context) {
    for (size_t i = 0; i < count; i++) wanted.insert(names[i]);
  }

  void modifyPassConfig(orc::MaterializationResponsibility &, jitlink::LinkGraph &,
                        jitlink::PassConfiguration &passes) override {
    passes.PrePrunePasses.insert(passes.PrePrunePasses.begin(), [this](jitlink::LinkGraph &graph) {
      for (jitlink::Symbol *symbol : graph.defined_symbols())
        if (is_wanted(*symbol)) symbol->setLive(true);
      stand_in(graph);
      return Error::success();
    });
    passes.PostFixupPasses.push_back([this](jitlink::LinkGraph &graph) {
      for (jitlink::Symbol *symbol : graph.defined_symbols()) {
        if (!is_wanted(*symbol) || symbol->getBlock().isZeroFill()) continue;
        ArrayRef<char> bytes = symbol->getBlock().getContent().drop_front(symbol->getOffset());
        if (symbol->getSize()) bytes = bytes.take_front(symbol->getSize());
        sink(context, (*symbol->getName()).str().c_str(), reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
      }
      return Error::success();
    });
  }
  Error notifyFailed(orc::MaterializationResponsibility &) override { return Error::success(); }
  Error notifyRemovingResources(orc::JITDylib &, orc::ResourceKey) override { return Error::success(); }
  void notifyTransferringResources(orc::JITDylib &, orc::ResourceKey, orc::ResourceKey) override {}

private:
  bool is_wanted(const jitlink::Symbol &symbol) const {
    return symbol.hasName() && wanted.contains(*symbol.getName());
  }

  // What is outside becomes part of the graph.
  static void stand_in(jitlink::LinkGraph &graph) {
    std::vector<jitlink::Symbol *> outside(graph.external_symbols().begin(), graph.external_symbols().end());
    if (outside.empty()) return;
    auto &section = graph.createSection("opcost_outside", orc::MemProt::Read | orc::MemProt::Write);
    auto &block = graph.createZeroFillBlock(section, 4096, orc::ExecutorAddr(), 16, 0);
    for (jitlink::Symbol *symbol : outside) {
      StringRef name = symbol->hasName() ? *symbol->getName() : StringRef();
      // The table of addresses has no place before it is made.
      if (name == "_GLOBAL_OFFSET_TABLE_") continue;
      graph.makeDefined(*symbol, block, 0, 0, jitlink::Linkage::Strong, jitlink::Scope::Local, true);
    }
  }

  StringSet<> wanted;
  Sink sink;
  void *context;
};

std::string link(orc::ThreadSafeModule module, orc::JITTargetMachineBuilder builder,
                 std::unique_ptr<TargetMachine> machine, std::shared_ptr<Taking> taking, const char *object) {
  auto create = [&](orc::JITTargetMachineBuilder) -> Expected<std::unique_ptr<orc::IRCompileLayer::IRCompiler>> {
    return std::make_unique<orc::TMOwningSimpleCompiler>(std::move(machine));
  };
  auto layer = [&](orc::ExecutionSession &session) -> Expected<std::unique_ptr<orc::ObjectLayer>> {
    auto made = std::make_unique<orc::ObjectLinkingLayer>(session);
    made->addPlugin(taking);
    return made;
  };
  Expected<std::unique_ptr<orc::LLJIT>> jit = orc::LLJITBuilder()
                                                  .setJITTargetMachineBuilder(std::move(builder))
                                                  .setCompileFunctionCreator(create)
                                                  .setObjectLinkingLayerCreator(layer)
                                                  .setLinkProcessSymbolsByDefault(false)
                                                  .setPlatformSetUp(orc::setUpInactivePlatform)
                                                  .create();
  if (!jit) return toString(jit.takeError());
  std::string words;
  (*jit)->getExecutionSession().setErrorReporter([&](Error error) {
    std::string said = toString(std::move(error));
    if (words.empty()) words = said;
  });
  // What it compiled, before it is linked: its relocations say what linking fills.
  (*jit)->getObjTransformLayer().setTransform(
      [object](std::unique_ptr<MemoryBuffer> compiled) -> Expected<std::unique_ptr<MemoryBuffer>> {
        std::error_code code;
        raw_fd_ostream out(object, code, sys::fs::OF_None);
        if (code) return createStringError(code, "cannot write %s", object);
        out << compiled->getBuffer();
        return compiled;
      });
  if (Error error = (*jit)->addIRModule(std::move(module))) return toString(std::move(error));
  Expected<orc::ExecutorAddr> door = (*jit)->lookup(kDoor);
  if (!door) {
    std::string said = toString(door.takeError());
    return words.empty() ? said : words;
  }
  return "";
}

} // namespace

extern "C" {

// Writes assembly text of a module, of these functions alone if any are named;
// null, or what went wrong.
char *opcost_write_assembly(const char *bitcode, const char *path, const opcost_emission *how,
                            const char *const *names, size_t count) {
  LLVMContext context;
  std::string error;
  std::unique_ptr<Module> module = read(bitcode, context, error);
  if (!module) return opcost::copy(error);
  keep_only(*module, names, count);
  std::unique_ptr<TargetMachine> machine = opcost::machine_for(*module, *how, error);
  if (!machine) return opcost::copy(error);
  std::error_code code;
  raw_fd_ostream out(path, code, sys::fs::OF_None);
  if (code) return opcost::copy(std::string("cannot write ") + path + ": " + code.message());
  opcost::Onlooker nobody;
  error = opcost::generate(*module, *machine, out, CodeGenFileType::AssemblyFile, false, nobody);
  if (!error.empty()) return opcost::copy(error);
  out.flush();
  if (!out.has_error()) return nullptr;
  error = std::string("cannot write ") + path + ": " + out.error().message();
  out.clear_error();
  return opcost::copy(error);
}

// Bytes of these functions in the memory of a just-in-time compiler, told one
// by one; what it compiled goes to `object`. Null, or what went wrong.
char *opcost_jit(const char *bitcode, const char *object, const opcost_emission *how, const char *const *names,
                 size_t count, Taking::Sink sink, void *context_of_sink) {
  auto context = std::make_unique<LLVMContext>();
  std::string error;
  std::unique_ptr<Module> module = read(bitcode, *context, error);
  if (!module) return opcost::copy(error);
  keep_only(*module, names, count);
  // Constructors are not run, but would be looked for.
  auto *byte = Type::getInt8Ty(*context);
  new GlobalVariable(*module, byte, true, GlobalValue::ExternalLinkage, ConstantInt::get(byte, 0), kDoor);
  std::unique_ptr<TargetMachine> machine = opcost::machine_for(*module, *how, error);
  if (!machine) return opcost::copy(error);
  orc::JITTargetMachineBuilder builder(module->getTargetTriple());
  auto taking = std::make_shared<Taking>(names, count, sink, context_of_sink);
  error = link(orc::ThreadSafeModule(std::move(module), std::move(context)), std::move(builder), std::move(machine),
               std::move(taking), object);
  return error.empty() ? nullptr : opcost::copy(error);
}

// The optimiser's passes, watched by nobody; null, or what went wrong.
char *opcost_optimise(LLVMModuleRef handle, const opcost_emission *how, int32_t level) {
  std::string error;
  std::unique_ptr<TargetMachine> machine = opcost::machine_for(*unwrap(handle), *how, error);
  if (!machine) return opcost::copy(error);
  opcost_life_optimise(handle, machine.get(), level, nullptr);
  return nullptr;
}

// The machine on which this runs, as LLVM calls it.
const char *opcost_host_triple() { return LLVM_HOST_TRIPLE; }

} // extern "C"
