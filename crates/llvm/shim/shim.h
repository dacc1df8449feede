// The shim's common ground: conversions and the interface to Rust.
//
// Flat `extern "C"` functions over LLVM's C handles; nothing is templated or
// thrown across the boundary. Strings that Rust must free come from strdup.
#pragma once

#include "llvm-c/Types.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include <cstdint>
#include <string>

static_assert(LLVM_VERSION_MAJOR == 22, "the shim is written against LLVM 22");

namespace opcost {

// Copies a message for Rust, which gives it back to opcost_free.
inline char *copy(const std::string &text) { return strdup(text.c_str()); }

// The section names that the runtime and the map reader know too.
constexpr const char *kCounterSection = "opc_cnt";
constexpr const char *kDescriptorSection = "opc_dsc";
constexpr const char *kThreadSection = "opc_thr";
constexpr const char *kValuesSection = "opc_val";
// Marks the stores of counters on their way to code generation.
constexpr const char *kCountMark = "opcost.count";
// Numbers instructions, for those who check what edits did.
constexpr const char *kOrigin = "opcost.origin";
constexpr const char *kMapSection = ".opcost.map";
constexpr const char *kCallSection = ".debug_opcost_calls";

// `into` does what `other` did, too (origin.cpp).
void join_origins(llvm::Instruction *into, const llvm::Instruction *other);

// Makes LLVM's targets known, once (emit.cpp).
void initialize_targets();

} // namespace opcost

// Makes registers of cells of a function (apply.cpp).
extern "C" void opcost_promote(LLVMValueRef function, LLVMValueRef *cells, uint32_t count);
// How often each successor of a terminator was taken (weigh.cpp).
extern "C" void opcost_weigh_branch(LLVMValueRef terminator, const uint64_t *counts, uint32_t count);
