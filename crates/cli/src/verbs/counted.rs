//! The report of a run.

use opcost::counting::Measurement;
use opcost_recover::CountedModule;
use opcost_report::count::report::{BudgetVerdict, CountReport, ReportFacts};
use opcost_report::kit::progress::Progress;

/// The report of a run, without verdict and listings.
pub(crate) fn report_of_run(run: &Measurement) -> CountReport {
    let _progress = Progress::start("adding up");
    CountReport {
        summary: run.summary(),
        facts: facts(&run.modules()),
        quality: run.quality().clone(),
        finish: run.finish(),
        verdict: BudgetVerdict::None,
        processes: run.processes(),
        runs: 1,
        is_deterministic: run.is_deterministic(),
        repetition: run.repetition(),
        stacks: None,
        tasks: None,
        next: Vec::new(),
        calls_known: true,
        listings: Vec::new(),
        machine: std::collections::HashMap::new(),
    }
}

/// Facts about the build of what was counted.
pub(crate) fn facts(modules: &[CountedModule<'_>]) -> ReportFacts {
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
