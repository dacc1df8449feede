/* What did the values of a program really look like?
 *
 * Instrumented code says when a loop is entered, when it is left by one of
 * its exits, and what a chosen value is. All of it goes into one file for
 * each image and process, mapped shared, so that what was recorded survives
 * every end of the program. The parts, in the order of the questions:
 * values_file.c where it lies, values_point.c how values are kept in bounded
 * memory, values_check.c what a loop's turns should have been, values_open.c
 * which activations are open, values_fork.c what a child of fork records.
 * Nothing here uses malloc or stdio once the file is open, and nothing waits
 * but for room. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "values.h"
#include "own.h"

#define getpid() ((pid_t)syscall(SYS_getpid))
#define getppid() ((pid_t)syscall(SYS_getppid))
#define OPC_HIDDEN __attribute__((visibility("hidden")))
#define OPC_TLS __thread __attribute__((tls_model("initial-exec")))
#define OPC_INSTRUMENTED OPC_HIDDEN __attribute__((used, noinline))
/* What stands before is written before what stands behind, as a handler or the reader sees it. */
#define opc_in_order() __asm__ volatile("" ::: "memory")

/* The library (library/) says by calls of it what is to be charged. */
OPC_HIDDEN void opc_libc_charge(size_t bytes) { (void)bytes; }

/* How many variables the environment has. opcost's own differ between what counts and what pays. */
OPC_HIDDEN size_t opc_environment_size(void) {
    extern char **environ;
    size_t size = 0;
    for (char **one = environ; one && *one; one++) {
        const char *own = "OPCOST_", *name = *one;
        while (*own && *own == *name) own++, name++;
        size += *own != 0;
    }
    return size;
}

#include "values_file.c"
#include "values_point.c"
#include "values_check.c"
#include "values_open.c"
#include "values_fork.c"
