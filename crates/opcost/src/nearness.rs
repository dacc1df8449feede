//! How right was a prediction? Held against the counts of a run.
//!
//! | measure | says |
//! |---|---|
//! | `within_1_percent` | the share of the run's block executions in blocks whose prediction is right within 1 % |
//! | `mean_error` | the mean of \|p − r\| / min(p, r) over blocks that both say ran (Xie, 2014) |
//! | `mean_error_without_far` | the same without blocks that are off by more than 2 × |
//! | `program_block` | the degree of overlap, as `opcost overlap` has it |
//!
//! The same for two estimates that every compiler can make: LLVM's block frequencies, and static
//! probabilities alone. Each is multiplied by how often the run entered the function, which favours
//! them.
//! Blocks are joined by key. Input: a prediction, the ledger of a count. Output: [`Nearness`]. Cost: blocks * log.

use std::collections::BTreeMap;
use std::path::Path;

use opcost_answer::predict::{
    Measures, Nearness, PredictAnswers, PredictedBlock, PredictedClass, PredictedFunction, Worst,
};
use opcost_key::FunctionKey;
use opcost_profile::{Column, Ledger, Subject};

/// Function → how often it was called, and each of its blocks ran.
type Counted = BTreeMap<FunctionKey, (f64, BTreeMap<u32, f64>)>;

/// One block, predicted and counted.
struct Pair<'a> {
    function: &'a PredictedFunction,
    block: &'a PredictedBlock,
    entries: f64,
    counted: f64,
}

/// Compares blocks that both know; `worst` functions and loops are listed.
pub fn nearness(answers: &PredictAnswers, truth: &Ledger, worst: usize) -> Nearness {
    let counted = counted(truth);
    let mut pairs = Vec::new();
    for function in &answers.functions {
        let Some((entries, blocks)) = of_function(&counted, &function.key) else { continue };
        for block in &function.blocks {
            if let Some(&count) = blocks.get(&block.block) {
                pairs.push(Pair { function, block, entries: *entries, counted: count });
            }
        }
    }
    let measures =
        |of: fn(&Pair<'_>) -> f64| measures(pairs.iter().map(|pair| (of(pair), pair.counted)).collect());
    let is_known =
        |pair: &&Pair<'_>| pair.block.executions.is_some() && pair.block.class != PredictedClass::Unknown;
    let (rest, open): (Vec<&Pair<'_>>, Vec<_>) = pairs.iter().partition(is_known);
    let counted_in = |list: &[&Pair<'_>]| list.iter().map(|pair| pair.counted).sum::<f64>() + 0.0;
    let (left, remaining) = (counted_in(&open), counted_in(&rest));
    let predicted: f64 = rest.iter().map(|pair| pair.block.near).sum();
    Nearness {
        opcost: measures(|pair| pair.block.near),
        llvm: measures(|pair| pair.block.by_llvm * pair.entries),
        statics: measures(|pair| pair.block.by_statics * pair.entries),
        functions: worst_of(&pairs, worst, |_| Some(None)),
        loops: worst_of(&pairs, worst, |pair| pair.block.header.map(Some)),
        blocks: pairs.len(),
        left_out: if left > 0.0 { left / (left + remaining) } else { 0.0 },
        scale_of_rest: (remaining > 0.0).then(|| predicted / remaining),
    }
}

/// How near the counts of one run are to those of another, block by block. Blocks that one of both does
/// not have ran never there.
pub fn between(first: &Ledger, second: &Ledger) -> Measures {
    let (first, second) = (counted(first), counted(second));
    let mut pairs = Vec::new();
    for (key, (_, blocks)) in &second {
        let own = first.get(key).map(|(_, own)| own);
        pairs.extend(blocks.iter().map(|(block, &count)| {
            let own = own.and_then(|own| own.get(block)).copied().unwrap_or(0.0);
            (own, count)
        }));
    }
    for (key, (_, blocks)) in &first {
        let others = second.get(key).map(|(_, others)| others);
        let is_alone = |block: &u32| others.is_none_or(|others| !others.contains_key(block));
        pairs.extend(blocks.iter().filter(|(block, _)| is_alone(block)).map(|(_, &count)| (count, 0.0)));
    }
    measures(pairs)
}

/// The counts of a function. The module of a local one may be written with more folders in one of
/// both than in the other.
fn of_function<'a>(counted: &'a Counted, key: &FunctionKey) -> Option<&'a (f64, BTreeMap<u32, f64>)> {
    let ends_alike =
        |module: &str, other: &str| Path::new(module).ends_with(other) || Path::new(other).ends_with(module);
    let is_same = |other: &FunctionKey| match (&key.module, &other.module) {
        (Some(module), Some(other_module)) => other.name == key.name && ends_alike(module, other_module),
        _ => false,
    };
    counted.get(key).or_else(|| {
        let mut alike = counted.iter().filter(|(other, _)| is_same(other));
        let (_, first) = alike.next()?;
        alike.next().is_none().then_some(first)
    })
}

fn counted(truth: &Ledger) -> Counted {
    let mut all = Counted::new();
    for fact in truth.facts() {
        let value = fact.value.unwrap_or(0) as f64;
        match (&fact.subject, fact.column) {
            (Subject::Block { function, block, .. }, Column::Count) => {
                *all.entry(function.key()).or_default().1.entry(*block).or_default() += value;
            }
            (Subject::Function { function, .. }, Column::Calls) => {
                all.entry(function.key()).or_default().0 += value;
            }
            _ => {}
        }
    }
    all
}

/// Of pairs of an estimate and the truth.
fn measures(pairs: Vec<(f64, f64)>) -> Measures {
    let (all_p, all_r) = pairs.iter().fold((0.0, 0.0), |(p, r), pair| (p + pair.0, r + pair.1));
    let share = |part: f64, whole: f64| if whole > 0.0 && whole.is_finite() { part / whole } else { 0.0 };
    let near = pairs.iter().filter(|(p, r)| (p - r).abs() <= 0.01 * r);
    let off = |(p, r): &(f64, f64)| (p - r).abs() / p.min(*r);
    let both: Vec<f64> = pairs.iter().filter(|(p, r)| *p > 0.0 && *r > 0.0).map(off).collect();
    // Twice as much is off by 1.
    let not_far: Vec<f64> = both.iter().copied().filter(|&off| off <= 1.0).collect();
    let mean = |list: &[f64]| (!list.is_empty()).then(|| list.iter().sum::<f64>() / list.len() as f64);
    Measures {
        within_1_percent: share(near.map(|(_, r)| r).sum(), all_r),
        mean_error: mean(&both),
        mean_error_without_far: mean(&not_far),
        program_block: pairs.iter().map(|(p, r)| share(*p, all_p).min(share(*r, all_r))).sum(),
    }
}

/// Functions, or their loops, that are furthest off; `part` says which one a block belongs to.
fn worst_of(pairs: &[Pair<'_>], worst: usize, part: impl Fn(&Pair<'_>) -> Option<Option<u32>>) -> Vec<Worst> {
    let all: f64 = pairs.iter().map(|pair| pair.counted).sum();
    let mut sums: BTreeMap<(&FunctionKey, Option<u32>), Worst> = BTreeMap::new();
    for pair in pairs {
        let Some(header) = part(pair) else { continue };
        let sum = sums.entry((&pair.function.key, header)).or_insert_with(|| {
            let head = pair.function.blocks.iter().find(|block| Some(block.block) == header);
            let (file, line) = match head {
                Some(head) => (head.file.clone(), head.line),
                None => (pair.function.file.clone(), pair.function.line),
            };
            let function = pair.function.key.clone();
            Worst { function, header, file, line, predicted: 0.0, counted: 0.0, error: 0.0 }
        });
        sum.predicted += pair.block.near;
        sum.counted += pair.counted;
        sum.error += (pair.block.near - pair.counted).abs() / all.max(1.0);
    }
    let mut sums: Vec<Worst> = sums.into_values().filter(|one| one.error > 0.0).collect();
    sums.sort_by(|a, b| b.error.total_cmp(&a.error));
    sums.truncate(worst);
    sums
}

#[cfg(test)]
mod tests {
    use super::measures;

    #[test]
    fn the_measures_are_those_of_the_document() {
        // Right, twice as much, ten times as much, predicted only, counted only.
        let all = measures(vec![(100.0, 100.0), (20.0, 10.0), (5.0, 50.0), (7.0, 0.0), (0.0, 40.0)]);
        assert_eq!(all.within_1_percent, 0.5);
        assert_eq!(all.mean_error, Some((0.0 + 1.0 + 9.0) / 3.0));
        assert_eq!(all.mean_error_without_far, Some(0.5));
        let nothing = measures(Vec::new());
        assert_eq!((nothing.within_1_percent, nothing.mean_error), (0.0, None));
    }
}
