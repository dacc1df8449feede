//! The library before the C library that holds a program's world fixed.
//!
//! It is compiled when a program is to run so, and loaded by `LD_PRELOAD`; the
//! program itself is as it always is. What it answers, file by file: `enter.c`
//! addresses and environment, `clock.c` time, `random.c` random numbers,
//! `identity.c` numbers of processes and plain system calls.

/// All files, by name.
pub const SOURCES: &[(&str, &str)] = &[
    ("deterministic.h", include_str!("c/deterministic/deterministic.h")),
    ("enter.c", include_str!("c/deterministic/enter.c")),
    ("clock.c", include_str!("c/deterministic/clock.c")),
    ("random.c", include_str!("c/deterministic/random.c")),
    ("identity.c", include_str!("c/deterministic/identity.c")),
];

/// The files to compile, into one shared object.
pub const UNITS: [&str; 4] = ["enter.c", "clock.c", "random.c", "identity.c"];

/// How clang must compile and link them.
pub const FLAGS: &[&str] = &[
    "-O2",
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-stack-protector",
    "-fno-builtin",
    "-Wno-deprecated-declarations",
];

/// Environment variable. Its first letter says which of its lives the program begins (`1`). After it
/// comes the path of a file that is made when it entered.
pub const WORLD_VARIABLE: &str = "OPCOST_WORLD";

/// The name under which a variable of another runtime is passed: it gets its own name when the program has
/// entered.
pub fn held_back(variable: &str) -> String {
    variable.replacen("OPCOST_", "opcost_", 1)
}

#[cfg(test)]
mod tests {
    use super::{SOURCES, UNITS, WORLD_VARIABLE, held_back};
    use crate::{DIRECTORY_VARIABLE, fuel};

    #[test]
    fn every_unit_and_every_variable_is_there() {
        for unit in UNITS {
            assert!(SOURCES.iter().any(|(name, _)| *name == unit), "{unit}");
        }
        let enter = SOURCES.iter().find(|(name, _)| *name == "enter.c").expect("enter.c").1;
        for variable in [WORLD_VARIABLE, DIRECTORY_VARIABLE] {
            assert!(enter.contains(&format!("\"{variable}\"")), "{variable}");
        }
        assert_eq!(held_back(fuel::FILE_VARIABLE), "opcost_FUEL");
    }
}
