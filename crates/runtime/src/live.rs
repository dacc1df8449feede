//! What a program has around it whose functions are replaced while it runs.
//!
//! Two objects, before and behind all modules (`c/live.c`). A supervisor finds what they hold by its symbols.

/// All files, by name.
pub const SOURCES: &[(&str, &str)] =
    &[("live.c", include_str!("c/live.c")), ("live_end.c", include_str!("c/live_end.c"))];
/// The files to compile, in the order of linking.
pub const UNITS: [&str; 2] = ["live.c", "live_end.c"];

/// How a program is linked with them. It has one address, and its slots are filled when it begins. Versions are above
/// all other code, as the unwinder's table wants it.
pub const LINK: &[&str] = &["-no-pie", "-Wl,-z,now", "-Wl,--section-start=opc_arena=0x20000000"];

/// Where words begin.
pub const WORDS: &str = "opc_live_begin";
/// Where they end.
pub const WORDS_END: &str = "opc_live_end";
/// Where values are written down.
pub const NOTES: &str = "opc_live_notes";
/// How many notes there are.
pub const NOTE_COUNT: usize = 256;
/// Bytes of a note.
pub const NOTE_BYTES: u64 = 257 * 8;
/// Where in a note it says whose word asked.
pub const NOTE_WORD: u64 = 8;
/// Where in a note it says how many bytes are asked for.
pub const NOTE_LENGTH: u64 = 16;
/// Where in a note the values begin.
pub const NOTE_VALUES: u64 = 24;
/// What writes values down: a word that holds it asks for them.
pub const WRITE_NOTE: &str = "opc_live_note";
/// Where the unwinder's table is.
pub const FRAMES: &str = "opc_live_frames";
/// Where it ends.
pub const FRAMES_END: &str = "opc_live_frames_end";
/// Where versions are.
pub const ARENA: &str = "opc_live_arena";
/// Where they end.
pub const ARENA_END: &str = "opc_live_arena_end";
/// What the name of the supervisor's file has after that of the program.
pub const SUFFIX: &str = ".live";
