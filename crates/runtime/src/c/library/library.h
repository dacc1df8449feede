// What the files of the library share: names, pieces, the charge.
#pragma once
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Calls of `strlen` lead to `opc_libc_strlen`.
#define LIBRARY(name) opc_libc_##name

// Does nothing; its argument is charged as a number of bytes.
void opc_libc_charge(size_t bytes);

// So many units, whatever they are for. What no program can pay stays so.
static inline void opc_charge_units(size_t units) {
  opc_libc_charge(units < SIZE_MAX / 32 ? units * 16 : SIZE_MAX / 2);
}

// A copy by the library: a C library that copies byte by byte with one instruction
// counts each byte, one that copies by vectors a tenth as much. Between both: 5/16.
// Nothing is as long as an eighth of all addresses: of that the library throws.
static inline void opc_charge_copy(size_t bytes) { opc_libc_charge(bytes < SIZE_MAX / 8 ? bytes * 5 : 0); }

#define FIRST_PIECE 64
static inline size_t opc_next_piece(size_t piece) { return piece < 4096 ? piece * 4 : piece; }

size_t LIBRARY(strlen)(const char *text);
