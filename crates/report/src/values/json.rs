//! What values were recorded, for machines: `opcost.values/1`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use crate::kit::save::document;
use crate::values::report::ending;
use opcost_answer::points::Meaning;
use opcost_answer::values::{ClaimRow, RecordedValues, ValueRow, VerifyTotals, WholeRow, WholeTotals};
use opcost_profile::opcval::layout::double;

/// `opcost.values/1`
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.values/1")]
pub struct ValuesJson<'a> {
    /// Always `opcost.values/1`.
    #[schemars(extend("const" = "opcost.values/1"))]
    schema: &'static str,
    /// What was run.
    command: &'a str,
    /// Every how many values one is in histograms and sequences.
    sample: u64,
    /// Bytes that histograms and sequences of one process took.
    memory_used: u64,
    /// Bytes that they might take.
    memory_limit: u64,
    /// How many processes recorded.
    processes: usize,
    /// Why something may be missing or coarse.
    remarks: &'a [String],
    /// How the program ended, if not well.
    ending: Option<String>,
    /// How all claims fared, if they were checked.
    verify: Option<VerifyTotals>,
    /// How the numbers that `opcost loops` has of the whole program fared, if they were checked.
    whole: Option<&'a WholeTotals>,
    /// Why they were not.
    whole_reason: Option<&'a str>,
    /// Loops, also those never entered.
    loops: Vec<LoopJson<'a>>,
    /// Single values.
    values: Vec<ValueJson<'a>>,
    /// Loops that could not be recorded.
    not_recorded: Vec<NotRecordedJson<'a>>,
}

/// A loop.
#[derive(Serialize, JsonSchema)]
struct LoopJson<'a> {
    module: &'a str,
    /// Linkage name.
    function: &'a str,
    /// Label of its header in the IR.
    header: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    /// 1 for an outermost loop.
    depth: u32,
    /// Header of the loop around it.
    parent: Option<&'a str>,
    /// How often it was entered.
    activations: u64,
    /// Those that left by one of its exits.
    complete: u64,
    /// Those that did not: left or open.
    partial: u64,
    /// Left by longjmp, an exception or the end of a thread.
    left: u64,
    /// Open when the program ended.
    open: u64,
    /// The most iterations of a partial activation.
    partial_max: Option<u64>,
    /// Activations that a child of fork went on with; not in the others.
    inherited: u64,
    /// Traversals of its back edges, partial and inherited activations included.
    back_edges: i128,
    /// Back edges of each complete activation.
    #[serde(rename = "turns")]
    iterations: DistributionJson,
    claim: Option<&'a ClaimRow>,
    /// What `opcost loops` knows of it from the whole program, if that is a number.
    whole: Option<&'a WholeRow>,
}

/// How values are distributed.
#[derive(Serialize, JsonSchema)]
struct DistributionJson {
    /// How many were recorded.
    recorded: u64,
    /// Whether `histogram` has every value that there was.
    exact: bool,
    /// The least; numbers, or null where nothing was recorded.
    min: Json,
    median: Json,
    max: Json,
    /// Each value and how often it was recorded, ascending.
    histogram: Vec<(Json, u64)>,
    /// Values known by range only: least, greatest, how many.
    coarse: Vec<(Json, Json, u64)>,
    /// Every how many recorded values one is in `sequence`.
    stride: u64,
    /// Values in order of time, each with how often it came in a row.
    sequence: Vec<(Json, u64)>,
}

/// A value.
#[derive(Serialize, JsonSchema)]
struct ValueJson<'a> {
    module: &'a str,
    /// Linkage name.
    function: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    /// The instruction.
    instruction: &'a str,
    /// `unsigned`, `signed` or `float`.
    kind: &'static str,
    /// How often it was computed.
    times: u64,
    values: DistributionJson,
}

/// A loop that could not be recorded.
#[derive(Serialize, JsonSchema)]
struct NotRecordedJson<'a> {
    function: &'a str,
    header: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    reason: &'a str,
}

/// The report as a document.
pub fn values_document(report: &RecordedValues) -> String {
    let line = |line: u32| (line > 0).then_some(line);
    let loops = report.rows.iter().filter(|row| row.is_loop()).map(|row| LoopJson {
        module: &row.module,
        function: &row.function,
        header: &row.text,
        file: row.file.as_deref(),
        line: line(row.line),
        depth: row.depth,
        parent: row.parent.as_deref(),
        activations: row.entries,
        complete: row.complete,
        partial: row.partial(),
        left: row.left.0,
        open: row.open.0,
        partial_max: (row.partial() > 0).then_some(row.left.1.max(row.open.1)),
        inherited: row.inherited,
        back_edges: row.back_edges,
        iterations: distribution(row),
        claim: row.claim.as_ref(),
        whole: row.whole.as_ref(),
    });
    let values = report.rows.iter().filter(|row| !row.is_loop()).map(|row| ValueJson {
        module: &row.module,
        function: &row.function,
        file: row.file.as_deref(),
        line: line(row.line),
        instruction: &row.text,
        kind: match row.meaning {
            Meaning::Float => "float",
            Meaning::Signed => "signed",
            Meaning::BackEdges | Meaning::Unsigned => "unsigned",
        },
        times: row.complete,
        values: distribution(row),
    });
    let refused = report.refused.iter().map(|refused| NotRecordedJson {
        function: &refused.function,
        header: &refused.text,
        file: refused.file.as_deref(),
        line: line(refused.line),
        reason: &refused.reason,
    });
    document(&ValuesJson {
        schema: "opcost.values/1",
        command: &report.command,
        sample: report.sample,
        memory_used: report.memory.0,
        memory_limit: report.memory.1,
        processes: report.processes,
        remarks: &report.remarks,
        ending: ending(report),
        verify: report.verify,
        whole: report.whole.as_ref().and_then(|whole| whole.as_ref().ok()),
        whole_reason: report.whole.as_ref().and_then(|whole| whole.as_ref().err()).map(|why| &*why.0),
        loops: loops.collect(),
        values: values.collect(),
        not_recorded: refused.collect(),
    })
}

fn distribution(row: &ValueRow) -> DistributionJson {
    let json = |value: i64| match row.meaning {
        Meaning::Float => Json::from(double(value)),
        Meaning::Signed => Json::from(value),
        Meaning::BackEdges | Meaning::Unsigned => Json::from(value as u64),
    };
    let [min, median, max] = row.range.map_or([Json::Null, Json::Null, Json::Null], |range| range.map(json));
    DistributionJson {
        recorded: row.recorded,
        exact: row.is_exact,
        min,
        median,
        max,
        histogram: row.values.iter().map(|&(value, count)| (json(value), count)).collect(),
        coarse: row.rough.iter().map(|&(from, to, count)| (json(from), json(to), count)).collect(),
        stride: row.stride,
        sequence: row.runs.iter().map(|&(value, count)| (json(value), count)).collect(),
    }
}
