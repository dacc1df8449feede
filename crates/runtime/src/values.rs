//! The runtime of programs whose values are recorded.
//!
//! One object, linked behind the recorded ones, in any place. What instrumented
//! code must keep to: per module one `{ [16 x i8] hash, ptr points, i64 count }`
//! in section [`MODULES_SECTION`], kept by `llvm.used`; a loop calls [`ENTER`]
//! where it is entered and [`LEAVE`] where it is left, and stores each turn in
//! the first word of the slot that it was given; [`TURN`] where a turn may have
//! called what never returned.

/// All files, by name.
pub const SOURCES: &[(&str, &str)] = &[
    ("values.c", include_str!("c/values.c")),
    ("values.h", HEADER),
    ("values_layout.h", include_str!("c/values_layout.h")),
    ("own.h", include_str!("c/own.h")),
    ("values_file.c", include_str!("c/values_file.c")),
    ("values_point.c", include_str!("c/values_point.c")),
    ("values_check.c", include_str!("c/values_check.c")),
    ("values_open.c", include_str!("c/values_open.c")),
    ("values_fork.c", include_str!("c/values_fork.c")),
];
/// What instrumented code shares with it.
pub const HEADER: &str = include_str!("c/values.h");
/// The file to compile.
pub const UNIT: &str = "values.c";
/// Section of the modules' entries.
pub const MODULES_SECTION: &str = "opc_val";
/// `ptr (ptr point)`: the slot.
pub const ENTER: &str = "opc_values_enter";
/// `void (ptr point, ptr slot, i64 turns)`
pub const LEAVE: &str = "opc_values_leave";
/// `void (ptr slot)`
pub const TURN: &str = "opc_values_turn";
/// `void (ptr point, i64 value)`
pub const RECORD: &str = "opc_values_record";
/// What calls of `vfork` go to.
pub const VFORK: &str = "opc_values_vfork";
/// Environment variable: `memory:sample:directory`.
pub const VARIABLE: &str = "OPCOST_VALUES";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_defined_and_what_is_included_is_carried() {
        for name in [ENTER, LEAVE, TURN, RECORD, VFORK] {
            assert!(SOURCES.iter().any(|(_, text)| text.contains(&format!("{name}("))), "{name}");
        }
        for (_, text) in SOURCES {
            for line in text.lines().filter_map(|line| line.strip_prefix("#include \"")) {
                let name = line.trim_end_matches('"');
                assert!(SOURCES.iter().any(|(file, _)| *file == name), "{name}");
            }
        }
    }
}
