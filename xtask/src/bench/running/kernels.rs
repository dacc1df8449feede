//! What does a kernel take that is called once, next to compilers and LLVM's interpreter?
//!
//! A function that is replaced only where it is entered would never be replaced here. What it gets stays the same, and is
//! known only when it runs.

use super::bench::Bench;
use super::contender::{ADAPTIVE, Contender, NATIVE, ONCE, PLAIN, TWO_PASS};
use super::{contest, table};
use crate::bench::setup::{self, reason};
use std::fmt::Write;

/// A program of the corpus, with arguments by which `clang -O2` takes about 5 s.
pub(super) struct Kernel {
    pub(super) name: &'static str,
    program: &'static str,
    about: &'static str,
    arguments: &'static [&'static str],
    /// Less work of the same kind.
    small: &'static [&'static str],
}

pub(super) const KERNELS: [Kernel; 2] = [
    Kernel {
        name: "filter-sum",
        program: "filter",
        about: "each point is the weighted sum of 7 neighbours",
        arguments: &["260", "3", "1"],
        small: &["4", "3", "1"],
    },
    Kernel {
        name: "filter-largest",
        program: "filter",
        about: "each point is a sum of 7 neighbours or weights, whichever is larger",
        arguments: &["130", "3", "2"],
        small: &["4", "3", "2"],
    },
];

const CONTENDERS: [Contender; 8] = [
    PLAIN,
    NATIVE,
    Contender::Gcc,
    ADAPTIVE,
    TWO_PASS,
    ONCE,
    Contender::Lli(&[]),
    Contender::Lli(&["-jit-kind=orc-lazy"]),
];

/// The section.
pub(super) fn section(bench: &Bench) -> String {
    let mut text = String::from(
        "\n## A kernel that is called once\n\n`corpus/run/filter.c` has one function with three loops and branches on a mode. It is \
         called once, with values from the command line. `lli-22` gets bitcode of `clang -O2`. *Start* is when the \
         program begins. *In later versions* is a share of samples.\n\n\
         Figures of Proteus for kernels of this kind were measured elsewhere. They are 3.4 to 3.8 times as \
         fast as without it, with annotated arguments. They are 16 to 21 times, if the array is annotated, too. \
         `opcost run` has no annotations.\n",
    );
    for kernel in KERNELS.iter().filter(|kernel| bench.is_chosen(kernel.name)) {
        let arguments = if bench.is_small { kernel.small } else { kernel.arguments };
        let words = arguments.join(" ");
        let _ = writeln!(text, "\n### {}\n\n`{words}`: {}.\n", kernel.name, kernel.about);
        let job = setup::program_of_any_list(kernel.program).and_then(|mut program| {
            program.small = kernel.small.iter().map(|word| (*word).to_owned()).collect();
            bench.job(kernel.name, program, arguments)
        });
        match job {
            Ok(job) => {
                let cells = contest::rounds(&job, &CONTENDERS, bench.rounds);
                text += &table::detailed(&CONTENDERS, &cells);
            }
            Err(failure) => _ = writeln!(text, "Not measured: {}.", reason(&failure)),
        }
    }
    text
}
