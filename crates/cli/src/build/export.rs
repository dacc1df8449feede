//! From a ledger to a profile that a compiler reads, in the child process.
//!
//! Each module of the ledger is compiled to its anchor as when it was counted and
//! surveyed; the ledger's counts are laid on it function by function. Then its branches
//! are weighed (bitcode), or LLVM is asked which counters its profile passes would
//! have and what each counts is worked out (profdata), or instructions are told by their
//! places (`export_places`).
//!
//! Input: bitcode of each module at its anchor, a ledger. Output: a file, and what did
//! not fit. Cost: that of reading the modules; SQLite takes about two seconds.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use opcost_instrument::{Bodies, CostModel, Request, survey};
use opcost_ir::Opcode;
use opcost_key::{Anchor, BlockId, BuildFacts, FunctionId, InstructionId, ModuleMap, Placement};
use opcost_llvm::{
    Emission, INDIRECT_CALLS, Maker, PgoCounter, PgoFunction, PgoRecord, PgoTarget, PgoWay, Session, Weighed,
    write_pgo,
};
use opcost_profile::formats::opc::load_ledger;
use opcost_profile::formats::pprof::write_pprof;
use opcost_profile::formats::stacks::write_collapsed;
use opcost_profile::{Column, Ledger, Subject};
use opcost_recover::{Copies, FunctionCounts, Matched, Target, branches, match_counts, targets};
use serde::{Deserialize, Serialize};

use super::export_places::{llvm_sample, stacks};
use super::module::{name_files, run_own};
use super::{Build, Input, Language};
use crate::arguments::ExportFormat;
use crate::error::CliError;

/// What the child is asked to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ProfileRequest {
    /// A module as the front end left it goes to where profile passes read.
    Pgo { bitcode: PathBuf, is_ours: bool, codegen: u8, level: u8, output: PathBuf },
    /// A ledger becomes a profile.
    Export(Box<ExportRequest>),
}

/// A profile that is wanted.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExportRequest {
    format: ExportFormat,
    ledger: PathBuf,
    modules: Vec<ExportModule>,
    cost: CostModel,
    root: PathBuf,
    output: PathBuf,
    /// Where what did not fit is told.
    answers: PathBuf,
}

/// A module of the ledger, compiled again.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExportModule {
    pub(crate) name: String,
    pub(crate) anchor: Anchor,
    pub(crate) bitcode: PathBuf,
}

/// What was written, and what was not.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ExportAnswers {
    /// Functions that have their counts in the file.
    pub(crate) functions: usize,
    /// Functions that do not, and why.
    pub(crate) refused: Vec<(String, String)>,
}

impl Build<'_> {
    /// Brings a module that the front end made to where profile passes read.
    pub(super) fn to_pgo(&self, input: &Input, bitcode: PathBuf, output: &Path) -> Result<(), CliError> {
        let request = ProfileRequest::Pgo {
            bitcode,
            is_ours: input.language != Language::Bitcode,
            codegen: self.level(),
            level: self.optimiser_level(),
            output: output.to_owned(),
        };
        let named = input.path.display().to_string();
        run_own("__profile", &output.with_extension("pgo-request"), &named, &request)
    }

    /// Makes a profile at `output`.
    pub(crate) fn export(
        &self,
        format: ExportFormat,
        ledger: PathBuf,
        modules: Vec<ExportModule>,
        output: &Path,
    ) -> Result<ExportAnswers, CliError> {
        let named = modules.iter().map(|module| module.name.as_str()).collect::<Vec<_>>().join(", ");
        let answers = self.path("export.json");
        let request = ExportRequest {
            format,
            ledger,
            modules,
            cost: self.cost.clone(),
            root: std::env::current_dir().map_err(CliError::file("find", "."))?,
            output: output.to_owned(),
            answers: answers.clone(),
        };
        run_own(
            "__profile",
            &self.path("export.request"),
            &named,
            &ProfileRequest::Export(Box::new(request)),
        )?;
        let text = std::fs::read(&answers).map_err(CliError::file("read", &answers))?;
        Ok(serde_json::from_slice(&text).expect("the child writes it"))
    }
}

/// In the child.
///
/// # Errors
/// In words for the user.
pub(crate) fn carry_out(request: &ProfileRequest) -> Result<(), String> {
    match request {
        ProfileRequest::Pgo { bitcode, is_ours, codegen, level, output } => {
            let maker = if *is_ours { Maker::FrontEnd } else { Maker::Anyone };
            let session = Session::read(bitcode, maker).map_err(|error| error.to_string())?;
            let how = Emission { level: *codegen, ..Emission::default() };
            session.to_pgo(how, *level, output).map_err(|error| error.to_string())
        }
        ProfileRequest::Export(request) => export(request),
    }
}

/// A module with what the ledger has of it.
pub(super) struct Laid {
    pub(super) session: Session,
    pub(super) map: ModuleMap,
    matched: Matched,
    phis: HashSet<(FunctionId, InstructionId)>,
}

fn export(request: &ExportRequest) -> Result<(), String> {
    let ledger = load_ledger(&request.ledger).map_err(|error| error.to_string())?;
    let mut answers = ExportAnswers::default();
    let mut laid = Vec::new();
    for module in &request.modules {
        let one = lay(request, module, &ledger)?;
        answers.add(&one);
        laid.push(one);
    }
    if answers.functions == 0 {
        return Err(answers.nothing_fits());
    }
    match request.format {
        ExportFormat::Bitcode => bitcode(request, &ledger, laid)?,
        ExportFormat::Profdata => {
            let records = profile_records(laid)?;
            write_pgo(&request.output, &records).map_err(|error| error.to_string())?;
        }
        ExportFormat::LlvmSample => write(request, llvm_sample(&laid)?.as_bytes())?,
        ExportFormat::Collapsed => write(request, write_collapsed(&stacks(&laid)).as_bytes())?,
        ExportFormat::Pprof => write(request, &write_pprof(&stacks(&laid), &comment(&ledger)))?,
    }
    let text = serde_json::to_vec(&answers).expect("plain data");
    std::fs::write(&request.answers, text).map_err(|error| error.to_string())
}

fn write(request: &ExportRequest, bytes: &[u8]) -> Result<(), String> {
    let output = &request.output;
    std::fs::write(output, bytes).map_err(|error| format!("cannot write {}: {error}", output.display()))
}

/// Where the counts come from.
fn comment(ledger: &Ledger) -> String {
    let origin = ledger.facts().first().map_or("nothing", |fact| fact.origin.word());
    let commands: Vec<String> = ledger.about.commands.iter().map(|words| words.join(" ")).collect();
    format!("opcost: {origin}, {} by {}", ledger.about.cost.name, commands.join("; "))
}

fn lay(request: &ExportRequest, module: &ExportModule, ledger: &Ledger) -> Result<Laid, String> {
    let maker = if module.anchor == Anchor::File { Maker::Anyone } else { Maker::FrontEnd };
    let mut session = Session::read(&module.bitcode, maker).map_err(|error| error.to_string())?;
    let mut read = session.snapshot();
    name_files(&mut read, &request.root);
    let wanted = Request {
        module: module.name.clone(),
        anchor: module.anchor,
        build: BuildFacts::default(),
        cost: request.cost.clone(),
        placement: Placement::Chords,
        per_thread: false,
        wrapped: opcost_runtime::WRAPPED,
    };
    // A module by itself is weighed by what its functions do in the whole program;
    // what is added up over modules has each count once.
    let (bodies, copies) = match request.format {
        ExportFormat::Bitcode => (Bodies::All, Copies::All),
        _ => (Bodies::Own, Copies::Own),
    };
    let map = survey(&read, &wanted, bodies).map_err(|error| error.to_string())?;
    let matched = match_counts(&map, ledger, copies);
    let phis = read.functions.iter().flat_map(|(id, function)| {
        let phis = function.instructions.iter().filter(|(_, one)| one.opcode == Opcode::Phi);
        phis.map(move |(phi, _)| (id, phi))
    });
    Ok(Laid { session, map, matched, phis: phis.collect() })
}

impl Laid {
    /// Whether an instruction becomes no code of its own.
    pub(super) fn is_phi(&self, function: FunctionId, instruction: InstructionId) -> bool {
        self.phis.contains(&(function, instruction))
    }

    /// Functions whose counts are known.
    pub(super) fn counted(&self) -> impl Iterator<Item = (FunctionId, &FunctionCounts)> {
        self.matched.functions.iter().filter_map(|(id, counts)| Some((id, counts.as_ref().ok()?)))
    }

    /// How often each successor was taken.
    fn branches(
        &self,
        function: FunctionId,
        counts: &FunctionCounts,
    ) -> Result<BTreeMap<(BlockId, u32), u64>, String> {
        branches(&self.map.functions[function], counts).ok_or_else(|| {
            "the ledger has no edges: it was counted with --placement every-segment; count again without"
                .to_owned()
        })
    }
}

impl ExportAnswers {
    fn add(&mut self, laid: &Laid) {
        for (id, counts) in laid.matched.functions.iter() {
            let name = || laid.map.functions[id].name.clone();
            match counts {
                Ok(_) => self.functions += 1,
                Err(why) => self.refused.push((name(), why.to_string())),
            }
        }
        self.refused.extend(laid.matched.gone.iter().map(|name| {
            (name.clone(), "it was counted, and the module does not have it any more".to_owned())
        }));
    }

    fn nothing_fits(&self) -> String {
        let example = match self.refused.first() {
            Some((name, why)) => format!(" ({name}: {why})"),
            None => " (it has none)".to_owned(),
        };
        format!(
            "the ledger is of another build: no function of the module is as it was counted{example}; count or sample \
             it again"
        )
    }
}

/// The module with weights on its branches.
fn bitcode(request: &ExportRequest, ledger: &Ledger, laid: Vec<Laid>) -> Result<(), String> {
    let Ok([mut one]) = <[Laid; 1]>::try_from(laid) else {
        return Err("bitcode is of one module; name it".to_owned());
    };
    let mut functions = Vec::new();
    for (id, counts) in one.counted() {
        let taken = one.branches(id, counts)?;
        let branches = taken.into_iter().map(|((block, slot), count)| (block, slot, count)).collect();
        functions.push(Weighed { function: id, entries: counts.entries, branches });
    }
    one.session.weigh(&functions, &program_counts(ledger)).map_err(|error| error.to_string())?;
    one.session.write(&request.output).map_err(|error| error.to_string())
}

/// Of each function of the program its entries, then the counts of its other blocks.
fn program_counts(ledger: &Ledger) -> Vec<Vec<u64>> {
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
    all.into_values().collect()
}

/// What LLVM's counters would have counted, and whom calls through pointers called.
fn profile_records(laid: Vec<Laid>) -> Result<Vec<PgoRecord>, String> {
    let modules: Vec<(&ModuleMap, &Matched)> = laid.iter().map(|one| (&one.map, &one.matched)).collect();
    let targets = targets(&modules);
    let mut profiled = Vec::new();
    for one in laid {
        let mut taken = BTreeMap::new();
        for (id, counts) in one.counted() {
            taken.insert(id, (counts.entries, one.branches(id, counts)?));
        }
        profiled.push((taken, one.session.pgo_counters()));
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

/// Targets by their names in profiles; none where LLVM sees other calls through pointers
/// in the function than the map does.
fn called(
    function: &PgoFunction,
    targets: &[Vec<Target>],
    names: &BTreeMap<(usize, FunctionId), String>,
) -> Vec<PgoTarget> {
    if function.sites.get(INDIRECT_CALLS).is_none_or(|&sites| sites as usize != targets.len()) {
        return Vec::new();
    }
    let named = |(site, target): (u32, &Target)| {
        let name = names.get(&(target.module, target.function))?.clone();
        Some(PgoTarget { site, name, calls: target.calls })
    };
    let of_site = |(site, targets): (u32, &Vec<Target>)| {
        targets.iter().take(MOST_TARGETS).filter_map(|target| named((site, target))).collect::<Vec<_>>()
    };
    (0..).zip(targets).flat_map(of_site).collect()
}

/// More targets of a call than LLVM looks at.
const MOST_TARGETS: usize = 8;

/// Which value a select chose is not known: half and half says so.
fn counted(counter: &PgoCounter, entries: u64, branches: &BTreeMap<(BlockId, u32), u64>) -> u64 {
    let of_way = |way: &PgoWay| match way {
        PgoWay::Entry => entries,
        PgoWay::Branch { block, slot } => branches.get(&(*block, *slot)).copied().unwrap_or(0),
    };
    let sum = counter.ways.iter().map(of_way).fold(0, u64::saturating_add);
    if counter.is_select { sum / 2 } else { sum }
}

/// Why functions do not have counts, the commonest reason first.
pub(crate) fn reasons(answers: &ExportAnswers) -> Vec<(usize, String, Vec<String>)> {
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, why) in &answers.refused {
        by_reason.entry(why).or_default().push(name.clone());
    }
    let mut all: Vec<_> =
        by_reason.into_iter().map(|(why, names)| (names.len(), why.to_owned(), names)).collect();
    all.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    all
}
