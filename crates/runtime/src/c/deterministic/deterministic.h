// What do the parts of the deterministic world share?
//
// This library stands before the C library in the order in which the loader
// looks names up (LD_PRELOAD), so calls of the program and of its libraries
// come here. What the C library calls of itself does not, nor does a system
// call without it. Each function is asked and answers: before the constructor in
// `enter.c` ran, too, since libraries that the program needs begin earlier.
#pragma once
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define OPC_OPEN __attribute__((visibility("default")))

// The function behind ours: the C library's, by name and type.
#define OPC_NEXT(name)                                                                                                 \
  ({                                                                                                                   \
    static __typeof__(&name) next;                                                                                     \
    __typeof__(&name) found = __atomic_load_n(&next, __ATOMIC_RELAXED);                                                \
    if (!found) {                                                                                                      \
      found = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                                              \
      __atomic_store_n(&next, found, __ATOMIC_RELAXED);                                                                \
    }                                                                                                                  \
    found;                                                                                                             \
  })

// A system call that is answered by the kernel: the C library's `syscall`.
long opc_kernel(long number, long a, long b, long c);

// Fills memory with the next random bytes.
void opc_random(void *to, size_t bytes);
// The clock is read, and has advanced by one step.
int opc_clock(clockid_t clock, struct timespec *now);
// The program's first process as the kernel knows it; 0 before it entered.
extern pid_t opc_first_process;
