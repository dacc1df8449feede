//! What a check found, as `opcost.check/1`.

use schemars::JsonSchema;
use serde::Serialize;

use opcost_answer::check::{CheckedFunction, CheckedRun, CheckedRuns, FunctionFate};

use super::{reasons, word};
use crate::count::json::StatusJson;

/// What a check found.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.check/1")]
pub struct CheckJson {
    /// Always `opcost.check/1`.
    #[schemars(extend("const" = "opcost.check/1"))]
    schema: &'static str,
    /// The file with the limits.
    file: String,
    /// The worst of the runs' verdicts as an exit status: 0, 1, 3 or 4.
    status: u8,
    runs: Vec<RunJson>,
}

#[derive(Serialize, JsonSchema)]
struct RunJson {
    name: String,
    #[schemars(extend("enum" = ["within", "over", "program failed", "no verdict", "failed"]))]
    verdict: &'static str,
    /// Why there is no verdict, or what failed.
    reasons: Vec<String>,
    /// null: it did not come to counting.
    total: Option<u128>,
    limit: Option<u128>,
    /// By how many instructions the total may be above the limit.
    tolerance: Option<u128>,
    /// What it did when its limits were recorded.
    recorded: Option<u128>,
    /// What it does by what is recorded; null without a verdict by limits.
    #[schemars(extend("enum" = ["more work", "less work", "other code", "same work", null]))]
    change: Option<String>,
    functions: Vec<FunctionJson>,
    program_status: StatusJson,
}

#[derive(Serialize, JsonSchema)]
struct FunctionJson {
    /// Its name in the file with the limits.
    name: String,
    file: Option<String>,
    line: Option<u32>,
    /// What it does by itself, without the functions that it calls.
    instructions: u128,
    /// The most that it may do by itself, if somebody wrote a limit of it.
    limit: Option<u128>,
    /// By how many instructions it may be above its limit.
    tolerance: Option<u128>,
    /// What it did by itself when limits were recorded.
    recorded: Option<u128>,
    /// What became of it: `renamed` has another name, `absent` is inlined, removed or rewritten, `takes over`
    /// does what absent functions did.
    #[schemars(extend("enum" = ["present", "renamed", "absent", "takes over"]))]
    fate: &'static str,
    /// Its name now; null if it is absent.
    name_now: Option<String>,
    #[schemars(extend("enum" = ["within", "over", "none"]))]
    verdict: &'static str,
}

impl CheckJson {
    /// The document.
    pub fn new(report: &CheckedRuns) -> CheckJson {
        CheckJson {
            schema: "opcost.check/1",
            file: report.file.clone(),
            status: report.status().number(),
            runs: report.runs.iter().map(RunJson::new).collect(),
        }
    }
}

impl RunJson {
    fn new(run: &CheckedRun) -> RunJson {
        let function = |function: &CheckedFunction| FunctionJson {
            name: function.listed_name.clone(),
            file: function.location.as_ref().map(|place| place.file.clone()),
            line: function.location.as_ref().map(|place| place.line),
            instructions: function.instructions,
            limit: function.limit.map(|limit| limit.most),
            tolerance: function.limit.map(|limit| limit.tolerance),
            recorded: function.recorded,
            fate: match function.fate {
                FunctionFate::Present => "present",
                FunctionFate::Renamed(_) => "renamed",
                FunctionFate::Absent => "absent",
                FunctionFate::TakesOver => "takes over",
            },
            name_now: function.name_now().map(str::to_owned),
            verdict: match (function.limit, function.breaks()) {
                (None, _) => "none",
                (_, false) => "within",
                (_, true) => "over",
            },
        };
        RunJson {
            name: run.name.clone(),
            verdict: word(run),
            reasons: reasons(run),
            total: run.counted.as_ref().map(|counted| counted.total),
            limit: run.limit.map(|limit| limit.most),
            tolerance: run.limit.map(|limit| limit.tolerance),
            recorded: run.recorded_total.map(|recorded| recorded.total),
            change: run.change().map(|change| change.to_string()),
            functions: run.functions.iter().map(function).collect(),
            program_status: StatusJson::new(run.counted.as_ref().and_then(|counted| counted.finish)),
        }
    }
}
