//! How near is an estimate to the truth? Every standard measure of agreement.
//!
//! | measure | says |
//! |---|---|
//! | `program_block` | sum over blocks of min(p(b)/p, t(b)/t): degree of overlap |
//! | `in_function_block` | the same inside each function, weighted by the truth of the function: shapes, whatever the totals |
//! | `function_total` | the same with one number for each function: sum of its blocks |
//! | `entry` | the same with how often each function was called |
//! | `hot90_weight` | of the truth's weight in the smallest set that holds 90 % of it, the share that lies in the estimate's such set |
//!
//! p is the estimate, t the truth; each of these lies between 0 and 1. None depends on
//! `scale`, p by t: shapes and shares may be right where all counts together are not. Blocks
//! compare where key and body agree; what only one of them has counts with 0
//! in the other. Sums are 128 bits wide, shares are fractions of them. A measure
//! of what the estimate does not tell at all (raw samples have no calls and no
//! edges) is none. A function that both have by name but with other code is
//! refused, and told by name ([`Refused`]).
//!
//! Source: degree of overlap and weight matching as in Wall, "Predicting program
//! behavior using real or estimated profiles" (PLDI 1991), and the standard of
//! later work; conservation residual as post-link optimisers report it.
//! Input: two ledgers. Cost: facts * log facts.

use std::collections::BTreeMap;

use opcost_key::Hash128;
use schemars::JsonSchema;
use serde::Serialize;

use crate::joined::Joined;
use crate::{Column, FunctionFacts, Ledger, Subject, Way};

/// How two ledgers agree. Shares are between 0 and 1.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Overlap {
    /// Shapes of functions, weighted by how often their blocks truly ran.
    pub in_function_block: f64,
    /// Blocks over the whole program.
    pub program_block: f64,
    /// Totals of functions.
    pub function_total: f64,
    /// Calls of functions; null if the estimate has none (raw samples).
    pub entry: Option<f64>,
    /// Of the blocks that hold 90 % of the truth, the weight that is among the estimate's such blocks.
    pub hot90_weight: f64,
    /// Executions of all blocks in the estimate, by those in the truth (no share: 1 where they agree); null if
    /// nothing truly ran. The other measures do not depend on it.
    pub scale: Option<f64>,
    /// Of the estimate: frames that were left, by calls; null if it has no edges (raw samples).
    pub leak: Option<f64>,
    /// Of the estimate: what comes into blocks and does not go out; null if it has no edges.
    pub residual: Option<f64>,
    /// Blocks that both know.
    pub blocks: usize,
    /// Functions that both have, with other code; those that weigh most first.
    #[serde(skip)]
    pub refused: Vec<Refused>,
}

/// A function that was not compared: its code in one ledger is not that in the
/// other.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// Its linkage name.
    pub name: String,
    /// Its module, if its name is local to it.
    pub module: Option<String>,
    /// Which share of the estimate's blocks is in such code.
    pub estimate: f64,
    /// Which share of the truth's blocks does.
    pub truth: f64,
}

/// A function with this code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Code {
    function: Joined,
    body: Hash128,
}

impl Code {
    fn of(function: &FunctionFacts) -> Self {
        Self { function: Joined::of(function), body: function.body }
    }
}

/// Body → sum of its blocks.
type Bodies = BTreeMap<Hash128, u128>;

/// What a ledger says, to be compared.
#[derive(Default)]
struct Weights {
    blocks: BTreeMap<Code, BTreeMap<u32, u128>>,
    calls: BTreeMap<Code, u128>,
    total: u128,
}

impl Weights {
    fn of(ledger: &Ledger) -> Self {
        let mut all = Weights::default();
        for fact in ledger.facts() {
            let value = u128::from(fact.value.unwrap_or(0));
            match (&fact.subject, fact.column) {
                (Subject::Block { function, block, .. }, Column::Count) => {
                    *all.blocks.entry(Code::of(function)).or_default().entry(*block).or_default() += value;
                    all.total += value;
                }
                (Subject::Function { function, .. }, Column::Calls) => {
                    *all.calls.entry(Code::of(function)).or_default() += value;
                }
                _ => {}
            }
        }
        all
    }

    /// The code that is under each key, with what its blocks weigh.
    fn by_key(&self) -> BTreeMap<&Joined, Bodies> {
        let mut all: BTreeMap<_, Bodies> = BTreeMap::new();
        for (code, blocks) in &self.blocks {
            all.entry(&code.function).or_default().insert(code.body, blocks.values().sum());
        }
        all
    }

    fn function(&self, function: &Code) -> u128 {
        self.blocks.get(function).map_or(0, |blocks| blocks.values().sum())
    }
}

/// A part of a whole; of nothing it is none.
fn share(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Compares an estimate with the truth.
pub fn overlap(estimate: &Ledger, truth: &Ledger) -> Overlap {
    let (p, t) = (Weights::of(estimate), Weights::of(truth));
    let (mut program, mut inside, mut totals, mut blocks) = (0.0, 0.0, 0.0, 0);
    for (function, true_blocks) in &t.blocks {
        let (own, theirs) = (t.function(function), p.function(function));
        totals += share(own, t.total).min(share(theirs, p.total));
        let Some(estimated) = p.blocks.get(function) else { continue };
        let mut shape = 0.0;
        for (block, &count) in true_blocks {
            let Some(&guess) = estimated.get(block) else { continue };
            blocks += 1;
            program += share(count, t.total).min(share(guess, p.total));
            shape += share(count, own).min(share(guess, theirs));
        }
        inside += share(own, t.total) * shape;
    }
    let (p_calls, t_calls) = (p.calls.values().sum(), t.calls.values().sum());
    let entries = t.calls.iter().map(|(function, &calls)| {
        share(calls, t_calls).min(share(p.calls.get(function).copied().unwrap_or(0), p_calls))
    });
    let (leak, residual) = balance(estimate).unzip();
    Overlap {
        in_function_block: inside,
        program_block: program,
        function_total: totals,
        entry: (!p.calls.is_empty()).then(|| entries.sum()),
        hot90_weight: hot_weight(&p, &t),
        scale: (t.total > 0).then(|| share(p.total, t.total)),
        leak,
        residual,
        blocks,
        refused: refused(&p, &t),
    }
}

/// Functions that have one name and another body.
fn refused(p: &Weights, t: &Weights) -> Vec<Refused> {
    let (in_p, in_t) = (p.by_key(), t.by_key());
    let alien = |own: &Bodies, theirs: &Bodies, total: u128| {
        let only = own.iter().filter(|(body, _)| !theirs.contains_key(body));
        let sum = only.clone().map(|(_, weight)| weight).sum();
        (only.count() > 0).then(|| share(sum, total))
    };
    let mut refused = Vec::new();
    for (function, bodies) in &in_t {
        let Some(theirs) = in_p.get(function) else { continue };
        let (estimate, truth) = (alien(theirs, bodies, p.total), alien(bodies, theirs, t.total));
        if estimate.is_some() || truth.is_some() {
            let (name, module) = (function.name(), function.module());
            let (estimate, truth) = (estimate.unwrap_or(0.0), truth.unwrap_or(0.0));
            refused.push(Refused { name, module, estimate, truth });
        }
    }
    let weight = |one: &Refused| one.truth.max(one.estimate);
    // Stable: of equal weight by name.
    refused.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    refused
}

/// The smallest set of blocks that holds nine tenths, hottest first; ties by key.
fn hottest(weights: &Weights) -> Vec<(&Code, u32)> {
    let mut all: Vec<(u128, &Code, u32)> = Vec::new();
    for (function, blocks) in &weights.blocks {
        all.extend(blocks.iter().map(|(&block, &count)| (count, function, block)));
    }
    all.sort_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut held, mut set) = (0u128, Vec::new());
    for (count, function, block) in all {
        if held * 10 >= weights.total * 9 {
            break;
        }
        held += count;
        set.push((function, block));
    }
    set
}

fn hot_weight(p: &Weights, t: &Weights) -> f64 {
    let found: std::collections::BTreeSet<_> = hottest(p).into_iter().collect();
    let weight = |&(function, block): &(&Code, u32)| t.blocks[function][&block];
    let hot = hottest(t);
    let (all, both): (u128, u128) = hot.iter().fold((0, 0), |(all, both), one| {
        (all + weight(one), both + if found.contains(one) { weight(one) } else { 0 })
    });
    share(both, all)
}

/// Leak and residual of a ledger's edges, if it counts any.
fn balance(ledger: &Ledger) -> Option<(f64, f64)> {
    let mut places: BTreeMap<(Code, u32), (i128, i128)> = BTreeMap::new();
    let (mut leaving, mut entering) = (0u128, 0u128);
    for fact in ledger.facts() {
        let Subject::Edge { function, edge_kind: way, from, to, .. } = &fact.subject else { continue };
        let value = fact.value.unwrap_or(0);
        let signed = match fact.column {
            Column::Inherited => -i128::from(value),
            Column::Count => value.into(),
            _ => continue,
        };
        match way {
            Way::Enter => entering += u128::from(value),
            Way::Left | Way::Again => leaving += u128::from(value),
            Way::Branch | Way::Fall | Way::Return => {}
        }
        if let Some(to) = to {
            places.entry((Code::of(function), *to)).or_default().0 += signed;
        }
        if let Some(from) = from {
            places.entry((Code::of(function), *from)).or_default().1 += signed;
        }
    }
    let (mut gap, mut flow) = (0u128, 0u128);
    for (into, out) in places.values() {
        gap += into.abs_diff(*out);
        flow += into.unsigned_abs().max(out.unsigned_abs());
    }
    (!places.is_empty()).then(|| (share(leaving, entering), share(gap, flow)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::ledger_of_blocks;

    #[test]
    fn the_same_ledger_agrees_in_everything() {
        let ledger = ledger_of_blocks(&[("f", 3, &[10, 30, 60]), ("g", 1, &[5, 5])]);
        let all = overlap(&ledger, &ledger);
        let entry = all.entry.unwrap();
        for measure in [all.in_function_block, all.program_block, all.function_total, entry, all.hot90_weight]
        {
            assert!((measure - 1.0).abs() < 1e-12, "{all:?}");
        }
        assert_eq!(all.blocks, 5);
    }

    #[test]
    fn each_measure_sees_its_own_fault() {
        let truth = ledger_of_blocks(&[("f", 2, &[50, 50]), ("g", 2, &[60, 40])]);
        // Shapes are right, totals are not: 4 to 1 in place of 1 to 1.
        let totals = ledger_of_blocks(&[("f", 8, &[200, 200]), ("g", 2, &[60, 40])]);
        let all = overlap(&totals, &truth);
        assert!((all.in_function_block - 1.0).abs() < 1e-12, "{all:?}");
        assert!(
            (all.function_total - 0.7).abs() < 1e-12 && (all.entry.unwrap() - 0.7).abs() < 1e-12,
            "{all:?}"
        );
        assert!((all.program_block - 0.7).abs() < 1e-12, "{all:?}");
        // Totals are right, one shape is turned round.
        let shapes = ledger_of_blocks(&[("f", 2, &[50, 50]), ("g", 2, &[40, 60])]);
        let all = overlap(&shapes, &truth);
        assert!((all.in_function_block - 0.9).abs() < 1e-12, "{all:?}");
        assert!(
            (all.function_total - 1.0).abs() < 1e-12 && (all.entry.unwrap() - 1.0).abs() < 1e-12,
            "{all:?}"
        );
    }

    #[test]
    fn what_leaks_and_what_does_not_add_up_is_seen() {
        let function = crate::example::function("f", 2, 1);
        let edge = |number, way, from, to, count| {
            let subject = Subject::Edge {
                function: function.clone(),
                edge: number,
                edge_kind: way,
                from,
                to,
                slot: None,
            };
            crate::example::fact(subject, Column::Count, count)
        };
        let mut facts = crate::example::facts_of(&function, 10, 20, &[10, 8]);
        facts.push(edge(1, Way::Branch, Some(0), Some(1), 8));
        facts.push(edge(2, Way::Left, Some(0), None, 2));
        let whole = facts.clone();
        facts.push(edge(3, Way::Return, Some(1), None, 8));
        let all = overlap(&crate::example::ledger(facts.clone()), &crate::example::ledger(facts));
        assert!((all.leak.unwrap() - 0.2).abs() < 1e-12 && all.residual == Some(0.0), "{all:?}");
        // Without the way back block 1 keeps what comes in.
        let all = overlap(&crate::example::ledger(whole.clone()), &crate::example::ledger(whole));
        assert!((all.residual.unwrap() - 8.0 / 18.0).abs() < 1e-12, "{all:?}");
    }

    #[test]
    fn scale_does_not_matter_and_absence_is_zero() {
        let truth = ledger_of_blocks(&[("f", 1, &[10, 30]), ("g", 1, &[60, 0])]);
        let scaled = ledger_of_blocks(&[("f", 7, &[70, 210]), ("g", 7, &[420, 0])]);
        let all = overlap(&scaled, &truth);
        assert!((all.program_block - 1.0).abs() < 1e-12);
        assert_eq!(all.scale, Some(7.0));
        let half = ledger_of_blocks(&[("f", 1, &[10, 30])]);
        let all = overlap(&half, &truth);
        assert!(
            (all.in_function_block - 0.4).abs() < 1e-12 && (all.function_total - 0.4).abs() < 1e-12,
            "{all:?}"
        );
        let nothing = ledger_of_blocks(&[]);
        let all = overlap(&nothing, &truth);
        assert_eq!((all.program_block, all.hot90_weight, all.blocks), (0.0, 0.0, 0));
        assert_eq!((all.scale, overlap(&truth, &nothing).scale), (Some(0.0), None));
    }

    #[test]
    fn other_code_of_one_name_is_refused_by_name() {
        let of = |parts: &[(&str, u128, u64)]| {
            let facts = parts.iter().flat_map(|&(name, body, count)| {
                crate::example::facts_of(&crate::example::function(name, 1, body), 1, count, &[count])
            });
            crate::example::ledger(facts.collect())
        };
        // `f` and `local_g` are other code, `h` once so and once not, `i` and `j` are alone.
        let truth = of(&[("f", 1, 10), ("local_g", 1, 30), ("h", 1, 20), ("h", 2, 5), ("i", 1, 35)]);
        let estimate = of(&[("f", 2, 60), ("local_g", 2, 0), ("h", 1, 30), ("j", 1, 10)]);
        let all = overlap(&estimate, &truth);
        let told: Vec<(&str, Option<&str>, f64, f64)> = all
            .refused
            .iter()
            .map(|one| (one.name.as_str(), one.module.as_deref(), one.estimate, one.truth))
            .collect();
        let wanted = [("f", None, 0.6, 0.1), ("local_g", Some("a.c"), 0.0, 0.3), ("h", None, 0.0, 0.05)];
        assert_eq!(told, wanted);
        assert_eq!(all.blocks, 1, "h as both have it");
        assert!(overlap(&truth, &truth).refused.is_empty());
        // Code that never ran is refused too.
        let all = overlap(&of(&[("f", 1, 0)]), &of(&[("f", 2, 0)]));
        assert_eq!((all.refused.len(), all.blocks), (1, 0));
    }

    /// Two local functions of one name keep their own blocks, whichever module comes first and
    /// whatever the linker called them.
    #[test]
    fn local_functions_of_one_name_are_joined_by_home() {
        let step = |name: &str, module: &str, home: Option<&str>, counts: &[u64]| {
            let function = FunctionFacts {
                name: name.into(),
                module: module.into(),
                home: home.map(|home| home.parse().expect("a key")),
                ..(*crate::example::function("local", 2, 1)).clone()
            };
            crate::example::facts_of(&function.into(), 1, counts.iter().sum(), counts)
        };
        let of = |facts: Vec<Vec<crate::Fact>>| crate::example::ledger(facts.concat());
        let truth = of(vec![step("step", "a.c", None, &[10, 30]), step("step", "b.c", None, &[60, 20])]);
        let turned = of(vec![step("step", "b.c", None, &[60, 20]), step("step", "a.c", None, &[10, 30])]);
        let linked = of(vec![
            step("step", "w.bc", Some("b.c@step"), &[60, 20]),
            step("step.1", "w.bc", Some("a.c@step"), &[10, 30]),
        ]);
        for estimate in [&turned, &linked] {
            let all = overlap(estimate, &truth);
            assert!((all.program_block - 1.0).abs() < 1e-12 && all.blocks == 4, "{all:?}");
        }
        let alone = overlap(&of(vec![step("step", "b.c", None, &[60, 20])]), &truth);
        assert_eq!((alone.blocks, alone.refused.len()), (2, 0), "what one of them has alone");
        // Files of schema 2 know no homes: each name of the linked module is a function.
        let old = of(vec![step("step", "w.bc", None, &[60, 20]), step("step.1", "w.bc", None, &[10, 30])]);
        assert_eq!((overlap(&old, &old).blocks, overlap(&old, &truth).blocks), (4, 0));
    }

    #[test]
    fn what_is_not_told_is_no_zero() {
        let truth = ledger_of_blocks(&[("f", 1, &[10, 30])]);
        let is_block = |fact: &&crate::Fact| matches!(fact.subject, Subject::Block { .. });
        let mut facts: Vec<_> = truth.facts().iter().filter(is_block).cloned().collect();
        // Samples of what comes behind a call stand at an edge, which is no count of it.
        let (edge, way, from, to, slot) = (4, Way::Fall, Some(1), Some(1), None);
        let function = crate::example::function("f", 2, 1);
        let subject = Subject::Edge { function, edge, edge_kind: way, from, to, slot };
        facts.push(crate::example::fact(subject, Column::Samples, 3));
        let all = overlap(&crate::example::ledger(facts), &truth);
        assert_eq!((all.entry, all.leak, all.residual), (None, None, None), "{all:?}");
        assert!((all.program_block - 1.0).abs() < 1e-12);
        let empty = ledger_of_blocks(&[("f", 0, &[0, 0])]);
        let all = overlap(&empty, &truth);
        assert_eq!((all.entry, all.leak, all.residual), (Some(0.0), Some(0.0), Some(0.0)), "{all:?}");
    }
}
