//! What does the program do? A training run, or a ledger of one.

use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_index::Id as _;
use opcost_job::module::ThreadMode;
use opcost_key::{Anchor, Placement};
use opcost_optimise::{FunctionPaths, TakenPath};
use opcost_toolchain::build::Build;
use opcost_toolchain::options::CompileOptions;

use super::built::plain_build;
use super::input::TuneWish;
use super::train::{Training, World, train_held};
use crate::counting::Measurement;
use crate::ledgers;
use crate::progress::work;

/// The state of the modules whose counts a ledger has.
pub(super) fn anchor_of(ledger: &Path) -> Result<Anchor, Failure> {
    let read = match ledgers::read(&[ledger.to_owned()], None)? {
        ledgers::Given::Ledger(read) => read,
        ledgers::Given::Raw(_) => {
            return Err(Failure::Usage(format!(
                "{} has raw counters; make a ledger of them: opcost report {} --ledger run.opc",
                ledger.display(),
                ledger.display()
            )));
        }
    };
    ledgers::need_counts(ledger, &read)?;
    let mut anchors = read.about.modules.iter().map(|module| module.anchor);
    let first = anchors.next().unwrap_or(Anchor::Optimized);
    if let Some(other) = anchors.find(|&anchor| anchor != first) {
        return Err(Failure::Usage(format!(
            "{} has counts of modules at the anchors {first} and {other}; count all at one",
            ledger.display()
        )));
    }
    Ok(first)
}

/// A counted build that has done its training, or what a ledger has of it.
pub(super) struct Trained {
    pub(super) build: Build,
    /// The file of what was counted.
    pub(super) ledger: PathBuf,
    /// The paths of each function, if they were counted.
    pub(super) paths: Vec<FunctionPaths>,
    /// How many instructions were carried out, in units of the cost model; 0 of a ledger that was given.
    pub(super) executed: u64,
}

/// How a program is built for its training run.
pub(super) struct CountedBuild<'a> {
    /// What it is compiled with.
    pub(super) options: &'a CompileOptions,
    /// Where counters go.
    pub(super) placement: Placement,
    /// What has been built with these options.
    pub(super) same: Option<&'a Build>,
}

impl Trained {
    /// A build to which a ledger is given.
    pub(super) fn given(options: &CompileOptions, ledger: &Path) -> Result<Trained, Failure> {
        let mut build = plain_build(options)?;
        build.compile_once(None);
        Ok(Trained { build, ledger: ledger.to_owned(), paths: Vec::new(), executed: 0 })
    }

    /// Builds the program with counters, and runs it.
    pub(super) fn run(wish: &TuneWish<'_>, how: &CountedBuild<'_>) -> Result<Trained, Failure> {
        let mut build = Build::counted(how.options, how.placement, ThreadMode::IfStarted)?;
        build.compile_once(how.same);
        let program = build.path("program");
        {
            let _working = work("building it with counters");
            build.program(wish.inputs, &program)?;
        }
        // What is compared with another run must not hang on addresses and times. Nothing can answer for the
        // clocks of a static program.
        let is_static = how.options.cflags.iter().any(|flag| flag == "-static");
        let world = if wish.verifies && !is_static { World::Fixed } else { World::AsItIs };
        let training = Training {
            program: &program,
            arguments: wish.arguments,
            stdin: wish.stdin,
            ignores_status: wish.ignores_status,
        };
        let done = train_held(&training, build.folder(), world)?;
        let paths = if how.placement == Placement::Paths { paths_of(&done.measured) } else { Vec::new() };
        let executed = u64::try_from(done.measured.summary().weight).unwrap_or(u64::MAX);
        Ok(Trained { build, ledger: done.ledger, paths, executed })
    }
}

/// The paths that each function took.
fn paths_of(measured: &Measurement) -> Vec<FunctionPaths> {
    let mut all = Vec::new();
    for module in measured.modules() {
        for (id, counts) in module.counts.functions.iter().filter(|(_, counts)| !counts.paths.is_empty()) {
            let function = &module.map.functions[id];
            let taken = |path: &opcost_recover::PathCount| TakenPath {
                edges: path.edges.iter().map(|edge| edge.index() as u32).collect(),
                count: path.count,
            };
            all.push(FunctionPaths {
                name: function.name.clone(),
                shape: function.shape,
                paths: counts.paths.iter().map(taken).collect(),
            });
        }
    }
    all
}
