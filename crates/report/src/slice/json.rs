//! The document `opcost.slice/1`.
//!
//! Cost: the loops and lines.

use opcost_answer::names::demangle;
use opcost_answer::slice::{
    ConstantTrips, EvaluatedTrips, LoopFate, SliceAnswers, SliceVerdict, SlicedLink, SlicedLocation,
    SlicedLoop, VerifiedLoop,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::save::document;

/// The document of `opcost slice`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.slice/1")]
pub struct SliceJson<'a> {
    /// Always `opcost.slice/1`.
    #[schemars(extend("const" = "opcost.slice/1"))]
    schema: &'static str,
    /// How much may go: 0 nothing, 1 all but control flow, 2 all but calls of functions of the program, 3
    /// what is not needed. At 4 loops go that arguments decide, and at 5 those that execute little.
    level: u8,
    /// What is asked for: `trip-counts`, or `line`.
    #[serde(rename = "keep")]
    purpose: &'static str,
    /// Instructions of functions that are run.
    instructions: u64,
    /// Those of them that decide something.
    #[serde(rename = "kept")]
    retained: u64,
    /// Branches with several ways.
    branches: u64,
    /// Those of them that stay.
    #[serde(rename = "kept_branches")]
    retained_branches: u64,
    /// At level 5: the share of all executed instructions that loops have which were dropped, as predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped_share: Option<f64>,
    /// With --verify at level 5: the share of the instructions that loops executed in the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped_share_of_run: Option<f64>,
    /// Loops of functions that are run, by function and from the outside in.
    loops: Vec<LoopJson<'a>>,
    /// Lines of functions that are run.
    lines: Vec<LineJson<'a>>,
    /// Calls that print and go.
    output: Vec<LinkJson<'a>>,
    /// The first comparisons of floating point numbers that stay: computed data that decides something.
    computed: Vec<LinkJson<'a>>,
    /// With --why: for each instruction of the line the chain that keeps it.
    why: Vec<Vec<LinkJson<'a>>>,
    /// With --verify: whether the sequences of all events of loops are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    streams_equal: Option<bool>,
    /// With --verify: whether both ended in the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    ends_equal: Option<bool>,
    /// With --verify: loops whose sequences were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    loops_compared: Option<usize>,
    /// With --verify: how many events came.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<EventsJson>,
    /// With --verify: how long each ran, with counters in place.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<SecondsJson>,
}

#[derive(Serialize, JsonSchema)]
struct LocationJson<'a> {
    /// The source file; null where the module does not say.
    file: Option<&'a str>,
    /// Its line, from 1.
    line: Option<u32>,
    /// The function, as its language writes it.
    function: String,
}

#[derive(Serialize, JsonSchema)]
struct LoopJson<'a> {
    /// The key of the loop.
    r#loop: String,
    /// Where it is.
    #[serde(rename = "place")]
    location: LocationJson<'a>,
    /// 1 for an outermost loop of its function.
    depth: u32,
    /// `thinned`: part of it is removed. `whole`: nine tenths or more of it stay. `constant`: it iterates
    /// equally often each time, so it may go. `evaluated`: its counts follow from the arguments, so it may go.
    /// `dropped`: it executes less than --below says, so it may go. `waived`: --bounded named it.
    fate: &'static str,
    /// How often it iterates, if its fate is `constant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    constant: Option<ConstantTrips>,
    /// What it does in all, if its fate is `evaluated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluated: Option<EvaluatedTrips>,
    /// Its instructions.
    instructions: u64,
    /// Those of them that stay.
    #[serde(rename = "kept")]
    retained: u64,
    /// Computed data that stays in it, and what for; null if there is none.
    why: Option<&'a str>,
    /// With --verify: what both runs did there.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'a VerifiedLoop>,
}

#[derive(Serialize, JsonSchema)]
struct LineJson<'a> {
    /// Where it is.
    #[serde(rename = "place")]
    location: LocationJson<'a>,
    /// Its instructions.
    instructions: u64,
    /// Those of them that stay.
    #[serde(rename = "kept")]
    retained: u64,
    /// Why the first of these does.
    why: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct LinkJson<'a> {
    /// Where it is.
    #[serde(rename = "place")]
    location: LocationJson<'a>,
    /// What it does, by its opcode or callee.
    what: &'a str,
    /// Why it stays or goes.
    why: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct EventsJson {
    /// Of the program.
    original: u64,
    /// Of its slice.
    minicore: u64,
}

#[derive(Serialize, JsonSchema)]
struct SecondsJson {
    /// Of the program.
    original: f64,
    /// Of its slice; null if the streams differ, since it was not run again.
    minicore: Option<f64>,
}

impl<'a> SliceJson<'a> {
    /// The document as text.
    pub fn text(answers: &'a SliceAnswers, verdict: Option<&'a SliceVerdict>) -> String {
        let run = |position: usize| verdict?.loops.iter().find(|one| one.position == position);
        let json = SliceJson {
            schema: "opcost.slice/1",
            level: answers.level,
            purpose: if answers.is_of_line { "line" } else { "trip-counts" },
            instructions: answers.instructions,
            retained: answers.retained,
            branches: answers.branches,
            retained_branches: answers.retained_branches,
            loops: (0..).zip(&answers.loops).map(|(position, one)| of_loop(one, run(position))).collect(),
            lines: answers
                .lines
                .iter()
                .map(|line| LineJson {
                    location: location(&line.location),
                    instructions: line.instructions,
                    retained: line.retained,
                    why: line.why.as_deref(),
                })
                .collect(),
            output: answers.printing.iter().map(link).collect(),
            computed: answers.computed.iter().map(link).collect(),
            why: answers.why.iter().map(|chain| chain.iter().map(link).collect()).collect(),
            streams_equal: verdict.map(|verdict| verdict.streams_equal),
            ends_equal: verdict.map(|verdict| verdict.ends_equal),
            loops_compared: verdict
                .map(|verdict| verdict.loops.iter().filter(|one| one.is_equal.is_some()).count()),
            dropped_share: answers.dropped_share,
            dropped_share_of_run: verdict.and_then(|verdict| verdict.dropped_share),
            events: verdict
                .map(|verdict| EventsJson { original: verdict.events, minicore: verdict.slice_events }),
            seconds: verdict.map(|verdict| SecondsJson {
                original: verdict.seconds,
                minicore: verdict.slice_seconds.is_finite().then_some(verdict.slice_seconds),
            }),
        };
        document(&json)
    }
}

fn location(location: &SlicedLocation) -> LocationJson<'_> {
    LocationJson {
        file: location.file.as_deref(),
        line: location.line,
        function: demangle(&location.function),
    }
}

fn link(link: &SlicedLink) -> LinkJson<'_> {
    LinkJson { location: location(&link.location), what: &link.what, why: &link.why }
}

fn of_loop<'a>(one: &'a SlicedLoop, run: Option<&'a VerifiedLoop>) -> LoopJson<'a> {
    LoopJson {
        r#loop: one.key.to_string(),
        location: location(&one.location),
        depth: one.depth,
        fate: fate(one.fate),
        constant: one.constant,
        evaluated: one.evaluated,
        instructions: one.instructions,
        retained: one.retained,
        why: one.why.as_deref(),
        run,
    }
}

/// The word of a fate.
pub(super) fn fate(fate: LoopFate) -> &'static str {
    match fate {
        LoopFate::Thinned => "thinned",
        LoopFate::Whole => "whole",
        LoopFate::Constant => "constant",
        LoopFate::Evaluated => "evaluated",
        LoopFate::Dropped => "dropped",
        LoopFate::Waived => "waived",
    }
}
