// Do the hooks fire?
//
// They are names of LLVM 22 in a list for the linker: with another LLVM, or in a
// program that was linked without the list, a stage would be empty and nobody
// would know why. So a small module of our own, for the machine that is wanted,
// goes through optimiser and code generation first; every hook must be passed.
// Its two arms end alike, so that locations are merged; its vector is too wide for
// any machine, its division wants legalising. Cost: some milliseconds.
#include "generate.h"
#include "life/recorder.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace opcost::life;

uint64_t opcost::life::passed[kHooks] = {};

extern "C" void opcost_life_optimise(LLVMModuleRef handle, void *machine, int32_t level, Recorder *recorder);

namespace {

const char *const kNames[kHooks] = {"SelectionDAG::Combine",
                                    "SelectionDAG::LegalizeTypes",
                                    "SelectionDAG::LegalizeVectors",
                                    "SelectionDAG::Legalize",
                                    "SelectionDAGISel::SelectCodeCommon",
                                    "ScheduleDAGSDNodes::Run",
                                    "SelectionDAG::ReplaceAllUses",
                                    "MachineFunction::deleteMachineInstr",
                                    "MCObjectStreamer::emitInstruction",
                                    "MCAssembler::Finish",
                                    "DILocation::getMergedLocation"};

const char *const kProbe = R"(
declare void @take(i32)
define <16 x i64> @opcost_probe(i32 %a, i32 %b, <16 x i64> %v) !dbg !3 {
entry:
  %c = icmp sgt i32 %a, %b, !dbg !5
  br i1 %c, label %one, label %other, !dbg !5
one:
  %x = add i32 %a, 7, !dbg !6
  call void @take(i32 %x), !dbg !6
  br label %end, !dbg !6
other:
  %y = add i32 %a, 7, !dbg !7
  call void @take(i32 %y), !dbg !7
  br label %end, !dbg !7
end:
  %q = sdiv i32 %a, %b, !dbg !8
  call void @take(i32 %q), !dbg !8
  %w = sdiv <16 x i64> %v, %v, !dbg !8
  %z = mul <16 x i64> %v, %v, !dbg !8
  %s = add <16 x i64> %w, %z, !dbg !8
  ret <16 x i64> %s, !dbg !8
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: NoDebug)
!1 = !DIFile(filename: "probe", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "p", file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 1, scope: !3)
!6 = !DILocation(line: 2, scope: !3)
!7 = !DILocation(line: 3, scope: !3)
!8 = !DILocation(line: 4, scope: !3)
)";

} // namespace

namespace opcost::life {

std::string silent_hooks(const Triple &target);

// Empty, or which hooks stay silent for this machine.
std::string silent_hooks(const Triple &target) {
  std::fill_n(passed, unsigned(kHooks), 0);
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(kProbe, diagnostic, context);
  if (!module) return "the built-in module does not parse: " + diagnostic.getMessage().str();
  module->setTargetTriple(target);
  std::string error;
  opcost_emission how = {};
  how.level = 2;
  std::unique_ptr<TargetMachine> machine = machine_for(*module, how, error);
  if (!machine) return error;
  opcost_life_optimise(wrap(module.get()), machine.get(), 2, nullptr);
  SmallVector<char, 0> bytes;
  raw_svector_ostream out(bytes);
  Onlooker nobody;
  error = generate(*module, *machine, out, CodeGenFileType::ObjectFile, false, nobody);
  if (!error.empty()) return error;
  std::string silent;
  for (unsigned hook = 0; hook < kHooks; hook++)
    if (passed[hook] == 0) silent += (silent.empty() ? "" : ", ") + std::string(kNames[hook]);
  if (silent.empty()) return "";
  return "these hooks on LLVM do not fire, and stages would be empty: " + silent +
         " (a defect of this build of opcost: it is linked without --wrap, or with another LLVM)";
}

} // namespace opcost::life
