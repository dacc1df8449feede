//! What the user sees and keeps, from plain data; nothing is computed here
//! but shares. Sums come from `recover`, so all outputs of a run agree.
//!
//! ```text
//! CountReport ─terminal, annotate▶ text     ─html▶ a page     ─json▶ opcost.count/1
//! Diff        ─diff▶ text, opcost.diff/1    CheckResult ─check▶ text, markdown, github, opcost.check/1
//! ```
//!
//! `save` writes them, whole or not at all; `schema` describes the documents.

mod annotate;
mod bits;
mod bits_floats;
mod bits_narrow;
mod bits_page;
mod certificate;
mod check;
mod diff;
mod explain;
mod fuel;
mod fuel_check;
mod html;
mod json;
mod life;
mod life_code;
mod life_graph;
mod life_page;
mod list;
mod loops;
mod names;
mod numbers;
mod overlap;
mod portable;
mod progress;
mod repair;
mod save;
mod schema;
mod source;
mod stacks;
mod style;
mod tasks;
mod terminal;
mod values;
mod values_json;
mod values_plot;
mod values_table;
mod width;

pub(crate) use bits::{BitsJson, BitsReport, print_bits};
pub(crate) use bits_narrow::{BitsNarrowJson, print_bits_narrow};
pub(crate) use bits_page::bits_page;
pub(crate) use certificate::{BitsCheckJson, print_bits_check};
pub(crate) use check::{
    CheckJson, CheckReport, CheckVerdict, CheckedFunction, CheckedRun, Counted, print_check, print_github,
    print_markdown,
};
pub(crate) use diff::{DiffJson, DiffReport, print_diff};
pub(crate) use explain::{ExplainJson, dependence_dot, dependence_picture, print_explanation};
pub(crate) use fuel::{FuelJson, FuelReport, FuelVerdict, rejection};
pub(crate) use fuel_check::{CheckedFuel, FuelCheckJson};
pub(crate) use html::html_page;
pub(crate) use json::CountJson;
pub(crate) use life::{LifeJson, print_life};
pub(crate) use life_graph::graph_picture;
pub(crate) use life_page::life_page;
pub(crate) use list::{List, ListJson, ListRow, print_list};
pub(crate) use loops::{LoopsJson, LoopsReport, print_loops};
pub(crate) use names::{demangle, find_functions, short_name, tidy_path, told_apart};
pub(crate) use numbers::{bar, grouped, percent, short};
pub(crate) use overlap::{OverlapJson, print_overlap, print_refused};
pub(crate) use portable::Elsewhere;
pub(crate) use progress::Progress;
pub(crate) use repair::{MovedJson, RepairJson, print_repair};
pub(crate) use save::{Stream, document, save_json, save_text};
pub(crate) use schema::{document_names, error_json, schema_of};
pub(crate) use source::{Source, Sources};
pub(crate) use style::screen_width;
pub(crate) use tasks::print_tasks;
pub(crate) use terminal::{Layout, print_count};
pub(crate) use values::{
    ClaimRow, ClaimVerdict, ValueRow, ValuesReport, VerifyTotals, WholeRow, WholeTotals,
};
pub(crate) use values_json::{ValuesJson, values_document};
pub(crate) use values_plot::{histogram_picture, time_picture};
pub(crate) use values_table::print_values;
pub(crate) use width::{WidthJson, print_width};

use std::collections::HashMap;

use opcost_recover::{FunctionListing, FunctionTotal, ProgramSummary, SourceLine};
use opcost_sample::ProcessSamples;

use crate::run::{CallStack, Finish, Quality};

/// A counted run, ready to be shown.
pub(crate) struct CountReport {
    pub(crate) summary: ProgramSummary,
    pub(crate) facts: ReportFacts,
    pub(crate) quality: Quality,
    /// How the program ended, if that is known.
    pub(crate) finish: Option<Finish>,
    pub(crate) verdict: Verdict,
    /// How many processes counted.
    pub(crate) processes: usize,
    /// How many runs the counts are the sum of.
    pub(crate) runs: u64,
    /// Whether its world was held fixed.
    pub(crate) is_deterministic: bool,
    /// What `--repeat` found, in a sentence.
    pub(crate) repetition: Option<String>,
    /// Call stacks of samples, if they were asked for.
    pub(crate) stacks: Option<Vec<CallStack>>,
    /// Samples by process and thread, if they are samples; a ledger does not tell.
    pub(crate) tasks: Option<Vec<ProcessSamples>>,
    /// The command to try next.
    pub(crate) next: Vec<String>,
    /// Whether calls out of the program are known.
    pub(crate) calls_known: bool,
    /// Functions in detail, the hottest first.
    pub(crate) listings: Vec<FunctionListing>,
    /// Machine code of listed functions by their position in the summary, if it was
    /// asked for; or why there is none.
    pub(crate) machine: HashMap<usize, Result<Vec<MachineLine>, String>>,
}

/// A machine instruction beside its count.
#[derive(Clone, Debug)]
pub(crate) struct MachineLine {
    /// The line that it comes from, if one is known.
    pub(crate) at: Option<SourceLine>,
    /// From the function's first byte.
    pub(crate) offset: u64,
    /// As the disassembler writes it.
    pub(crate) text: String,
    /// How often the instruction started that it comes from.
    pub(crate) count: Option<u64>,
}

/// Facts about the build, of the first module.
pub(crate) struct ReportFacts {
    pub(crate) anchor: String,
    pub(crate) cost_model: String,
    pub(crate) compiler: String,
    pub(crate) flags: Vec<String>,
    pub(crate) target: String,
    pub(crate) placement: String,
    pub(crate) has_lines: bool,
}

/// What was decided about a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No budget was given.
    None,
    /// Within it.
    Within { budget: u128 },
    /// Over it, and who is to blame.
    Over { budget: u128, grew: Growth },
}

/// Which functions made it too much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    /// No baseline was given.
    Unknown,
    /// The baseline is not comparable, for this reason.
    Refused(String),
    /// Functions that do more than in the baseline, the most first.
    Since(Vec<Grown>),
}

/// A function that does more than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grown {
    /// Linkage name.
    pub(crate) name: String,
    pub(crate) place: Option<SourceLine>,
    /// What it cost before; `None`: it is new.
    pub(crate) before: Option<u128>,
    pub(crate) after: u128,
}

impl CountReport {
    /// Functions that ran, the most expensive first.
    pub(crate) fn by_cost(&self) -> Vec<&FunctionTotal> {
        let ran = self.summary.functions.iter().filter(|total| total.calls > 0 || total.instructions > 0);
        let mut functions: Vec<_> = ran.collect();
        functions.sort_by(|a, b| b.instructions.cmp(&a.instructions).then_with(|| a.name.cmp(&b.name)));
        functions
    }

    /// The share of the total.
    pub(crate) fn share(&self, instructions: u128) -> f64 {
        share(instructions, self.summary.weight)
    }
}

/// A part of a whole, between 0 and 1.
pub(crate) fn share(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
