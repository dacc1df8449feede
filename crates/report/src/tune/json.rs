//! The document `opcost.tune/1`.
//!
//! Cost: the functions.

use opcost_answer::names::demangle;
use opcost_answer::tune::{
    ArrangedFunction, Change, Conserved, CopiedBlock, CopiedFunction, Gain, InlinedCall, Simulation,
    Transform, Tuned, UnrolledLoop,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::save::document;

/// The document of `opcost tune`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.tune/1")]
pub struct TuneJson<'a> {
    /// Always `opcost.tune/1`.
    #[schemars(extend("const" = "opcost.tune/1"))]
    schema: &'static str,
    /// What was asked for, in the order in which it was done.
    transforms: Vec<TransformJson<'a>>,
    /// The program as it comes.
    plain: PlainJson,
    /// The program as it comes, compared with itself: noise. Null without enough rounds.
    control: Option<Gain>,
    /// How often each program ran.
    runs: usize,
    /// How many times each program was linked, with other gaps between functions each time.
    links: usize,
    /// Whether all programs printed the same and ended alike. Null if they were not run. Null, too, if the program
    /// as it comes prints something else each time.
    outputs_equal: Option<bool>,
    /// How good the order of machine blocks is, in fall-throughs (Ext-TSP), by counts of the training run; null
    /// without placement.
    score: Option<Change<f64>>,
    /// How often control went to another block than the next, in the training run; null without placement.
    taken_branches: Option<Change<u64>>,
    /// What another counted run says of the counts that the program was tuned by; null without `--verify`.
    conserved: Option<ConservedJson>,
    /// Copies of hot joins.
    copies: Vec<CopyJson<'a>>,
    /// Calls that were replaced by what they call.
    inlined: Vec<InlinedJson<'a>>,
    /// Loops whose bodies were to be copied.
    unrolled: &'a [UnrolledLoop],
    /// Functions whose machine blocks were ordered, the one that ran most first.
    functions: Vec<FunctionJson<'a>>,
}

/// A step.
#[derive(Serialize, JsonSchema)]
struct TransformJson<'a> {
    /// `profile`: the optimiser works by counts. `inline`: hot calls are replaced. `split`: hot joins have copies. `unroll`:
    /// bodies of hot loops have copies. `placement`: blocks and functions are ordered. `no-pie`,
    /// `static`, `native`: how it is linked, and for which processor.
    name: &'static str,
    /// Whether it was done.
    done: bool,
    /// Why it was not, or which functions were left as they are.
    refused: Vec<RefusedJson<'a>>,
    /// What it gained over the step before; null if it was not done or measured. Steps that were made at once have
    /// one gain.
    gain: Option<StepGainJson>,
}

#[derive(Serialize, JsonSchema)]
struct RefusedJson<'a> {
    /// The function; null for the whole program.
    function: Option<String>,
    /// Why.
    why: &'a str,
}

/// A gain in time, and exact figures of a simulator.
#[derive(Serialize, JsonSchema)]
struct StepGainJson {
    /// Of user CPU time; null without enough rounds.
    time: Option<Gain>,
    /// Machine instructions, before and after; null if nothing was simulated.
    instructions: Option<Change<u64>>,
    /// Misses of the first level's cache of instructions.
    instruction_misses: Option<Change<u64>>,
    /// Branches that a simple predictor gets wrong.
    mispredicted: Option<Change<u64>>,
}

#[derive(Serialize, JsonSchema)]
struct PlainJson {
    /// Median of user CPU seconds; null if it was not run.
    seconds: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct FunctionJson<'a> {
    /// The function, as its language writes it.
    function: String,
    /// Its linkage name.
    symbol: &'a str,
    /// Machine blocks.
    blocks: usize,
    /// Machine blocks that ran.
    executed_blocks: usize,
    /// Whether their order is another than LLVM's.
    moved: bool,
    /// Length of the code in bytes, nearly.
    bytes: u64,
    /// Executions of its machine blocks.
    executions: u64,
    /// The score of the order, in fall-throughs.
    score: Change<f64>,
    /// How often control went to another block than the next.
    taken_branches: Change<u64>,
}

/// Counts that the program was tuned by, compared with those of another run.
#[derive(Serialize, JsonSchema)]
struct ConservedJson {
    /// Whether all blocks ran as often as the program was tuned by.
    holds: bool,
    #[serde(flatten)]
    counts: Conserved,
}

/// A copy of a block for one way in.
#[derive(Serialize, JsonSchema)]
struct CopyJson<'a> {
    /// The function, as its language writes it.
    function: String,
    /// Its linkage name.
    symbol: &'a str,
    #[serde(flatten)]
    copy: &'a CopiedBlock,
}

/// A call that was replaced by what it calls.
#[derive(Serialize, JsonSchema)]
struct InlinedJson<'a> {
    /// Linkage name of the caller.
    caller: &'a str,
    /// Linkage name of the called function.
    callee: &'a str,
    /// Where it is written: file and line; null without debug information.
    location: Option<&'a str>,
    /// How often it was carried out in the training run.
    executions: u64,
}

impl<'a> TuneJson<'a> {
    /// The document's text.
    pub fn text(tuned: &'a Tuned) -> String {
        document(&TuneJson::new(tuned))
    }

    fn new(tuned: &'a Tuned) -> TuneJson<'a> {
        let is_placed = tuned.steps.iter().any(|step| step.transforms.contains(&Transform::Placement));
        let sums = totals(&tuned.functions);
        TuneJson {
            schema: "opcost.tune/1",
            transforms: transforms(tuned),
            plain: PlainJson { seconds: tuned.steps.first().and_then(|step| step.seconds) },
            control: tuned.control,
            runs: tuned.runs,
            links: tuned.links,
            outputs_equal: tuned.outputs_equal,
            score: is_placed.then_some(sums.0),
            taken_branches: is_placed.then_some(sums.1),
            conserved: tuned
                .conserved
                .map(|counts| ConservedJson { holds: counts.equal == counts.blocks, counts }),
            copies: tuned.copied.iter().flat_map(copies).collect(),
            inlined: tuned.inlined.iter().map(inlined).collect(),
            unrolled: &tuned.unrolled,
            functions: tuned.functions.iter().map(function).collect(),
        }
    }
}

/// Scores and taken branches of all functions.
pub(crate) fn totals(functions: &[ArrangedFunction]) -> (Change<f64>, Change<u64>) {
    let score = |of: fn(&Change<f64>) -> f64| functions.iter().map(|one| of(&one.score)).sum();
    let taken = |of: fn(&Change<u64>) -> u64| functions.iter().map(|one| of(&one.taken)).sum();
    (
        Change { before: score(|one| one.before), after: score(|one| one.after) },
        Change { before: taken(|one| one.before), after: taken(|one| one.after) },
    )
}

fn transforms(tuned: &Tuned) -> Vec<TransformJson<'_>> {
    let mut all = Vec::new();
    for pair in tuned.steps.windows(2) {
        let [before, step] = pair else { continue };
        for transform in &step.transforms {
            let left = tuned.left.iter().filter(|one| one.transform == *transform);
            let simulated = |of: fn(Simulation) -> u64| {
                let (before, after) = (before.simulated?, step.simulated?);
                Some(Change { before: of(before), after: of(after) })
            };
            all.push(TransformJson {
                name: transform.name(),
                done: true,
                refused: left
                    .map(|one| RefusedJson { function: Some(demangle(&one.name)), why: &one.why })
                    .collect(),
                gain: step.seconds.map(|_| StepGainJson {
                    time: step.gain,
                    instructions: simulated(|one| one.instructions),
                    instruction_misses: simulated(|one| one.instruction_misses),
                    mispredicted: simulated(|one| one.mispredicted),
                }),
            });
        }
    }
    all.extend(tuned.refused.iter().map(|refused| TransformJson {
        name: refused.transform.name(),
        done: false,
        refused: vec![RefusedJson { function: None, why: &refused.why }],
        gain: None,
    }));
    all
}

fn copies(one: &CopiedFunction) -> impl Iterator<Item = CopyJson<'_>> {
    one.copies.iter().map(|copy| CopyJson { function: demangle(&one.name), symbol: &one.name, copy })
}

fn function(one: &ArrangedFunction) -> FunctionJson<'_> {
    FunctionJson {
        function: demangle(&one.name),
        symbol: &one.name,
        blocks: one.blocks,
        executed_blocks: one.executed_blocks,
        moved: one.is_moved,
        bytes: one.bytes,
        executions: one.executions,
        score: one.score,
        taken_branches: one.taken,
    }
}

fn inlined(one: &InlinedCall) -> InlinedJson<'_> {
    InlinedJson {
        caller: &one.caller,
        callee: &one.callee,
        location: one.location.as_deref(),
        executions: one.executions,
    }
}
