//! `opcost count`: how often did everything run, exactly?
//!
//! Build (unless a counted program was given), run, collect, report. The
//! report goes to stderr or to `-o`, JSON to `--json`; the program's streams
//! stay its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use opcost_key::{Hash128, ModuleMap};
use opcost_recover::{CountedModule, ModuleCounts, ProgramSummary, Repetition, compare_runs, summarize};

use crate::arguments::{CountArguments, EmitKind};
use crate::build::{Build, Input, Language, install};
use crate::error::{CliError, Status};
use crate::report::{CountJson, CountReport, ReportFacts, Verdict, print_count};
use crate::run::{Collected, Finish, Image, Streams, collect, run_program};

/// Carries out the verb.
pub(crate) fn run(arguments: CountArguments) -> Result<Status, CliError> {
    let inputs = arguments.inputs.iter().map(|path| Input::classify(path)).collect::<Result<Vec<_>, _>>()?;
    let programs = inputs.iter().filter(|input| input.language == Language::Program).count();
    if programs > 0 && (inputs.len() > 1 || arguments.emit.is_some()) {
        return Err(CliError::Usage(
            "a built program is counted alone; give either it or sources".to_owned(),
        ));
    }
    if let Some(kind) = arguments.emit {
        let output = arguments.output.as_deref().expect("clap requires -o with --emit");
        return emit(&arguments, &inputs, kind, output);
    }
    if programs == 1 {
        return count_program(&arguments, &inputs[0].path);
    }
    let build = Build::new(&arguments.build)?;
    let program = build.path("program");
    build.program(&inputs, &program)?;
    count_program(&arguments, &program)
}

fn emit(
    arguments: &CountArguments,
    inputs: &[Input],
    kind: EmitKind,
    output: &Path,
) -> Result<Status, CliError> {
    let build = Build::new(&arguments.build)?;
    let one = || match inputs {
        [input] => Ok(input),
        _ => Err(CliError::Usage("--emit obj and --emit bc take one input".to_owned())),
    };
    let made = build.path("made");
    match kind {
        EmitKind::Exe => build.program(inputs, &made)?,
        EmitKind::Shared => build.shared(inputs, &made)?,
        EmitKind::Obj => {
            let object = build.object(one()?, 0)?;
            std::fs::rename(&object, &made).map_err(CliError::file("move", &object))?;
        }
        EmitKind::Bc => {
            let bitcode = build.bitcode(one()?, 0)?;
            std::fs::copy(&bitcode, &made).map_err(CliError::file("copy", &bitcode))?;
        }
    }
    install(&made, output)?;
    if kind == EmitKind::Exe {
        eprintln!("next: opcost count {} -- ARGS", shown(output));
    }
    Ok(Status::Fine)
}

fn shown(program: &Path) -> String {
    if program.components().count() == 1 {
        format!("./{}", program.display())
    } else {
        program.display().to_string()
    }
}

/// One run: its counts by map.
struct Run {
    finish: Finish,
    collected: Collected,
}

fn count_program(arguments: &CountArguments, program: &Path) -> Result<Status, CliError> {
    let mut images = BTreeMap::new();
    let real = program.canonicalize().map_err(CliError::file("find", program))?;
    images.insert(real.clone(), Image::read(&real)?);
    let mut runs = Vec::new();
    for _ in 0..arguments.repeat {
        runs.push(run_once(arguments, &real, &mut images)?);
    }
    let report = report(arguments, &images, &runs);
    write_report(arguments, &report)?;
    Ok(status(arguments, &report))
}

fn run_once(
    arguments: &CountArguments,
    program: &Path,
    images: &mut BTreeMap<PathBuf, Image>,
) -> Result<Run, CliError> {
    let raw = tempfile::Builder::new()
        .prefix("opcost-raw-")
        .tempdir()
        .map_err(CliError::file("make a folder in", std::env::temp_dir()))?;
    let streams = Streams {
        stdin: arguments.stdin.clone(),
        stdout: arguments.stdout.clone(),
        stdout_to_stderr: arguments.json.as_deref() == Some(Path::new("-")),
    };
    let finish = run_program(program, &arguments.arguments, raw.path(), &streams)?;
    let collected = collect(raw.path(), images, finish)?;
    if collected.programs.is_empty() {
        return Err(CliError::Counters(format!(
            "{} wrote no counters: it was killed before it began, or could not write to {}",
            program.display(),
            raw.path().display()
        )));
    }
    Ok(Run { finish, collected })
}

/// All maps by hash.
fn maps(images: &BTreeMap<PathBuf, Image>) -> BTreeMap<Hash128, &ModuleMap> {
    images.values().flat_map(|image| &image.maps).map(|(hash, map)| (*hash, map)).collect()
}

fn counted<'a>(run: &'a Run, maps: &BTreeMap<Hash128, &'a ModuleMap>) -> Vec<CountedModule<'a>> {
    let modules = run.collected.programs.iter().flat_map(|program| &program.modules);
    modules.map(|(hash, counts)| CountedModule { map: maps[hash], counts }).collect()
}

fn report(arguments: &CountArguments, images: &BTreeMap<PathBuf, Image>, runs: &[Run]) -> CountReport {
    let maps = maps(images);
    let first = &runs[0];
    let modules = counted(first, &maps);
    let summary = summarize(&modules);
    let verdict = match arguments.budget {
        None => Verdict::None,
        Some(budget) if summary.weight > budget => Verdict::Over { budget },
        Some(budget) => Verdict::Within { budget },
    };
    let processes: std::collections::BTreeSet<_> =
        first.collected.programs.iter().map(|program| program.raw.process.pid).collect();
    CountReport {
        facts: facts(&modules),
        next: next(arguments, &summary),
        summary,
        quality: first.collected.quality.clone(),
        finish: first.finish,
        verdict,
        processes: processes.len(),
        repetition: (runs.len() > 1).then(|| repetition(runs, &maps)),
    }
}

fn facts(modules: &[CountedModule<'_>]) -> ReportFacts {
    let map = modules[0].map;
    ReportFacts {
        anchor: map.anchor.to_string(),
        cost_model: map.cost.name.clone(),
        compiler: map.build.compiler.clone(),
        flags: map.build.flags.clone(),
        target: map.build.target.clone(),
        placement: map.build.placement.map_or("none".to_owned(), |placement| placement.to_string()),
        has_lines: modules.iter().any(|module| module.map.build.has_debug_lines),
    }
}

fn next(arguments: &CountArguments, summary: &ProgramSummary) -> Vec<String> {
    let inputs: Vec<String> = arguments.inputs.iter().map(|input| input.display().to_string()).collect();
    let inputs = inputs.join(" ");
    let mut next = Vec::new();
    if arguments.budget.is_none() {
        let roomy = summary.weight + summary.weight / 20;
        next.push(format!("opcost count --budget {roomy} {inputs}   (for CI)"));
    }
    next
}

fn repetition(runs: &[Run], maps: &BTreeMap<Hash128, &ModuleMap>) -> String {
    let sums: Vec<BTreeMap<Hash128, ModuleCounts>> = runs.iter().map(by_hash).collect();
    let hashes: Vec<Hash128> = sums[0].keys().copied().collect();
    if sums.iter().any(|sum| sum.keys().copied().ne(hashes.iter().copied())) {
        return "the runs did not load the same modules".to_owned();
    }
    let ordered: Vec<&ModuleMap> = hashes.iter().map(|hash| maps[hash]).collect();
    let counts: Vec<Vec<ModuleCounts>> = sums.into_iter().map(|sum| sum.into_values().collect()).collect();
    match compare_runs(&ordered, &counts) {
        Repetition::Equal => format!("all {} runs agree to the digit", runs.len()),
        Repetition::Parts { function, run, what, first, other, .. } => {
            let number = |count: Option<i128>| count.map_or("unknown".to_owned(), |count| count.to_string());
            format!(
                "the runs differ: run {} parts from run 1 in {} ({what}: {} against {})",
                run + 1,
                crate::report::demangle(&function),
                number(other),
                number(first)
            )
        }
        Repetition::NotOneProgram { run } => format!("run {} is not of the same program", run + 1),
    }
}

/// Counts of a run by map; several processes of one run are told apart by
/// their order, so only the first of each map is compared.
fn by_hash(run: &Run) -> BTreeMap<Hash128, ModuleCounts> {
    let mut sums = BTreeMap::new();
    for (hash, counts) in run.collected.programs.iter().flat_map(|program| &program.modules) {
        sums.entry(*hash).or_insert_with(|| counts.clone());
    }
    sums
}

fn write_report(arguments: &CountArguments, report: &CountReport) -> Result<(), CliError> {
    let text = print_count(report, arguments.top);
    match &arguments.output {
        Some(path) => std::fs::write(path, &text).map_err(CliError::file("write", path))?,
        None => eprint!("{text}"),
    }
    let Some(path) = &arguments.json else { return Ok(()) };
    let json = serde_json::to_string_pretty(&CountJson::new(report)).expect("a report is plain data") + "\n";
    if path == Path::new("-") {
        use std::io::Write;
        std::io::stdout().write_all(json.as_bytes()).map_err(CliError::file("write", "stdout"))
    } else {
        std::fs::write(path, json).map_err(CliError::file("write", path))
    }
}

fn status(arguments: &CountArguments, report: &CountReport) -> Status {
    if arguments.pass_status {
        return Status::Own(report.finish.shell_status());
    }
    if !report.finish.is_success() && !arguments.ignore_status {
        return Status::Program;
    }
    match report.verdict {
        Verdict::Over { .. } => Status::Verdict,
        Verdict::None | Verdict::Within { .. } => Status::Fine,
    }
}
