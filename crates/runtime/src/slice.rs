//! The runtime of programs that report their loops.
//!
//! One object, anywhere. What a marked module must define: the cells of its events under [`CELLS`],
//! how many there are, whether it calls [`EVENT`], and the names of its loops, a line each.

/// All files, by name.
pub const SOURCES: &[(&str, &str)] =
    &[("slice.c", include_str!("c/slice.c")), ("own.h", include_str!("c/own.h"))];
/// The file to compile.
pub const UNIT: &str = "slice.c";
/// `u64[]`: the cells.
pub const CELLS: &str = "opc_slice_cells";
/// `void (u32)`: an event.
pub const EVENT: &str = "opc_slice_event";
/// Environment variable: the file that is written.
pub const VARIABLE: &str = "OPCOST_SLICE";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_in_the_source() {
        let (_, text) = SOURCES[0];
        for name in [CELLS, EVENT, VARIABLE] {
            assert!(text.contains(name), "{name}");
        }
    }
}
