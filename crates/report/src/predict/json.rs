//! The document `opcost.predict/2`.
//!
//! Cost: the blocks.

use std::collections::BTreeMap;

use opcost_answer::predict::{
    Executions, Measures, Nearness, OpenInput, PredictAnswers, PredictedClass, PredictedFunction,
    SliceRunFacts, Worst,
};
use opcost_profile::overlap::Overlap;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::kit::save::document;
use crate::ledger::overlap::OverlapJson;
use crate::predict::text::{class_shares, executions_of};
use crate::timing::{Priced, TimingJson};
use opcost_answer::names::demangle;

/// The document of `opcost predict`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.predict/2")]
pub struct PredictJson<'a> {
    /// Always `opcost.predict/2`.
    #[schemars(extend("const" = "opcost.predict/2"))]
    schema: &'static str,
    /// `open`: exported functions may be called by anyone; `closed`: it begins at main.
    world: &'a str,
    /// What it was made of. `code`: with values that were given. `trip-counts`: those of a run, too. `slice`: a
    /// run of the program's slice. `count`: nothing is predicted, and a run was counted.
    source: &'static str,
    /// The slice that was run; null unless the source is `slice`.
    slice: Option<SliceRunFacts>,
    /// Instructions of the cost model that all of it executes; null where that hangs on an input
    /// without a value.
    total: Option<Number<'a>>,
    /// Where the program may end before its code is through (exit, abort, longjmp), or return twice
    /// (fork, setjmp). No number is exact then; null if there is no such place.
    ends_early: Option<&'a str>,
    /// Seconds that it takes, with --timing.
    seconds: Option<f64>,
    /// The timing file, and what the seconds are made of.
    timing: Option<TimingJson>,
    /// Functions, in module order.
    functions: Vec<FunctionJson<'a>>,
    /// All blocks.
    blocks: Vec<BlockJson<'a>>,
    /// By class: the share of all executions of blocks whose number is known so. The shares sum to 1.
    classes: BTreeMap<&'static str, f64>,
    /// Inputs that would decide something and have no value.
    inputs: &'a [OpenInput],
    /// The prediction held against a run (--against), and against a measured time (--against-seconds).
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<AgainstJson<'a>>,
}

/// A count: an integer; of more than 64 bits its digits as a text.
struct Number<'a>(&'a str);

impl JsonSchema for Number<'_> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A count: an integer; of more than 64 bits its digits as a text.",
            "type": ["integer", "string"],
            "minimum": 0
        })
    }
}

impl Serialize for Number<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.parse::<u64>() {
            Ok(number) => serializer.serialize_u64(number),
            // More than 64 bits: all digits, as a text.
            Err(_) => serializer.serialize_str(self.0),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct FunctionJson<'a> {
    /// Its key.
    key: String,
    /// As its language writes it.
    name: String,
    /// As the linker knows it.
    linkage_name: &'a str,
    /// Where it is written.
    file: Option<&'a str>,
    /// Its first line.
    line: Option<u32>,
    /// How often it is entered; null where that hangs on an input without a value.
    entries: Option<Number<'a>>,
    /// Instructions of its own blocks, of what is known.
    instructions: f64,
    /// Seconds, without what it called in the program; null without --timing.
    seconds: Option<f64>,
    /// How its entries are known.
    class: &'static str,
    /// Why they are not known better.
    reason: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct BlockJson<'a> {
    /// The key of its function.
    function: String,
    /// Its position in the function.
    block: u32,
    /// Its label in LLVM's text; null where counts are those of a ledger.
    label: Option<&'a str>,
    /// Where it is written.
    file: Option<&'a str>,
    /// Its first line.
    line: Option<u32>,
    /// How often it runs, to the nearest whole number; null where that hangs on an input without a value.
    executions: Option<Number<'a>>,
    /// How that is known: `static_block`, `loop_constant`, `loop_formula`, `run`, `loop_bound`, `static_loop`,
    /// `unknown`.
    class: &'static str,
    /// Whether the number is exact, if what trip counts and branches rest on holds (`opcost loops` lists it).
    exact: bool,
    /// Executions of the header of its loop for one call of the function, over the names of inputs.
    formula: Option<&'a str>,
    /// Why it is not known better.
    reason: Option<&'a str>,
}

/// How right it was.
#[derive(Serialize, JsonSchema)]
struct AgainstJson<'a> {
    /// The prediction held against a run; these fields are there with --against.
    #[serde(flatten)]
    run: Option<AgainstRunJson<'a>>,
    /// The time that the program took; null if it was not given.
    seconds_measured: Option<f64>,
    /// Seconds by the exact counts of the run; null without it or without --timing.
    seconds_by_counts: Option<f64>,
    /// (seconds − seconds by counts) / seconds by counts: the error of frequencies alone.
    frequency_error: Option<f64>,
    /// (seconds by counts − measured) / measured: the error of timing alone.
    timing_error: Option<f64>,
}

/// How right executions are.
#[derive(Serialize, JsonSchema)]
struct AgainstRunJson<'a> {
    /// The share of the run's executions in blocks whose class is `unknown`, or that have no number.
    left_out: f64,
    /// Agreement, as `opcost overlap` measures it.
    overlap: OverlapJson<'a>,
    /// Share of the run's block executions that are predicted within 1 %.
    within_1_percent: f64,
    /// Mean of |p − r| / min(p, r) over blocks that ran in both; null if there is none.
    mean_error: Option<f64>,
    /// The same without blocks that are off by more than 2 ×.
    mean_error_without_far: Option<f64>,
    /// LLVM's BlockFrequencyInfo, times how often the run entered each function.
    llvm: Measures,
    /// Static probabilities alone, times the same.
    statics: Measures,
    /// Functions that are furthest off.
    worst_functions: &'a [Worst],
    /// Loops that are.
    worst_loops: &'a [Worst],
}

/// What the document is made of.
pub struct PredictDocument<'a> {
    /// The prediction, or counts of a run in its form.
    pub answers: &'a PredictAnswers,
    /// Whether executions are those of a run.
    pub has_exact_counts: bool,
    /// A run that the prediction was held against.
    pub against: Option<Against<'a>>,
    /// The time of it.
    pub priced: Option<&'a Priced>,
}

/// What the prediction was held against.
pub struct Against<'a> {
    /// The measures.
    pub nearness: &'a Nearness,
    /// Agreement of the ledgers.
    pub overlap: &'a Overlap,
}

impl<'a> PredictJson<'a> {
    /// The document as text.
    pub fn text(of: &PredictDocument<'a>) -> String {
        let answers = of.answers;
        let json = PredictJson {
            schema: "opcost.predict/2",
            world: &answers.world,
            source: answers.source.word(),
            slice: answers.slice_run,
            ends_early: answers.early_end.as_deref(),
            total: (!answers.is_open).then_some(Number(&answers.total)),
            seconds: of.priced.map(Priced::seconds),
            timing: of.priced.map(TimingJson::new),
            functions: answers.functions.iter().map(|one| function(one, of.priced)).collect(),
            blocks: answers.functions.iter().flat_map(blocks).collect(),
            classes: class_shares(answers).into_iter().map(|(class, share)| (class.word(), share)).collect(),
            inputs: &answers.inputs,
            against: AgainstJson::new(of),
        };
        document(&json)
    }
}

fn number(executions: &Option<Executions>) -> Option<Number<'_>> {
    executions.as_ref().map(|number| Number(&number.0))
}

fn class(class: PredictedClass) -> &'static str {
    class.word()
}

fn function<'a>(one: &'a PredictedFunction, priced: Option<&Priced>) -> FunctionJson<'a> {
    FunctionJson {
        key: one.key.to_string(),
        name: demangle(&one.key.name),
        linkage_name: &one.key.name,
        file: one.file.as_deref(),
        line: one.line,
        entries: number(&one.entries),
        instructions: one.blocks.iter().map(|block| executions_of(block) * block.weight as f64).sum::<f64>()
            + 0.0,
        seconds: priced.map(|priced| priced.seconds_of(&one.key)),
        class: class(one.class),
        reason: one.reason.as_deref(),
    }
}

fn blocks(one: &PredictedFunction) -> Vec<BlockJson<'_>> {
    let key = one.key.to_string();
    one.blocks
        .iter()
        .map(|block| BlockJson {
            function: key.clone(),
            block: block.block,
            label: (!block.label.is_empty()).then_some(&*block.label),
            file: block.file.as_deref(),
            line: block.line,
            executions: number(&block.executions),
            class: class(block.class),
            exact: block.is_exact,
            formula: block.formula.as_deref(),
            reason: block.reason.as_deref(),
        })
        .collect()
}

impl<'a> AgainstJson<'a> {
    /// None if the prediction was held against nothing.
    fn new(of: &PredictDocument<'a>) -> Option<AgainstJson<'a>> {
        let seconds_measured = of.priced.and_then(|priced| priced.seconds_measured);
        if of.against.is_none() && seconds_measured.is_none() {
            return None;
        }
        Some(AgainstJson {
            run: of.against.as_ref().map(AgainstRunJson::new),
            seconds_measured,
            seconds_by_counts: of.priced.and_then(|priced| priced.by_counts),
            frequency_error: of.priced.and_then(Priced::frequency_error),
            timing_error: of.priced.and_then(|priced| priced.timing_error(of.has_exact_counts)),
        })
    }
}

impl<'a> AgainstRunJson<'a> {
    fn new(against: &Against<'a>) -> AgainstRunJson<'a> {
        let Nearness { opcost, llvm, statics, functions, loops, left_out, .. } = against.nearness;
        AgainstRunJson {
            overlap: OverlapJson::new(against.overlap),
            left_out: *left_out,
            within_1_percent: opcost.within_1_percent,
            mean_error: opcost.mean_error,
            mean_error_without_far: opcost.mean_error_without_far,
            llvm: *llvm,
            statics: *statics,
            worst_functions: functions,
            worst_loops: loops,
        }
    }
}
