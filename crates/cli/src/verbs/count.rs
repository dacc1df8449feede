//! `opcost count`: how often did everything run, exactly?
//!
//! Build (unless a counted program was given), run, collect, judge, report.
//! The report goes to stderr or to `-o`, JSON to `--json`, facts to
//! `--ledger`; the program's streams stay its own.

use opcost::count::{CountedForm, count, judge, make};
use opcost::ledgers;
use opcost_answer::count::{BudgetVerdict, CountAnswers};
use opcost_answer::run::RunQuality;
use opcost_answer::{Failure, Status};
use opcost_job::module::Product;
use opcost_key::Anchor;
use opcost_report::kit::save::Stream;

use crate::arguments::{CountArguments, EmitKind};
use crate::verbs::counted::request;
use crate::verbs::inputs::{quoted, refuse_words, shown};
use crate::verbs::show::{Show, save_failure_json};

/// Carries out the verb.
pub(crate) fn run(arguments: &CountArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.show.json.as_deref());
    result
}

fn carry_out(arguments: &CountArguments) -> Result<Status, Failure> {
    match arguments.emit {
        Some(kind) => emit(arguments, kind),
        None => count_program(arguments),
    }
}

fn emit(arguments: &CountArguments, kind: EmitKind) -> Result<Status, Failure> {
    refuse_words("count", &arguments.inputs)?;
    let output = arguments.output.as_deref().expect("clap requires -o with --emit");
    let form = match kind {
        EmitKind::Exe => CountedForm::Program,
        EmitKind::Shared => CountedForm::SharedLibrary,
        EmitKind::Obj => CountedForm::Module(Product::Object),
        EmitKind::Bc => CountedForm::Module(Product::Counted),
        EmitKind::Anchor => CountedForm::Module(Product::Anchor),
    };
    make(&request(arguments), form, output)?;
    if kind == EmitKind::Exe {
        opcost_answer::tell!("next: opcost count {} -- ARGS", shown(output));
    }
    Ok(Status::Fine)
}

fn count_program(arguments: &CountArguments) -> Result<Status, Failure> {
    refuse_words("count", &arguments.inputs)?;
    let baseline = arguments.baseline.as_deref();
    let baseline = baseline.map(|path| ledgers::counts(path, None)).transpose()?;
    let request = request(arguments);
    let counted = count(&request)?;
    let (measurement, mut report) = (counted.measurement, counted.answers);
    let command = request.command();
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
        origin: (counted.program, "program"),
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

/// The commands to try next: this very one, with one flag more. A part of a count is no budget.
fn next(arguments: &CountArguments, report: &CountAnswers, is_whole: bool) -> Vec<String> {
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
fn is_clangs(report: &CountAnswers) -> bool {
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

fn status(arguments: &CountArguments, report: &CountAnswers) -> Status {
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
    use opcost_answer::budget::parse_budget;

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
