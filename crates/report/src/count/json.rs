//! The same numbers for a machine: schema `opcost.count/1`.
//!
//! The schema lies in `schemas/opcost.count-1.json`; a test holds the two
//! together. Functions, lines, blocks and calls that never ran are left out.
//! Functions are named as their language writes them (`name`) and as the
//! linker does (`linkage_name`); whatever else points at a function uses the
//! linkage name. Counts above 2^53 are still written as JSON integers:
//! readers that keep 64 bits (jq 1.7, Python, serde) see them whole.

use opcost_key::Placement;
use opcost_recover::SourceLine;
use schemars::JsonSchema;
use serde::Serialize;

use crate::count::builds::GroupJson;
use crate::count::tasks::ProcessJson;
use opcost_answer::count::{BudgetVerdict, CountAnswers, Growth, NotCounted};
use opcost_answer::names::demangle;
use opcost_answer::run::{CallStack, Finish, RunQuality};

/// What ran how often.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.count/1")]
pub struct CountJson {
    /// Always `opcost.count/1`.
    #[schemars(extend("const" = "opcost.count/1"))]
    schema: &'static str,
    /// The state of the module at which instructions were counted.
    anchor: String,
    /// Name and version of the weights by which every `instructions` is computed.
    cost_model: String,
    quality: QualityJson,
    /// What all of it cost; of several runs that differ, what the first one did.
    total: u128,
    /// The least and the most of several runs that differ (`--repeat`); null where there is one number.
    range: Option<RangeJson>,
    functions: Vec<FunctionJson>,
    /// Lines whose instructions ran.
    lines: Vec<LineJson>,
    /// What instructions cost that debug information puts on no line: with it the lines sum to `total`.
    without_line: u128,
    blocks: Vec<BlockJson>,
    /// Calls out of what was counted; null when samples were taken, which do not say it, or a ledger of an
    /// earlier version was read.
    external_calls: Option<Vec<CallJson>>,
    /// Calls through pointers by place; null when samples were taken, or a ledger of an earlier version was
    /// read.
    indirect_calls: Option<Vec<IndirectJson>>,
    /// What of the program's build was not counted; only if there is such. `total` is without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_counted: Option<Vec<NotCountedJson>>,
    /// Call stacks with their samples, those with most samples first; only when they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    stacks: Option<Vec<StackJson>>,
    /// Samples by process and thread, those with most first; only of samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    samples_by_process: Option<Vec<ProcessJson>>,
    /// Threads that there were while samples were taken, with samples or without; only of samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<u64>,
    /// How many processes counted.
    processes: usize,
    /// How many runs the counts are the sum of.
    runs: u64,
    /// The program, if it has no counters of its own: what it loaded or started was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    host_without_counters: Option<String>,
    /// Whether the program's world was held fixed (`--deterministic`).
    deterministic: bool,
    program_status: StatusJson,
    verdict: VerdictJson,
    build: BuildJson,
}

/// Instructions of several runs.
#[derive(Serialize, JsonSchema)]
struct RangeJson {
    /// The fewest.
    least: u128,
    /// The most.
    most: u128,
}

#[derive(Serialize, JsonSchema)]
struct QualityJson {
    #[schemars(extend("enum" = ["exact", "range", "lower bound", "estimate"]))]
    kind: &'static str,
    /// Why it is not exact.
    reasons: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct FunctionJson {
    /// As its language writes it.
    name: String,
    /// As the linker knows it.
    linkage_name: String,
    /// The module, when the name is local to it (`static`).
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    /// How often it was called. Samples do not say it.
    calls: Option<u128>,
    /// Threads in which it was sampled: it ran in so many at least. Counts and ledgers do not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<u64>,
    /// What it cost itself, without what it calls.
    instructions: u128,
}

#[derive(Serialize, JsonSchema)]
struct LineJson {
    file: String,
    line: u32,
    /// What the line's instructions cost, over all functions they were inlined into.
    instructions: u128,
    /// How often its code was executed: in each copy of its code as often as the most frequent of its
    /// instructions, over copies the sum. Null where that is not known, and when a ledger of an earlier version
    /// was read.
    count: Option<u128>,
    /// Whether `count` is how often the line itself ran. False of optimised code: a copy of a line in an unrolled
    /// or vectorised loop does several of its executions.
    count_is_executions: bool,
}

#[derive(Serialize, JsonSchema)]
struct BlockJson {
    /// Linkage name.
    function: String,
    /// Its number in the function: `block3`.
    block: String,
    file: Option<String>,
    line: Option<u32>,
    /// How often its first instruction started.
    count: u128,
}

#[derive(Serialize, JsonSchema)]
struct StackJson {
    /// Linkage names, outermost function first; `[image]` where an image has no symbol.
    frames: Vec<String>,
    samples: u64,
}

#[derive(Serialize, JsonSchema)]
struct CallJson {
    /// Linkage name of the callee.
    name: String,
    calls: u128,
}

#[derive(Serialize, JsonSchema)]
struct NotCountedJson {
    /// Names of functions, or of a library.
    what: String,
    /// Why it is not counted.
    reason: String,
    /// How to have it counted; null if it cannot be.
    next: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct IndirectJson {
    /// Linkage name of the function that calls.
    function: String,
    file: Option<String>,
    line: Option<u32>,
    calls: u128,
}

/// How the program ended; both null when a ledger of an earlier version was read, which does not have
/// it.
#[derive(Serialize, JsonSchema)]
pub struct StatusJson {
    exit: Option<i32>,
    signal: Option<i32>,
}

#[derive(Serialize, JsonSchema)]
struct VerdictJson {
    /// About the budget.
    #[schemars(extend("enum" = ["none", "within", "over"]))]
    result: &'static str,
    budget: Option<u128>,
    /// Over the budget, with a baseline: functions that cost more than in it, the most first.
    #[serde(skip_serializing_if = "Option::is_none")]
    grew: Option<Vec<GrownJson>>,
}

#[derive(Serialize, JsonSchema)]
struct GrownJson {
    name: String,
    linkage_name: String,
    file: Option<String>,
    line: Option<u32>,
    /// What it cost in the baseline; null: it is new.
    before: Option<u128>,
    after: u128,
}

/// How the program was built: its first module, and all of them by groups.
#[derive(Serialize, JsonSchema)]
struct BuildJson {
    compiler: String,
    flags: Vec<String>,
    /// Target triple.
    target: String,
    /// Where counters were.
    placement: String,
    /// Version of the opcost that reports.
    opcost: &'static str,
    /// Modules that were built in one way, by their first modules.
    groups: Vec<GroupJson>,
}

fn placement(placement: Option<Placement>) -> String {
    placement.map_or_else(|| "none".to_owned(), |placement| placement.to_string())
}

impl CountJson {
    /// The document of one report.
    pub fn new(report: &CountAnswers) -> CountJson {
        let facts = &report.facts;
        CountJson {
            schema: "opcost.count/1",
            anchor: facts.first(|group| group.anchor.to_string()),
            cost_model: facts.cost_model.clone(),
            quality: quality(report),
            total: report.summary.weight,
            range: report.spread.as_ref().map(|spread| RangeJson { least: spread.least, most: spread.most }),
            functions: functions(report),
            lines: lines(report),
            without_line: without_line(report),
            blocks: blocks(report),
            external_calls: report.calls_known.then(|| external(report)),
            indirect_calls: report.calls_known.then(|| indirect(report)),
            not_counted: not_counted(report),
            stacks: report.stacks.as_deref().map(stacks),
            threads: report.threads.as_ref().map(|threads| threads.all),
            samples_by_process: report
                .tasks
                .as_ref()
                .map(|tasks| tasks.iter().map(ProcessJson::new).collect()),
            processes: report.processes,
            runs: report.runs,
            host_without_counters: report.host.clone(),
            deterministic: report.is_deterministic,
            program_status: StatusJson::new(report.finish),
            verdict: verdict(&report.verdict),
            build: BuildJson {
                compiler: facts.first(|group| group.build.compiler.clone()),
                flags: facts.first(|group| group.build.flags.clone()),
                target: facts.first(|group| group.build.target.clone()),
                placement: facts.first(|group| placement(group.build.placement)),
                groups: facts.groups.iter().map(GroupJson::new).collect(),
                opcost: env!("CARGO_PKG_VERSION"),
            },
        }
    }
}

impl StatusJson {
    /// How a program ended, if that is known.
    pub fn new(finish: Option<Finish>) -> StatusJson {
        match finish {
            Some(Finish::Exited(status)) => StatusJson { exit: Some(status), signal: None },
            Some(Finish::Killed(signal)) => StatusJson { exit: None, signal: Some(signal) },
            None => StatusJson { exit: None, signal: None },
        }
    }
}

fn quality(report: &CountAnswers) -> QualityJson {
    match &report.quality {
        RunQuality::Exact if report.spread.is_some() => {
            QualityJson { kind: "range", reasons: report.repetition.iter().cloned().collect() }
        }
        RunQuality::Exact => QualityJson { kind: "exact", reasons: Vec::new() },
        RunQuality::LowerBound(reasons) => QualityJson { kind: "lower bound", reasons: reasons.clone() },
        RunQuality::Estimate(reasons) => QualityJson { kind: "estimate", reasons: reasons.clone() },
    }
}

fn split(place: Option<&SourceLine>) -> (Option<String>, Option<u32>) {
    (place.map(|place| place.file.clone()), place.map(|place| place.line))
}

fn functions(report: &CountAnswers) -> Vec<FunctionJson> {
    let all = report.summary.functions.iter();
    all.filter(|function| function.calls > 0 || function.instructions > 0)
        .map(|function| {
            let (file, line) = split(function.place.as_ref());
            FunctionJson {
                name: demangle(&function.name),
                linkage_name: function.name.clone(),
                module: function.module.clone(),
                file,
                line,
                calls: report.calls_of(function),
                threads: report.threads_of(function),
                instructions: function.instructions,
            }
        })
        .collect()
}

fn lines(report: &CountAnswers) -> Vec<LineJson> {
    let all = report.summary.lines.iter();
    all.filter(|line| line.executions.map_or(line.instructions > 0, |count| count > 0))
        .map(|line| LineJson {
            file: line.at.file.clone(),
            line: line.at.line,
            instructions: line.instructions,
            count: line.executions,
            count_is_executions: line.is_of_line,
        })
        .collect()
}

fn without_line(report: &CountAnswers) -> u128 {
    let on_lines: u128 = report.summary.lines.iter().map(|line| line.instructions).sum();
    report.summary.weight.saturating_sub(on_lines)
}

fn blocks(report: &CountAnswers) -> Vec<BlockJson> {
    let summary = &report.summary;
    let ran = summary.blocks.iter().filter(|block| block.count > 0);
    ran.map(|block| {
        let (file, line) = split(block.place.as_ref());
        BlockJson {
            function: summary.functions[block.function].name.clone(),
            block: block.block.to_string(),
            file,
            line,
            count: block.count,
        }
    })
    .collect()
}

fn stacks(stacks: &[CallStack]) -> Vec<StackJson> {
    let stack = |stack: &CallStack| StackJson { frames: stack.frames.clone(), samples: stack.samples };
    stacks.iter().map(stack).collect()
}

fn external(report: &CountAnswers) -> Vec<CallJson> {
    let calls = &report.summary.calls;
    let made = calls.external.iter().chain(&calls.memory).filter(|call| call.calls > 0);
    made.map(|call| CallJson { name: call.name.clone(), calls: call.calls }).collect()
}

fn not_counted(report: &CountAnswers) -> Option<Vec<NotCountedJson>> {
    let part = |part: &NotCounted| NotCountedJson {
        what: part.what.clone(),
        reason: part.reason.clone(),
        next: part.next.clone(),
    };
    let parts: Vec<NotCountedJson> = report.not_counted.iter().map(part).collect();
    (!parts.is_empty()).then_some(parts)
}

fn indirect(report: &CountAnswers) -> Vec<IndirectJson> {
    let made = report.summary.calls.indirect.iter().filter(|site| site.calls > 0);
    made.map(|site| {
        let (file, line) = split(site.place.as_ref());
        IndirectJson { function: site.function.clone(), file, line, calls: site.calls }
    })
    .collect()
}

fn verdict(verdict: &BudgetVerdict) -> VerdictJson {
    match verdict {
        BudgetVerdict::None => VerdictJson { result: "none", budget: None, grew: None },
        BudgetVerdict::Within { budget } => {
            VerdictJson { result: "within", budget: Some(*budget), grew: None }
        }
        BudgetVerdict::Over { budget, grew } => {
            let grew = match grew {
                Growth::Since(grown) => Some(grown.iter().map(GrownJson::new).collect()),
                Growth::Unknown | Growth::Refused(_) => None,
            };
            VerdictJson { result: "over", budget: Some(*budget), grew }
        }
    }
}

impl GrownJson {
    fn new(grown: &opcost_answer::count::Grown) -> GrownJson {
        let (file, line) = split(grown.location.as_ref());
        GrownJson {
            name: demangle(&grown.name),
            linkage_name: grown.name.clone(),
            file,
            line,
            before: grown.before,
            after: grown.after,
        }
    }
}
