//! `opcost values`: what were the values really, and does what opcost foretells
//! of loops agree with them?
//!
//! Build (unless a program was given that records), run, read what it
//! recorded, hold claims against it, report.

use std::path::{Path, PathBuf};

use opcost_instrument::ValuesRequest;
use opcost_interrupt::Scratch;
use opcost_profile::opcval::layout::bucket_range;

use crate::arguments::{ValuesArguments, ValuesEmit, ValuesOrder};
use crate::verbs::answered::{command as answered_command, save as save_rows};
use crate::verbs::inputs::inputs_of;
use crate::verbs::selection::{CodeFlag, is_named, refuse_idle};
use crate::verbs::show::save_failure_json;
use crate::verbs::values_whole::{self, NotForetold};
use opcost::answered::{self, AnswersAbout};
use opcost::ledgers::is_value_file;
use opcost::machine::machine;
use opcost_answer::loops::LoopAnswers;
use opcost_answer::names::{near_functions, no_function};
use opcost_answer::points::Meaning;
use opcost_answer::run::Finish;
use opcost_answer::{Failure, Status};
use opcost_job::module::{Product, ValuesWish};
use opcost_report::kit::numbers::counted;
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_report::kit::style::screen_width;
use opcost_report::values::json::values_document;
use opcost_report::values::plot::{histogram_picture, time_picture};
use opcost_report::values::report::{ClaimRow, ClaimVerdict, NotHeld, ValueRow, ValuesReport, VerifyTotals};
use opcost_report::values::table::print_values;
use opcost_run::image::SampledImage;
use opcost_run::start::Streams;
use opcost_run::values::{Observed, ObservedPoint, Recorder, observe, point_lists, record_run};
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::install::install;

/// Likeness from which on a function is suggested: a program has many that are not the user's.
const NEAR: f64 = 0.75;

/// Carries out the verb.
pub(crate) fn run(arguments: &ValuesArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &ValuesArguments) -> Result<Status, Failure> {
    let inputs = inputs_of("values", &arguments.inputs)?;
    if let [Input { path, language: Language::Program }] = inputs.as_slice() {
        if arguments.emit.is_some() {
            return Err(Failure::Usage("a built program cannot be built again; give its sources".to_owned()));
        }
        let foretold = arguments.verify.then_some(Err(NotForetold::BuiltBefore));
        return with_program(arguments, path, foretold);
    }
    if inputs.iter().any(|input| input.language == Language::Program) {
        return Err(Failure::Usage("a built program runs alone; give either it or sources".to_owned()));
    }
    if !arguments.read.is_empty() {
        return Err(Failure::Usage(
            "--read needs the program that recorded; give what --emit exe made, not its sources".to_owned(),
        ));
    }
    let mut build = Build::new(&arguments.compile.options(), Purpose::Values)?;
    build.values = Some(wish(arguments)?);
    let made = build.path("made");
    let building = Progress::start("building the program that records");
    match arguments.emit {
        None | Some(ValuesEmit::Exe) => build.program(&inputs, &made)?,
        Some(ValuesEmit::Obj) => build.module(only(&inputs)?, Product::Object, &made)?,
        Some(ValuesEmit::Bc) => build.module(only(&inputs)?, Product::Counted, &made)?,
    }
    drop(building);
    match &arguments.output {
        Some(output) if arguments.emit.is_some() => install(&made, output).map(|()| Status::Fine),
        _ => {
            let asked = || values_whole::foretold(arguments, &inputs);
            with_program(arguments, &made, arguments.verify.then(asked))
        }
    }
}

fn only(inputs: &[Input]) -> Result<&Input, Failure> {
    match inputs {
        [input] => Ok(input),
        _ => Err(Failure::Usage("--emit obj and bc take one input".to_owned())),
    }
}

fn wish(arguments: &ValuesArguments) -> Result<ValuesWish, Failure> {
    refuse_idle(&arguments.compile, &[CodeFlag::Cost], "what is recorded has no weight")?;
    let turns = arguments.trip_counts || arguments.verify;
    if !turns && arguments.function.is_none() {
        return Err(Failure::Usage(
            "what is to be recorded? --trip-counts every loop's iterations, --verify the same against what opcost \
             predicts, --function NAME [--line N] the values of a function"
                .to_owned(),
        ));
    }
    Ok(ValuesWish {
        request: ValuesRequest {
            turns,
            function: arguments.function.clone(),
            line: arguments.line,
            value: arguments.value.clone(),
            integers: false,
            mantissas: false,
        },
        verify: arguments.verify,
        lie: arguments.lie,
    })
}

/// Runs the program, or reads what it recorded, and reports.
fn with_program(
    arguments: &ValuesArguments,
    program: &Path,
    foretold: Option<Result<LoopAnswers, NotForetold>>,
) -> Result<Status, Failure> {
    let lists = point_lists(program)?;
    if lists.iter().all(|list| list.points.is_empty() && list.refused.is_empty()) {
        return Err(Failure::Usage(nothing_to_record(arguments, program)));
    }
    let folder = Scratch::folder("opcost-values-");
    let folder = folder.map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let (finish, files) = if arguments.read.is_empty() {
        let kept = arguments.recording_folder.as_deref();
        if let Some(kept) = kept {
            std::fs::create_dir_all(kept).map_err(Failure::file("make", kept))?;
        }
        let streams = Streams {
            stdin: arguments.stdin.clone(),
            stdout: arguments.stdout.clone(),
            stderr: None,
            stdout_to_stderr: [&arguments.json, &arguments.plot, &arguments.histogram]
                .into_iter()
                .any(|path| path.as_deref() == Some(Path::new("-"))),
        };
        let recorder = Recorder { memory: arguments.memory, sample: arguments.sample };
        let folder = kept.unwrap_or(folder.path());
        let (finish, files) = record_run(program, &arguments.arguments, recorder, &streams, folder)?;
        (Some(finish), files)
    } else {
        (None, files_to_read(&arguments.read)?)
    };
    let code = answered::values::code_of(&lists);
    let observed = observe(program, lists, &files)?;
    if let Some(path) = &arguments.ledger {
        let command = answered_command("values", &arguments.inputs, &arguments.arguments);
        // What was recorded earlier may have been so elsewhere.
        let asked = AnswersAbout { code, command, machine: finish.map(|_| machine()), runs: 1 };
        save_rows(path, asked, answered::values::rows(&observed))?;
    }
    let mut report = report(arguments, observed, finish);
    report.whole = foretold.map(|answers| {
        answers
            .map(|answers| values_whole::hold(&answers, &mut report.rows, arguments.lie))
            .map_err(|reason| NotHeld(reason.to_string()))
    });
    show(arguments, &report)?;
    Ok(status(arguments, finish, &report))
}

/// Why the program records nothing: its functions are known by its symbols.
fn nothing_to_record(arguments: &ValuesArguments, program: &Path) -> String {
    let Some(function) = &arguments.function else {
        return "there is no loop to record: the code has none, or the optimiser took them out (-O0 keeps every loop)"
            .to_owned();
    };
    let names = SampledImage::functions(program);
    if !names.is_empty() && !names.iter().any(|name| is_named(name, function)) {
        let near = near_functions(names.iter().map(String::as_str), function, NEAR);
        return no_function(function, &near);
    }
    match arguments.line {
        Some(line) => format!(
            "line {line} of {function} computes, stores or returns nothing that could be recorded (an integer of at most \
             64 bits, an address, a double); -O0 keeps every line"
        ),
        None => format!(
            "{function} returns nothing that could be recorded (an integer of at most 64 bits, an address, a double); \
             name one of its lines: --line N"
        ),
    }
}

/// The files named, and those in the folders named.
fn files_to_read(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        for entry in std::fs::read_dir(path).map_err(Failure::file("read", path))? {
            let file = entry.map_err(Failure::file("read", path))?.path();
            if is_value_file(&file) {
                files.push(file);
            }
        }
        if files.len() == before {
            return Err(Failure::Usage(format!("{} has no recorded values (.opcval)", path.display())));
        }
    }
    files.sort();
    Ok(files)
}

fn report(arguments: &ValuesArguments, observed: Observed, finish: Option<Finish>) -> ValuesReport {
    let Observed { points, refused, remarks, processes, memory, sample } = observed;
    let is_verified = arguments.verify || points.iter().any(|point| point.what.claim.is_some());
    let mut rows: Vec<ValueRow> = points.into_iter().map(row).collect();
    sort(&mut rows, arguments.sort);
    let verify = is_verified.then(|| totals(&rows));
    let inputs = arguments.inputs.iter().map(|input| input.display().to_string());
    let words = arguments.arguments.iter().map(|word| word.to_string_lossy().into_owned());
    let ending = finish.and_then(|finish| match finish {
        Finish::Exited(0) => None,
        Finish::Exited(status) => Some(format!("the program exited with status {status}")),
        Finish::Killed(signal) => {
            Some(format!("signal {signal} ended the program; what it had recorded is here"))
        }
    });
    ValuesReport {
        command: inputs.chain(words).collect::<Vec<_>>().join(" "),
        rows,
        refused,
        remarks,
        processes,
        sample,
        memory,
        ending,
        verify,
        whole: None,
        top: arguments.top,
    }
}

fn row(point: ObservedPoint) -> ValueRow {
    let claim = claim_row(&point);
    let ObservedPoint { module, what, record, .. } = point;
    let is_float = what.kind == Meaning::Float;
    let is_exact = record.is_exact();
    let back_edges = if what.kind == Meaning::BackEdges { record.back_edges() } else { 0 };
    let rough: Vec<(i64, i64, u64)> = record
        .rough
        .iter()
        .map(|(&bucket, &count)| {
            let (least, most) = bucket_range(bucket, is_float);
            (least, most, count)
        })
        .collect();
    let values: Vec<(i64, u64)> = record.values.into_iter().collect();
    let range = record.range.map(|(least, most)| [least, middle(&values, &rough).clamp(least, most), most]);
    ValueRow {
        module,
        key: what.key,
        function: what.function,
        file: what.file,
        line: what.line,
        meaning: what.kind,
        text: what.text,
        parent: what.parent,
        depth: what.depth,
        entries: record.entries,
        complete: record.complete,
        left: (record.left.0, record.left.2),
        open: (record.open.len() as u64, record.open.iter().map(|open| open.iterations).max().unwrap_or(0)),
        inherited: record.inherited.0,
        back_edges,
        recorded: record.recorded,
        range,
        values,
        rough,
        runs: record.runs,
        stride: record.stride,
        is_exact,
        claim,
        whole: None,
    }
}

/// The median, as far as it is known: of a range its middle.
fn middle(values: &[(i64, u64)], rough: &[(i64, i64, u64)]) -> i64 {
    let ranges =
        rough.iter().map(|&(least, most, count)| ((i128::from(least) + i128::from(most)) / 2, count));
    let exact = values.iter().map(|&(value, count)| (i128::from(value), count));
    let mut all: Vec<(i128, u64)> = exact.chain(ranges).collect();
    all.sort_unstable();
    let total: u128 = all.iter().map(|(_, count)| u128::from(*count)).sum();
    let mut seen = 0;
    for (value, count) in all {
        seen += u128::from(count);
        if 2 * seen >= total {
            return value as i64;
        }
    }
    0
}

fn claim_row(point: &ObservedPoint) -> Option<ClaimRow> {
    let claim = point.what.claim.as_ref()?;
    let (checks, open) = (&point.record.checks, point.open_checks);
    let held = checks.complete.0 + checks.left.0 + open.counts.0;
    let wrong = checks.complete.1 + checks.left.1 + open.counts.1;
    let violated = checks.complete.2 + checks.left.2 + open.counts.2;
    let (unchecked, too_long) = (checks.unchecked + open.unchecked, checks.too_long + open.too_long);
    let is_whole = claim.unchecked.is_none() && held > 0 && unchecked + too_long == 0;
    let verdict = match () {
        () if wrong > 0 => ClaimVerdict::Wrong,
        () if violated > 0 => ClaimVerdict::AssumptionViolated,
        () if point.record.entries == 0 => ClaimVerdict::NotEntered,
        () if is_whole => ClaimVerdict::Held,
        () => ClaimVerdict::NotChecked,
    };
    let reason = claim.unchecked.clone().or_else(|| {
        (verdict == ClaimVerdict::NotChecked).then(|| match (unchecked, too_long) {
            (0, 0) => "no activation was recorded as a whole".to_owned(),
            (0, _) => format!("its sums were too long to hold in {}", counted(too_long, "activation")),
            (_, 0) => format!("a value that it needs was not known, or too large, in {}", counted(unchecked, "activation")),
            _ => format!(
                "a value that it needs was not known, or too large, in {}; its sums were too long to hold in {too_long}",
                counted(unchecked, "activation")
            ),
        })
    });
    Some(ClaimRow {
        is_exact: claim.is_exact,
        text: claim.text.clone(),
        assumes: claim.assumes.clone(),
        verdict,
        held,
        failed: wrong + violated,
        unchecked,
        too_long,
        first_failure: checks.failed.map(|failed| (failed.entry, failed.iterations, failed.claimed)),
        reason,
    })
}

fn totals(rows: &[ValueRow]) -> VerifyTotals {
    let mut totals = VerifyTotals::default();
    for row in rows.iter().filter(|row| row.is_loop()) {
        *match row.claim.as_ref().map(|claim| claim.verdict) {
            None => &mut totals.no_claim,
            Some(ClaimVerdict::Held) => &mut totals.held,
            Some(ClaimVerdict::NotEntered) => &mut totals.not_entered,
            Some(ClaimVerdict::Wrong) => &mut totals.wrong,
            Some(ClaimVerdict::AssumptionViolated) => &mut totals.assumption_violated,
            Some(ClaimVerdict::NotChecked) => &mut totals.not_checked,
        } += 1;
    }
    totals
}

fn sort(rows: &mut [ValueRow], order: ValuesOrder) {
    let most = |row: &ValueRow| row.range.map_or(i64::MIN, |range| range[2]);
    rows.sort_by(|a, b| {
        let by_place = || (&a.file, a.line, &a.function).cmp(&(&b.file, b.line, &b.function));
        let by_size = match order {
            ValuesOrder::Iterations => b.back_edges.cmp(&a.back_edges),
            ValuesOrder::Activations => b.entries.cmp(&a.entries),
            ValuesOrder::Max => most(b).cmp(&most(a)),
            ValuesOrder::Line => std::cmp::Ordering::Equal,
        };
        by_size.then_with(by_place)
    });
}

fn show(arguments: &ValuesArguments, report: &ValuesReport) -> Result<(), Failure> {
    if let Some(path) = &arguments.plot {
        save_text(Some(path), &time_picture(report), Stream::Stdout)?;
    }
    if let Some(path) = &arguments.histogram {
        save_text(Some(path), &histogram_picture(report), Stream::Stdout)?;
    }
    if let Some(path) = &arguments.json {
        save_json(path, &values_document(report))?;
    }
    save_text(arguments.output.as_deref(), &print_values(report, screen_width()), Stream::Stderr)
}

fn status(arguments: &ValuesArguments, finish: Option<Finish>, report: &ValuesReport) -> Status {
    let failed = finish.is_some_and(|finish| !finish.is_success());
    if failed && !arguments.ignore_status {
        return Status::Program;
    }
    let is_wrong = report.verify.is_some_and(|totals| totals.wrong > 0);
    let whole = report.whole.as_ref().and_then(|whole| whole.as_ref().ok());
    let is_wrong = is_wrong || whole.is_some_and(|totals| totals.wrong > 0);
    if is_wrong { Status::Verdict } else { Status::Fine }
}

#[cfg(test)]
mod tests {
    use super::middle;

    #[test]
    fn the_median_is_a_value_that_was_there() {
        assert_eq!(middle(&[(1, 1), (5, 1), (9, 1)], &[]), 5);
        assert_eq!(middle(&[(1, 10), (9, 1)], &[]), 1);
        assert_eq!(middle(&[(1, 1)], &[(64, 127, 5)]), 95);
        assert_eq!(middle(&[], &[]), 0);
    }
}
