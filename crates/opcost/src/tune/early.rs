//! Modules where the optimiser reads its profile, with copies of code.
//!
//! Copies are made there, so that all that the optimiser does afterwards sees them. One kind of copy follows the other
//! ([`Copying`]), each by counts of what it finds: where copies have no counts of their own, the training run is
//! done again ([`Early::count`]). The rest of clang's pipeline runs here, which is clang's own unless
//! a flag changes it.
//!
//! Cost: a training run for each count, and an optimised build for each step.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use opcost_answer::Failure;
use opcost_answer::tune::{FinishedModule, Transform};
use opcost_job::profile::{CopiedCode, CopyRequest, FinishRequest};
use opcost_key::Placement;
use opcost_optimise::TrainedLoop;
use opcost_toolchain::build::{Build, CopiedInput, pipeline_flag};
use opcost_toolchain::input::{Input, Language};

use super::built::{BuiltStep, plain_build};
use super::input::TuneWish;
use super::profile::Profiled;
use super::training::{CountedBuild, Trained};
use crate::progress::work;

/// What is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copying {
    /// Nothing: the modules have their profile.
    Nothing,
    /// What hot calls call.
    Calls,
    /// Hot joins.
    Joins,
}

/// The program before the optimiser goes on.
pub(super) struct Early<'a> {
    wish: &'a TuneWish<'a>,
    profiled: &'a Profiled,
    /// The modules are files of it, which last as long.
    _build: Build,
    /// By position of the input.
    pub(super) modules: BTreeMap<usize, CopiedInput>,
    /// Counts of these very modules.
    counted: Option<Trained>,
    /// Functions whose counts are those.
    open: Vec<String>,
}

/// Why code has no copies, if it can have none.
pub(super) fn uncopied(wish: &TuneWish<'_>) -> Option<String> {
    if let Some(profile) = wish.profile {
        return Some(format!(
            "{} has no paths and no trip counts, and copies have exact counts by a run; leave --profile out, and give \
             a training run",
            profile.display()
        ));
    }
    let flag = pipeline_flag(wish.options)?;
    Some(format!("{flag} changes the optimiser's passes, and copies are made between them; leave it out"))
}

impl<'a> Early<'a> {
    /// Copies code of all modules: of those before, which were counted, or of those that were profiled.
    pub(super) fn new(
        wish: &'a TuneWish<'a>,
        profiled: &'a Profiled,
        before: Option<&Early<'_>>,
        copying: Copying,
    ) -> Result<Early<'a>, Failure> {
        let _working = work(match copying {
            Copying::Nothing => "reading the profile",
            Copying::Calls => "inlining hot calls",
            Copying::Joins => "copying hot joins",
        });
        let mut build = plain_build(&profiled.options)?;
        build.compile_once(None);
        let trained = before.and_then(|before| before.counted.as_ref()).unwrap_or(&profiled.trained);
        let what = match copying {
            Copying::Nothing => CopiedCode::Nothing,
            Copying::Calls => CopiedCode::Calls,
            Copying::Joins => CopiedCode::Joins(trained.paths.clone()),
        };
        let mut modules = BTreeMap::new();
        let sources = wish.inputs.iter().enumerate().filter(|(_, input)| input.language != Language::Object);
        for ((position, input), first) in sources.zip(&profiled.modules) {
            let earlier = before.map(|before| before.modules[&position].module());
            let request = CopyRequest {
                ledger: trained.ledger.clone(),
                profile: earlier.is_none().then(|| profiled.profile.clone()),
                module: earlier.unwrap_or_else(|| first.clone()),
                open: before.map_or_else(Vec::new, |before| before.open.clone()),
                what: what.clone(),
                executed: trained.executed,
            };
            modules.insert(position, build.copy_code(position, input, request)?);
        }
        let mut early = Early { wish, profiled, _build: build, modules, counted: None, open: Vec::new() };
        early.open = early.uncounted();
        Ok(early)
    }

    /// Whether a module has a copy.
    pub(super) fn has_copies(&self) -> bool {
        let has = |one: &CopiedInput| !one.copies.functions.is_empty() || !one.copies.calls.is_empty();
        self.modules.values().any(has)
    }

    /// Whether counts of some copies are not known.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Functions whose counts are not known before they are counted.
    fn uncounted(&self) -> Vec<String> {
        let mut names = BTreeSet::new();
        for one in self.modules.values() {
            let joins = one.copies.functions.iter().filter(|function| function.executions.is_none());
            names.extend(joins.map(|function| &function.name));
            names.extend(one.copies.calls.iter().flat_map(|call| [&call.caller, &call.callee]));
        }
        names.into_iter().cloned().collect()
    }

    /// The modules as inputs.
    fn inputs(&self) -> Vec<Input> {
        let own = |(position, input): (usize, &Input)| {
            self.modules.get(&position).map_or(input, |one| &one.input).clone()
        };
        self.wish.inputs.iter().enumerate().map(own).collect()
    }

    /// Does the training run with these modules.
    pub(super) fn count(&mut self, placement: Placement) -> Result<&Trained, Failure> {
        let inputs = self.inputs();
        let wish = TuneWish { inputs: &inputs, ..self.wish.clone() };
        let how = CountedBuild { options: &self.profiled.options, placement, same: None };
        let trained = Trained::run(&wish, &how)?;
        Ok(self.counted.insert(trained))
    }

    /// The file of their counts, if they were counted.
    pub(super) fn ledger(&self) -> Option<&Path> {
        self.counted.as_ref().map(|counted| &*counted.ledger)
    }

    /// The loops of these modules, and their trip counts in the training run.
    pub(super) fn loops(&self) -> Result<Vec<(String, TrainedLoop)>, Failure> {
        let inputs = self.inputs();
        let wish = TuneWish { inputs: &inputs, ..self.wish.clone() };
        super::trips::trained_loops(&wish, &self.profiled.options)
    }

    /// The program, optimised. Bodies of these loops may be copied; each has the name of its module.
    pub(super) fn finish(
        &self,
        done: &[Transform],
        loops: &[(String, TrainedLoop)],
    ) -> Result<(BuiltStep, Vec<FinishedModule>), Failure> {
        let _working = work("optimising the program with copies");
        let mut build = plain_build(&self.profiled.options)?;
        build.compile_once(None);
        let mut finished = Vec::new();
        for (&position, copied) in &self.modules {
            let own = loops.iter().filter(|(module, _)| *module == copied.name);
            let own: Vec<TrainedLoop> = own.map(|(_, one)| one.clone()).collect();
            let request = FinishRequest {
                module: copied.module(),
                profile: self.profiled.profile.clone(),
                ledger: self.ledger().map(Path::to_owned),
                open: if self.counted.is_some() { self.open.clone() } else { Vec::new() },
                loops: own,
                executed: self.profiled.trained.executed,
            };
            finished.push(build.finish_copied(position, &self.wish.inputs[position], request)?);
        }
        Ok((BuiltStep::of(build, done, self.wish.inputs)?, finished))
    }
}
