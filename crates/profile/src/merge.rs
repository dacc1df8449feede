//! What do several runs of one build add up to?
//!
//! Facts are added subject by subject ([`merge`]), or their mean over all runs
//! is taken ([`average`]); the result is as sure as its least sure part, and
//! estimates stay estimates. Only ledgers of the same maps add: counts of two
//! builds mean different things; and only facts of one origin: a counted number
//! and a sampled one make neither. The result does not depend on the order of
//! the ledgers, nor on the order in which their programs were linked: modules are compared
//! by name.
//!
//! A sum of more than 64 bits becomes 2^64 - 1, a lower bound, and
//! [`saturated`] finds such facts, so that they are told. A mean is rounded to
//! the nearest (halves go up), and its quality says so where it was; rounded
//! means of a block and of its edges need not add up to the digit.
//!
//! Answers that are no counts are put together ([`crate::answers`]); a mean leaves out how
//! often something was observed.
//! Cost: facts * log facts.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::answers::merged;
use crate::ledger::{Sum, add_up};
use crate::{About, AnswerColumn, CodeFacts, Fact, Ledger, LedgerError, LineTexts, ModuleFacts, Quality};

/// Why ledgers cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MergeError {
    /// There is nothing to add.
    #[error("no ledgers to merge: name at least one")]
    Nothing,
    /// They come from different builds.
    #[error(
        "ledger {position} (from 0) comes from another build than the first ({what} differ): merge runs of one \
         build, and compare builds with `opcost diff`"
    )]
    OtherBuild {
        /// Which ledger.
        position: usize,
        /// What differs.
        what: &'static str,
    },
    /// They were had in different ways.
    #[error(
        "ledger {position} (from 0) is {theirs} and the first is {ours}, which are no parts of one sum: merge \
         ledgers of one kind (opcost repair makes repaired ones of sampled ones)"
    )]
    OtherOrigin {
        /// Which ledger.
        position: usize,
        /// How the first was had.
        ours: String,
        /// How this one was had.
        theirs: String,
    },
    /// More runs than can be numbered.
    #[error("the ledgers hold more than 2^64 runs")]
    TooManyRuns,
    /// A sum does not fit or makes no sense.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// The sum of ledgers of one build.
///
/// # Errors
/// There are none, they are not of one build, or of more than one origin.
pub fn merge(ledgers: &[Ledger]) -> Result<Ledger, MergeError> {
    let about = about_all(ledgers)?;
    let sums = add_up(ledgers.iter().flat_map(|ledger| ledger.facts().iter().cloned()))?;
    let mut ledger = Ledger::of_ordered(about, sums.into_iter().map(saturate).collect());
    ledger.answers = merged(ledgers.iter().map(|ledger| &ledger.answers));
    Ok(ledger)
}

/// What one run of these did on average: a ledger that is itself a sum counts
/// as often as it has runs.
///
/// # Errors
/// As [`merge`].
pub fn average(ledgers: &[Ledger]) -> Result<Ledger, MergeError> {
    let mut about = about_all(ledgers)?;
    let runs = u128::from(std::mem::replace(&mut about.runs, 1).max(1));
    let sums = add_up(ledgers.iter().flat_map(|ledger| ledger.facts().iter().cloned()))?;
    let mean = |Sum { mut fact, total }| {
        if total.is_some_and(|total| total % runs != 0) {
            let rounded = Quality::ExactUnder(format!("the mean of {runs} runs, rounded to the nearest"));
            fact.quality = fact.quality.and(rounded);
        }
        let mean = total.map(|total| total / runs + u128::from(total % runs >= runs.div_ceil(2)));
        saturate(Sum { fact, total: mean })
    };
    let mut ledger = Ledger::of_ordered(about, sums.into_iter().map(mean).collect());
    let answers = merged(ledgers.iter().map(|ledger| &ledger.answers));
    ledger.answers = answers.iter().filter(|row| row.column != AnswerColumn::Observed).cloned().collect();
    Ok(ledger)
}

/// The facts whose value did not fit into 64 bits and is a lower bound now.
pub fn saturated(ledger: &Ledger) -> impl Iterator<Item = &Fact> {
    ledger.facts().iter().filter(|fact| fact.value == Some(u64::MAX) && fact.quality != Quality::Exact)
}

fn saturate(Sum { mut fact, total }: Sum) -> Fact {
    let fits = total.map(|total| u64::try_from(total).ok());
    if fits == Some(None) {
        fact.quality = fact.quality.and(Quality::LowerBound);
    }
    fact.value = fits.map(|value| value.unwrap_or(u64::MAX));
    fact
}

/// Checks that ledgers are of one build, and adds up what they say of themselves.
fn about_all(ledgers: &[Ledger]) -> Result<About, MergeError> {
    let first = ledgers.first().ok_or(MergeError::Nothing)?;
    for (position, ledger) in ledgers.iter().enumerate() {
        if let Some(what) = other_build(&first.about, &ledger.about) {
            return Err(MergeError::OtherBuild { position, what });
        }
        let (ours, theirs) = (origins(first), origins(ledger));
        if !ours.is_empty() && !theirs.is_empty() && ours != theirs {
            return Err(MergeError::OtherOrigin { position, ours, theirs });
        }
    }
    let abouts = || ledgers.iter().map(|ledger| &ledger.about);
    let runs = abouts().try_fold(0u64, |sum, about| sum.checked_add(about.runs));
    let machines: BTreeSet<_> = abouts().flat_map(|about| &about.machines).cloned().collect();
    let commands: BTreeSet<_> = abouts().flat_map(|about| &about.commands).cloned().collect();
    let modules = match abouts().all(|about| about.modules == first.about.modules) {
        true => first.about.modules.clone(),
        // No order is better than another.
        false => by_name(&first.about).into_iter().cloned().collect(),
    };
    Ok(About {
        modules,
        code: code(&first.about).into_iter().cloned().collect(),
        cost: first.about.cost.clone(),
        machines: machines.into_iter().collect(),
        commands: commands.into_iter().collect(),
        runs: runs.ok_or(MergeError::TooManyRuns)?,
        texts: LineTexts::merged(abouts().map(|about| &about.texts)),
    })
}

/// How the facts of a ledger were had, in words; nothing of a ledger without facts.
fn origins(ledger: &Ledger) -> String {
    let origins: BTreeSet<&str> = ledger.facts().iter().map(|fact| fact.origin.word()).collect();
    origins.into_iter().collect::<Vec<_>>().join(" and ")
}

/// What distinguishes two builds, if anything does.
pub(crate) fn other_build(ours: &About, theirs: &About) -> Option<&'static str> {
    if ours.cost != theirs.cost {
        Some("cost models")
    } else if by_name(ours) != by_name(theirs) {
        Some("maps")
    } else if code(ours) != code(theirs) {
        Some("hashes of code")
    } else {
        None
    }
}

/// What only answers are about, in one order.
fn code(about: &About) -> BTreeSet<&CodeFacts> {
    about.code.iter().collect()
}

/// The modules of a program, whatever order they were linked in.
fn by_name(about: &About) -> Vec<&ModuleFacts> {
    let mut modules: Vec<&ModuleFacts> = about.modules.iter().collect();
    modules.sort_by_key(|module| (&module.module, module.map));
    modules
}
