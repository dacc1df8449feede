//! How is kept what samples say, before it is made consistent?
//!
//! As a ledger of its own kind: samples and expected cycles of each segment, and how
//! many of these are no waiting. A
//! segment at the start of a block is told as the block, one behind a call as the
//! edge by which the call returned to it, so each has one place. Beside them stand
//! the counts that follow from each block alone, so that raw counts can be shown and
//! compared like any others. What is needed to make them consistent besides, who
//! calls whom and which way flow goes, stays in the program's map.
//!
//! Raw ledgers of one build at one rate merge: samples add, cycles are divided by the
//! number of runs. Those of several modules or functions, each with runs of its own, are put together ([`join_raw`]).
//! [`consistent`] makes counts of them. Input and output: [`raw_ledger`] and [`raw_observations`] are each
//! other's inverse, up to a thousandth of a cycle. Cost: linear, but for that of making counts consistent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use opcost_index::IdMap;
use opcost_key::{BlockId, EdgeKind, FunctionMap, Hash128, ModuleMap, SegmentId};
use opcost_profile::{
    About, Column, Fact, FunctionFacts, Ledger, LineTexts, ModuleFacts, Origin, Quality, Subject, World,
};

use crate::ledger::{edge_subject, function_facts, number};
use crate::{
    CountedModule, Course, MODEL_ERROR, ModuleObservations, Observation, RecoverError, RepairOptions,
    RepairSolver, Repaired, RunFacts, SampledModule, Starts, make_ledger, repair, summarize,
};

/// Parts of a cycle in which cycles are kept.
const PARTS: f64 = 1000.0;

/// What was sampled, as a ledger. `hashes` are those of the modules' maps, in order.
///
/// # Errors
/// There is no module, or a number is too large.
pub fn raw_ledger(
    modules: &[SampledModule<'_>],
    hashes: &[Hash128],
    machine: &str,
    command: Vec<String>,
    cycles_per_sample: f64,
) -> Result<Ledger, RecoverError> {
    let cost = modules.first().ok_or(RecoverError::NoModules)?.map.cost.clone();
    let about = About {
        modules: modules
            .iter()
            .zip(hashes)
            .map(|(module, &hash)| ModuleFacts::of(module.map, hash))
            .collect(),
        code: Vec::new(),
        cost,
        machines: vec![machine.to_owned()],
        commands: vec![command],
        runs: 1,
        texts: LineTexts::default(),
    };
    let mut facts = vec![fact(Subject::Program, Column::Cycles, parts(cycles_per_sample))];
    for module in modules {
        for (id, function) in module.map.functions.iter() {
            let named = function_facts(module.map, function);
            let observed = &module.observed.functions[id];
            for block in function.blocks.ids() {
                let subject = Subject::Block { function: named.clone(), block: number(block), place: None };
                let count = alone(function, block, observed, cycles_per_sample);
                facts.push(fact(subject, Column::Count, count.round() as u64));
            }
            for (segment, one) in observed.iter().filter(|(_, one)| **one != Observation::default()) {
                let Some(subject) = subject_of(&named, function, segment) else { continue };
                facts.push(fact(subject.clone(), Column::Samples, one.samples));
                facts.push(fact(subject.clone(), Column::Cycles, parts(one.cycles)));
                facts.push(fact(subject, Column::Busy, parts(one.busy)));
            }
        }
    }
    Ok(Ledger::new(about, facts)?)
}

fn fact(subject: Subject, column: Column, value: u64) -> Fact {
    let (origin, quality, world) = (Origin::Sampled, Quality::Estimate, World::Open);
    Fact { subject, column, value: Some(value), origin, quality, world }
}

fn parts(cycles: f64) -> u64 {
    (cycles * PARTS).round() as u64
}

/// How often a block ran by its own code alone: the mean over its segments.
fn alone(
    function: &FunctionMap,
    block: BlockId,
    observed: &IdMap<SegmentId, Observation>,
    cycles_per_sample: f64,
) -> f64 {
    let own = function.segments_of(block).filter(|&segment| observed[segment].cycles > 0.0);
    let sum = own.fold(Observation::default(), |sum, segment| Observation {
        samples: sum.samples + observed[segment].samples,
        cycles: sum.cycles + observed[segment].cycles,
        busy: sum.busy + observed[segment].busy,
    });
    sum.count(cycles_per_sample)
}

/// Where a segment is in a ledger; nowhere if no call returns to it.
fn subject_of(named: &Arc<FunctionFacts>, function: &FunctionMap, segment: SegmentId) -> Option<Subject> {
    let block = function.segments[segment].block;
    if function.blocks[block].first_segment == segment {
        return Some(Subject::Block { function: named.clone(), block: number(block), place: None });
    }
    let returned = |edge: &opcost_key::EdgeMap| edge.kind == EdgeKind::Fall && edge.to == Some(segment);
    let edge = function.edges.iter().find(|(_, edge)| returned(edge))?;
    Some(edge_subject(named, function, edge.0))
}

/// What a raw ledger says, for the maps of its program.
#[derive(Clone, Debug)]
pub struct RawObservations {
    /// Of each module, in the order of the maps.
    pub modules: Vec<ModuleObservations>,
    /// Cycles between two samples.
    pub cycles_per_sample: f64,
    /// Functions of the ledger that have another shape in the maps, or none there.
    pub refused: Vec<String>,
}

/// Leads a raw ledger back to the segments of maps; `None` if it is no raw ledger.
pub fn raw_observations(ledger: &Ledger, maps: &[&ModuleMap]) -> Option<RawObservations> {
    let runs = ledger.about.runs.max(1) as f64;
    let cycles_of = |value: u64| value as f64 / PARTS / runs;
    let cycles_per_sample = cycles_of(cycles_of_sample(ledger)?);
    let mut found: BTreeMap<&Subject, Observation> = BTreeMap::new();
    for fact in ledger.facts() {
        let value = fact.value.unwrap_or(0);
        match fact.column {
            Column::Samples => found.entry(&fact.subject).or_default().samples = value,
            Column::Cycles => found.entry(&fact.subject).or_default().cycles = cycles_of(value),
            Column::Busy => found.entry(&fact.subject).or_default().busy = cycles_of(value),
            _ => {}
        }
    }
    // Ledgers of before they told it.
    found.values_mut().filter(|one| one.busy == 0.0).for_each(|one| one.busy = one.cycles);
    let mut unknown: BTreeSet<&Arc<FunctionFacts>> =
        ledger.facts().iter().filter_map(|fact| fact.subject.function()).collect();
    let mut modules = Vec::new();
    for map in maps {
        let mut functions = IdMap::new();
        for function in map.functions.values() {
            let named = function_facts(map, function);
            unknown.remove(&named);
            let of = |segment| found.get(&subject_of(&named, function, segment)?).copied();
            functions.push(function.segments.ids().map(|id| of(id).unwrap_or_default()).collect());
        }
        modules.push(ModuleObservations { functions, without_block: 0 });
    }
    let refused = unknown.iter().map(|function| format!("{}: {}", function.module, function.name)).collect();
    Some(RawObservations { modules, cycles_per_sample, refused })
}

/// Cycles between two samples, in the parts of the ledger; `None` if it is no raw ledger.
fn cycles_of_sample(ledger: &Ledger) -> Option<u64> {
    ledger.value(&Subject::Program, Column::Cycles)
}

/// Raw ledgers of modules of one program, as of so many `runs` together. Each has some functions, and each function had
/// as many runs as the ledgers that have it. `None` if one is no raw ledger, or their cost models differ.
///
/// # Errors
/// A number is too large.
pub fn join_raw(ledgers: &[Ledger], runs: u64) -> Result<Option<Ledger>, RecoverError> {
    let Some(first) = ledgers.first() else { return Ok(None) };
    if ledgers.iter().any(|one| cycles_of_sample(one).is_none() || one.about.cost != first.about.cost) {
        return Ok(None);
    }
    // Cycles of a ledger are sums over its runs.
    let mut runs_of: BTreeMap<Option<&Arc<FunctionFacts>>, u128> = BTreeMap::new();
    for one in ledgers {
        let functions: BTreeSet<_> = one.facts().iter().map(|fact| fact.subject.function()).collect();
        for function in functions {
            *runs_of.entry(function).or_default() += u128::from(one.about.runs.max(1));
        }
    }
    let scaled = |fact: &Fact| {
        let is_cycles = matches!(fact.column, Column::Cycles | Column::Busy);
        let of = |value: u64| u128::from(value) * u128::from(runs) / runs_of[&fact.subject.function()];
        let narrow = |value: u64| u64::try_from(of(value)).unwrap_or(u64::MAX);
        Fact { value: if is_cycles { fact.value.map(narrow) } else { fact.value }, ..fact.clone() }
    };
    let facts = ledgers.iter().flat_map(Ledger::facts).map(scaled);
    let abouts = || ledgers.iter().map(|one| &one.about);
    let machines: BTreeSet<&String> = abouts().flat_map(|about| &about.machines).collect();
    let commands: BTreeSet<&Vec<String>> = abouts().flat_map(|about| &about.commands).collect();
    let mut modules: Vec<ModuleFacts> = abouts().flat_map(|about| &about.modules).cloned().collect();
    modules.dedup();
    let about = About {
        modules,
        code: Vec::new(),
        cost: first.about.cost.clone(),
        machines: machines.into_iter().cloned().collect(),
        commands: commands.into_iter().cloned().collect(),
        runs,
        texts: LineTexts::default(),
    };
    Ok(Some(Ledger::new(about, facts)?))
}

/// Counts of a raw ledger, made consistent.
#[derive(Clone, Debug)]
pub struct ConsistentCounts {
    /// By module, in the order of the maps.
    pub repaired: Repaired,
    /// The same as a ledger, of the same runs.
    pub ledger: Ledger,
}

/// Makes the counts of a raw ledger consistent. `raw` is what it says for these maps, which have these hashes.
///
/// # Errors
/// There is no module, or the counts do not fit.
pub fn consistent(
    ledger: &Ledger,
    raw: &RawObservations,
    maps: &[&ModuleMap],
    hashes: &[Hash128],
    solver: RepairSolver,
) -> Result<ConsistentCounts, RecoverError> {
    let modules: Vec<SampledModule<'_>> =
        maps.iter().zip(&raw.modules).map(|(map, observed)| SampledModule { map, observed }).collect();
    let options = RepairOptions {
        cycles_per_sample: raw.cycles_per_sample,
        error: MODEL_ERROR,
        solver,
        // How many processes each run had is not kept, nor whether branches were recorded.
        starts: Starts { least: ledger.about.runs.max(1), most: u64::MAX },
    };
    let repaired = repair(&modules, options)?;
    let counted: Vec<CountedModule<'_>> =
        maps.iter().zip(&repaired.counts).map(|(map, counts)| CountedModule { map, counts }).collect();
    let run = RunFacts {
        machine: String::new(),
        command: Vec::new(),
        origin: Origin::Repaired,
        quality: Quality::Estimate,
        world: World::Open,
        course: Course::default(),
    };
    let mut made = make_ledger(&counted, hashes, &summarize(&counted), &run)?;
    made.about.runs = ledger.about.runs;
    made.about.commands.clone_from(&ledger.about.commands);
    made.about.machines.clone_from(&ledger.about.machines);
    Ok(ConsistentCounts { repaired, ledger: made })
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;
    use opcost_key::FunctionId;
    use opcost_profile::merge;

    use super::*;
    use crate::example::{call_left, single_loop};

    fn observed(seen: &[(u64, f64)]) -> ModuleObservations {
        // Half of the cycles is waiting.
        let of = |&(samples, cycles): &(u64, f64)| Observation { samples, cycles, busy: cycles / 2.0 };
        let functions = std::iter::once(seen.iter().map(of).collect()).collect();
        ModuleObservations { functions, without_block: 0 }
    }

    fn ledger_of(map: &ModuleMap, observed: &ModuleObservations) -> Ledger {
        let modules = [SampledModule { map, observed }];
        raw_ledger(&modules, &[Hash128(1)], "here", vec!["./a".into()], 600.0).expect("a ledger")
    }

    #[test]
    fn what_was_kept_comes_back() {
        for (map, seen) in [
            (single_loop(), [(3, 1.5), (70, 2.25), (0, 4.0)].as_slice()),
            (call_left(), &[(9, 1.5), (8, 0.5)]),
        ] {
            let observed = observed(seen);
            let ledger = ledger_of(&map, &observed);
            let back = raw_observations(&ledger, &[&map]).expect("it is raw");
            assert_eq!(back.modules[0], observed);
            assert_eq!((back.cycles_per_sample, back.refused), (600.0, Vec::<String>::new()));
        }
    }

    #[test]
    fn blocks_have_the_counts_that_follow_from_them_alone() {
        let map = call_left();
        // One block of two segments: 17 samples of 600 cycles, by 2 cycles.
        let ledger = ledger_of(&map, &observed(&[(9, 1.5), (8, 0.5)]));
        assert_eq!(ledger.sum(Column::Count, |subject| matches!(subject, Subject::Block { .. })), 5100);
    }

    #[test]
    fn merged_samples_add_and_cycles_stay() {
        let map = single_loop();
        let one = ledger_of(&map, &observed(&[(3, 1.5), (70, 2.25), (0, 4.0)]));
        let two = ledger_of(&map, &observed(&[(1, 1.5), (30, 2.25), (2, 4.0)]));
        let back = raw_observations(&merge(&[one, two]).expect("of one build"), &[&map]).expect("it is raw");
        assert_eq!(back.modules[0], observed(&[(4, 1.5), (100, 2.25), (2, 4.0)]));
        assert_eq!(back.cycles_per_sample, 600.0);
    }

    #[test]
    fn modules_that_ran_in_other_runs_are_put_together() {
        let (one, mut two) = (single_loop(), call_left());
        two.module = "other.c".to_owned();
        let seen = observed(&[(3, 1.5), (70, 2.25), (0, 4.0)]);
        let twice = [ledger_of(&one, &seen), ledger_of(&one, &seen)];
        let once = observed(&[(9, 1.5), (8, 0.5)]);
        let parts = [merge(&twice).expect("of one build"), ledger_of(&two, &once)];
        let joined = join_raw(&parts, 2).expect("it fits").expect("both are raw");
        let back = raw_observations(&joined, &[&one, &two]).expect("it is raw");
        assert_eq!(back.modules, [observed(&[(6, 1.5), (140, 2.25), (0, 4.0)]), once]);
        assert_eq!((back.cycles_per_sample, joined.about.runs, joined.about.modules.len()), (600.0, 2, 2));
        let hashes = [Hash128(1), Hash128(2)];
        let made = consistent(&joined, &back, &[&one, &two], &hashes, RepairSolver::Classic).expect("counts");
        assert_eq!((made.ledger.about.runs, made.repaired.counts.len()), (2, 2));
        assert!(join_raw(&[made.ledger], 1).expect("nothing is added").is_none(), "it is raw no more");
    }

    #[test]
    fn a_function_has_the_cycles_of_the_runs_that_saw_it() {
        let map = single_loop();
        let seen = ledger_of(&map, &observed(&[(3, 1.5), (70, 2.25), (0, 4.0)]));
        let none = ModuleMap { functions: IdMap::new(), ..single_loop() };
        let unseen = ledger_of(&none, &ModuleObservations { functions: IdMap::new(), without_block: 0 });
        let joined = join_raw(&[unseen.clone(), seen, unseen], 3).expect("it fits").expect("all are raw");
        let back = raw_observations(&joined, &[&map]).expect("it is raw");
        assert_eq!(back.modules[0], observed(&[(3, 1.5), (70, 2.25), (0, 4.0)]));
        assert_eq!((back.cycles_per_sample, joined.about.runs, joined.about.modules.len()), (600.0, 3, 1));
    }

    #[test]
    fn functions_of_another_build_are_refused_one_by_one() {
        let map = single_loop();
        let ledger = ledger_of(&map, &observed(&[(3, 1.5), (70, 2.25), (0, 4.0)]));
        let mut other = single_loop();
        let name = other.functions[FunctionId::new(0)].name.clone();
        other.functions =
            other.functions.values().cloned().map(|one| FunctionMap { body: Hash128(7), ..one }).collect();
        let back = raw_observations(&ledger, &[&other]).expect("it is raw");
        assert_eq!(back.refused, [format!("{}: {name}", map.module)]);
        assert_eq!(back.modules[0].samples(), 0);
    }
}
