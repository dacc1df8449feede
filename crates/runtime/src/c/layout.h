/* Which byte of a raw counter file means what?
 * Generated from crates/profile/src/opcraw/layout.rs; change it there, then
 * run the runtime's tests with OPCOST_BLESS=1. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define OPC_MAGIC "OPCRAW\r\n"
#define OPC_VERSION 1
#define OPC_HEADER_BYTES 65536ul

struct opc_header {
    unsigned char magic[8]; /* OPCRAW CR LF; written last, when the rest is in place */
    uint32_t version; /* version of this layout */
    uint32_t header_bytes; /* bytes reserved for the header */
    uint32_t pid; /* process that counts */
    uint32_t parent_pid; /* its parent when the file was made */
    uint64_t process_start_ns; /* start of the process, nanoseconds since boot; kept by exec */
    uint64_t program_start_ns; /* start of the program in this process, real time in nanoseconds; the same in the files of all its images */
    uint32_t sequence; /* number that made the file's name free */
    uint32_t end_state; /* how the program ended (OPC_END_*) */
    uint64_t flags; /* what went otherwise than usual (OPC_FLAG_*) */
    uint64_t image_bias; /* address in memory minus address in the image's file */
    uint64_t image_start; /* first loaded byte of the image */
    uint64_t image_end; /* after its last loaded byte */
    uint64_t section_start; /* address of the first byte of the counters */
    uint64_t counters_offset; /* where the counters are in the file */
    uint64_t counters_bytes; /* how many bytes of them there are */
    uint64_t modules_offset; /* where the modules are listed */
    uint64_t modules_count; /* how many there are */
    uint64_t baseline_offset; /* what the counters began with, as long as they; 0: with nothing */
    uint64_t left_offset; /* where the left table is */
    uint64_t left_capacity; /* its entries, a power of two */
    uint64_t slabs_offset; /* where the first thread's slab is */
    uint64_t slab_stride; /* bytes from one slab to the next */
    uint64_t slabs_count; /* how many slabs there are */
    uint32_t build_id_bytes; /* length of the build id, at most 20; 0: none */
    unsigned char build_id[20]; /* the image's build id */
    unsigned char image_path[4096]; /* path of the image, ended by a zero byte */
};

_Static_assert(offsetof(struct opc_header, magic) == 0, "magic");
_Static_assert(offsetof(struct opc_header, version) == 8, "version");
_Static_assert(offsetof(struct opc_header, header_bytes) == 12, "header_bytes");
_Static_assert(offsetof(struct opc_header, pid) == 16, "pid");
_Static_assert(offsetof(struct opc_header, parent_pid) == 20, "parent_pid");
_Static_assert(offsetof(struct opc_header, process_start_ns) == 24, "process_start_ns");
_Static_assert(offsetof(struct opc_header, program_start_ns) == 32, "program_start_ns");
_Static_assert(offsetof(struct opc_header, sequence) == 40, "sequence");
_Static_assert(offsetof(struct opc_header, end_state) == 44, "end_state");
_Static_assert(offsetof(struct opc_header, flags) == 48, "flags");
_Static_assert(offsetof(struct opc_header, image_bias) == 56, "image_bias");
_Static_assert(offsetof(struct opc_header, image_start) == 64, "image_start");
_Static_assert(offsetof(struct opc_header, image_end) == 72, "image_end");
_Static_assert(offsetof(struct opc_header, section_start) == 80, "section_start");
_Static_assert(offsetof(struct opc_header, counters_offset) == 88, "counters_offset");
_Static_assert(offsetof(struct opc_header, counters_bytes) == 96, "counters_bytes");
_Static_assert(offsetof(struct opc_header, modules_offset) == 104, "modules_offset");
_Static_assert(offsetof(struct opc_header, modules_count) == 112, "modules_count");
_Static_assert(offsetof(struct opc_header, baseline_offset) == 120, "baseline_offset");
_Static_assert(offsetof(struct opc_header, left_offset) == 128, "left_offset");
_Static_assert(offsetof(struct opc_header, left_capacity) == 136, "left_capacity");
_Static_assert(offsetof(struct opc_header, slabs_offset) == 144, "slabs_offset");
_Static_assert(offsetof(struct opc_header, slab_stride) == 152, "slab_stride");
_Static_assert(offsetof(struct opc_header, slabs_count) == 160, "slabs_count");
_Static_assert(offsetof(struct opc_header, build_id_bytes) == 168, "build_id_bytes");
_Static_assert(offsetof(struct opc_header, build_id) == 172, "build_id");
_Static_assert(offsetof(struct opc_header, image_path) == 192, "image_path");
_Static_assert(sizeof(struct opc_header) <= OPC_HEADER_BYTES, "header");

struct opc_left {
    uint64_t pc;
    int64_t count;
};
_Static_assert(sizeof(struct opc_left) == 16, "left");

struct opc_module {
    unsigned char hash[16];
    uint64_t offset;
    uint64_t cells;
};
_Static_assert(sizeof(struct opc_module) == 32, "module");

#define OPC_END_NONE 0u /* still running, or ended without notice (a signal) */
#define OPC_END_EXIT 1u /* returned from main, called exit, or the image was unloaded */
#define OPC_END_IMMEDIATE_EXIT 2u /* _exit */
#define OPC_END_ABORT 3u /* abort */
#define OPC_END_EXEC 4u /* replaced itself by another program */
#define OPC_END_QUICK_EXIT 5u /* quick_exit */

#define OPC_FLAG_PRIVATE (1ul << 0) /* the section could not be mapped: counters were copied at the end */
#define OPC_FLAG_LEFT_OVERFLOW (1ul << 1) /* the left table was full: some left frames are missing */
#define OPC_FLAG_THREADS_SEEN (1ul << 2) /* the program made threads */
#define OPC_FLAG_CONTEXT_SWITCHED (1ul << 3) /* the program switched stacks by ucontext */
#define OPC_FLAG_UNSETTLED_JUMP (1ul << 4) /* a longjmp left frames that could not be determined */
#define OPC_FLAG_CLONED (1ul << 5) /* a child made without fork counted into its parent's file */
#define OPC_FLAG_ASYNCHRONOUS_FRAME (1ul << 6) /* a frame was left in the middle of an instruction stream, not at a call */
#define OPC_FLAG_THREADS_RUNNING (1ul << 7) /* other threads were in counted code when the program ended */
#define OPC_FLAG_SLAB_LOST (1ul << 8) /* a thread got no slab: it shared counters with the first thread */
#define OPC_FLAG_THREADS_SHARED (1ul << 9) /* threads ran, but counters are not kept apart by thread */
