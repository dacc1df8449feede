//! Does LLVM read every block's count back, over programs of the corpus?
//!
//! Referee: `opt`'s block frequencies of the exported bitcode. Weights of branches cannot tell frames that never return or
//! return twice, so programs that jump, fork or exit inside of a frame are left out.

use super::{fine, frequencies};
use crate::harness::{Bench, corpus};

/// What makes frames vanish or return twice.
const LEAVING: &[&str] = &["setjmp", "longjmp", "fork", "exit", "abort", "raise", "asm", "kill", "cancel"];

#[test]
fn every_block_of_the_corpus_is_read_back() {
    let mut names: Vec<_> = std::fs::read_dir(corpus())
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    names.sort();
    let (mut programs, mut blocks) = (0, 0);
    for path in names {
        let text = std::fs::read_to_string(&path).expect("a program");
        if LEAVING.iter().any(|word| text.contains(word)) {
            continue;
        }
        let bench = Bench::new();
        bench.write("a.c", text);
        let counted = bench.count(&["-i", "--ledger", "run.opc"], &["a.c".into()], &[]);
        let Some(counts) = counted.counts.as_ref().filter(|counts| counts.0["quality"]["kind"] == "exact")
        else {
            continue;
        };
        fine(&bench, &["export", "--to", "bitcode", "run.opc", "-o", "a.bc"]);
        let read = frequencies(&bench, "a.bc");
        for (function, position, count) in counts.blocks() {
            let Some(&there) = read.get(&(function.clone(), position)) else { continue };
            let error = (there as f64 - count as f64).abs();
            // Probabilities of LLVM have 31 bits, so a loop of many iterations has coarse ones.
            let allowed = 2.0 + count as f64 * (1e-4 + count as f64 / 2_f64.powi(31));
            assert!(error <= allowed, "{}: {function} {position}: {there} for {count}", path.display());
            blocks += 1;
        }
        programs += 1;
    }
    assert!(programs >= 3 && blocks >= 30, "{programs} programs, {blocks} blocks");
}
