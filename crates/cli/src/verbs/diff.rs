//! `opcost diff`: more work, less work, or the same work with different code?

use opcost_profile::diff::{DiffVerdict, diff};
use opcost_profile::{Ledger, Quality};

use crate::arguments::{DiffArguments, FailOn};
use crate::verbs::show::save_failure_json;
use opcost::ledgers;
use opcost_answer::{Failure, Status};
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_report::kit::style::screen_width;
use opcost_report::ledger::diff::{DiffCertainty, DiffReport, print_diff};
use opcost_report::ledger::diff_json::DiffJson;

/// Carries out the verb.
pub(crate) fn run(arguments: &DiffArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &DiffArguments) -> Result<Status, Failure> {
    let before = ledgers::counts(&arguments.before, arguments.raw.program.as_deref())?;
    let after = ledgers::counts(&arguments.after, arguments.raw.program.as_deref())?;
    let refused = |why: String| {
        let (before, after) = (arguments.before.display(), arguments.after.display());
        Failure::Counters(format!("{before} and {after}: {why}"))
    };
    let compared = diff(&before, &after, arguments.force).map_err(|error| refused(error.to_string()))?;
    if !arguments.force && !compared.has_common_code {
        return Err(refused(
            "no function of one has its body or its file in the other, so they are of two programs; compare \
             them with --force"
                .to_owned(),
        ));
    }
    let report = DiffReport {
        before: arguments.before.display().to_string(),
        after: arguments.after.display().to_string(),
        diff: compared,
        certainty: certainty(&before).max(certainty(&after)),
    };
    let json_on_stdout = arguments.json.as_deref() == Some("-".as_ref());
    let stream = if json_on_stdout { Stream::Stderr } else { Stream::Stdout };
    save_text(arguments.output.as_deref(), &print_diff(&report, arguments.top, screen_width()), stream)?;
    if let Some(path) = &arguments.json {
        save_json(path, &document(&DiffJson::new(&report)))?;
    }
    judge(arguments.fail_on, &report)
}

fn certainty(ledger: &Ledger) -> DiffCertainty {
    let of = |quality: &Quality| match quality {
        Quality::Exact | Quality::ExactUnder(_) => DiffCertainty::Exact,
        Quality::Estimate => DiffCertainty::Estimated,
        _ => DiffCertainty::LowerBounds,
    };
    ledger.facts().iter().map(|fact| of(&fact.quality)).max().unwrap_or(DiffCertainty::Exact)
}

/// Holds the comparison against `--fail-on`.
fn judge(fail_on: Option<FailOn>, report: &DiffReport) -> Result<Status, Failure> {
    let Some(fail_on) = fail_on else { return Ok(Status::Fine) };
    match report.certainty {
        DiffCertainty::Exact => {}
        DiffCertainty::Estimated => {
            return Err(Failure::Counters(
                "no verdict: counts made of samples differ from run to run; count both with opcost count"
                    .to_owned(),
            ));
        }
        DiffCertainty::LowerBounds => {
            return Err(Failure::Counters(
                "no verdict: some counts are lower bounds; repeat the run that ended without notice"
                    .to_owned(),
            ));
        }
    }
    let functions = || report.diff.functions.iter();
    let fails = match fail_on {
        FailOn::MoreWork => report.verdict() == DiffVerdict::MoreWork,
        FailOn::MoreWorkAnywhere => functions().any(|function| {
            let is_new = function.verdict == DiffVerdict::New && function.instructions.after > Some(0);
            function.verdict == DiffVerdict::MoreWork || is_new
        }),
        FailOn::AnyChange => functions().any(|function| function.verdict != DiffVerdict::Same),
    };
    Ok(if fails { Status::Verdict } else { Status::Fine })
}
