//! Threads of libraries that are still there when the program ends: is the count exact if none
//! of them is in counted code, and a lower bound if one is?
//!
//! By hand: 1,000 calls of step, whose calls of add are 142 times 0 + 1 + … + 6 and 0 + … + 5.

use crate::harness::{Bench, Counted, corpus};

const ADDS: u64 = 142 * 21 + 15;

/// The library, and the program's counts with it.
fn pooled(style: &str, flags: &[&str]) -> Counted {
    let bench = Bench::new();
    let [library, source] = ["pool.c", "pooled.c"].map(|name| corpus().join("parts").join(name));
    let library = library.to_str().expect("UTF-8");
    bench.tool("clang-22", &["-O2", "-shared", "-fPIC", "-pthread", "-o", "libpool.so", library]);
    let path = format!("-Wl,-rpath,{}", bench.path("").display());
    let mut all = vec!["--anchor", "source", "-L", ".", "-l", "pool", "--cflag", &path];
    all.extend(flags);
    bench.count(&all, &[source], &[style.to_owned()])
}

fn is_exact(style: &str) {
    for placement in ["chords", "every-segment"] {
        let counted = pooled(style, &["--placement", placement]);
        let counts = counted.counts();
        assert!(counts.is_exact(), "{style}, {placement}: {:?}", counts.reasons());
        assert_eq!((counts.calls("step"), counts.calls("add")), (1000, ADDS), "{style}, {placement}");
    }
}

#[test]
fn a_worker_that_waits_takes_nothing_away() {
    is_exact("");
    is_exact("exit");
    is_exact("leave");
}

#[test]
fn a_worker_that_spins_takes_nothing_away() {
    is_exact("spin");
    is_exact("spin leave");
}

#[test]
fn a_worker_that_no_signal_reaches_is_read_while_it_waits() {
    is_exact("deaf");
}

#[test]
fn a_thread_that_never_counted_takes_nothing_away() {
    is_exact("idle");
    is_exact("idle spin deaf");
}

#[test]
fn a_child_has_no_thread_of_its_parents() {
    let counted = pooled("fork", &[]);
    let counts = counted.counts();
    assert!(counts.is_exact(), "{:?}", counts.reasons());
    assert_eq!((counts.calls("step"), counts.calls("add")), (1001, ADDS + 6));
}

fn is_cut_short(style: &str) {
    let counted = pooled(style, &[]);
    let counts = counted.counts();
    assert!(!counts.is_exact(), "{style}");
    let reasons = counts.reasons().join("; ");
    assert!(reasons.contains("other threads were in counted code"), "{style}: {reasons}");
}

/// Nobody can tell where it is.
#[test]
fn a_worker_that_spins_and_blocks_signals_may_be_inside() {
    is_cut_short("spin deaf");
}

#[test]
fn a_worker_inside_of_a_counted_call_is_cut_short() {
    is_cut_short("stay");
    is_cut_short("stay deaf");
}

/// A handler of the library waits upon counted code that it interrupted between two calls.
#[test]
fn a_worker_inside_of_a_handler_is_cut_short() {
    is_cut_short("interrupt");
}

/// The library runs counted code when the program's end is over.
#[test]
fn a_worker_that_counts_after_the_end_is_seen() {
    is_cut_short("late");
    is_cut_short("late spin");
}

/// Its workers spin first and sleep later; the number is what an independent pass counted.
#[test]
fn openmp_is_exact() {
    let bench = Bench::new();
    let source = corpus().join("parts").join("openmp.c");
    for placement in ["chords", "every-segment"] {
        let flags = ["--cflag=-fopenmp", "--placement", placement];
        let counted = bench.count(&flags, std::slice::from_ref(&source), &[]);
        let counts = counted.counts();
        assert!(counts.is_exact(), "{placement}: {:?}", counts.reasons());
        assert_eq!(counts.total(), 7_105_949, "{placement}");
    }
}
