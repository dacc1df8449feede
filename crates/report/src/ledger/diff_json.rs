//! What changed between two ledgers, for a machine: `opcost.diff/1`.

use opcost_answer::names::demangle;
use opcost_profile::diff::{CountChange, DiffVerdict, FunctionDiff, LineDiff, UnalignedFile, Unlike};
use schemars::JsonSchema;
use serde::Serialize;

use super::diff::DiffReport;

/// What changed.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.diff/1")]
pub struct DiffJson<'a> {
    /// Always `opcost.diff/1`.
    #[schemars(extend("const" = "opcost.diff/1"))]
    schema: &'static str,
    /// The file that was compared with.
    before: String,
    /// The file that was compared.
    after: String,
    /// `more work`, `less work`, `same work with different code`, `same`, or `unsure`.
    verdict: String,
    total: CountChange,
    /// What was not alike; empty unless the comparison was forced.
    unlike: &'a [Unlike],
    /// Functions that differ.
    functions: Vec<FunctionJson>,
    /// How many functions are the same in both.
    unchanged: usize,
    /// Lines whose cost differs; a line is one in both by what is written on it.
    lines: Vec<LineJson>,
    /// Files of which further lines may differ, because a ledger does not have the text of its lines.
    unaligned: &'a [UnalignedFile],
    /// Functions that are not counted (of libraries), where the number of calls differs.
    outside: Vec<OutsideJson>,
}

#[derive(Serialize, JsonSchema)]
struct OutsideJson {
    name: String,
    calls: CountChange,
}

#[derive(Serialize, JsonSchema)]
struct FunctionJson {
    name: String,
    linkage_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    /// What it was called before, if that was something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    /// `more work`, `less work`, `same work with different code`, `same total by another way`, `moved`,
    /// `same work, inlined elsewhere`, `unsure`, `new`, `gone`.
    verdict: String,
    calls: CountChange,
    instructions: CountChange,
    /// Blocks whose counts differ; null where anchor or shape differ.
    blocks: Option<Vec<BlockJson>>,
}

#[derive(Serialize, JsonSchema)]
struct BlockJson {
    /// Its number in the function: `block3`.
    block: String,
    before: Option<u128>,
    after: Option<u128>,
}

#[derive(Serialize, JsonSchema)]
struct LineJson {
    /// Where it is; of a line that was removed, where it was.
    file: String,
    line: u32,
    /// Where it was, if that was another place.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<PlaceJson>,
    /// Whether it has another text now.
    rewritten: bool,
    /// What it cost; null: it is new.
    before: Option<u128>,
    /// What it costs; null: it was removed.
    after: Option<u128>,
}

#[derive(Serialize, JsonSchema)]
struct PlaceJson {
    file: String,
    line: u32,
}

impl<'a> DiffJson<'a> {
    /// The document.
    pub fn new(report: &'a DiffReport) -> DiffJson<'a> {
        let diff = &report.diff;
        let changed = diff.functions.iter().filter(|function| function.verdict != DiffVerdict::Same);
        let outside = diff.outside.iter().map(|it| OutsideJson { name: demangle(&it.name), calls: it.calls });
        DiffJson {
            schema: "opcost.diff/1",
            before: report.before.clone(),
            after: report.after.clone(),
            verdict: report.verdict().to_string(),
            total: diff.total,
            unlike: &diff.unlike,
            functions: changed.map(FunctionJson::new).collect(),
            unchanged: report.with(DiffVerdict::Same).len(),
            lines: diff.lines.iter().filter_map(LineJson::new).collect(),
            unaligned: &diff.unaligned,
            outside: outside.collect(),
        }
    }
}

impl LineJson {
    fn new(line: &LineDiff) -> Option<LineJson> {
        let place = line.place()?;
        let was = line.before.as_ref().filter(|was| *was != place);
        Some(LineJson {
            file: place.file.to_string(),
            line: place.line,
            was: was.map(|was| PlaceJson { file: was.file.to_string(), line: was.line }),
            rewritten: line.is_rewritten,
            before: line.instructions.before,
            after: line.instructions.after,
        })
    }
}

impl FunctionJson {
    fn new(function: &FunctionDiff) -> FunctionJson {
        let block = |(block, change): &(u32, CountChange)| BlockJson {
            block: format!("block{block}"),
            before: change.before,
            after: change.after,
        };
        FunctionJson {
            name: demangle(&function.key.name),
            linkage_name: function.key.name.to_string(),
            module: function.key.module.as_deref().map(str::to_owned),
            was: function.was.as_ref().map(|was| demangle(&was.name)),
            file: function.place.as_ref().map(|place| place.file.to_string()),
            line: function.place.as_ref().map(|place| place.line),
            verdict: function.verdict.to_string(),
            calls: function.calls,
            instructions: function.instructions,
            blocks: function.blocks.as_ref().map(|blocks| blocks.iter().map(block).collect()),
        }
    }
}
