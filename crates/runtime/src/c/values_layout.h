/* Which byte of a value file means what?
 * Generated from crates/profile/src/opcval/layout.rs; change it there, then
 * run the runtime's tests with OPCOST_BLESS=1. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define OPC_VALUES_MAGIC "OPCVAL\r\n"
#define OPC_VALUES_VERSION 2
#define OPC_VALUES_HEADER_BYTES 8192ul
#define OPC_SLOTS_A_CHUNK 256ul
#define OPC_CHUNKS 4096ul
#define OPC_INPUTS 32
#define OPC_BUCKETS 130

struct opc_value_header {
    unsigned char magic[8]; /* OPCVAL CR LF; written last, when the rest is in place */
    uint32_t version; /* version of this layout */
    uint32_t header_bytes; /* bytes of the header */
    uint32_t pid; /* process that records */
    uint32_t parent_pid; /* its parent when the file was made */
    uint64_t start_ns; /* when the file was made, real time in nanoseconds */
    uint32_t sequence; /* number that made the file's name free */
    uint32_t end_state; /* 1: returned from main or called exit, or the image was unloaded; 0: any other end, or running */
    uint64_t flags; /* what went otherwise than usual (OPC_VALUES_*) */
    uint64_t sample; /* every how many values one is recorded */
    uint64_t memory_limit; /* bytes that runs and tables may take */
    uint64_t memory_used; /* bytes that they take */
    uint64_t used; /* bytes of the file that mean something */
    uint64_t reserved; /* bytes of the file */
    uint64_t modules_offset; /* where the modules are listed */
    uint64_t modules_count; /* how many there are */
    uint64_t points; /* how many points all modules have */
    uint64_t first_slab; /* the last slab made */
    uint64_t is_forked; /* 1: began as a child of fork */
    uint64_t free_blocks[32]; /* blocks that are free again, by the logarithm of their size */
    uint64_t build_id_bytes; /* length of the build id, at most 32; 0: none */
    unsigned char build_id[32]; /* the image's build id */
    unsigned char image_path[4096]; /* path of the image, ended by a zero byte */
};
_Static_assert(offsetof(struct opc_value_header, magic) == 0, "magic");
_Static_assert(offsetof(struct opc_value_header, version) == 8, "version");
_Static_assert(offsetof(struct opc_value_header, header_bytes) == 12, "header_bytes");
_Static_assert(offsetof(struct opc_value_header, pid) == 16, "pid");
_Static_assert(offsetof(struct opc_value_header, parent_pid) == 20, "parent_pid");
_Static_assert(offsetof(struct opc_value_header, start_ns) == 24, "start_ns");
_Static_assert(offsetof(struct opc_value_header, sequence) == 32, "sequence");
_Static_assert(offsetof(struct opc_value_header, end_state) == 36, "end_state");
_Static_assert(offsetof(struct opc_value_header, flags) == 40, "flags");
_Static_assert(offsetof(struct opc_value_header, sample) == 48, "sample");
_Static_assert(offsetof(struct opc_value_header, memory_limit) == 56, "memory_limit");
_Static_assert(offsetof(struct opc_value_header, memory_used) == 64, "memory_used");
_Static_assert(offsetof(struct opc_value_header, used) == 72, "used");
_Static_assert(offsetof(struct opc_value_header, reserved) == 80, "reserved");
_Static_assert(offsetof(struct opc_value_header, modules_offset) == 88, "modules_offset");
_Static_assert(offsetof(struct opc_value_header, modules_count) == 96, "modules_count");
_Static_assert(offsetof(struct opc_value_header, points) == 104, "points");
_Static_assert(offsetof(struct opc_value_header, first_slab) == 112, "first_slab");
_Static_assert(offsetof(struct opc_value_header, is_forked) == 120, "is_forked");
_Static_assert(offsetof(struct opc_value_header, free_blocks) == 128, "free_blocks");
_Static_assert(offsetof(struct opc_value_header, build_id_bytes) == 384, "build_id_bytes");
_Static_assert(offsetof(struct opc_value_header, build_id) == 392, "build_id");
_Static_assert(offsetof(struct opc_value_header, image_path) == 424, "image_path");
_Static_assert(sizeof(struct opc_value_header) <= 8192, "opc_value_header");

struct opc_value_entry {
    unsigned char hash[16]; /* hash of the module's list of points, low byte first */
    uint64_t first; /* number of its first point in the image */
    uint64_t count; /* how many it has */
};
_Static_assert(offsetof(struct opc_value_entry, hash) == 0, "hash");
_Static_assert(offsetof(struct opc_value_entry, first) == 16, "first");
_Static_assert(offsetof(struct opc_value_entry, count) == 24, "count");
_Static_assert(sizeof(struct opc_value_entry) <= 32, "opc_value_entry");

struct opc_slot {
    uint64_t turns; /* iterations taken so far */
    uint64_t noted; /* how many inputs are in place */
    uint64_t point; /* the loop's number and one */
    uint64_t position; /* which slot this is */
    uint64_t base; /* iterations that the parent took before it forked */
    uint64_t inherited; /* 1: entered in the parent of a fork */
    uint64_t unknown; /* inputs that have no number, a bit each */
    uint64_t inputs[32]; /* what the check needs */
};
_Static_assert(offsetof(struct opc_slot, turns) == 0, "turns");
_Static_assert(offsetof(struct opc_slot, noted) == 8, "noted");
_Static_assert(offsetof(struct opc_slot, point) == 16, "point");
_Static_assert(offsetof(struct opc_slot, position) == 24, "position");
_Static_assert(offsetof(struct opc_slot, base) == 32, "base");
_Static_assert(offsetof(struct opc_slot, inherited) == 40, "inherited");
_Static_assert(offsetof(struct opc_slot, unknown) == 48, "unknown");
_Static_assert(offsetof(struct opc_slot, inputs) == 56, "inputs");
_Static_assert(sizeof(struct opc_slot) <= 312, "opc_slot");

struct opc_slab {
    uint64_t next; /* the slab made before it */
    uint64_t taken; /* 1: a thread has it */
    uint64_t depth; /* open activations */
    uint64_t busy; /* not 0: something was being recorded */
    uint64_t rewriting; /* the point whose runs were being thinned, and one */
    uint64_t missed; /* records from signal handlers that came while another was made, and were dropped */
    uint64_t lost; /* activations for which there was no slot */
    uint64_t strays; /* loops left that were not entered: jumped into, or on a stack that was switched */
    uint64_t chunks[4096]; /* where the slots are */
};
_Static_assert(offsetof(struct opc_slab, next) == 0, "next");
_Static_assert(offsetof(struct opc_slab, taken) == 8, "taken");
_Static_assert(offsetof(struct opc_slab, depth) == 16, "depth");
_Static_assert(offsetof(struct opc_slab, busy) == 24, "busy");
_Static_assert(offsetof(struct opc_slab, rewriting) == 32, "rewriting");
_Static_assert(offsetof(struct opc_slab, missed) == 40, "missed");
_Static_assert(offsetof(struct opc_slab, lost) == 48, "lost");
_Static_assert(offsetof(struct opc_slab, strays) == 56, "strays");
_Static_assert(offsetof(struct opc_slab, chunks) == 64, "chunks");
_Static_assert(sizeof(struct opc_slab) <= 32832, "opc_slab");

struct opc_point {
    uint64_t entries; /* activations that began */
    uint64_t complete; /* those that left by an exit of the loop; of a value, how often it was computed */
    uint64_t left; /* those that were left otherwise, by longjmp, an exception or the end of a thread */
    uint64_t left_turns; /* their iterations */
    uint64_t left_most; /* the most iterations of one of them */
    uint64_t inherited; /* activations of the parent of a fork that ended here */
    uint64_t inherited_turns; /* iterations that they took here */
    uint64_t sum_low; /* sum of all values, recorded or not: low half */
    int64_t sum_high; /* high half */
    uint64_t recorded; /* values recorded */
    uint64_t wait; /* values to come before the next is recorded */
    int64_t run_value; /* the last value */
    uint64_t run_count; /* how often in a row; not in runs, tables and ranges yet */
    int64_t least; /* the least value but the last one; if runs ended */
    int64_t most; /* the greatest */
    uint64_t ended; /* values in runs that ended */
    uint64_t runs; /* where the runs are */
    uint64_t runs_capacity; /* how many could */
    uint64_t runs_count; /* how many do */
    uint64_t stride; /* every how many recorded values one is in the runs */
    uint64_t table; /* where the table is */
    uint64_t table_capacity; /* its entries, a power of two */
    uint64_t table_count; /* how many are used */
    uint64_t held; /* complete activations whose check held */
    uint64_t wrong; /* did not, without assumptions */
    uint64_t violated; /* did not, under assumptions */
    uint64_t partial_held; /* activations left otherwise whose iterations were not more */
    uint64_t partial_wrong; /* were more, without assumptions */
    uint64_t partial_violated; /* were more, under assumptions */
    uint64_t unchecked; /* had no result to be held against */
    uint64_t failed_turns; /* iterations of the first activation whose check failed */
    uint64_t failed_low; /* what it should have had: low half */
    int64_t failed_high; /* high half */
    uint64_t failed_at; /* which entry it was, from 1; 0: none failed */
    uint64_t too_long; /* activations whose check would have added up too many terms */
    uint64_t buckets[130]; /* values that had no room in the table, by range */
};
_Static_assert(offsetof(struct opc_point, entries) == 0, "entries");
_Static_assert(offsetof(struct opc_point, complete) == 8, "complete");
_Static_assert(offsetof(struct opc_point, left) == 16, "left");
_Static_assert(offsetof(struct opc_point, left_turns) == 24, "left_turns");
_Static_assert(offsetof(struct opc_point, left_most) == 32, "left_most");
_Static_assert(offsetof(struct opc_point, inherited) == 40, "inherited");
_Static_assert(offsetof(struct opc_point, inherited_turns) == 48, "inherited_turns");
_Static_assert(offsetof(struct opc_point, sum_low) == 56, "sum_low");
_Static_assert(offsetof(struct opc_point, sum_high) == 64, "sum_high");
_Static_assert(offsetof(struct opc_point, recorded) == 72, "recorded");
_Static_assert(offsetof(struct opc_point, wait) == 80, "wait");
_Static_assert(offsetof(struct opc_point, run_value) == 88, "run_value");
_Static_assert(offsetof(struct opc_point, run_count) == 96, "run_count");
_Static_assert(offsetof(struct opc_point, least) == 104, "least");
_Static_assert(offsetof(struct opc_point, most) == 112, "most");
_Static_assert(offsetof(struct opc_point, ended) == 120, "ended");
_Static_assert(offsetof(struct opc_point, runs) == 128, "runs");
_Static_assert(offsetof(struct opc_point, runs_capacity) == 136, "runs_capacity");
_Static_assert(offsetof(struct opc_point, runs_count) == 144, "runs_count");
_Static_assert(offsetof(struct opc_point, stride) == 152, "stride");
_Static_assert(offsetof(struct opc_point, table) == 160, "table");
_Static_assert(offsetof(struct opc_point, table_capacity) == 168, "table_capacity");
_Static_assert(offsetof(struct opc_point, table_count) == 176, "table_count");
_Static_assert(offsetof(struct opc_point, held) == 184, "held");
_Static_assert(offsetof(struct opc_point, wrong) == 192, "wrong");
_Static_assert(offsetof(struct opc_point, violated) == 200, "violated");
_Static_assert(offsetof(struct opc_point, partial_held) == 208, "partial_held");
_Static_assert(offsetof(struct opc_point, partial_wrong) == 216, "partial_wrong");
_Static_assert(offsetof(struct opc_point, partial_violated) == 224, "partial_violated");
_Static_assert(offsetof(struct opc_point, unchecked) == 232, "unchecked");
_Static_assert(offsetof(struct opc_point, failed_turns) == 240, "failed_turns");
_Static_assert(offsetof(struct opc_point, failed_low) == 248, "failed_low");
_Static_assert(offsetof(struct opc_point, failed_high) == 256, "failed_high");
_Static_assert(offsetof(struct opc_point, failed_at) == 264, "failed_at");
_Static_assert(offsetof(struct opc_point, too_long) == 272, "too_long");
_Static_assert(offsetof(struct opc_point, buckets) == 280, "buckets");
_Static_assert(sizeof(struct opc_point) <= 1320, "opc_point");

#define OPC_VALUES_THINNED (1ul << 0) /* runs of some point were thinned */
#define OPC_VALUES_ROUGH (1ul << 1) /* values of some point are kept by range only */
#define OPC_VALUES_NO_ROOM (1ul << 2) /* there was no room for something, not even a state: what it would have held is lost */
#define OPC_VALUES_CLONED (1ul << 3) /* a child made without fork recorded into its parent's file */
