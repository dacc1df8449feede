//! A prediction as text: the total, how it is known, the hottest functions and blocks, what is open.
//!
//! Nothing is computed but shares. Cost: blocks * log.

use std::fmt::Write;

use opcost_answer::names::NameBook;
use opcost_answer::numbers::{counted, grouped};
use opcost_answer::predict::{
    Executions, Measures, Nearness, PredictAnswers, PredictedBlock, PredictedClass, PredictedFunction, Worst,
};
use opcost_profile::overlap::Overlap;

use crate::kit::numbers::{bar, percent, short};
use crate::kit::style::{DIM, STRONG, WARM, cut, cut_name, cut_start, padded, paint, printable, wrapped};
use crate::timing::{Priced, print_time, time};

/// Cells of a bar.
const BAR: usize = 20;
/// Cells of a place.
const PLACE: usize = 22;
/// Cells of a number of executions, and of a class.
const NUMBER: usize = 14;
const CLASS: usize = 21;
/// Inputs that are listed.
const INPUTS: usize = 12;

/// What is shown.
pub struct PredictReport<'a> {
    /// What is predicted.
    pub answers: &'a PredictAnswers,
    /// The level and the inputs, in words.
    pub about: String,
    /// How many functions and blocks.
    pub top: usize,
    /// How right it was.
    pub nearness: Option<(&'a Nearness, &'a Overlap)>,
    /// The time of it.
    pub priced: Option<&'a Priced>,
    /// What to try next.
    pub next: Vec<String>,
}

/// Executions as far as they are known.
pub(crate) fn executions_of(block: &PredictedBlock) -> f64 {
    if block.executions.is_some() { block.near } else { 0.0 }
}

/// The share of all executions that each class has; those of open blocks are not among them.
pub fn class_shares(answers: &PredictAnswers) -> Vec<(PredictedClass, f64)> {
    let all: f64 = answers.functions.iter().flat_map(|one| &one.blocks).map(executions_of).sum();
    let share = |class: PredictedClass| {
        let own = answers.functions.iter().flat_map(|one| &one.blocks).filter(|block| block.class == class);
        // A sum of nothing is a negative zero.
        let sum = own.map(executions_of).sum::<f64>() + 0.0;
        if all > 0.0 { sum / all } else { 0.0 }
    };
    PredictedClass::ALL.into_iter().map(|class| (class, share(class))).collect()
}

/// The text, in lines of so many cells.
pub fn print_prediction(report: &PredictReport<'_>, width: usize) -> String {
    let answers = report.answers;
    let mut text = String::new();
    let total = number_of(&answers.total);
    let head = match (answers.is_open, report.priced) {
        (false, None) => format!("{total} instructions predicted"),
        (false, Some(priced)) => format!("{total} instructions predicted, in {}", time(priced.seconds())),
        (true, _) => {
            format!("{total} instructions predicted, without what hangs on inputs that have no value")
        }
    };
    for line in wrapped(&head, width) {
        let _ = writeln!(text, "{}", paint(STRONG, line));
    }
    let _ = writeln!(text, "{}", cut(&format!("{}, {} world", report.about, answers.world), width));
    if let Some(run) = &answers.slice_run {
        let words = format!(
            "counted by a run of its slice: {} of {}, in {}",
            grouped(run.retained),
            counted(run.instructions, "instruction"),
            time(run.seconds)
        );
        let _ = writeln!(text, "{}", cut(&words, width));
    }
    if !answers.has_main {
        let words = "no main: each exported function is counted for one call from outside";
        wrapped(words, width).iter().for_each(|line| {
            let _ = writeln!(text, "{}", paint(WARM, line));
        });
    }
    classes(answers, &mut text);
    let names = NameBook::of_functions(answers.functions.iter().map(|one| &one.key));
    functions(report, &names, width, &mut text);
    blocks(report, &names, width, &mut text);
    inputs(answers, width, &mut text);
    if let Some((nearness, overlap)) = report.nearness {
        against(nearness, overlap, &names, width, &mut text);
    }
    if let Some(priced) = report.priced {
        text.push('\n');
        text += &print_time(priced, false, width);
    }
    if !report.next.is_empty() {
        text.push('\n');
    }
    for next in &report.next {
        let _ = writeln!(text, "{}", paint(DIM, format!("next: {next}")));
    }
    text
}

/// All digits if that is not too long.
fn number_of(digits: &str) -> String {
    match digits.parse::<u128>() {
        Ok(number) => grouped(number),
        Err(_) => format!("{}…e{}", &digits[..4.min(digits.len())], digits.len().saturating_sub(1)),
    }
}

fn short_number(number: &Option<Executions>) -> String {
    match number {
        None => "open".to_owned(),
        Some(number) => match number.0.parse::<u128>() {
            Ok(number) if number < 10_000_000_000 => grouped(number),
            Ok(number) => short(number),
            Err(_) => number_of(&number.0),
        },
    }
}

fn classes(answers: &PredictAnswers, text: &mut String) {
    let _ = writeln!(text, "\nexecutions of blocks, by how they are known");
    for (class, share) in class_shares(answers) {
        if share > 0.0 {
            let row = format!("  {:<CLASS$} {:>8}  {}", class.words(), percent(share), bar(share, BAR));
            let _ = writeln!(text, "{}", row.trim_end());
        }
    }
    let blocks = || answers.functions.iter().flat_map(|one| &one.blocks);
    let all: f64 = blocks().map(executions_of).sum();
    let exact: f64 =
        blocks().filter(|block| block.is_exact).map(executions_of).fold(0.0, |sum, one| sum + one);
    if all > 0.0 {
        let words = "  exact: no guess, no bound";
        let _ = writeln!(text, "{words:<width$} {:>8}", percent(exact / all), width = CLASS + 2);
    }
    if let Some(at) = &answers.early_end {
        let words = format!("  no number is exact: the program may end early, or return twice, at {at}");
        let _ = writeln!(text, "{}", paint(WARM, printable(&words)));
    }
}

fn functions(report: &PredictReport<'_>, names: &NameBook, width: usize, text: &mut String) {
    let cost = |one: &PredictedFunction| -> f64 {
        one.blocks.iter().map(|b| executions_of(b) * b.weight as f64).sum()
    };
    let all: f64 = report.answers.functions.iter().map(cost).sum();
    let mut rows: Vec<(&PredictedFunction, f64)> =
        report.answers.functions.iter().map(|one| (one, cost(one))).filter(|row| row.1 > 0.0).collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", paint(DIM, format!("{:>8} {:>NUMBER$}  function", "share", "calls")));
    let hidden = rows.len().saturating_sub(report.top);
    for (one, cost) in rows.iter().take(report.top) {
        let name = cut_name(&names.function(&one.key), width.saturating_sub(8 + NUMBER + 3));
        let share = percent(if all > 0.0 { cost / all } else { 0.0 });
        let _ = writeln!(text, "{share:>8} {:>NUMBER$}  {name}", short_number(&one.entries));
    }
    if hidden > 0 {
        let _ = writeln!(
            text,
            "{}",
            paint(DIM, format!("         and {} more (--top)", counted(hidden, "function")))
        );
    }
    let marked = report.answers.functions.iter().filter(|one| one.class == PredictedClass::Unknown);
    let reasons: std::collections::BTreeMap<&str, Vec<String>> =
        marked.fold(Default::default(), |mut all, one| {
            let reason = one.reason.as_deref().unwrap_or("not known");
            all.entry(reason).or_default().push(names.function(&one.key));
            all
        });
    for (reason, functions) in reasons {
        let list = functions.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
        let more =
            if functions.len() > 4 { format!(" and {} more", functions.len() - 4) } else { String::new() };
        for line in wrapped(&printable(&format!("unknown: {list}{more}: {reason}")), width) {
            let _ = writeln!(text, "{}", paint(WARM, line));
        }
    }
}

fn blocks(report: &PredictReport<'_>, names: &NameBook, width: usize, text: &mut String) {
    let all = report.answers.functions.iter();
    let mut rows: Vec<(&PredictedFunction, &PredictedBlock)> =
        all.flat_map(|one| one.blocks.iter().map(move |block| (one, block))).collect();
    rows.retain(|(_, block)| block.near > 0.0);
    // What is open may be any number: it stands first.
    let cost = |block: &PredictedBlock| block.near * block.weight as f64;
    rows.sort_by(|a, b| {
        let is_open = |block: &PredictedBlock| block.executions.is_none();
        is_open(b.1).cmp(&is_open(a.1)).then(cost(b.1).total_cmp(&cost(a.1)))
    });
    if rows.is_empty() {
        return;
    }
    let head = format!("{:<PLACE$} {:>NUMBER$}  {:<CLASS$} block", "place", "executions", "known by");
    let _ = writeln!(text, "\n{}", paint(DIM, head));
    for (one, block) in rows.iter().take(report.top) {
        let place = match (&block.file, block.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ => "–".to_owned(),
        };
        let name = format!("{}:{}", names.function(&one.key), block.label);
        let room = width.saturating_sub(PLACE + NUMBER + CLASS + 4);
        let row = format!(
            "{} {:>NUMBER$}  {} {}",
            padded(&cut_start(&printable(&place), PLACE), PLACE),
            short_number(&block.executions),
            padded(block.class.words(), CLASS),
            cut_name(&name, room)
        );
        let _ = writeln!(text, "{}", row.trim_end());
        let below = match (&block.formula, &block.reason) {
            (Some(formula), _) => Some(format!("= {formula}")),
            (None, Some(reason)) => Some(reason.clone()),
            _ => None,
        };
        if let Some(below) = below {
            let indent = " ".repeat(PLACE + 1);
            let line = cut(&printable(&below), width.saturating_sub(indent.len()));
            let _ = writeln!(text, "{indent}{}", paint(DIM, line));
        }
    }
}

fn inputs(answers: &PredictAnswers, width: usize, text: &mut String) {
    if answers.inputs.is_empty() {
        return;
    }
    let _ = writeln!(text, "\ninputs without a value");
    for input in answers.inputs.iter().take(INPUTS) {
        let about = if input.about.is_empty() { String::new() } else { format!("  {}", input.about) };
        let row = format!("  --set '{}=VALUE'{about}", input.name);
        let _ = writeln!(text, "{}", cut(&printable(&row), width));
    }
    if answers.inputs.len() > INPUTS {
        let more = answers.inputs.len() - INPUTS;
        let _ = writeln!(text, "  and {more} more (--json FILE has all)");
    }
}

/// `0.994 ×`; a small number does not become none.
fn times(scale: f64) -> String {
    if scale > 0.0 && scale < 0.0005 { "less than 0.001 ×".to_owned() } else { format!("{scale:.3} ×") }
}

fn against(nearness: &Nearness, overlap: &Overlap, names: &NameBook, width: usize, text: &mut String) {
    let columns = [("opcost", &nearness.opcost), ("LLVM", &nearness.llvm), ("static", &nearness.statics)];
    let _ = writeln!(text, "\nagainst the run ({} compared)", counted(nearness.blocks, "block"));
    let mut head = format!("  {:<34}", "");
    columns.iter().for_each(|(name, _)| {
        let _ = write!(head, "{name:>12}");
    });
    let _ = writeln!(text, "{}", paint(DIM, head));
    let mean = |mean: Option<f64>| mean.map_or_else(|| "–".to_owned(), percent);
    type Row = (&'static str, fn(&Measures) -> Option<f64>);
    let rows: [Row; 4] = [
        ("executions within 1 %", |one| Some(one.within_1_percent)),
        ("overlap of blocks", |one| Some(one.program_block)),
        ("mean |p − r| / min(p, r)", |one| one.mean_error),
        ("the same without those 2 × off", |one| one.mean_error_without_far),
    ];
    for (name, value) in rows {
        let mut row = format!("  {name:<34}");
        for (_, measures) in &columns {
            let _ = write!(row, "{:>12}", mean(value(measures)));
        }
        let _ = writeln!(text, "{row}");
    }
    let _ = writeln!(
        text,
        "{}",
        paint(DIM, "  LLVM and static: estimates of each function, times its counted calls")
    );
    let left_out = nearness.left_out > 0.0;
    if left_out {
        let share = percent(nearness.left_out);
        let _ = writeln!(text, "  left out, as unknown: {share} of the run's executions");
    }
    match (left_out, overlap.scale, nearness.scale_of_rest) {
        (false, Some(scale), _) => {
            let _ = writeln!(text, "  all executions together: {} those of the run", times(scale));
        }
        (true, _, Some(scale)) => {
            let _ = writeln!(text, "  the rest of them together: {} that of the run", times(scale));
        }
        (true, _, None) | (false, None, _) => {}
    }
    let part = |title: &str, list: &[Worst], text: &mut String| {
        if list.is_empty() {
            return;
        }
        let _ = writeln!(
            text,
            "\n{}",
            paint(DIM, format!("{:>8} {:>12} {:>12}  {title}", "error", "predicted", "counted"))
        );
        for one in list {
            let place = match (&one.file, one.line) {
                (Some(file), Some(line)) => format!(" {file}:{line}"),
                _ => String::new(),
            };
            let name = format!("{}{place}", names.function(&one.function));
            let row = format!(
                "{:>8} {:>12} {:>12}  {}",
                percent(one.error),
                short(one.predicted as u128),
                short(one.counted as u128),
                cut_name(&printable(&name), width.saturating_sub(36))
            );
            let _ = writeln!(text, "{row}");
        }
    };
    part("function that is off", &nearness.functions, text);
    part("loop that is off", &nearness.loops, text);
}
