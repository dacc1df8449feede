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

#define FIRST_PIECE 64
static inline size_t opc_next_piece(size_t piece) { return piece < 4096 ? piece * 4 : piece; }

size_t LIBRARY(strlen)(const char *text);
