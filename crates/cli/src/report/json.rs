//! The same numbers for a machine: schema `opcost.count/1`.
//!
//! The schema lies in `schemas/opcost.count-1.json`; a test holds the two
//! together. Counts above 2^53 are still written as JSON integers: readers
//! that keep 64 bits (jq 1.7, Python, serde) see them whole.

use serde::Serialize;

use super::{CountReport, Verdict, demangle};
use crate::run::{Finish, Quality};

/// The document.
#[derive(Serialize)]
pub(crate) struct CountJson {
    schema: &'static str,
    anchor: String,
    cost_model: String,
    quality: QualityJson,
    total: u128,
    functions: Vec<FunctionJson>,
    lines: Vec<LineJson>,
    blocks: Vec<BlockJson>,
    external_calls: Vec<CallJson>,
    indirect_calls: Vec<IndirectJson>,
    processes: usize,
    program_status: StatusJson,
    verdict: VerdictJson,
    build: BuildJson,
}

#[derive(Serialize)]
struct QualityJson {
    kind: &'static str,
    reasons: Vec<String>,
}

#[derive(Serialize)]
struct FunctionJson {
    name: String,
    linkage_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    calls: u128,
    instructions: u128,
}

#[derive(Serialize)]
struct LineJson {
    file: String,
    line: u32,
    instructions: u128,
}

#[derive(Serialize)]
struct BlockJson {
    function: String,
    block: String,
    file: Option<String>,
    line: Option<u32>,
    count: u128,
}

#[derive(Serialize)]
struct CallJson {
    name: String,
    calls: u128,
}

#[derive(Serialize)]
struct IndirectJson {
    function: String,
    file: Option<String>,
    line: Option<u32>,
    calls: u128,
}

#[derive(Serialize)]
struct StatusJson {
    exit: Option<i32>,
    signal: Option<i32>,
}

#[derive(Serialize)]
struct VerdictJson {
    result: &'static str,
    budget: Option<u128>,
}

#[derive(Serialize)]
struct BuildJson {
    compiler: String,
    flags: Vec<String>,
    target: String,
    placement: String,
    opcost: &'static str,
}

impl CountJson {
    /// The document of one report: functions, lines, blocks and calls that
    /// were met at least once.
    pub(crate) fn new(report: &CountReport) -> CountJson {
        let summary = &report.summary;
        let facts = &report.facts;
        let named = summary.calls.external.iter().chain(&summary.calls.memory);
        CountJson {
            schema: "opcost.count/1",
            anchor: facts.anchor.clone(),
            cost_model: facts.cost_model.clone(),
            quality: quality(&report.quality),
            total: summary.weight,
            functions: functions(report),
            lines: summary
                .lines
                .iter()
                .filter(|line| line.max_count.map_or(line.instructions > 0, |count| count > 0))
                .map(|line| LineJson {
                    file: line.at.file.clone(),
                    line: line.at.line,
                    instructions: line.instructions,
                })
                .collect(),
            blocks: blocks(report),
            external_calls: named
                .filter(|call| call.calls > 0)
                .map(|call| CallJson { name: call.name.clone(), calls: call.calls })
                .collect(),
            indirect_calls: indirect(report),
            processes: report.processes,
            program_status: match report.finish {
                Finish::Exited(status) => StatusJson { exit: Some(status), signal: None },
                Finish::Killed(signal) => StatusJson { exit: None, signal: Some(signal) },
            },
            verdict: match report.verdict {
                Verdict::None => VerdictJson { result: "none", budget: None },
                Verdict::Within { budget } => VerdictJson { result: "within", budget: Some(budget) },
                Verdict::Over { budget } => VerdictJson { result: "over", budget: Some(budget) },
            },
            build: BuildJson {
                compiler: facts.compiler.clone(),
                flags: facts.flags.clone(),
                target: facts.target.clone(),
                placement: facts.placement.clone(),
                opcost: env!("CARGO_PKG_VERSION"),
            },
        }
    }
}

fn quality(quality: &Quality) -> QualityJson {
    match quality {
        Quality::Exact => QualityJson { kind: "exact", reasons: Vec::new() },
        Quality::LowerBound(reasons) => QualityJson { kind: "lower bound", reasons: reasons.clone() },
    }
}

fn functions(report: &CountReport) -> Vec<FunctionJson> {
    let called =
        report.summary.functions.iter().filter(|function| function.calls > 0 || function.instructions > 0);
    called
        .map(|function| FunctionJson {
            name: demangle(&function.name),
            linkage_name: function.name.clone(),
            module: function.module.clone(),
            file: function.place.as_ref().map(|place| place.file.clone()),
            line: function.place.as_ref().map(|place| place.line),
            calls: function.calls,
            instructions: function.instructions,
        })
        .collect()
}

fn blocks(report: &CountReport) -> Vec<BlockJson> {
    let summary = &report.summary;
    summary
        .blocks
        .iter()
        .filter(|block| block.count > 0)
        .map(|block| BlockJson {
            function: summary.functions[block.function].name.clone(),
            block: block.block.to_string(),
            file: block.place.as_ref().map(|place| place.file.clone()),
            line: block.place.as_ref().map(|place| place.line),
            count: block.count,
        })
        .collect()
}

fn indirect(report: &CountReport) -> Vec<IndirectJson> {
    let made = report.summary.calls.indirect.iter().filter(|site| site.calls > 0);
    made.map(|site| IndirectJson {
        function: site.function.clone(),
        file: site.place.as_ref().map(|place| place.file.clone()),
        line: site.place.as_ref().map(|place| place.line),
        calls: site.calls,
    })
    .collect()
}
