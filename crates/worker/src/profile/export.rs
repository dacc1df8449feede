//! From a ledger to a profile that a compiler reads.
//!
//! Each module of the ledger is compiled to its anchor as when it was counted and
//! surveyed; the ledger's counts are laid on it function by function. Samples that are not consistent yet are made so
//! first, over all modules. Then its branches
//! are weighed (bitcode), or LLVM is asked which counters its profile passes would
//! have and what each counts is worked out (profdata), or instructions are told by their
//! places ([`super::locations`]).
//!
//! Input: bitcode of each module at its anchor, a ledger. Output: a file, and what did
//! not fit. Cost: that of reading the modules; SQLite takes about two seconds.

use std::collections::BTreeMap;

use opcost_job::profile::{AnchorJob, ExportAnswers, ExportFormat, ExportJob, ExportModule};
use opcost_key::{Anchor, BlockId, FunctionId, Hash128, ModuleMap};
use opcost_llvm::{
    Emission, INDIRECT_CALLS, Maker, PgoCounter, PgoEdge, PgoFunction, PgoRecord, PgoTarget, write_pgo,
};
use opcost_profile::formats::opc::load_ledger;
use opcost_profile::formats::pprof::write_pprof;
use opcost_profile::formats::stacks::write_collapsed;
use opcost_profile::{Column, Ledger, Subject};
use opcost_recover::{Matched, PointerCall, RepairSolver, consistent, raw_observations, targets};

use super::laid::{Laid, Laying, lay};
use super::locations::{llvm_sample, stacks};
use crate::error::WorkError;
use crate::modules::Modules;

/// Brings a module to its anchor.
///
/// # Errors
/// It cannot be read, or LLVM says no.
pub(crate) fn to_anchor(job: &AnchorJob, modules: &mut Modules) -> Result<(), WorkError> {
    let maker = if job.is_own { Maker::FrontEnd } else { Maker::Anyone };
    let mut session = modules.module(&job.bitcode, maker)?;
    let how = Emission { level: job.codegen, ..Emission::default() };
    if job.anchor == Anchor::Simplified {
        session.simplify(how)?;
        return Ok(session.write(&job.output)?);
    }
    Ok(session.to_pgo(how, job.level, &job.output)?)
}

/// Makes the profile, and returns what did not fit.
///
/// # Errors
/// Nothing fits, a module cannot be read, or the file cannot be written.
pub(crate) fn export(job: &ExportJob, modules: &mut Modules) -> Result<ExportAnswers, WorkError> {
    let mut ledger = load_ledger(&job.ledger)?;
    let how = Laying::of(job);
    let lay = |module| lay(&how, module, &ledger, modules);
    let mut laid = job.modules.iter().map(lay).collect::<Result<Vec<Laid>, _>>()?;
    if let Some(made) = of_samples(&ledger, &laid)? {
        laid.iter_mut().for_each(|one| one.lay_again(&how, &made));
        ledger = made;
    }
    let mut answers = ExportAnswers::default();
    laid.iter().for_each(|one| add(&mut answers, one));
    if answers.functions == 0 {
        if job.is_part {
            return Ok(answers);
        }
        return Err(WorkError::Refused(nothing_fits(&answers)));
    }
    match job.format {
        ExportFormat::Bitcode => bitcode(job, &ledger, laid)?,
        ExportFormat::Profdata => {
            let mut records = profile_records(laid, &mut answers)?;
            if job.is_part {
                records.extend(elsewhere(&ledger, &job.modules));
            }
            write_pgo(&job.output, &records)?;
        }
        ExportFormat::LlvmSample => write(job, llvm_sample(&laid)?.as_bytes())?,
        ExportFormat::Collapsed => write(job, write_collapsed(&stacks(&laid)).as_bytes())?,
        ExportFormat::Pprof => write(job, &write_pprof(&stacks(&laid), &comment(&ledger)))?,
    }
    Ok(answers)
}

/// Consistent counts of a ledger of samples; `None` if it is none.
fn of_samples(ledger: &Ledger, laid: &[Laid]) -> Result<Option<Ledger>, WorkError> {
    let maps: Vec<&ModuleMap> = laid.iter().map(|one| &one.map).collect();
    let Some(raw) = raw_observations(ledger, &maps) else { return Ok(None) };
    let of_map = |map: &&ModuleMap| {
        let facts = ledger.about.modules.iter().find(|facts| facts.module == map.module);
        facts.map_or(Hash128(0), |facts| facts.map)
    };
    let hashes: Vec<Hash128> = maps.iter().map(of_map).collect();
    let made = consistent(ledger, &raw, &maps, &hashes, RepairSolver::Likeliest)
        .map_err(|error| WorkError::Refused(error.to_string()))?;
    Ok(Some(made.ledger))
}

fn write(job: &ExportJob, bytes: &[u8]) -> Result<(), WorkError> {
    let output = &job.output;
    std::fs::write(output, bytes).map_err(WorkError::file("write", output))
}

/// Where the counts come from.
fn comment(ledger: &Ledger) -> String {
    let origin = ledger.facts().first().map_or("nothing", |fact| fact.origin.word());
    let commands: Vec<String> = ledger.about.commands.iter().map(|words| words.join(" ")).collect();
    format!("opcost: {origin}, {} by {}", ledger.about.cost.name, commands.join("; "))
}

/// Adds what a module gave.
fn add(answers: &mut ExportAnswers, laid: &Laid) {
    for (id, counts) in laid.matched.functions.iter() {
        let name = || laid.map.functions[id].name.clone();
        match counts {
            Ok(_) => answers.functions += 1,
            Err(why) => answers.refused.push((name(), why.to_string())),
        }
    }
    answers.refused.extend(
        laid.matched.removed.iter().map(|name| {
            (name.clone(), "it was counted, and the module does not have it any more".to_owned())
        }),
    );
}

/// Why nothing was written.
fn nothing_fits(answers: &ExportAnswers) -> String {
    let example = match answers.refused.first() {
        Some((name, why)) => format!(" ({name}: {why})"),
        None => " (it has none)".to_owned(),
    };
    format!(
        "the ledger is of another build: no function of the module is as it was counted{example}; count or sample \
         it again"
    )
}

/// The module with weights on its branches.
fn bitcode(job: &ExportJob, ledger: &Ledger, laid: Vec<Laid>) -> Result<(), WorkError> {
    let Ok([mut one]) = <[Laid; 1]>::try_from(laid) else {
        return Err(WorkError::Refused("bitcode is of one module; name it".to_owned()));
    };
    one.weigh(&program_counts(ledger))?;
    Ok(one.session.write(&job.output)?)
}

/// Of each function of the program its entries, then the counts of its other blocks.
pub(super) fn program_counts(ledger: &Ledger) -> Vec<Vec<u64>> {
    counts_by_function(ledger).into_values().collect()
}

/// The same by module and name.
fn counts_by_function(ledger: &Ledger) -> BTreeMap<(&str, &str), Vec<u64>> {
    let mut all: BTreeMap<(&str, &str), Vec<u64>> = BTreeMap::new();
    for fact in ledger.facts() {
        let (Some(value), Some(function)) = (fact.value, fact.subject.function()) else { continue };
        let counts = || (function.module.as_str(), function.name.as_str());
        match (&fact.subject, fact.column) {
            (Subject::Function { .. }, Column::Calls) => all.entry(counts()).or_default().insert(0, value),
            (Subject::Block { block, .. }, Column::Count) if *block > 0 => {
                all.entry(counts()).or_default().push(value);
            }
            _ => {}
        }
    }
    all
}

/// Why a function that was counted is in no profile.
const NOT_PROFILED: &str =
    "clang's profile has no counters in it (a coroutine is profiled before it is split)";

/// What LLVM's counters would have counted, and whom calls through pointers called.
fn profile_records(laid: Vec<Laid>, answers: &mut ExportAnswers) -> Result<Vec<PgoRecord>, WorkError> {
    let modules: Vec<(&ModuleMap, &Matched)> = laid.iter().map(|one| (&one.map, &one.matched)).collect();
    let targets = targets(&modules);
    let mut profiled = Vec::new();
    for one in laid {
        let mut taken = BTreeMap::new();
        for (id, counts) in one.counted() {
            taken.insert(id, (counts.entries, one.branches(id, counts)?));
        }
        let functions = one.session.pgo_counters();
        for &id in taken.keys().filter(|id| functions.iter().all(|one| one.function != **id)) {
            answers.functions = answers.functions.saturating_sub(1);
            answers.refused.push((one.map.functions[id].name.clone(), NOT_PROFILED.to_owned()));
        }
        profiled.push((taken, functions));
    }
    let mut names: BTreeMap<(usize, FunctionId), String> = BTreeMap::new();
    for (module, (_, functions)) in profiled.iter().enumerate() {
        names.extend(functions.iter().map(|one| ((module, one.function), one.name.clone())));
    }
    let mut records = Vec::new();
    for ((taken, functions), targets) in profiled.into_iter().zip(targets) {
        let record = |function: PgoFunction| {
            let (entries, branches) = taken.get(&function.function)?;
            let counts =
                function.counters.iter().map(|counter| counted(counter, *entries, branches)).collect();
            let targets = called(&function, &targets[function.function], &names);
            Some(PgoRecord {
                name: function.name,
                hash: function.hash,
                counts,
                sites: function.sites,
                targets,
            })
        };
        records.extend(functions.into_iter().filter_map(record));
    }
    Ok(records)
}

/// Records that no function reads, with the counts of the program's other modules. So the optimiser knows what is hot
/// in the program, and not in one module alone.
fn elsewhere(ledger: &Ledger, modules: &[ExportModule]) -> Vec<PgoRecord> {
    let is_elsewhere = |module: &str| modules.iter().all(|one| one.name != module);
    let all = counts_by_function(ledger).into_iter().filter(|((module, _), _)| is_elsewhere(module));
    let record = |(position, (_, counts))| PgoRecord {
        name: format!("opcost.elsewhere.{position}"),
        hash: 0,
        counts,
        sites: Vec::new(),
        targets: Vec::new(),
    };
    all.enumerate().map(record).collect()
}

/// Targets by their names in profiles; none where LLVM sees other calls through pointers
/// in the function than the map does. LLVM takes the sum of a call's targets for how often the call ran. So what
/// has no name here, or no room, is written as well, under names of no function.
fn called(
    function: &PgoFunction,
    calls: &[PointerCall],
    names: &BTreeMap<(usize, FunctionId), String>,
) -> Vec<PgoTarget> {
    if function.sites.get(INDIRECT_CALLS).is_none_or(|&sites| sites as usize != calls.len()) {
        return Vec::new();
    }
    let of_site = |(site, call): (u32, &PointerCall)| {
        let named = call.targets.iter().filter_map(|target| {
            let name = names.get(&(target.module, target.function))?.clone();
            Some(PgoTarget { site, name, calls: target.calls })
        });
        let mut all: Vec<PgoTarget> = named.collect();
        all.truncate(if all.len() > MOST_TARGETS { MOST_TARGETS - MOST_RESTS } else { all.len() });
        let told = all.iter().fold(0, |sum: u64, target| sum.saturating_add(target.calls));
        all.extend(rest(site, call.ran.saturating_sub(told), MOST_TARGETS - all.len()));
        all
    };
    (0..).zip(calls).flat_map(of_site).collect()
}

/// Calls of nobody that has a name, as targets that are no function. They are cut small: LLVM looks at the most frequent
/// three alone, and these are to be functions.
fn rest(site: u32, calls: u64, room: usize) -> Vec<PgoTarget> {
    let parts = (room.min(MOST_RESTS) as u64).min(calls);
    let part = |at: u64| PgoTarget {
        site,
        name: format!("opcost.elsewhere.target.{at}"),
        calls: calls / parts + u64::from(at < calls % parts),
    };
    (0..parts).map(part).collect()
}

/// Targets of a call that a profile holds (`INSTR_PROF_MAX_NUM_VAL_PER_SITE`).
const MOST_TARGETS: usize = 255;

/// As many of them are kept for what has no name.
const MOST_RESTS: usize = 64;

/// Which value a select chose is not known: half and half says so.
fn counted(counter: &PgoCounter, entries: u64, branches: &BTreeMap<(BlockId, u32), u64>) -> u64 {
    let of_way = |way: &PgoEdge| match way {
        PgoEdge::Entry => entries,
        PgoEdge::Branch { block, slot } => branches.get(&(*block, *slot)).copied().unwrap_or(0),
    };
    let sum = counter.edges.iter().map(of_way).fold(0, u64::saturating_add);
    if counter.is_select { sum / 2 } else { sum }
}
