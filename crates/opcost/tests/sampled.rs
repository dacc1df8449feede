//! Does a program that the library samples come near to one that it counts?
//!
//! Method: one program, counted and sampled by the same value; the block that runs most must be
//! seen, by estimates alone, within a factor of five: all samples together may be wrong by one factor.
//! How near they come is measured elsewhere (`benchmarks/sampling.md`); here it matters that both ways lead to rows of the same keys.
//! Cost: about a second of the program's own time.

use opcost::{CompileOptions, Ledger, Program, Run, SampleOptions};
use opcost_profile::{Column, Fact, Quality, Subject};

const SPIN: &str = "#include <stdlib.h>\n\
    __attribute__((noinline)) static unsigned spin(unsigned n) {\n\
    \x20   unsigned sum = 1;\n\
    \x20   for (unsigned i = 0; i < n; i++) sum = sum * 1664525u + (sum >> 7) + i;\n\
    \x20   return sum;\n\
    }\n\
    int main(int argc, char **argv) { return argc > 1 && spin(atoi(argv[1])) == 7; }\n";

/// The block of the function that runs most.
fn hottest<'a>(ledger: &'a Ledger, name: &str) -> &'a Fact {
    let is_block = |fact: &&Fact| {
        fact.column == Column::Count
            && matches!(&fact.subject, Subject::Block { function, .. } if function.name == name)
    };
    ledger.facts().iter().filter(is_block).max_by_key(|fact| fact.value).expect("it ran")
}

#[test]
fn samples_and_counts_are_rows_of_the_same_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("spin.c");
    std::fs::write(&source, SPIN).expect("a source");
    let program = Program::build([&source], &CompileOptions::default()).expect("it builds");
    let run = Run::with(["400000000"]);
    let counted = program.count(&run).expect("it is counted");
    let sampled = program.sample(&run, &SampleOptions::default()).expect("it is sampled");

    let (exact, estimate) = (hottest(&counted, "spin"), hottest(&sampled, "spin"));
    assert!(exact.quality == Quality::Exact && estimate.quality == Quality::Estimate);
    assert_eq!(exact.subject, estimate.subject);
    let ratio = estimate.value.expect("a number") as f64 / exact.value.expect("a number") as f64;
    assert!((0.2..=5.0).contains(&ratio), "{ratio}");
    let ended = |ledger: &Ledger| {
        ledger
            .facts()
            .iter()
            .any(|fact| fact.subject == Subject::Ending(opcost_profile::ProcessEnding::Exited(0)))
    };
    assert!(ended(&counted) && ended(&sampled));
}
