//! Does a module still have the lines of its source, one by one?
//!
//! An optimiser copies code (unrolled loops, threaded jumps), does several iterations in one
//! (vectors), joins equal code and moves it. Counts of what is left are exact, and say little of how
//! often a line ran. What the front end of clang writes has each line's code once, and at `-O0`
//! nothing changes it. So the answer is yes for these alone, and no for whatever may be different:
//! bitcode of unknown origin, Rust (its own optimiser runs before LLVM, and the standard library is
//! optimised at every level) and Fortran. Limit: functions that are always inlined are inlined at
//! `-O0`, too; [`crate::Place::inlined_at`] says where.

use std::path::Path;

use crate::{Anchor, BuildFacts};

/// Endings of sources that clang compiles.
const SOURCES: [&str; 9] = ["c", "cc", "cp", "cpp", "cxx", "c++", "C", "CPP", "i"];

impl BuildFacts {
    /// Whether code of a module of this name, built so, is there once for each line.
    pub fn has_source_lines(&self, module: &str, anchor: Anchor) -> bool {
        let ending = Path::new(module).extension().and_then(|ending| ending.to_str());
        let is_source = ending.is_some_and(|ending| SOURCES.contains(&ending) || ending == "ii");
        let is_unchanged = match anchor {
            Anchor::Source => true,
            Anchor::Optimized => self.last_level() == Some("-O0"),
            Anchor::Simplified | Anchor::Pgo | Anchor::File => false,
        };
        is_source && is_unchanged && self.compiler.starts_with("clang ")
    }

    /// The level of optimisation, the last of several; none without such a flag.
    fn last_level(&self) -> Option<&str> {
        self.flags.iter().map(String::as_str).rfind(|flag| flag.starts_with("-O"))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Anchor, BuildFacts};

    fn facts(compiler: &str, flags: &[&str]) -> BuildFacts {
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        BuildFacts { compiler: compiler.to_owned(), flags, ..BuildFacts::default() }
    }

    #[test]
    fn what_the_front_end_wrote_keeps_its_lines() {
        let (fast, slow) = (facts("clang 22.1.8", &["-O2"]), facts("clang 22.1.8", &["-O2", "-O0", "-g"]));
        assert!(
            fast.has_source_lines("a.c", Anchor::Source)
                && slow.has_source_lines("b/a.cpp", Anchor::Optimized)
        );
        assert!(
            !fast.has_source_lines("a.c", Anchor::Optimized) && !fast.has_source_lines("a.c", Anchor::Pgo)
        );
        let both = facts("clang 22.1.8", &["-O0", "-O1"]);
        assert!(!both.has_source_lines("a.c", Anchor::Optimized));
        assert!(!facts("clang 22.1.8", &[]).has_source_lines("a.c", Anchor::Optimized));
    }

    #[test]
    fn of_all_others_nothing_is_known() {
        let slow = facts("clang 22.1.8", &["-O0"]);
        for given in ["a.bc", "a.ll", "a.o", "a"] {
            assert!(
                !slow.has_source_lines(given, Anchor::Source) && !slow.has_source_lines(given, Anchor::File)
            );
        }
        assert!(!facts("rustc 1.95.0", &["-Copt-level=0"]).has_source_lines("a.rs", Anchor::Optimized));
        assert!(!facts("flang 22.1.8", &["-O0"]).has_source_lines("a.f90", Anchor::Optimized));
    }
}
