/* What does instrumented code share with the runtime that records values?
 *
 * The numbers of operations and kinds are those of crates/ir/src/recording.rs. */
#pragma once
#include "values_layout.h"

enum { OPC_KIND_TURNS = 0, OPC_KIND_UNSIGNED = 1, OPC_KIND_SIGNED = 2, OPC_KIND_FLOAT = 3 };
enum { OPC_CHECK_THERE = 1, OPC_CHECK_EXACT = 2, OPC_CHECK_ASSUMES = 4 };
enum { OPC_CHECK_STACK = 96 };
enum { OPC_CHECK_SUMS = 4 };
enum { OPC_CHECK_TERMS = 1048576 };
/* In all checks of a process: some seconds. */
enum { OPC_ALL_TERMS = 1 << 26 };
enum {
    OPC_STEP_CONSTANT = 0,
    OPC_STEP_INPUT = 1,
    OPC_STEP_ADD = 2,
    OPC_STEP_SUBTRACT = 3,
    OPC_STEP_MULTIPLY = 4,
    OPC_STEP_DIVIDE_DOWN = 5,
    OPC_STEP_DIVIDE_UP = 6,
    OPC_STEP_REMAINDER = 7,
    OPC_STEP_MINIMUM = 8,
    OPC_STEP_MAXIMUM = 9,
    OPC_STEP_WRAP = 10,
    OPC_STEP_SELECT = 11,
    OPC_STEP_DIVIDE_TOWARDS_ZERO = 12,
    OPC_STEP_POWER = 13,
    OPC_STEP_CEIL_LOG = 14,
    OPC_STEP_CEIL_ROOT = 15,
    OPC_STEP_SUM = 16,
    OPC_STEP_SUM_END = 17,
    OPC_STEP_INDEX = 18,
};

struct opc_step {
    uint32_t operation, argument;
    uint64_t low;
    int64_t high;
};

/* What is recorded; one for each point of a module, written by the instrumenter. */
struct opc_what {
    uint64_t number; /* in the image; filled in when the image starts */
    uint32_t kind, check;
    const struct opc_step *steps;
    uint64_t step_count;
    uint64_t input_count;
};

/* One per module, in section opc_val. */
struct opc_value_module {
    unsigned char hash[16];
    struct opc_what *points;
    uint64_t count;
};
