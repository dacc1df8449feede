// What a metered program shares with whoever gave it fuel, and with the compiler.
#pragma once
#include <stdint.h>

#define OPC_FULL INT64_C(0x3fffffffffffffff)
enum { OPC_RUNNING, OPC_USED_UP, OPC_STACK, OPC_FORBIDDEN, OPC_MEMORY, OPC_CRASHED, OPC_TAMPERED };

// A place in the source; the compiler writes these.
struct opc_site {
  const char *function, *file;
  uint32_t line;
};

// Read by the tool and its drivers: opcost_runtime::fuel has the offsets.
struct opc_fuel_page {
  int64_t left;
  char magic[8];
  int64_t limit;
  // `looks`: how often `seen` was found.
  uint32_t state, line, flags, looks;
  int64_t left_at_stop;
  char function[1024], file[2048];
  // What is left once more, under a key: for programs that are kept off it.
  int64_t key, mirror;
  // What was left when a signal came, where the cell was behind it.
  int64_t seen;
  // What `seen` is when a fault came, and what the cell said then: see `told.h`.
  int64_t known, left_at_fault;
};
