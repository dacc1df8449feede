//! Hot joins are there once for each way in.
//!
//! Copies are made where the optimiser reads its profile, so that all that it does afterwards sees
//! them. Counts of copies follow from paths, or the program with copies is counted once more ([`Split::counted`]).
//! The rest of clang's pipeline runs here, which is clang's own unless a flag changes it.

use std::collections::BTreeMap;
use std::path::Path;

use opcost_answer::Failure;
use opcost_answer::tune::{Conserved, CopiedFunction, Transform};
use opcost_key::Placement;
use opcost_profile::{Column, Ledger, Subject};
use opcost_toolchain::build::{Build, CopiedInput, CopyRequest, pipeline_flag};
use opcost_toolchain::input::{Input, Language};

use super::built::{BuiltStep, plain_build};
use super::profile::Profiled;
use super::training::{CountedBuild, Trained};
use super::wish::TuneWish;
use crate::ledgers;
use crate::progress::work;

/// The program with copies, before the optimiser goes on.
pub(super) struct Split<'a> {
    wish: &'a TuneWish<'a>,
    profiled: &'a Profiled,
    build: Build,
    /// By position of the input.
    pub(super) copied: BTreeMap<usize, CopiedInput>,
}

/// Why hot joins have no copies, if they can have none.
pub(super) fn unsplit(wish: &TuneWish<'_>) -> Option<String> {
    if let Some(profile) = wish.profile {
        return Some(format!(
            "{} has no paths, and copies have exact counts by paths; leave --profile out, and give a training run",
            profile.display()
        ));
    }
    let flag = pipeline_flag(wish.options)?;
    Some(format!("{flag} changes the optimiser's passes, and copies are made between them; leave it out"))
}

impl<'a> Split<'a> {
    /// Copies hot joins of all modules.
    pub(super) fn new(wish: &'a TuneWish<'a>, profiled: &'a Profiled) -> Result<Split<'a>, Failure> {
        let _working = work("copying hot joins");
        let mut build = plain_build(&profiled.options)?;
        build.compile_once(None);
        let mut copied = BTreeMap::new();
        let sources = wish.inputs.iter().enumerate().filter(|(_, input)| input.language != Language::Object);
        for ((position, _), module) in sources.zip(&profiled.modules) {
            let request = CopyRequest {
                ledger: &profiled.trained.ledger,
                profile: &profiled.profile,
                module,
                paths: &profiled.trained.paths,
            };
            copied.insert(position, build.copy_joins(position, request)?);
        }
        Ok(Split { wish, profiled, build, copied })
    }

    /// Functions with copies.
    pub(super) fn functions(&self) -> impl Iterator<Item = &CopiedFunction> {
        self.copied.values().flat_map(|one| &one.module.functions)
    }

    /// Whether counts of some copies are not known.
    pub(super) fn is_open(&self) -> bool {
        self.functions().any(|function| function.executions.is_none())
    }

    /// The training run of the program with its copies.
    pub(super) fn counted(&self) -> Result<Trained, Failure> {
        let inputs: Vec<Input> = self
            .wish
            .inputs
            .iter()
            .enumerate()
            .map(|(position, input)| self.copied.get(&position).map_or(input, |one| &one.input).clone())
            .collect();
        let wish = TuneWish { inputs: &inputs, ..self.wish.clone() };
        let how = CountedBuild { options: &self.profiled.options, placement: Placement::Chords, same: None };
        Trained::run(&wish, &how)
    }

    /// The program, optimised.
    pub(super) fn finish(self, done: &[Transform], counted: Option<&Trained>) -> Result<BuiltStep, Failure> {
        let _working = work("optimising the program with copies");
        for (&position, copied) in &self.copied {
            let input = &self.wish.inputs[position];
            let ledger = counted.map(|counted| &*counted.ledger);
            self.build.finish_copied(input, copied, &self.profiled.profile, ledger)?;
        }
        BuiltStep::of(self.build, done, self.wish.inputs)
    }
}

/// What was divided, held against a run in which it was counted.
pub(super) fn conserved(split: &Split<'_>, counted: &Path) -> Result<Conserved, Failure> {
    let ledger = match ledgers::read(&[counted.to_owned()], None)? {
        ledgers::Given::Ledger(ledger) => ledger,
        ledgers::Given::Raw(_) => unreachable!("a training run leaves a ledger"),
    };
    let runs = block_counts(&ledger);
    let none = BTreeMap::new();
    let mut conserved = Conserved::default();
    for one in split.copied.values() {
        for function in &one.module.functions {
            let Some(expected) = &function.executions else { continue };
            // An inline function has one body in the program, in whichever module.
            let own = runs.get(&(Some(one.name.as_str()), function.name.as_str()));
            // What the run does not have did not run, and that is held against what was divided, too.
            let ran = own.or_else(|| runs.get(&(None, function.name.as_str()))).unwrap_or(&none);
            for (number, (&position, &expected)) in function.positions.iter().zip(expected).enumerate() {
                let ran = ran.get(&position).copied().unwrap_or(0);
                conserved.add(number >= function.blocks, expected, ran);
            }
        }
    }
    Ok(conserved)
}

/// How often each block ran: of a local function by its module and name, of others by name alone.
fn block_counts(ledger: &Ledger) -> BTreeMap<(Option<&str>, &str), BTreeMap<u32, u64>> {
    let mut runs: BTreeMap<(Option<&str>, &str), BTreeMap<u32, u64>> = BTreeMap::new();
    for fact in ledger.facts() {
        if let (Subject::Block { block, function, .. }, Column::Count, Some(count)) =
            (&fact.subject, fact.column, fact.value)
        {
            let module = function.is_local.then_some(function.module.as_str());
            *runs.entry((module, &function.name)).or_default().entry(*block).or_default() += count;
        }
    }
    runs
}
