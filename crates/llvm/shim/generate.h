// Code generation as clang does it, with places to hang something on it.
#pragma once

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace llvm {
class AsmPrinter;
class MCContext;
class MCStreamer;
class Module;
class Target;
class TargetPassConfig;
class raw_pwrite_stream;
} // namespace llvm

extern "C" {

struct opcost_emission {
  int32_t level;              // 0 to 3
  uint8_t position;           // 0 as the module says, 1 position-independent, 2 fixed
  uint8_t function_sections;  // one section per function
  uint8_t data_sections;      // one section per datum
  uint8_t keep_calls_apart;   // no tail merging
  const uint8_t *map_hash;    // 16 bytes, or null: no call table
  const uint32_t *call_sites; // per instruction of the module, site + 1 or 0
  uint32_t call_site_count;   // length of call_sites
  uint8_t code_table;         // with map_hash: which code stands for which instruction, in place of the call table
  const uint32_t *block_of;   // with code_table: if the optimiser has run since numbering, by instruction its block
  uint32_t numbered;          // length of block_of
  uint8_t allocate_registers; // as with optimisation, whatever the level is
};

} // extern "C"

namespace opcost {

// Someone who looks on while code is generated.
class Onlooker {
public:
  virtual ~Onlooker() = default;
  // The manager that the passes are added to.
  virtual std::unique_ptr<llvm::legacy::PassManager> passes();
  // The passes, before they are put together.
  virtual void configure(llvm::TargetPassConfig &) {}
  // Who takes the code in place of a file; null: the file is written.
  virtual std::unique_ptr<llvm::MCStreamer> streamer(const llvm::Target &, llvm::MCContext &);
  // The printer, before it runs.
  virtual void printer(llvm::AsmPrinter &) {}
};

// The machine that the module is for; null, and `error` says why.
std::unique_ptr<llvm::TargetMachine> machine_for(llvm::Module &module, const opcost_emission &how, std::string &error);

// Writes an object or assembly; empty, or what went wrong.
std::string generate(llvm::Module &module, llvm::TargetMachine &machine, llvm::raw_pwrite_stream &out,
                     llvm::CodeGenFileType type, bool keep_calls_apart, Onlooker &onlooker);

} // namespace opcost
