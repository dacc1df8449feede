//! Which programs are the rows of the paper's table?
//!
//! Programs in `corpus/document` do the same work in our own text; `corpus/tuned.toml` lists them.

/// The programs, and what the paper calls them.
pub(crate) const ROWS: [(&str, &str); 13] = [
    ("whetstone", "Whetstone"),
    ("tfftdp", "Tfftdp"),
    ("heapsort", "Heapsort"),
    ("nsieve", "Nsieve"),
    ("flops", "Flops"),
    ("fibonacci", "Fibonacci"),
    ("matrix-normal", "Matrix: normal algorithm"),
    ("matrix-temporary", "Matrix: temporary variable in loop"),
    ("matrix-unrolled", "Matrix: unrolled inner loop"),
    ("matrix-pointers", "Matrix: pointers"),
    ("matrix-transposed", "Matrix: transposed b"),
    ("matrix-interchanged", "Matrix: interchanged inner loops"),
    ("scimark", "SciMark"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::setup;

    #[test]
    fn all_programs_of_the_table_are_there() {
        for (name, _) in ROWS {
            let program = setup::program_of_any_list(name).unwrap();
            assert!(program.crates.is_empty(), "{name}");
        }
    }
}
