//! The report of a run.

use opcost::counting::Measurement;
use opcost_report::count::report::{BudgetVerdict, CountReport, ReportFacts, RunSpread};
use opcost_report::kit::progress::Progress;

/// The report of a run, without verdict and listings.
pub(crate) fn report_of_run(run: &Measurement) -> CountReport {
    let _progress = Progress::start("adding up");
    CountReport {
        summary: run.summary(),
        facts: ReportFacts::of(&run.module_facts(), &run.modules()[0].map.cost.name),
        quality: run.quality().clone(),
        finish: run.finish(),
        verdict: BudgetVerdict::None,
        processes: run.processes(),
        runs: 1,
        is_deterministic: run.is_deterministic(),
        repetition: run.repetition(),
        spread: run.spread().map(|(runs, least, most)| RunSpread { runs, least, most }),
        stacks: None,
        tasks: None,
        next: Vec::new(),
        calls_known: true,
        unseen_calls: std::collections::HashSet::new(),
        outside: None,
        host: run.host().map(|host| host.display().to_string()),
        listings: Vec::new(),
        machine: std::collections::HashMap::new(),
    }
}
