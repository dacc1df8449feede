//! Did code run as often as it was tuned by? Held against a run in which it was counted.
//!
//! Copies are to run as often as was divided among them ([`conserved`]). The modules whose code was placed are to run
//! again as they did when they were counted for it ([`repeated`]).

use std::collections::{BTreeMap, BTreeSet};

use opcost_answer::tune::{Conserved, CopiedModule};
use opcost_profile::{Column, Ledger, Subject};

/// How often each block ran: of a local function by its module and name, of others by name alone.
type Runs<'a> = BTreeMap<(Option<&'a str>, &'a str), BTreeMap<u32, u64>>;

/// A module, by its name in the ledger, and what was copied in it.
type Copied<'a> = (&'a str, &'a CopiedModule);

/// What was divided among copies, held against the counts of a ledger. Modules are given by their names in it.
pub fn conserved<'a>(modules: impl Iterator<Item = Copied<'a>> + Clone, ledger: &Ledger) -> Conserved {
    let runs = block_counts(ledger);
    let mut conserved = Conserved::default();
    let several = defined_in_several(modules.clone());
    for one in modules {
        joins(one, &runs, &mut conserved);
        calls(one, &runs, &several, &mut conserved);
    }
    conserved
}

/// A ledger, and the names of its modules in the order of inputs.
#[derive(Clone, Copy)]
pub struct CountedModules<'a> {
    /// The ledger.
    pub ledger: &'a Ledger,
    /// The names.
    pub modules: &'a [String],
}

/// Blocks of the same modules in two runs.
pub fn repeated(before: CountedModules<'_>, after: CountedModules<'_>) -> Conserved {
    let (first, second) = (block_counts(before.ledger), block_counts(after.ledger));
    let mut conserved = Conserved::default();
    for ((module, function), blocks) in &first {
        let position = module.and_then(|module| before.modules.iter().position(|name| name == module));
        let own = position.and_then(|position| after.modules.get(position)).map(String::as_str);
        let again = second.get(&(own, *function));
        for (block, &count) in blocks {
            conserved.add(false, count, again.and_then(|again| again.get(block)).copied().unwrap_or(0));
        }
    }
    conserved
}

/// Copies of joins, and the blocks that they are copies of.
fn joins((name, module): Copied<'_>, runs: &Runs<'_>, conserved: &mut Conserved) {
    for function in &module.functions {
        let Some(expected) = &function.executions else { continue };
        for (number, (&position, &expected)) in function.positions.iter().zip(expected).enumerate() {
            conserved.add(number >= function.blocks, expected, ran(runs, name, &function.name, position));
        }
    }
}

/// Calls that were replaced, and the entries that their functions keep.
fn calls((name, module): Copied<'_>, runs: &Runs<'_>, several: &BTreeSet<&str>, conserved: &mut Conserved) {
    let is_local = |of: &str| runs.contains_key(&(Some(name), of));
    let is_here = |of: &str| is_local(of) || !several.contains(of);
    for call in module.calls.iter().filter(|call| is_here(&call.caller)) {
        conserved.add(true, call.executions, ran(runs, name, &call.caller, call.block));
    }
    for function in module.called.iter().filter(|one| is_here(&one.name)) {
        conserved.add(false, function.left, ran(runs, name, &function.name, 0));
    }
}

/// Functions that calls in several modules concern. The linker keeps one body of each, and which calls were replaced in
/// it is not said.
fn defined_in_several<'a>(modules: impl Iterator<Item = Copied<'a>>) -> BTreeSet<&'a str> {
    let (mut seen, mut several) = (BTreeSet::new(), BTreeSet::new());
    for (_, module) in modules {
        let callers = module.calls.iter().map(|call| call.caller.as_str());
        let own: BTreeSet<&str> = callers.chain(module.called.iter().map(|one| one.name.as_str())).collect();
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
