/* What instrumented code does, by hand: cells, a descriptor, renamed calls. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CELLS
#define CELLS 8
#endif
static uint64_t cells[CELLS] __attribute__((section("opc_cnt")));
static const struct { unsigned char map_hash[16]; uint64_t *counters; uint64_t count; }
    descriptor __attribute__((section("opc_dsc"), used, retain)) = {{7, 1}, cells, CELLS};
#define COUNT(i) (*(volatile uint64_t *)&cells[i] += 1)
#define NOINLINE __attribute__((noinline))
/* Behind a call, so that it is not a tail call. */
#define STAY __asm__ volatile("")

#define HIDDEN extern __attribute__((visibility("hidden")))
HIDDEN __attribute__((noreturn)) void opc_wrap_exit(int), opc_wrap__exit(int), opc_wrap_abort(void),
    opc_wrap_longjmp(jmp_buf, int), opc_wrap_siglongjmp(sigjmp_buf, int), opc_wrap_quick_exit(int);
HIDDEN int opc_wrap_execv(const char *, char *const[]), opc_wrap_execl(const char *, const char *, ...);
HIDDEN pid_t opc_wrap_vfork(void);
HIDDEN int opc_wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
HIDDEN void opc_settle(void *);
HIDDEN intptr_t opc_thread_start(void);
extern __thread intptr_t opc_thread_delta
    __attribute__((visibility("hidden"), tls_model("initial-exec")));
#define SETTLE opc_settle(__builtin_frame_address(0))
