//! Which byte of a value file means what?
//!
//! The one definition of the format, shared by both sides: the reader in
//! `opcval.rs` takes its offsets from here, and [`c_header`] prints the text
//! of the runtime's `values_layout.h`; a test of the runtime holds the
//! checked-in file to it. Any change of meaning or place raises [`VERSION`].
//!
//! ```text
//! 0               header, of HEADER_BYTES
//! modules_offset  one entry for each module of the image
//! first_slab      one slab for each thread that ran at the same time, as a list; in it
//!                   offsets of chunks of open activations, SLOTS_A_CHUNK slots each,
//!                   and behind it the offsets of the points' states
//! anywhere        states of points; their runs {i64 value, u64 count}, in order of time;
//!                   their tables {i64 value, u64 count}, a hash table, count 0: empty
//! ```
//!
//! Offsets are from the first byte of the file, 0 means none. All numbers are
//! little-endian, and most are 64 bits wide: so are all targets, and the
//! program writes by plain stores into its mapping. What was written when the
//! program ended is there, whatever its end was.
//!
//! A value is kept as a signed number; a double as its bits, turned so that
//! order is kept (of negative ones all bits but the sign are turned over).

/// First bytes of every value file.
pub const MAGIC: [u8; 8] = *b"OPCVAL\r\n";
/// Version of the layout.
pub const VERSION: u32 = 2;
/// Bytes of the header.
pub const HEADER_BYTES: u64 = 8192;
/// Slots in a chunk.
pub const SLOTS_A_CHUNK: u64 = 256;
/// Chunks of a slab.
pub const CHUNKS: usize = 4096;
/// Inputs of a check.
pub const INPUTS: usize = 32;
/// Rough ranges that values go to when there is no room to distinguish them.
pub const BUCKETS: usize = 130;
/// Bytes of a run, and of an entry of a table.
pub const PAIR_BYTES: u64 = 16;

/// How a field is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSection {
    /// 32-bit number.
    U32,
    /// 64-bit number.
    U64,
    /// 64-bit number with a sign.
    I64,
    /// So many bytes.
    Bytes(usize),
    /// So many 64-bit numbers.
    Words(usize),
}

#[cfg(test)]
impl ValueSection {
    fn bytes(self) -> usize {
        match self {
            ValueSection::U32 => 4,
            ValueSection::U64 | ValueSection::I64 => 8,
            ValueSection::Bytes(count) => count,
            ValueSection::Words(count) => 8 * count,
        }
    }
}

/// One field of a record.
#[derive(Clone, Copy, Debug)]
pub struct ValueField {
    /// Its name in C.
    pub name: &'static str,
    /// How it is stored.
    pub kind: ValueSection,
    /// Its first byte in the record.
    pub offset: usize,
    /// What it says.
    pub meaning: &'static str,
}

macro_rules! record {
    ($module:ident, $c_name:literal, $($constant:ident = $name:literal, $kind:expr, $offset:literal, $meaning:literal;)*) => {
        #[doc = concat!("`struct ", $c_name, "`")]
        pub mod $module {
            use super::*;
            $(#[doc = $meaning] pub const $constant: ValueField =
                ValueField { name: $name, kind: $kind, offset: $offset, meaning: $meaning };)*
            /// All fields, in order of their place.
            pub const FIELDS: &[ValueField] = &[$($constant),*];
            /// Its name in C.
            pub const NAME: &str = $c_name;
            /// Its size.
            pub const BYTES: usize = {
                let last = FIELDS[FIELDS.len() - 1];
                last.offset + match last.kind {
                    ValueSection::U32 => 4,
                    ValueSection::U64 | ValueSection::I64 => 8,
                    ValueSection::Bytes(count) => count,
                    ValueSection::Words(count) => 8 * count,
                }
            };
        }
    };
}

record! { header, "opc_value_header",
    MAGIC_FIELD = "magic", ValueSection::Bytes(8), 0, "OPCVAL CR LF; written last, when the rest is in place";
    VERSION_FIELD = "version", ValueSection::U32, 8, "version of this layout";
    HEADER_SIZE = "header_bytes", ValueSection::U32, 12, "bytes of the header";
    PID = "pid", ValueSection::U32, 16, "process that records";
    PARENT_PID = "parent_pid", ValueSection::U32, 20, "its parent when the file was made";
    START = "start_ns", ValueSection::U64, 24, "when the file was made, real time in nanoseconds";
    SEQUENCE = "sequence", ValueSection::U32, 32, "number that made the file's name free";
    END_STATE = "end_state", ValueSection::U32, 36, "1: returned from main or called exit, or the image was unloaded; 0: any other end, or running";
    FLAGS = "flags", ValueSection::U64, 40, "what went otherwise than usual (OPC_VALUES_*)";
    SAMPLE = "sample", ValueSection::U64, 48, "every how many values one is recorded";
    MEMORY_LIMIT = "memory_limit", ValueSection::U64, 56, "bytes that runs and tables may take";
    MEMORY_USED = "memory_used", ValueSection::U64, 64, "bytes that they take";
    USED = "used", ValueSection::U64, 72, "bytes of the file that mean something";
    RESERVED = "reserved", ValueSection::U64, 80, "bytes of the file";
    MODULES_OFFSET = "modules_offset", ValueSection::U64, 88, "where the modules are listed";
    MODULES_COUNT = "modules_count", ValueSection::U64, 96, "how many there are";
    POINTS = "points", ValueSection::U64, 104, "how many points all modules have";
    FIRST_SLAB = "first_slab", ValueSection::U64, 112, "the last slab made";
    IS_FORKED = "is_forked", ValueSection::U64, 120, "1: began as a child of fork";
    FREE = "free_blocks", ValueSection::Words(32), 128, "blocks that are free again, by the logarithm of their size";
    BUILD_ID_BYTES = "build_id_bytes", ValueSection::U64, 384, "length of the build id, at most 32; 0: none";
    BUILD_ID = "build_id", ValueSection::Bytes(32), 392, "the image's build id";
    IMAGE_PATH = "image_path", ValueSection::Bytes(4096), 424, "path of the image, ended by a zero byte";
}

record! { module, "opc_value_entry",
    HASH = "hash", ValueSection::Bytes(16), 0, "hash of the module's list of points, low byte first";
    FIRST = "first", ValueSection::U64, 16, "number of its first point in the image";
    COUNT = "count", ValueSection::U64, 24, "how many it has";
}

record! { slot, "opc_slot",
    TURNS = "turns", ValueSection::U64, 0, "iterations taken so far";
    NOTED = "noted", ValueSection::U64, 8, "how many inputs are in place";
    POINT = "point", ValueSection::U64, 16, "the loop's number and one";
    POSITION = "position", ValueSection::U64, 24, "which slot this is";
    BASE = "base", ValueSection::U64, 32, "iterations that the parent took before it forked";
    INHERITED = "inherited", ValueSection::U64, 40, "1: entered in the parent of a fork";
    UNKNOWN = "unknown", ValueSection::U64, 48, "inputs that have no number, a bit each";
    INPUT = "inputs", ValueSection::Words(32), 56, "what the check needs";
}

record! { slab, "opc_slab",
    NEXT = "next", ValueSection::U64, 0, "the slab made before it";
    TAKEN = "taken", ValueSection::U64, 8, "1: a thread has it";
    DEPTH = "depth", ValueSection::U64, 16, "open activations";
    BUSY = "busy", ValueSection::U64, 24, "not 0: something was being recorded";
    REWRITING = "rewriting", ValueSection::U64, 32, "the point whose runs were being thinned, and one";
    MISSED = "missed", ValueSection::U64, 40, "records from signal handlers that came while another was made, and were dropped";
    LOST = "lost", ValueSection::U64, 48, "activations for which there was no slot";
    STRAYS = "strays", ValueSection::U64, 56, "loops left that were not entered: jumped into, or on a stack that was switched";
    CHUNK = "chunks", ValueSection::Words(4096), 64, "where the slots are";
}

record! { point, "opc_point",
    ENTRIES = "entries", ValueSection::U64, 0, "activations that began";
    COMPLETE = "complete", ValueSection::U64, 8, "those that left by an exit of the loop; of a value, how often it was computed";
    LEFT = "left", ValueSection::U64, 16, "those that were left otherwise, by longjmp, an exception or the end of a thread";
    LEFT_TURNS = "left_turns", ValueSection::U64, 24, "their iterations";
    LEFT_MOST = "left_most", ValueSection::U64, 32, "the most iterations of one of them";
    INHERITED = "inherited", ValueSection::U64, 40, "activations of the parent of a fork that ended here";
    INHERITED_TURNS = "inherited_turns", ValueSection::U64, 48, "iterations that they took here";
    SUM_LOW = "sum_low", ValueSection::U64, 56, "sum of all values, recorded or not: low half";
    SUM_HIGH = "sum_high", ValueSection::I64, 64, "high half";
    RECORDED = "recorded", ValueSection::U64, 72, "values recorded";
    WAIT = "wait", ValueSection::U64, 80, "values to come before the next is recorded";
    RUN_VALUE = "run_value", ValueSection::I64, 88, "the last value";
    RUN_COUNT = "run_count", ValueSection::U64, 96, "how often in a row; not in runs, tables and ranges yet";
    LEAST = "least", ValueSection::I64, 104, "the least value but the last one; if runs ended";
    MOST = "most", ValueSection::I64, 112, "the greatest";
    ENDED = "ended", ValueSection::U64, 120, "values in runs that ended";
    RUNS = "runs", ValueSection::U64, 128, "where the runs are";
    RUNS_CAPACITY = "runs_capacity", ValueSection::U64, 136, "how many could";
    RUNS_COUNT = "runs_count", ValueSection::U64, 144, "how many do";
    STRIDE = "stride", ValueSection::U64, 152, "every how many recorded values one is in the runs";
    TABLE = "table", ValueSection::U64, 160, "where the table is";
    TABLE_CAPACITY = "table_capacity", ValueSection::U64, 168, "its entries, a power of two";
    TABLE_COUNT = "table_count", ValueSection::U64, 176, "how many are used";
    HELD = "held", ValueSection::U64, 184, "complete activations whose check held";
    WRONG = "wrong", ValueSection::U64, 192, "did not, without assumptions";
    VIOLATED = "violated", ValueSection::U64, 200, "did not, under assumptions";
    PARTIAL_HELD = "partial_held", ValueSection::U64, 208, "activations left otherwise whose iterations were not more";
    PARTIAL_WRONG = "partial_wrong", ValueSection::U64, 216, "were more, without assumptions";
    PARTIAL_VIOLATED = "partial_violated", ValueSection::U64, 224, "were more, under assumptions";
    UNCHECKED = "unchecked", ValueSection::U64, 232, "had no result to be held against";
    SEEN = "failed_turns", ValueSection::U64, 240, "iterations of the first activation whose check failed";
    CLAIMED_LOW = "failed_low", ValueSection::U64, 248, "what it should have had: low half";
    CLAIMED_HIGH = "failed_high", ValueSection::I64, 256, "high half";
    SEEN_AT = "failed_at", ValueSection::U64, 264, "which entry it was, from 1; 0: none failed";
    TOO_LONG = "too_long", ValueSection::U64, 272, "activations whose check would have added up too many terms";
    BUCKET = "buckets", ValueSection::Words(130), 280, "values that had no room in the table, by range";
}

/// What can go otherwise than usual, with its bit and its meaning.
pub const FLAG_BITS: &[(&str, u32, &str)] = &[
    ("THINNED", 0, "runs of some point were thinned"),
    ("ROUGH", 1, "values of some point are kept by range only"),
    ("NO_ROOM", 2, "there was no room for something, not even a state: what it would have held is lost"),
    ("CLONED", 3, "a child made without fork recorded into its parent's file"),
];

/// The range that a value goes to. It is 0 for nothing, by its highest bit for integers, and by
/// sign and the upper six bits of the exponent for doubles.
pub fn bucket(value: i64, is_float: bool) -> usize {
    if is_float {
        return ((value >> 57) + 64) as usize;
    }
    let bits = 64 - value.unsigned_abs().leading_zeros() as usize;
    if value < 0 { 65 + bits - 1 } else { bits }
}

/// Back from the order of all doubles to the number.
pub fn double(key: i64) -> f64 {
    f64::from_bits((key ^ ((key >> 63) as u64 >> 1) as i64) as u64)
}

/// The least and the greatest value of a range.
pub fn bucket_range(bucket: usize, is_float: bool) -> (i64, i64) {
    if is_float {
        let least = (bucket as i64 - 64) << 57;
        return (least, least | ((1 << 57) - 1));
    }
    match bucket {
        0 => (0, 0),
        1..=64 => (1_i64 << (bucket - 1).min(62), i64::MAX >> (63_usize.saturating_sub(bucket))),
        // -2^(n-1) down to -(2^n - 1): n is how many bits the number has without its sign.
        _ => {
            let bits = bucket as u32 - 65 + 1;
            let least = if bits == 64 { i64::MIN } else { -((1_i64 << bits.min(63)).wrapping_sub(1)) };
            (least, (1_i64 << (bits - 1)).wrapping_neg())
        }
    }
}

type Record = (&'static str, &'static [ValueField], usize);

/// All records.
pub const RECORDS: [Record; 5] = [
    (header::NAME, header::FIELDS, HEADER_BYTES as usize),
    (module::NAME, module::FIELDS, module::BYTES),
    (slot::NAME, slot::FIELDS, slot::BYTES),
    (slab::NAME, slab::FIELDS, slab::BYTES),
    (point::NAME, point::FIELDS, point::BYTES),
];

/// The text of the runtime's `values_layout.h`.
pub fn c_header() -> String {
    let mut text = String::from(
        "/* Which byte of a value file means what?\n \
         * Generated from crates/profile/src/opcval/layout.rs; change it there, then\n \
         * run the runtime's tests with OPCOST_BLESS=1. */\n#pragma once\n\
         #include <stddef.h>\n#include <stdint.h>\n\n",
    );
    text += &format!("#define OPC_VALUES_MAGIC {:?}\n", String::from_utf8_lossy(&MAGIC));
    text +=
        &format!("#define OPC_VALUES_VERSION {VERSION}\n#define OPC_VALUES_HEADER_BYTES {HEADER_BYTES}ul\n");
    text += &format!("#define OPC_SLOTS_A_CHUNK {SLOTS_A_CHUNK}ul\n#define OPC_CHUNKS {CHUNKS}ul\n");
    text += &format!("#define OPC_INPUTS {INPUTS}\n#define OPC_BUCKETS {BUCKETS}\n\n");
    for (name, fields, size) in RECORDS {
        text += &format!("struct {name} {{\n");
        for field in fields {
            text += &match field.kind {
                ValueSection::U32 => format!("    uint32_t {}; ", field.name),
                ValueSection::U64 => format!("    uint64_t {}; ", field.name),
                ValueSection::I64 => format!("    int64_t {}; ", field.name),
                ValueSection::Bytes(length) => format!("    unsigned char {}[{length}]; ", field.name),
                ValueSection::Words(length) => format!("    uint64_t {}[{length}]; ", field.name),
            };
            text += &format!("/* {} */\n", field.meaning);
        }
        text += "};\n";
        for ValueField { name: field, offset, .. } in fields {
            text += &format!("_Static_assert(offsetof(struct {name}, {field}) == {offset}, \"{field}\");\n");
        }
        text += &format!("_Static_assert(sizeof(struct {name}) <= {size}, \"{name}\");\n\n");
    }
    for (name, bit, meaning) in FLAG_BITS {
        text += &format!("#define OPC_VALUES_{name} (1ul << {bit}) /* {meaning} */\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_where_they_say() {
        for (name, fields, _) in RECORDS {
            let mut at = 0;
            for field in fields {
                let align = if field.kind == ValueSection::U32 { 4 } else { 8 };
                let align = if matches!(field.kind, ValueSection::Bytes(_)) { 1 } else { align };
                assert_eq!(field.offset, usize::next_multiple_of(at, align), "{name}.{}", field.name);
                at = field.offset + field.kind.bytes();
            }
        }
    }

    #[test]
    fn ranges_hold_their_values() {
        let values = [0, 1, 2, 3, 4, 1000, i64::MAX, -1, -2, -3, -4, -1000, i64::MIN + 1, i64::MIN];
        for value in values {
            for is_float in [false, true] {
                let bucket = bucket(value, is_float);
                let (least, most) = bucket_range(bucket, is_float);
                assert!(bucket < BUCKETS, "{value}");
                assert!(least <= value && value <= most, "{value} in {bucket}: {least}..{most}");
            }
        }
    }

    #[test]
    fn doubles_come_back_and_keep_their_order() {
        let key = |number: f64| {
            let bits = number.to_bits() as i64;
            bits ^ ((bits >> 63) as u64 >> 1) as i64
        };
        let numbers = [f64::NEG_INFINITY, -2.5, -1e-300, 0.0, 1e-300, 1.0, 2.5, f64::INFINITY];
        for pair in numbers.windows(2) {
            assert!(key(pair[0]) < key(pair[1]), "{pair:?}");
        }
        for number in numbers {
            assert_eq!(double(key(number)), number);
        }
    }
}
