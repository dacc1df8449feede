//! What values were recorded: a table for people, `opcost.values/1` for machines.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::numbers::{grouped, short};
use super::style::{BAD, DIM, GOOD, STRONG, cut, cut_middle, cut_start, padded, paint, printable, width_of};
use super::{document, short_name};
use crate::build::{Meaning, RefusedText};

/// All that was recorded, ready to be shown.
pub(crate) struct ValuesReport {
    /// What the user ran.
    pub(crate) command: String,
    /// Loops and values, in the order in which they are shown.
    pub(crate) rows: Vec<ValueRow>,
    pub(crate) refused: Vec<RefusedText>,
    pub(crate) remarks: Vec<String>,
    pub(crate) processes: usize,
    pub(crate) sample: u64,
    /// Bytes that sequences and histograms took, and might.
    pub(crate) memory: (u64, u64),
    /// How the program ended, in words; none: it was not run now.
    pub(crate) ending: Option<String>,
    pub(crate) verify: Option<VerifyTotals>,
    /// Lines of the table; 0 is all.
    pub(crate) top: usize,
}

/// A loop or a value.
pub(crate) struct ValueRow {
    pub(crate) module: String,
    pub(crate) function: String,
    pub(crate) file: Option<String>,
    pub(crate) line: u32,
    pub(crate) meaning: Meaning,
    /// The header of a loop, the instruction of a value.
    pub(crate) text: String,
    pub(crate) parent: Option<String>,
    pub(crate) depth: u32,
    pub(crate) entries: u64,
    pub(crate) complete: u64,
    /// Left by a jump, an exception or the end of a thread: how many, the most turns of one.
    pub(crate) left: (u64, u64),
    /// Open at the end: how many, the most turns of one.
    pub(crate) open: (u64, u64),
    /// Activations of the parent of a fork that went on in it.
    pub(crate) inherited: u64,
    /// Turns of all activations, whatever their end; of a value, nothing.
    pub(crate) back_edges: i128,
    pub(crate) recorded: u64,
    /// Least, middle and greatest recorded value.
    pub(crate) range: Option<[i64; 3]>,
    /// How often each value was recorded, ascending.
    pub(crate) values: Vec<(i64, u64)>,
    /// Values that are known by range only: least, greatest, how many.
    pub(crate) rough: Vec<(i64, i64, u64)>,
    /// Values over time, as runs of equal ones; every `stride`-th of them.
    pub(crate) runs: Vec<(i64, u64)>,
    pub(crate) stride: u64,
    /// Whether every value is in `values`.
    pub(crate) is_exact: bool,
    pub(crate) claim: Option<ClaimRow>,
}

/// A claim and how it fared.
pub(crate) struct ClaimRow {
    pub(crate) is_exact: bool,
    pub(crate) text: String,
    pub(crate) assumes: Vec<String>,
    pub(crate) verdict: ClaimVerdict,
    /// Activations in which it held, and did not.
    pub(crate) held: u64,
    pub(crate) failed: u64,
    /// Activations in which it had no result.
    pub(crate) unchecked: u64,
    /// The first that failed: which entry, its turns, what was claimed.
    pub(crate) first_failure: Option<(u64, u64, i128)>,
    /// Why it was not checked.
    pub(crate) reason: Option<String>,
}

/// How a claim fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClaimVerdict {
    /// In every activation.
    Held,
    /// The loop was never entered.
    NotEntered,
    /// Not in some activation.
    Wrong,
    /// Not in some activation, and it rests on assumptions.
    AssumptionViolated,
    /// It could not be held against the run.
    NotChecked,
}

/// How all claims fared, in loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct VerifyTotals {
    /// Held in every activation.
    pub(crate) held: u64,
    /// Claims on loops that were never entered: not verified.
    pub(crate) not_entered: u64,
    /// Wrong in some activation: a defect of opcost.
    pub(crate) wrong: u64,
    /// Wrong, but under assumptions that the program may have broken.
    pub(crate) assumption_violated: u64,
    /// Could not be held against the run.
    pub(crate) not_checked: u64,
    /// Loops of which nothing is claimed.
    pub(crate) no_claim: u64,
}

/// A recorded number as its point means it.
pub(crate) fn number(meaning: Meaning, value: i64) -> String {
    match meaning {
        Meaning::Float => format!("{}", double(value)),
        Meaning::Unsigned if value.unsigned_abs() > 1 << 40 => format!("{:#x}", value as u64),
        Meaning::Turns | Meaning::Unsigned => grouped(value as u64),
        Meaning::Signed => grouped(value),
    }
}

/// Back from the order of all doubles to the number.
pub(crate) fn double(key: i64) -> f64 {
    f64::from_bits((key ^ ((key >> 63) as u64 >> 1) as i64) as u64)
}

impl ValueRow {
    /// `prog.c:12`, or the block or instruction where no line is known.
    pub(crate) fn place(&self) -> String {
        match &self.file {
            Some(file) if self.line > 0 => format!("{}:{}", printable(file), self.line),
            _ => format!("%{}", printable(&self.text)),
        }
    }

    pub(crate) fn is_loop(&self) -> bool {
        self.meaning == Meaning::Turns
    }

    fn partial(&self) -> u64 {
        self.left.0 + self.open.0
    }

    /// How often values lay in each of `columns` equal parts of the range.
    pub(crate) fn shape(&self, columns: usize) -> Vec<u64> {
        let Some([least, _, most]) = self.range else { return Vec::new() };
        let width = i128::from(most) - i128::from(least) + 1;
        let columns = columns.min(usize::try_from(width).unwrap_or(columns)).max(1);
        let mut shape = vec![0; columns];
        let at = |value: i64| ((i128::from(value) - i128::from(least)) * columns as i128 / width) as usize;
        for &(value, count) in &self.values {
            shape[at(value).min(columns - 1)] += count;
        }
        for &(from, to, count) in &self.rough {
            let middle = (i128::from(from.max(least)) + i128::from(to.min(most))) / 2;
            shape[at(middle.clamp(least.into(), most.into()) as i64).min(columns - 1)] += count;
        }
        shape
    }
}

/// The report as text.
pub(crate) fn print_values(report: &ValuesReport, width: usize) -> String {
    let mut out = String::new();
    let (loops, values): (Vec<_>, Vec<_>) = report.rows.iter().partition(|row| row.is_loop());
    if !loops.is_empty() {
        print_loops(report, &loops, width, &mut out);
    }
    if !values.is_empty() {
        print_single(report, &values, width, &mut out);
    }
    if loops.is_empty() && values.is_empty() {
        out += "no loop and no value was found to record\n";
    }
    if let Some(totals) = &report.verify {
        print_verify(report, totals, &mut out);
    }
    for refused in &report.refused {
        let place = refused
            .file
            .as_ref()
            .map_or(format!("%{}", refused.text), |file| format!("{file}:{}", refused.line));
        _ = writeln!(
            out,
            "{}",
            paint(
                DIM,
                format!("not recorded: {place} in {}: {}", short_name(&refused.function), refused.reason)
            )
        );
    }
    print_remarks(report, &mut out);
    out
}

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A row of small bars.
fn spark(shape: &[u64]) -> String {
    let most = shape.iter().copied().max().unwrap_or(0).max(1);
    let mark = |&count: &u64| match count {
        0 => ' ',
        count => BLOCKS[((u128::from(count) * 8).div_ceil(u128::from(most)) as usize - 1).min(7)],
    };
    shape.iter().map(mark).collect()
}

fn print_loops(report: &ValuesReport, loops: &[&ValueRow], width: usize, out: &mut String) {
    let entered = loops.iter().filter(|row| row.entries > 0).count();
    let sum = |of: fn(&ValueRow) -> u64| loops.iter().map(|row| of(row)).sum::<u64>();
    let (complete, partial) = (sum(|row| row.complete), sum(ValueRow::partial));
    _ = writeln!(
        out,
        "{}  {} loops, {entered} entered, {} never; activations: {} complete, {} partial",
        paint(STRONG, &report.command),
        loops.len(),
        loops.len() - entered,
        grouped(complete),
        grouped(partial),
    );
    let shown = if report.top == 0 { loops.len() } else { report.top };
    let rows: Vec<&&ValueRow> =
        loops.iter().filter(|row| row.entries + row.inherited > 0).take(shown).collect();
    if rows.is_empty() {
        return;
    }
    let place_width = rows.iter().map(|row| width_of(&row.place())).max().unwrap_or(0).clamp(5, 28);
    let claims = report.verify.is_some();
    let function_width = (width.saturating_sub(place_width + 74 + if claims { 20 } else { 0 })).clamp(8, 30);
    _ = writeln!(
        out,
        "{}",
        paint(
            DIM,
            format!(
                "{}  {}  {:>11} {:>7} {:>9} {:>9} {:>9} {:>9}  turns{}",
                padded("loop", place_width),
                padded("function", function_width),
                "activations",
                "partial",
                "min",
                "median",
                "max",
                "together",
                if claims { "         claim" } else { "" },
            )
        )
    );
    for row in &rows {
        let numbers = row.range.map_or([String::new(), String::new(), String::new()], |range| {
            range.map(|value| short(u128::from(value as u64)))
        });
        let line = format!(
            "{}  {}  {:>11} {:>7} {:>9} {:>9} {:>9} {:>9}  {}",
            padded(&cut_start(&row.place(), place_width), place_width),
            padded(&cut_middle(&printable(&short_name(&row.function)), function_width), function_width),
            short(row.entries.into()),
            if row.partial() > 0 { short(row.partial().into()) } else { String::new() },
            numbers[0],
            numbers[1],
            numbers[2],
            short(row.back_edges.unsigned_abs()),
            padded(&spark(&row.shape(12)), 12),
        );
        let claim = if claims { claim_cell(row) } else { String::new() };
        _ = writeln!(out, "{}", format!("{line}  {claim}").trim_end());
    }
    if entered > rows.len() {
        _ = writeln!(out, "{}", paint(DIM, format!("… {} more (--top 0 shows all)", entered - rows.len())));
    }
}

fn claim_cell(row: &ValueRow) -> String {
    let Some(claim) = &row.claim else { return paint(DIM, "none") };
    let text = cut(&printable(&claim.text), 30);
    match claim.verdict {
        ClaimVerdict::Held => format!("{} {text}", paint(GOOD, "held")),
        ClaimVerdict::Wrong => format!("{} {text}", paint(BAD, "WRONG")),
        ClaimVerdict::AssumptionViolated => format!("{} {text}", paint(BAD, "assumption violated")),
        ClaimVerdict::NotChecked => format!("{} {text}", paint(DIM, "not checked")),
        ClaimVerdict::NotEntered => String::new(),
    }
}

fn print_single(report: &ValuesReport, values: &[&ValueRow], width: usize, out: &mut String) {
    let shown = if report.top == 0 { values.len() } else { report.top };
    for row in values.iter().take(shown) {
        _ = writeln!(
            out,
            "{}  {}  {}",
            paint(STRONG, row.place()),
            short_name(&row.function),
            cut(&printable(&row.text), width.saturating_sub(width_of(&row.place()) + 20))
        );
        let Some([least, middle, most]) = row.range else {
            out.push_str("  never computed\n");
            continue;
        };
        let as_text = |value| number(row.meaning, value);
        _ = writeln!(
            out,
            "  {} times, {} values; min {}, median {}, max {}",
            grouped(row.complete),
            if row.rough.is_empty() {
                grouped(row.values.len())
            } else {
                format!("more than {}", grouped(row.values.len()))
            },
            as_text(least),
            as_text(middle),
            as_text(most),
        );
        let mut common: Vec<&(i64, u64)> = row.values.iter().collect();
        common.sort_by_key(|(value, count)| (std::cmp::Reverse(*count), *value));
        let all = row.recorded.max(1);
        for (value, count) in common.iter().take(10) {
            let bar = super::bar(*count as f64 / all as f64, 30);
            _ = writeln!(out, "  {:>20}  {:>11}  {bar}", as_text(*value), grouped(count));
        }
        if common.len() > 10 {
            _ = writeln!(
                out,
                "{}",
                paint(DIM, format!("  … {} more values (--histogram FILE.svg, --json)", common.len() - 10))
            );
        }
    }
    if values.len() > shown {
        _ = writeln!(
            out,
            "{}",
            paint(DIM, format!("… {} more values (--top 0 shows all)", values.len() - shown))
        );
    }
}

fn print_verify(report: &ValuesReport, totals: &VerifyTotals, out: &mut String) {
    _ = writeln!(
        out,
        "claims: {} held, {} not verified (never entered), {} wrong, {} with an assumption violated, {} not checked; {} loops without a claim",
        totals.held,
        totals.not_entered,
        totals.wrong,
        totals.assumption_violated,
        totals.not_checked,
        totals.no_claim,
    );
    for row in &report.rows {
        let Some(claim) = &row.claim else { continue };
        if let (ClaimVerdict::Wrong | ClaimVerdict::AssumptionViolated, Some((entry, turns, claimed))) =
            (claim.verdict, claim.first_failure)
        {
            let what = if claim.is_exact { "" } else { "at most " };
            let rests = if claim.assumes.is_empty() {
                String::new()
            } else {
                format!(", assuming {}", claim.assumes.join(", "))
            };
            _ = writeln!(
                out,
                "{} {} in {}: entry {entry} turned {} times, claimed were {what}{}{rests} ({}; {} of {} activations)",
                paint(
                    BAD,
                    if claim.verdict == ClaimVerdict::Wrong { "wrong:" } else { "assumption violated:" }
                ),
                row.place(),
                short_name(&row.function),
                grouped(turns),
                grouped(claimed),
                printable(&claim.text),
                claim.failed,
                claim.failed + claim.held,
            );
        }
    }
}

fn print_remarks(report: &ValuesReport, out: &mut String) {
    let mut remark = |text: String| _ = writeln!(out, "{}", paint(DIM, text));
    if report.sample > 1 {
        remark(format!(
            "sampled: every {}. value of each point; numbers of activations and turns are exact",
            report.sample
        ));
    }
    if report.rows.iter().any(|row| !row.rough.is_empty()) {
        remark(format!(
            "the histogram of some points is coarse where it is full: {} of {} bytes are used (--memory gives more)",
            grouped(report.memory.0),
            grouped(report.memory.1)
        ));
    }
    if report.rows.iter().any(|row| row.stride > 1) {
        remark("the sequence of some points is thinned: every n-th value (--memory keeps more)".to_owned());
    }
    if report.processes > 1 {
        remark(format!(
            "{} processes recorded; what children went on with is counted once",
            report.processes
        ));
    }
    for text in &report.remarks {
        remark(text.clone());
    }
    if let Some(ending) = &report.ending {
        remark(ending.clone());
    }
}

/// `opcost.values/1`
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.values/1")]
pub(crate) struct ValuesJson<'a> {
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
    ending: Option<&'a str>,
    /// How all claims fared, if they were checked.
    verify: Option<VerifyTotals>,
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
    /// The most turns of a partial activation.
    partial_max: Option<u64>,
    /// Activations that a child of fork went on with; not in the others.
    inherited: u64,
    /// Traversals of its back edges, partial and inherited activations included.
    back_edges: i128,
    /// Back edges of each complete activation.
    turns: DistributionJson,
    claim: Option<ClaimJson<'a>>,
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

/// A claim on a loop.
#[derive(Serialize, JsonSchema)]
struct ClaimJson<'a> {
    /// `back_edges` (exactly so many) or `bound` (at most).
    kind: &'static str,
    text: &'a str,
    /// What it rests on.
    assumes: &'a [String],
    verdict: ClaimVerdict,
    /// Activations in which it held.
    held: u64,
    /// Activations in which it did not.
    failed: u64,
    /// Activations in which it had no result.
    unchecked: u64,
    /// The first activation in which it did not hold.
    first_failure: Option<FailureJson>,
    /// Why it was not checked.
    reason: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct FailureJson {
    /// Which entry of the loop it was, from 1, in its process and thread.
    entry: u64,
    turns: u64,
    claimed: i128,
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
pub(crate) fn values_document(report: &ValuesReport) -> String {
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
        turns: distribution(row),
        claim: row.claim.as_ref().map(claim_json),
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
            Meaning::Turns | Meaning::Unsigned => "unsigned",
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
        ending: report.ending.as_deref(),
        verify: report.verify,
        loops: loops.collect(),
        values: values.collect(),
        not_recorded: refused.collect(),
    })
}

fn distribution(row: &ValueRow) -> DistributionJson {
    let json = |value: i64| match row.meaning {
        Meaning::Float => Json::from(double(value)),
        Meaning::Signed => Json::from(value),
        Meaning::Turns | Meaning::Unsigned => Json::from(value as u64),
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

fn claim_json(claim: &ClaimRow) -> ClaimJson<'_> {
    ClaimJson {
        kind: if claim.is_exact { "back_edges" } else { "bound" },
        text: &claim.text,
        assumes: &claim.assumes,
        verdict: claim.verdict,
        held: claim.held,
        failed: claim.failed,
        unchecked: claim.unchecked,
        first_failure: claim.first_failure.map(|(entry, turns, claimed)| FailureJson {
            entry,
            turns,
            claimed,
        }),
        reason: claim.reason.as_deref(),
    }
}

#[cfg(test)]
mod tests {
    use super::{double, spark};

    #[test]
    fn doubles_come_back_and_keep_their_order() {
        let key = |number: f64| {
            let bits = number.to_bits() as i64;
            bits ^ ((bits >> 63) as u64 >> 1) as i64
        };
        let numbers = [f64::NEG_INFINITY, -2.5, -1e-300, 0.0, 1e-300, 1.0, 2.5, f64::INFINITY];
        for pair in numbers.windows(2) {
            assert!(key(pair[0]) < key(pair[1]), "{pair:?}");
        }
        for number in numbers {
            assert_eq!(double(key(number)), number);
        }
    }

    #[test]
    fn the_highest_bar_is_full_and_nothing_is_nothing() {
        assert_eq!(spark(&[0, 1, 8]), " ▁█");
        assert_eq!(spark(&[]), "");
    }
}
