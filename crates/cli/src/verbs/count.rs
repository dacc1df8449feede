//! `opcost count`: how often did everything run, exactly?
//!
//! Build (unless a counted program was given), run, collect, judge, report.
//! The report goes to stderr or to `-o`, JSON to `--json`, facts to
//! `--ledger`; the program's streams stay its own.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use opcost_key::{Anchor, Placement};
use opcost_profile::Ledger;
use opcost_profile::diff::{Diff, Unlike, diff};
use opcost_recover::SourceLine;

use crate::arguments::{BuildArguments, CountArguments, EmitKind};
use crate::verbs::counted::{not_counted, report_of_run};
use crate::verbs::inputs::inputs_of;
pub(crate) use crate::verbs::inputs::quoted;
use crate::verbs::show::{Show, save_failure_json};
use opcost::counting::{Measurement, Task};
use opcost::earlier::{last_run, named_run, store_run};
use opcost::ledgers;
use opcost_answer::run::RunQuality;
use opcost_answer::{Failure, Status};
use opcost_job::module::{EarlierRun, Product, ThreadMode};
use opcost_report::count::report::{BudgetVerdict, CountReport, Grown, Growth};
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::Stream;
use opcost_run::start::Streams;
use opcost_toolchain::build::Build;
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::install::install;
use opcost_toolchain::options::CompileOptions;

/// Carries out the verb.
pub(crate) fn run(arguments: &CountArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.show.json.as_deref());
    result
}

fn carry_out(arguments: &CountArguments) -> Result<Status, Failure> {
    if let Some(kind) = arguments.emit {
        let output = arguments.output.as_deref().expect("clap requires -o with --emit");
        return emit(arguments, &classified(arguments)?, kind, output);
    }
    with_program(arguments, |program| count_program(arguments, program))
}

/// Does something with the counted program, which is built first unless it
/// was given.
pub(crate) fn with_program<T>(
    arguments: &CountArguments,
    work: impl FnOnce(&Path) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let inputs = classified(arguments)?;
    if let [Input { path, language: Language::Program }] = inputs.as_slice() {
        return work(path);
    }
    let mut build = counted_build(&arguments.build)?;
    let program = build.path("program");
    if build.options.earlier.is_none() {
        build.options.earlier = last_run(&arguments.inputs, &build.path("branches"));
    }
    let building = Progress::start(format!("building {}", command(arguments).join(" ")));
    build.program(&inputs, &program)?;
    drop(building);
    note_unlike_run(&build);
    work(&program)
}

/// The inputs; a built program only alone.
fn classified(arguments: &CountArguments) -> Result<Vec<Input>, Failure> {
    let inputs = match program_in_path(&arguments.inputs) {
        Some(path) => vec![Input { path, language: Language::Program }],
        None => inputs_of("count", &arguments.inputs)?,
    };
    let programs = inputs.iter().filter(|input| input.language == Language::Program).count();
    if programs > 0 && (inputs.len() > 1 || arguments.emit.is_some()) {
        return Err(Failure::Usage("a built program is counted alone; give either it or sources".to_owned()));
    }
    Ok(inputs)
}

/// The program that a shell would start by this name, where no such file is here. It may be an interpreter
/// that loads counted modules, or what starts counted programs.
fn program_in_path(inputs: &[PathBuf]) -> Option<PathBuf> {
    let [name] = inputs else { return None };
    if name.components().count() != 1 || name.as_os_str().as_encoded_bytes().contains(&b'/') || name.exists()
    {
        return None;
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| {
        let facts = path.metadata();
        facts.is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
    })
}

/// The build that is wanted.
fn counted_build(arguments: &BuildArguments) -> Result<Build, Failure> {
    let placement = if arguments.paths { Placement::Paths } else { arguments.placement };
    let threads = if arguments.threads { ThreadMode::Always } else { ThreadMode::IfStarted };
    let earlier = arguments.placement_from.as_deref().map(named_run).transpose()?;
    Build::counted(&CompileOptions { earlier, ..arguments.compile.options() }, placement, threads)
}

/// Notes that the run that was named says nothing of this program.
pub(super) fn note_unlike_run(build: &Build) {
    if let (Some(EarlierRun::Ledger(ledger)), 0) = (&build.options.earlier, build.weighed.get()) {
        opcost_answer::tell!(
            "opcost: the run of {} does not say which way branches of this program go: the code alone says where \
             counters are",
            ledger.display()
        );
    }
}

fn emit(
    arguments: &CountArguments,
    inputs: &[Input],
    kind: EmitKind,
    output: &Path,
) -> Result<Status, Failure> {
    let build = counted_build(&arguments.build)?;
    let one = || match inputs {
        [input] => Ok(input),
        _ => Err(Failure::Usage("--emit obj, bc and anchor take one input".to_owned())),
    };
    let made = build.path("made");
    match kind {
        EmitKind::Exe => build.program(inputs, &made)?,
        EmitKind::Shared => build.shared(inputs, &made)?,
        EmitKind::Obj => build.module(one()?, Product::Object, &made)?,
        EmitKind::Bc => build.module(one()?, Product::Counted, &made)?,
        EmitKind::Anchor => build.module(one()?, Product::Anchor, &made)?,
    }
    note_unlike_run(&build);
    install(&made, output)?;
    if kind == EmitKind::Exe {
        opcost_answer::tell!("next: opcost count {} -- ARGS", shown(output));
    }
    Ok(Status::Fine)
}

/// A program as a shell starts it.
pub(super) fn shown(program: &Path) -> String {
    if program.components().count() == 1 {
        format!("./{}", program.display())
    } else {
        program.display().to_string()
    }
}

fn count_program(arguments: &CountArguments, program: &Path) -> Result<Status, Failure> {
    let baseline = arguments.baseline.as_deref();
    let baseline = baseline.map(|path| ledgers::counts(path, None)).transpose()?;
    let measurement = Measurement::run(&Task {
        program,
        arguments: &arguments.arguments,
        streams: Streams {
            stdin: arguments.stdin.clone(),
            stdout: arguments.stdout.clone(),
            stderr: None,
            stdout_to_stderr: arguments.show.json.as_deref() == Some(Path::new("-")),
        },
        repeat: arguments.repeat,
        is_deterministic: arguments.deterministic,
    })?;
    // A program that was given is not built the next time, either.
    if !classified(arguments)?.iter().any(|input| input.language == Language::Program) {
        store_run(&arguments.inputs, &measurement);
    }
    let mut report = report_of_run(&measurement);
    report.not_counted = measurement.missing(program, &report.summary).iter().map(not_counted).collect();
    let command = command(arguments);
    let title = command.join(" ");
    let wants_ledger = arguments.ledger.is_some() || baseline.is_some() || arguments.show.wants_ledger();
    let ledger = wants_ledger.then(|| measurement.ledger(&report.summary, command)).transpose()?;
    report.verdict = judge(arguments.budget, &report, baseline.as_ref().zip(ledger.as_ref()));
    let kept = match (&arguments.ledger, &ledger) {
        (Some(path), Some(ledger)) => ledgers::save(path, ledger),
        _ => Ok(()),
    };
    let is_whole = report.quality == RunQuality::Exact;
    report.next = next(arguments, &report, is_whole);
    let show = Show {
        arguments: &arguments.show,
        output: arguments.output.as_deref(),
        stream: Stream::Stderr,
        title,
        ledger: ledger.as_ref(),
        origin: (program.to_owned(), "program"),
    };
    let unknown = show.write(&mut report, |summary, wanted| measurement.list(summary, wanted))?;
    // A ledger that could not be written is no reason to lose the report.
    kept?;
    if !unknown.is_empty() {
        opcost_answer::tell!("opcost: {}", unknown.join("; "));
        return Ok(Status::Usage);
    }
    Ok(status(arguments, &report))
}

/// What the user ran, in the words of the user.
fn command(arguments: &CountArguments) -> Vec<String> {
    let inputs = arguments.inputs.iter().map(|input| input.display().to_string());
    inputs.chain(arguments.arguments.iter().map(|word| word.to_string_lossy().into_owned())).collect()
}

/// Holds a total against a budget; over it, the functions that grew since the
/// baseline are named.
fn judge(budget: Option<u128>, report: &CountReport, ledgers: Option<(&Ledger, &Ledger)>) -> BudgetVerdict {
    let Some(budget) = budget else { return BudgetVerdict::None };
    if report.most() <= budget {
        return BudgetVerdict::Within { budget };
    }
    let grew = match ledgers {
        None => Growth::Unknown,
        Some((before, after)) => match diff(before, after, false) {
            Ok(diff) => Growth::Since(grown(&diff)),
            Err(error) => {
                Growth::Refused(error.reasons.iter().map(Unlike::to_string).collect::<Vec<_>>().join("; "))
            }
        },
    };
    BudgetVerdict::Over { budget, grew }
}

fn grown(diff: &Diff) -> Vec<Grown> {
    let functions = diff.functions.iter().filter_map(|function| {
        let (before, after) = (function.instructions.before, function.instructions.after?);
        (after > before.unwrap_or(0)).then(|| Grown {
            name: function.name.clone(),
            place: function.place.as_ref().map(|at| SourceLine { file: at.file.to_string(), line: at.line }),
            before,
            after,
        })
    });
    let mut grown: Vec<Grown> = functions.collect();
    grown.sort_by_key(|function| std::cmp::Reverse(function.after - function.before.unwrap_or(0)));
    grown
}

/// The commands to try next: this very one, with one flag more. A part of a count is no budget.
fn next(arguments: &CountArguments, report: &CountReport, is_whole: bool) -> Vec<String> {
    let with = |flag: &str| -> Option<String> {
        let words: Vec<String> =
            std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
        let at = words.iter().position(|word| word == "count" || word == "stat")?;
        let (verb, rest) = words.split_at(at + 1);
        let line = format!("opcost {} {flag} {}", verb.join(" "), rest.join(" "));
        (line.len() <= 100).then_some(line)
    };
    let mut next = Vec::new();
    if !arguments.show.annotate && arguments.show.function.is_empty() {
        next.extend(with("--annotate"));
    } else if report.summary.lines.iter().any(|line| !line.is_of_line) && is_clangs(report) {
        next.extend(with("--anchor source").map(|line| format!("{line}   (counts lines)")));
    }
    if arguments.budget.is_none() && is_whole {
        next.extend(
            with(&format!("--budget {}", roomy(report.most()))).map(|line| format!("{line}   (for CI)")),
        );
    }
    next
}

/// Whether the program was made of sources that have lines before they are optimised.
fn is_clangs(report: &CountReport) -> bool {
    report
        .facts
        .groups
        .iter()
        .all(|group| group.anchor == Anchor::Optimized && group.build.compiler.starts_with("clang "))
}

/// A budget with a twentieth to spare, in few digits: `2.63G`.
fn roomy(weight: u128) -> String {
    let wanted = weight + weight / 20;
    for (unit, scale) in [("G", 1_000_000_000), ("M", 1_000_000), ("k", 1000)] {
        if wanted >= scale {
            let hundredths = wanted.div_ceil(scale / 100);
            return format!("{}.{:02}{unit}", hundredths / 100, hundredths % 100);
        }
    }
    wanted.to_string()
}

fn status(arguments: &CountArguments, report: &CountReport) -> Status {
    let finish = report.finish.expect("the program ran");
    if arguments.pass_status {
        return Status::Own(finish.shell_status());
    }
    if !finish.is_success() && !arguments.ignore_status {
        return Status::Program;
    }
    match report.verdict {
        BudgetVerdict::Over { .. } => Status::Verdict,
        BudgetVerdict::None | BudgetVerdict::Within { .. } => Status::Fine,
    }
}

#[cfg(test)]
mod tests {
    use super::{quoted, roomy};
    use crate::arguments::parse_budget;

    #[test]
    fn a_suggested_budget_is_roomy_and_readable() {
        assert_eq!(roomy(2_501_813_919), "2.63G");
        assert_eq!(roomy(17), "17");
        for weight in [1u128, 999, 1000, 123_456, 999_999_999, 1 << 70] {
            let budget = parse_budget(&roomy(weight)).unwrap();
            assert!(budget >= weight && budget <= weight + weight / 10 + 10, "{weight}: {budget}");
        }
    }

    #[test]
    fn suggested_commands_survive_a_shell() {
        assert_eq!(quoted("a.c"), "a.c");
        assert_eq!(quoted("two words"), "'two words'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
