// What the files of the portable library share.
//
// A portable program brings its C library along as bitcode, so that the same
// instructions run and are paid for on every machine. Below it stand the few
// functions of the world (world.c), whose parameters are pointers and 64-bit
// integers only: they mean the same in every machine's calling convention.
//
// Calls of the program with variable arguments are handed on as an array of
// 64-bit slots (`opc_slots`), since no two machines read `...` alike.
#pragma once
#include "library.h"

#define OPC_WORLD __attribute__((visibility("hidden")))

// Outside. Nothing of this is paid for.
OPC_WORLD int64_t opc_world_get(void);                             // next byte of the input, or -1
OPC_WORLD void opc_world_put(int64_t stream, const char *bytes, int64_t count); // 1 output, 2 errors
OPC_WORLD void opc_world_flush(void);
OPC_WORLD void *opc_world_grow(int64_t bytes);                     // fresh memory, all zero, or null
OPC_WORLD void opc_world_exit(int64_t status) __attribute__((noreturn));
OPC_WORLD void opc_world_abort(void) __attribute__((noreturn));

typedef const char *opc_slots;
#define OPC_NEXT(slots, type) (slots += 8, *(type *)(uintptr_t)(slots - 8))

// Says what went wrong and aborts.
void opc_die(const char *what, const char *why) __attribute__((noreturn));

void *LIBRARY(malloc)(size_t size);
void LIBRARY(free)(void *memory);
void LIBRARY(exit)(int status) __attribute__((noreturn));
int LIBRARY(fflush)(FILE *stream);
int LIBRARY(ungetc)(int byte, FILE *stream);

// Writes to a stream of ours.
void opc_write(FILE *stream, const char *bytes, size_t count);
int opc_read(FILE *stream);

// The decimal digits of a finite, positive number, exactly: d.ddd × 10^exponent, without zeros at the end.
#define OPC_MOST_DIGITS 800
int opc_digits_of(double number, char digits[OPC_MOST_DIGITS], int *exponent);
// The double nearest to 0.ddd × 10^exponent.
double opc_number_of(const char *digits, int count, int exponent);
