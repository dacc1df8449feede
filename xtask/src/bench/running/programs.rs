//! What does `opcost run` bring to real programs?
//!
//! They are four of those of `bench tune`, with work that takes `clang -O2`'s build about 20 s. What opcost reports of the
//! last adaptive run of each is there for other parts of the page.

use super::bench::Bench;
use super::contender::{ADAPTIVE, Contender, Job, NATIVE, PLAIN};
use super::{contest, table};
use crate::bench::setup::{self, reason, short};
use crate::failure::Result;
use std::fmt::Write;

/// Names in the corpus, and the arguments in place of those of the corpus. `{}` is the argument that was there.
pub(super) const PROGRAMS: [(&str, &[&str]); 4] = [
    ("sqlite", &["7000000"]),
    ("lua", &["{}", "4400"]),
    ("zstd", &["60", "6", "200"]),
    ("clipper", &["60", "2", "160"]),
];

const CONTENDERS: [Contender; 3] = [PLAIN, NATIVE, ADAPTIVE];

/// The section.
pub(super) fn section(bench: &Bench) -> String {
    let mut text = String::from("\n## Programs\n\n*In later versions* is a share of samples.\n");
    for (name, _) in PROGRAMS.iter().filter(|(name, _)| bench.is_chosen(name)) {
        let _ = writeln!(text, "\n### {name}\n");
        match job(bench, name) {
            Ok(job) => {
                let cells = contest::rounds(&job, &CONTENDERS, bench.rounds);
                let words = short(&job.arguments);
                let _ = writeln!(text, "{}. Run with `{words}`.\n", job.program.about);
                text += &table::detailed(&CONTENDERS, &cells);
                let adaptive = cells.into_iter().next_back();
                if let Some(document) = adaptive.and_then(|cell| cell.document) {
                    bench.documents.borrow_mut().insert((*name).to_owned(), document);
                }
            }
            Err(failure) => _ = writeln!(text, "Not measured: {}.", reason(&failure)),
        }
    }
    text
}

/// What is run of one of the programs.
pub(super) fn job(bench: &Bench, name: &str) -> Result<Job> {
    let program = setup::program_of_any_list(name)?;
    let given = PROGRAMS.iter().find(|(one, _)| *one == name).map_or(&[][..], |(_, arguments)| *arguments);
    let own = program.arguments.clone();
    let arguments: Vec<&str> =
        given.iter().zip(&own).map(|(word, own)| if *word == "{}" { own } else { *word }).collect();
    bench.job(name, program, &arguments)
}
