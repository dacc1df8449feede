//! The report of a run, and what is said of parts that were not counted.

use opcost::counting::Measurement;
use opcost_report::count::report::{BudgetVerdict, CountReport, NotCounted, ReportFacts, RunSpread};
use opcost_report::kit::progress::Progress;
use opcost_run::missing::{Missing, MissingKind};

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
        threads: None,
        next: Vec::new(),
        calls_known: true,
        not_counted: Vec::new(),
        outside: None,
        host: run.host().map(|host| host.display().to_string()),
        listings: Vec::new(),
        machine: std::collections::HashMap::new(),
    }
}

/// What is said of a part that was not counted.
pub(crate) fn not_counted(part: &Missing) -> NotCounted {
    let path = part.path.display();
    let is_cargos = std::env::args_os().nth(1).is_some_and(|word| word == "cargo");
    let (reason, next) = match part.kind {
        MissingKind::OwnCode if is_cargos => (
            "code of this program that another compiler made, such as C of a build script".to_owned(),
            "CC=\"opcost cc\" CXX=\"opcost c++\" cargo opcost count … counts it".to_owned(),
        ),
        MissingKind::OwnCode => (
            "code of this program that was compiled without counters".to_owned(),
            "give its source, or compile it by opcost cc or opcost c++".to_owned(),
        ),
        MissingKind::SilentLibrary => (
            format!("{path} has counters and wrote none, since another linker made it"),
            "link it by opcost cc -shared (opcost c++ -shared)".to_owned(),
        ),
        MissingKind::OtherLibrary => (
            format!("{path} ran in its place"),
            "libtool --mode=execute opcost count PROGRAM runs what was built; so does LD_LIBRARY_PATH"
                .to_owned(),
        ),
        MissingKind::UnwindTables => (
            "for each frame of an exception it reads tables of the program, which counters change".to_owned(),
            String::new(),
        ),
        MissingKind::PlainLibrary => {
            (format!("{path} was built without counters"), "build it by opcost cc (opcost c++)".to_owned())
        }
    };
    NotCounted { what: part.what.clone(), reason, next: (!next.is_empty()).then_some(next) }
}
