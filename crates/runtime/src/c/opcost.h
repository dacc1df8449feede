/* What do the parts of the runtime share?
 *
 * One copy of the runtime lies in every counted image (executable or shared
 * object), all symbols hidden. The copies of one process find each other
 * (process.c) and share two lists: images, each with its file, and threads,
 * each with the frames of its last longjmp. Nothing here uses malloc or
 * stdio: any of it may run in a signal handler, before main or after exit. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "layout.h"
#include "own.h"

/* The kernel's numbers: in a deterministic world the functions tell others. */
#define getpid() ((pid_t)syscall(SYS_getpid))
#define getppid() ((pid_t)syscall(SYS_getppid))

#define OPC_HIDDEN __attribute__((visibility("hidden")))
#define OPC_TLS __thread __attribute__((tls_model("initial-exec")))

/* One per counted module, in section opc_dsc; written by the instrumenter. */
struct opc_descriptor {
    unsigned char map_hash[16]; /* Hash128, low byte first */
    uint64_t *counters;
    uint64_t count;
};

/* A counted image. Lives in memory of its own and is never freed, since
 * another copy of the runtime may be walking the list during dlclose. */
struct opc_image {
    struct opc_image *next;
    struct opc_header *header; /* its file; 0: not written, or unloaded */
    size_t mapped_bytes;       /* of the file, from header on */
    uintptr_t bias, start, end;
    uintptr_t runtime_start, runtime_end; /* code of its runtime */
    char *section;
    size_t section_bytes;
    bool is_main;    /* the executable: never unloaded */
    bool is_private; /* counters are copied to the file at the end */
    bool is_shared;  /* some module counts all threads in one place */
    pid_t pid;       /* process that owns the file */
    struct opc_slab *slabs; /* of all threads that counted here; only ever longer */
    unsigned char build_id[20];
    uint32_t build_id_bytes;
    char path[4096];
    char file[PATH_MAX + 512];
};

/* A frame on the stack, suspended in a call. */
struct opc_frame {
    uintptr_t pc;  /* return address; 0: interrupted, not in a call */
    uintptr_t sp;  /* its stack pointer at the call */
    uintptr_t cfa; /* its caller's stack pointer at the call to it */
};

/* A thread, as far as it left frames behind. */
struct opc_thread {
    struct opc_thread *next;
    pthread_t self;
    pid_t tid;
    struct opc_frame noted;  /* innermost frame already noted; cfa 0: none */
    struct opc_frame *kept;  /* frames at the last longjmp, innermost first */
    size_t kept_count, kept_capacity;
    bool is_forced; /* its end is on its way: libc unwinds it, and jumps to cleanup handlers */
};

/* Where a thread counts, while it lives. */
struct opc_slab {
    struct opc_slab *next;      /* of its image */
    struct opc_slab *next_free; /* whose thread ended */
    char *cells;
    pid_t tid;       /* 0: its thread ended */
    uintptr_t top;   /* of the thread's stack: no frame lies above it */
    intptr_t *delta; /* the thread's opc_thread_delta */
};

/* What all images of a process share. */
struct opc_process {
    struct opc_image *images;
    struct opc_thread *threads;
    pid_t ender; /* the thread that ends the program; 0: not yet */
    pid_t pid;
    uint64_t process_start_ns, program_start_ns;
    char directory[PATH_MAX];
};

/* process.c */
static struct opc_image *opc_join(void);
static void opc_leave(struct opc_image *image);
static void opc_process_begins(struct opc_process *process);
static void opc_flag(uint64_t flag);
static void *opc_memory(size_t bytes);
static struct opc_thread *opc_this_thread(void);
static long opc_thread_count(void);

/* left.c */
typedef bool opc_visitor(struct opc_frame *frame, void *data);
static void opc_walk(opc_visitor *visit, void *data);
static void opc_note_left(uintptr_t pc, int64_t delta);
static void opc_note_stack(struct opc_thread *thread, struct opc_image *only, int64_t delta);

/* jump.c */
static void opc_before_forced(void);

/* mapping.c */
static uint64_t opc_round(uint64_t bytes);
static bool opc_open(struct opc_image *image, bool forked);
static void opc_detach(struct opc_image *image);
static void opc_finish_image(struct opc_image *image, uint32_t end, uint64_t flags);
static void opc_finish(uint32_t end);
static uint64_t opc_end_flags(void);
static int opc_reserve(int fd, uint64_t offset, uint64_t bytes);
static void opc_complain(const char *act, uint64_t bytes, int error);

/* others.c */
static bool opc_others_may_count(void);

/* threads.c */
static void opc_slabs_in_child(struct opc_image *image);
static void opc_slabs_end(void);

extern OPC_HIDDEN struct opc_process *opc_process;
static struct opc_image *opc_own; /* this copy's image; 0: not counted to a file */
