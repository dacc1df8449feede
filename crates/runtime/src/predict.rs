//! The runtime of programs that add up what is predicted of them.
//!
//! One object, linked behind the charged ones. What charged code must keep to: the sums of its functions are in
//! section [`SUMS_SECTION`], kept by `llvm.used`; each charge is a call of [`CHARGE`]. Formulas are evaluated by
//! the evaluator of recordings (`values_check.c`).

/// All files, by name.
pub const SOURCES: &[(&str, &str)] = &[
    (UNIT, include_str!("c/predict.c")),
    ("values.h", crate::values::HEADER),
    ("values_layout.h", include_str!("c/values_layout.h")),
    ("own.h", include_str!("c/own.h")),
    ("values_check.c", include_str!("c/values_check.c")),
];
/// The file to compile.
pub const UNIT: &str = "predict.c";
/// Section of the sums.
pub const SUMS_SECTION: &str = "opc_prd";
/// `void (ptr charge, ptr noted)`
pub const CHARGE: &str = "opc_predict_charge";
/// Environment variable: the file for the result.
pub const VARIABLE: &str = "OPCOST_PREDICTED";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_defined_and_what_is_included_is_carried() {
        let (_, text) = SOURCES[0];
        for name in [CHARGE, VARIABLE, SUMS_SECTION] {
            assert!(text.contains(name), "{name}");
        }
        for (_, text) in SOURCES {
            for line in text.lines().filter_map(|line| line.strip_prefix("#include \"")) {
                let name = line.trim_end_matches('"');
                assert!(SOURCES.iter().any(|(file, _)| *file == name), "{name}");
            }
        }
    }
}
