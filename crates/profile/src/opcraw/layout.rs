//! Which byte of a raw counter file means what?
//!
//! The one definition of the format, shared by both sides: the reader in
//! `opcraw.rs` takes its offsets from here, and [`c_header`] prints the text
//! of the runtime's `layout.h`; a test of the runtime holds the checked-in
//! file to it. Any change of meaning or place raises [`VERSION`].
//!
//! ```text
//! 0            header (fields below, zero up to HEADER_BYTES)
//! left_offset  left table: left_capacity entries { u64 pc, i64 count }
//! modules_offset  { u8 hash[16], u64 offset in section, u64 cells } each
//! baseline_offset (children of fork only) the counters as they began
//! counters_offset the section of counters, mapped by the program
//! slabs_offset    one copy of the section per thread, to the end of the file
//! ```
//!
//! All numbers are little-endian: so are all targets, and the program writes
//! by plain stores into its mapping.

/// First bytes of every raw counter file.
pub const MAGIC: [u8; 8] = *b"OPCRAW\r\n";
/// Version of the layout.
pub const VERSION: u32 = 1;
/// Bytes reserved for the header; also the alignment of mapped regions, since
/// no supported Linux has larger pages.
pub const HEADER_BYTES: u64 = 65536;
/// Bytes of one entry of the left table.
pub const LEFT_BYTES: u64 = 16;
/// Bytes of one module's entry.
pub const MODULE_BYTES: u64 = 32;

/// How a field is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawSection {
    /// 32-bit number.
    U32,
    /// 64-bit number.
    U64,
    /// So many bytes.
    Bytes(usize),
}

/// One field of the header.
#[derive(Clone, Copy, Debug)]
pub struct RawField {
    /// Its name in C.
    pub name: &'static str,
    /// How it is stored.
    pub kind: RawSection,
    /// Its first byte in the file.
    pub offset: usize,
    /// What it says.
    pub meaning: &'static str,
}

macro_rules! fields {
    ($($constant:ident = $name:literal, $kind:expr, $offset:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $constant: RawField =
            RawField { name: $name, kind: $kind, offset: $offset, meaning: $meaning };)*
        /// All fields of the header, in order of their place.
        pub const FIELDS: &[RawField] = &[$($constant),*];
    };
}

fields! {
    MAGIC_FIELD = "magic", RawSection::Bytes(8), 0, "OPCRAW CR LF; written last, when the rest is in place";
    VERSION_FIELD = "version", RawSection::U32, 8, "version of this layout";
    HEADER_SIZE = "header_bytes", RawSection::U32, 12, "bytes reserved for the header";
    PID = "pid", RawSection::U32, 16, "process that counts";
    PARENT_PID = "parent_pid", RawSection::U32, 20, "its parent when the file was made";
    PROCESS_START = "process_start_ns", RawSection::U64, 24, "start of the process, nanoseconds since boot; kept by exec";
    PROGRAM_START = "program_start_ns", RawSection::U64, 32, "start of the program in this process, real time in nanoseconds; the same in the files of all its images";
    SEQUENCE = "sequence", RawSection::U32, 40, "number that made the file's name free";
    END_STATE = "end_state", RawSection::U32, 44, "how the program ended (OPC_END_*)";
    FLAGS = "flags", RawSection::U64, 48, "what went otherwise than usual (OPC_FLAG_*)";
    IMAGE_BIAS = "image_bias", RawSection::U64, 56, "address in memory minus address in the image's file";
    IMAGE_START = "image_start", RawSection::U64, 64, "first loaded byte of the image";
    IMAGE_END = "image_end", RawSection::U64, 72, "after its last loaded byte";
    SECTION_START = "section_start", RawSection::U64, 80, "address of the first byte of the counters";
    COUNTERS_OFFSET = "counters_offset", RawSection::U64, 88, "where the counters are in the file";
    COUNTERS_BYTES = "counters_bytes", RawSection::U64, 96, "how many bytes of them there are";
    MODULES_OFFSET = "modules_offset", RawSection::U64, 104, "where the modules are listed";
    MODULES_COUNT = "modules_count", RawSection::U64, 112, "how many there are";
    BASELINE_OFFSET = "baseline_offset", RawSection::U64, 120, "what the counters began with, as long as they; 0: with nothing";
    LEFT_OFFSET = "left_offset", RawSection::U64, 128, "where the left table is";
    LEFT_CAPACITY = "left_capacity", RawSection::U64, 136, "its entries, a power of two";
    SLABS_OFFSET = "slabs_offset", RawSection::U64, 144, "where the first thread's slab is";
    SLAB_STRIDE = "slab_stride", RawSection::U64, 152, "bytes from one slab to the next";
    SLABS_COUNT = "slabs_count", RawSection::U64, 160, "how many slabs there are";
    BUILD_ID_BYTES = "build_id_bytes", RawSection::U32, 168, "length of the build id, at most 20; 0: none";
    BUILD_ID = "build_id", RawSection::Bytes(20), 172, "the image's build id";
    IMAGE_PATH = "image_path", RawSection::Bytes(4096), 192, "path of the image, ended by a zero byte";
}

/// How a program can end, with its number and its meaning.
pub const ENDS: &[(&str, u32, &str)] = &[
    ("NONE", 0, "still running, or ended without notice (a signal)"),
    ("EXIT", 1, "returned from main, called exit, or the image was unloaded"),
    ("IMMEDIATE_EXIT", 2, "_exit"),
    ("ABORT", 3, "abort"),
    ("EXEC", 4, "replaced itself by another program"),
    ("QUICK_EXIT", 5, "quick_exit"),
];

/// What can go otherwise than usual, with its bit and its meaning.
pub const FLAG_BITS: &[(&str, u32, &str)] = &[
    ("PRIVATE", 0, "the section could not be mapped: counters were copied at the end"),
    ("LEFT_OVERFLOW", 1, "the left table was full: some left frames are missing"),
    ("THREADS_SEEN", 2, "the program made threads"),
    ("CONTEXT_SWITCHED", 3, "the program switched stacks by ucontext"),
    ("UNSETTLED_JUMP", 4, "a longjmp left frames that could not be determined"),
    ("CLONED", 5, "a child made without fork counted into its parent's file"),
    ("ASYNCHRONOUS_FRAME", 6, "a frame was left in the middle of an instruction stream, not at a call"),
    ("THREADS_RUNNING", 7, "other threads were in counted code when the program ended"),
    ("SLAB_LOST", 8, "a thread got no slab: it shared counters with the first thread"),
    ("THREADS_SHARED", 9, "threads ran, but counters are not kept apart by thread"),
];

/// The text of the runtime's `layout.h`.
pub fn c_header() -> String {
    let mut text = String::from(
        "/* Which byte of a raw counter file means what?\n \
         * Generated from crates/profile/src/opcraw/layout.rs; change it there, then\n \
         * run the runtime's tests with OPCOST_BLESS=1. */\n#pragma once\n\
         #include <stddef.h>\n#include <stdint.h>\n\n",
    );
    text += &format!("#define OPC_MAGIC {:?}\n", String::from_utf8_lossy(&MAGIC));
    text += &format!("#define OPC_VERSION {VERSION}\n#define OPC_HEADER_BYTES {HEADER_BYTES}ul\n\n");
    text += "struct opc_header {\n";
    for field in FIELDS {
        text += &match field.kind {
            RawSection::U32 => format!("    uint32_t {}; ", field.name),
            RawSection::U64 => format!("    uint64_t {}; ", field.name),
            RawSection::Bytes(length) => format!("    unsigned char {}[{length}]; ", field.name),
        };
        text += &format!("/* {} */\n", field.meaning);
    }
    text += "};\n\n";
    for RawField { name, offset, .. } in FIELDS {
        text += &format!("_Static_assert(offsetof(struct opc_header, {name}) == {offset}, \"{name}\");\n");
    }
    text += "_Static_assert(sizeof(struct opc_header) <= OPC_HEADER_BYTES, \"header\");\n\n";
    text += "struct opc_left {\n    uint64_t pc;\n    int64_t count;\n};\n";
    text += &format!("_Static_assert(sizeof(struct opc_left) == {LEFT_BYTES}, \"left\");\n\n");
    text +=
        "struct opc_module {\n    unsigned char hash[16];\n    uint64_t offset;\n    uint64_t cells;\n};\n";
    text += &format!("_Static_assert(sizeof(struct opc_module) == {MODULE_BYTES}, \"module\");\n\n");
    for (name, number, meaning) in ENDS {
        text += &format!("#define OPC_END_{name} {number}u /* {meaning} */\n");
    }
    text += "\n";
    for (name, bit, meaning) in FLAG_BITS {
        text += &format!("#define OPC_FLAG_{name} (1ul << {bit}) /* {meaning} */\n");
    }
    text
}
