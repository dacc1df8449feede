//! Did a program's work change between two builds, or only its code?
//!
//! Functions compare by key (name, and home module when the name is local to it), lines
//! by what is written on them (`aligned`), blocks only where anchor and shape agree. A function
//! whose body changed while its total did not does the *same work with
//! different code*; equal bodies with another total mean that other input or
//! another caller made it work more or less.
//!
//! Numbers mean something only between like builds: another anchor or compiler, other
//! flags, another target or cost model, or another number of runs is refused
//! with the reasons, unless forced; then the reasons stay with the result.
//! A function that is gone and one that is new are one that moved, where their bodies agree and
//! no third one has that body. Work that an inliner moved from one function into another is no
//! more work (`moved`).
//! Cost: facts * log facts. Limit: a function that was renamed and changed is gone and new.

mod change;
mod lines;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use opcost_key::{Anchor, CostFacts, FunctionKey, Hash128};
use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

use crate::aligned::{Start, Twin, align};
use crate::joined::Joined;
use crate::moved::only_moved;
use crate::{
    About, BuildGroup, Called, Column, Fact, Ledger, Quality, SourcePlace, Subject, build_values,
    unlike_builds,
};
pub use change::CountChange;
use lines::differing_lines;
pub use lines::{LineDiff, UnalignedFile};

/// Why two ledgers are not alike enough to compare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "UnlikeJson")]
pub struct Unlike {
    /// `anchor`, `compiler`, `flags`, `target`, `cost model` or `number of runs`.
    pub what: &'static str,
    /// What it was before.
    pub before: String,
    /// What it is now.
    pub after: String,
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} before, {} after", self.what, self.before, self.after)
    }
}

/// The comparison was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("these ledgers are not alike: {}; build and run both in one way, or compare with --force", list(.reasons))]
pub struct Incomparable {
    /// All that differs.
    pub reasons: Vec<Unlike>,
}

fn list(reasons: &[Unlike]) -> String {
    reasons.iter().map(Unlike::to_string).collect::<Vec<_>>().join("; ")
}

/// What happened to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiffVerdict {
    /// Its total is larger.
    MoreWork,
    /// Its total is smaller.
    LessWork,
    /// Its code changed, its total did not.
    SameWorkOtherCode,
    /// Code and total are the same, but calls or blocks share it differently.
    SameTotalOtherFlow,
    /// Nothing changed.
    Same,
    /// It has another name or is in another file; body and total are the same.
    Moved,
    /// Its total is larger or it is new, by lines that cost the program no more than before:
    /// inlined here, and elsewhere before.
    MovedWork,
    /// One side's total is not exact, so that nothing can be said.
    Unsure,
    /// It was not there before.
    New,
    /// It is not there any more.
    Removed,
}

impl fmt::Display for DiffVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DiffVerdict::MoreWork => "more work",
            DiffVerdict::LessWork => "less work",
            DiffVerdict::SameWorkOtherCode => "same work with different code",
            DiffVerdict::SameTotalOtherFlow => "same total by another way",
            DiffVerdict::Same => "same",
            DiffVerdict::Moved => "moved",
            DiffVerdict::MovedWork => "same work, inlined elsewhere",
            DiffVerdict::Unsure => "unsure",
            DiffVerdict::New => "new",
            DiffVerdict::Removed => "gone",
        })
    }
}

/// One function before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionDiff {
    /// Which it is.
    pub key: FunctionKey,
    /// What it was called before, if that was something else: linkage name, and module if that is
    /// what changed.
    pub was: Option<FunctionKey>,
    /// Where it is written now, or was.
    pub place: Option<SourcePlace>,
    /// What happened to it.
    pub verdict: DiffVerdict,
    /// How often it was called.
    pub calls: CountChange,
    /// What it cost.
    pub instructions: CountChange,
    /// Blocks whose counts differ; `None` where blocks cannot be compared,
    /// because anchor or shape differ.
    pub blocks: Option<Vec<(u32, CountChange)>>,
}

/// Calls of one function that is not counted, before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideDiff {
    /// Its linkage name.
    pub name: String,
    /// How often it was called.
    pub calls: CountChange,
}

/// Two ledgers compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// What is not alike; empty unless the comparison was forced.
    pub unlike: Vec<Unlike>,
    /// The whole program's cost.
    pub total: CountChange,
    /// All functions of both, by name, then module.
    pub functions: Vec<FunctionDiff>,
    /// The lines whose cost differs, by file and number.
    pub lines: Vec<LineDiff>,
    /// Files of which further lines may differ, by name.
    pub unaligned: Vec<UnalignedFile>,
    /// Calls of functions that are not counted, where their number differs, by name.
    pub outside: Vec<OutsideDiff>,
    /// Whether any function of both has the same body in both, or the same file. Else they are of
    /// two programs, which have little more than `main` in common.
    pub has_common_code: bool,
}

/// Compares two ledgers. `force` compares unlike ones too.
pub fn diff(before: &Ledger, after: &Ledger, force: bool) -> Result<Diff, Incomparable> {
    let reasons = unlike(&before.about, &after.about);
    if !reasons.is_empty() && !force {
        return Err(Incomparable { reasons });
    }
    let blocks_compare = anchors(&before.about) == anchors(&after.about);
    let total = |ledger: &Ledger| ledger.value(&Subject::Program, Column::Instructions).map(u128::from);
    let functions = matched(functions(before), functions(after));
    let has_common_code = functions.iter().any(Match::has_common_code);
    let twins: Vec<Twin<'_>> = functions.iter().filter_map(Match::twin).collect();
    let aligned = align(before, after, &twins);
    let earlier = functions.iter().filter_map(|it| Some((&it.key, it.was.as_ref()?))).collect();
    let moved = only_moved(before, after, &aligned, &earlier);
    let (lines, unaligned) = differing_lines(before, after, &aligned);
    let compared = functions.iter().map(|it| {
        let mut function = compare(it, blocks_compare);
        let is_more = matches!(function.verdict, DiffVerdict::MoreWork | DiffVerdict::New);
        if is_more && moved.contains(&it.key) {
            function.verdict = DiffVerdict::MovedWork;
        }
        function
    });
    Ok(Diff {
        unlike: reasons,
        total: CountChange { before: total(before), after: total(after) },
        functions: compared.collect(),
        has_common_code,
        outside: pairs(outside(before), outside(after))
            .map(|(name, (before, after))| OutsideDiff {
                name: name.to_owned(),
                calls: CountChange { before, after },
            })
            .filter(|outside| !outside.calls.is_none())
            .collect(),
        lines,
        unaligned,
    })
}

fn unlike(before: &About, after: &About) -> Vec<Unlike> {
    let (was, is) = (BuildGroup::of(&before.modules), BuildGroup::of(&after.modules));
    let builds = |value: fn(&BuildGroup) -> String| {
        unlike_builds(&build_values(&was, value), &build_values(&is, value))
    };
    let other = |value: fn(&About) -> String| {
        let both = [value(before), value(after)];
        (both[0] != both[1]).then_some(both)
    };
    let candidates = [
        ("anchor", builds(|group| group.anchor.to_string())),
        ("compiler", builds(|group| group.build.compiler.clone())),
        ("flags", builds(|group| format!("'{}'", group.build.flags.join(" ")))),
        ("target", builds(|group| group.build.target.clone())),
        ("cost model", other(cost_model)),
        ("number of runs", other(|about| about.runs.to_string())),
    ];
    let differing = candidates.into_iter().filter_map(|(what, both)| Some((what, both?)));
    differing.map(|(what, [before, after])| Unlike { what, before, after }).collect()
}

fn cost_model(about: &About) -> String {
    let CostFacts { name, hash, charge } = &about.cost;
    format!("{name} ({hash}, charged by {charge:?})")
}

fn anchors(about: &About) -> BTreeSet<Anchor> {
    about.modules.iter().map(|module| module.anchor).collect()
}

/// The items of two maps by key, with what either side has.
fn pairs<K: Ord, V>(
    before: BTreeMap<K, V>,
    after: BTreeMap<K, V>,
) -> impl Iterator<Item = (K, (Option<V>, Option<V>))> {
    let mut all: BTreeMap<K, (Option<V>, Option<V>)> =
        before.into_iter().map(|(key, value)| (key, (Some(value), None))).collect();
    for (key, value) in after {
        all.entry(key).or_insert((None, None)).1 = Some(value);
    }
    all.into_iter()
}

/// What a ledger says of a function, over all modules that hold it.
#[derive(Default)]
struct Side<'a> {
    place: Option<&'a SourcePlace>,
    shapes: BTreeSet<Hash128>,
    bodies: BTreeSet<Hash128>,
    /// Names of the files that it is written in, or of its modules where that is not known.
    files: BTreeSet<&'a str>,
    calls: Option<u128>,
    instructions: Option<u128>,
    /// Whether some total or call count is not exact.
    unsure: bool,
    blocks: BTreeMap<u32, u128>,
}

fn functions(ledger: &Ledger) -> BTreeMap<Joined, Side<'_>> {
    let mut sides: BTreeMap<Joined, Side<'_>> = BTreeMap::new();
    for fact in ledger.facts() {
        let Fact { subject, column, value, quality, .. } = fact;
        let Some(function) = subject.function() else { continue };
        let side = sides.entry(Joined::of(function)).or_default();
        side.shapes.insert(function.shape);
        side.bodies.insert(function.body);
        if let Subject::Function { place, .. } = subject {
            let file = place.as_ref().map_or(function.module.as_str(), |place| &place.file);
            side.files.insert(file.rsplit('/').next().unwrap_or(file));
        }
        let exact = matches!(quality, Quality::Exact | Quality::ExactUnder(_));
        side.unsure |= !exact && matches!(subject, Subject::Function { .. });
        let Some(value) = value.map(u128::from) else { continue };
        match (subject, column) {
            (Subject::Function { place, .. }, Column::Calls) => {
                side.place = side.place.or(place.as_ref());
                if let Some(calls) = fact.known_calls() {
                    *side.calls.get_or_insert(0) += u128::from(calls);
                }
            }
            (Subject::Function { .. }, Column::Instructions) => *side.instructions.get_or_insert(0) += value,
            (Subject::Block { block, .. }, Column::Count) => *side.blocks.entry(*block).or_default() += value,
            _ => {}
        }
    }
    sides
}

/// Calls of functions that are not counted, by name.
fn outside(ledger: &Ledger) -> BTreeMap<&str, u128> {
    let mut sums = BTreeMap::new();
    for fact in ledger.facts() {
        if let (Subject::Called(Called::External(name)), Some(value)) = (&fact.subject, fact.known_calls()) {
            *sums.entry(&**name).or_default() += u128::from(value);
        }
    }
    sums
}

/// One function, and what either ledger says of it.
struct Match<'a> {
    key: Joined,
    /// Its key before, if that was another one.
    was: Option<Joined>,
    before: Option<Side<'a>>,
    after: Option<Side<'a>>,
}

impl<'a> Match<'a> {
    /// Where it is written, in both.
    fn twin(&self) -> Option<Twin<'_>> {
        let (before, after) = (self.before.as_ref()?, self.after.as_ref()?);
        Some(Twin {
            before: Start { key: self.was.as_ref().unwrap_or(&self.key), at: before.place?.into() },
            after: Start { key: &self.key, at: after.place?.into() },
            has_one_body: before.bodies.len() == 1 && before.bodies == after.bodies,
        })
    }

    fn has_common_code(&self) -> bool {
        let (Some(before), Some(after)) = (&self.before, &self.after) else { return false };
        !before.bodies.is_disjoint(&after.bodies) || !before.files.is_disjoint(&after.files)
    }
}

/// Functions of both by key; those that are on one side only by their bodies, where just one
/// function of either side has that body.
fn matched<'a>(before: BTreeMap<Joined, Side<'a>>, after: BTreeMap<Joined, Side<'a>>) -> Vec<Match<'a>> {
    let mut all: Vec<Match<'a>> =
        pairs(before, after).map(|(key, (before, after))| Match { key, was: None, before, after }).collect();
    let mut by_body: BTreeMap<BTreeSet<Hash128>, [Vec<usize>; 2]> = BTreeMap::new();
    for (at, it) in all.iter().enumerate() {
        let (side, has_side) = match (&it.before, &it.after) {
            (Some(side), None) => (side, 0),
            (None, Some(side)) => (side, 1),
            _ => continue,
        };
        by_body.entry(side.bodies.clone()).or_default()[has_side].push(at);
    }
    let mut moved = Vec::new();
    for lists in by_body.into_values() {
        if let [[gone], [new]] = lists.each_ref().map(Vec::as_slice) {
            let (was, before) = (all[*gone].key.clone(), all[*gone].before.take());
            (all[*new].was, all[*new].before) = (Some(was), before);
            moved.push(*gone);
        }
    }
    moved.sort_unstable();
    for gone in moved.into_iter().rev() {
        all.remove(gone);
    }
    all
}

fn compare(it: &Match<'_>, blocks_compare: bool) -> FunctionDiff {
    let (before, after) = (it.before.as_ref(), it.after.as_ref());
    let change = |get: fn(&Side<'_>) -> Option<u128>| CountChange {
        before: before.and_then(get),
        after: after.and_then(get),
    };
    let (calls, instructions) = (change(|side| side.calls), change(|side| side.instructions));
    let blocks = match (before, after) {
        (Some(before), Some(after)) if blocks_compare => differing_blocks(before, after),
        _ => None,
    };
    let verdict = match (before, after) {
        (None, _) => DiffVerdict::New,
        (_, None) => DiffVerdict::Removed,
        (Some(before), Some(after)) if before.unsure || after.unsure => DiffVerdict::Unsure,
        _ if instructions.after > instructions.before => DiffVerdict::MoreWork,
        _ if instructions.after < instructions.before => DiffVerdict::LessWork,
        (Some(before), Some(after)) if before.bodies != after.bodies => DiffVerdict::SameWorkOtherCode,
        _ if !calls.is_none() || blocks.as_ref().is_some_and(|blocks| !blocks.is_empty()) => {
            DiffVerdict::SameTotalOtherFlow
        }
        _ if it.was.is_some() => DiffVerdict::Moved,
        _ => DiffVerdict::Same,
    };
    FunctionDiff {
        key: it.key.0.clone(),
        was: it.was.as_ref().map(|was| was.0.clone()),
        place: after.and_then(|side| side.place).or(before.and_then(|side| side.place)).cloned(),
        verdict,
        calls,
        instructions,
        blocks,
    }
}

/// The blocks that differ, when both sides have one and the same shape.
fn differing_blocks(before: &Side<'_>, after: &Side<'_>) -> Option<Vec<(u32, CountChange)>> {
    if before.shapes.len() != 1 || before.shapes != after.shapes {
        return None;
    }
    let changes = pairs(before.blocks.clone(), after.blocks.clone())
        .map(|(block, (before, after))| (block, CountChange { before, after }));
    Some(changes.filter(|(_, change)| !change.is_none()).collect())
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
