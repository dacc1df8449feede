//! Did code run as often as it was tuned by? Held against a run in which it was counted.
//!
//! Copies are to run as often as was divided among them ([`conserved`]). The modules whose code was placed are to run
//! again as they did when they were counted for it ([`repeated`]).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use opcost_answer::Failure;
use opcost_answer::tune::Conserved;
use opcost_profile::{Column, Ledger, Subject};
use opcost_toolchain::build::CopiedInput;

use crate::ledgers;

/// How often each block ran: of a local function by its module and name, of others by name alone.
type Runs<'a> = BTreeMap<(Option<&'a str>, &'a str), BTreeMap<u32, u64>>;

/// What was divided among copies, held against the counts of a ledger.
pub(super) fn conserved<'a>(
    modules: impl Iterator<Item = &'a CopiedInput> + Clone,
    counted: &Path,
) -> Result<Conserved, Failure> {
    let ledger = read(counted)?;
    let runs = block_counts(&ledger);
    let mut conserved = Conserved::default();
    let several = defined_in_several(modules.clone());
    for one in modules {
        joins(one, &runs, &mut conserved);
        calls(one, &runs, &several, &mut conserved);
    }
    Ok(conserved)
}

/// A ledger, and the names of its modules in the order of inputs.
pub(super) struct CountedModules<'a> {
    /// The file.
    pub(super) ledger: &'a Path,
    /// The names.
    pub(super) modules: Vec<String>,
}

/// Blocks of the same modules in two runs.
pub(super) fn repeated(
    before: &CountedModules<'_>,
    after: &CountedModules<'_>,
) -> Result<Conserved, Failure> {
    let (first, second) = (read(before.ledger)?, read(after.ledger)?);
    let (first, second) = (block_counts(&first), block_counts(&second));
    let mut conserved = Conserved::default();
    for ((module, function), blocks) in &first {
        let position = module.and_then(|module| before.modules.iter().position(|name| name == module));
        let own = position.and_then(|position| after.modules.get(position)).map(String::as_str);
        let again = second.get(&(own, *function));
        for (block, &count) in blocks {
            conserved.add(false, count, again.and_then(|again| again.get(block)).copied().unwrap_or(0));
        }
    }
    Ok(conserved)
}

fn read(ledger: &Path) -> Result<Ledger, Failure> {
    match ledgers::read(&[ledger.to_owned()], None)? {
        ledgers::Given::Ledger(ledger) => Ok(ledger),
        ledgers::Given::Raw(_) => unreachable!("a training run leaves a ledger"),
    }
}

/// Copies of joins, and the blocks that they are copies of.
fn joins(one: &CopiedInput, runs: &Runs<'_>, conserved: &mut Conserved) {
    for function in &one.module.functions {
        let Some(expected) = &function.executions else { continue };
        for (number, (&position, &expected)) in function.positions.iter().zip(expected).enumerate() {
            conserved.add(
                number >= function.blocks,
                expected,
                ran(runs, &one.name, &function.name, position),
            );
        }
    }
}

/// Calls that were replaced, and the entries that their functions keep.
fn calls(one: &CopiedInput, runs: &Runs<'_>, several: &BTreeSet<&str>, conserved: &mut Conserved) {
    let is_local = |name: &str| runs.contains_key(&(Some(one.name.as_str()), name));
    let is_here = |name: &str| is_local(name) || !several.contains(name);
    for call in one.module.calls.iter().filter(|call| is_here(&call.caller)) {
        conserved.add(true, call.executions, ran(runs, &one.name, &call.caller, call.block));
    }
    for function in one.module.called.iter().filter(|one| is_here(&one.name)) {
        conserved.add(false, function.left, ran(runs, &one.name, &function.name, 0));
    }
}

/// Functions that calls in several modules concern. The linker keeps one body of each, and which calls were replaced in
/// it is not said.
fn defined_in_several<'a>(modules: impl Iterator<Item = &'a CopiedInput>) -> BTreeSet<&'a str> {
    let (mut seen, mut several) = (BTreeSet::new(), BTreeSet::new());
    for one in modules {
        let callers = one.module.calls.iter().map(|call| call.caller.as_str());
        let own: BTreeSet<&str> =
            callers.chain(one.module.called.iter().map(|one| one.name.as_str())).collect();
        several.extend(own.iter().filter(|name| seen.contains(*name)).copied());
        seen.extend(own);
    }
    several
}

fn ran(runs: &Runs<'_>, module: &str, function: &str, position: u32) -> u64 {
    // An inline function has one body in the program, in whichever module. What the run does not have did not run,
    // and that is held against what was divided, too.
    let own = runs.get(&(Some(module), function)).or_else(|| runs.get(&(None, function)));
    own.and_then(|blocks| blocks.get(&position)).copied().unwrap_or(0)
}

fn block_counts(ledger: &Ledger) -> Runs<'_> {
    let mut runs = Runs::new();
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
