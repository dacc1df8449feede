//! `opcost bits`: the table of a program's widths, and `opcost.bits/2`.
//!
//! First functions, by bits that are not needed; then lines, by the same; of
//! functions that were asked for their values, one by one, and what forces each
//! to be that wide. Or the source, with the widths of what each line computes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use opcost_bits::WidthTotal;
use opcost_key::{Key, Part};
use schemars::JsonSchema;
use serde::Serialize;

use crate::bits::floats::{floats, mantissas};
use crate::kit::legend::Legend;
use crate::kit::numbers::{bar, counted, grouped, percent, verb};
use crate::kit::save::document;
use crate::kit::source::{SourceText, Sources};
use crate::kit::style::{BAD, DIM, STRONG, cut, cut_start, padded, paint, printable, screen_width};
use opcost_answer::bits::{BitsAnswers, BitsFinding, BitsFunction, BitsValue};
use opcost_answer::names::{NameBook, tidy_path};

/// Cells of a bar.
const BAR: usize = 10;
/// Lines around one that is shown.
const CONTEXT: u32 = 1;

/// What is shown.
pub struct BitsReport<'a> {
    /// What the worker found, perhaps of chosen functions only.
    pub answers: &'a BitsAnswers,
    /// The level and the inputs, in words.
    pub about: String,
    /// Value by value.
    pub with_values: bool,
    /// Whether the source is shown with the widths next to it, in place of tables.
    pub annotate: bool,
    /// Next to what was observed.
    pub observed: bool,
    /// Rows of each table; all if there is no limit.
    pub most: usize,
    /// What to try next.
    pub next: Vec<String>,
    /// What the functions are called.
    pub names: NameBook,
}

/// The document of `opcost bits`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.bits/2")]
pub struct BitsJson<'a> {
    /// Always `opcost.bits/2`.
    #[schemars(extend("const" = "opcost.bits/2"))]
    schema: &'static str,
    /// `open`: exported functions may be called by anyone; `closed`: it begins at main.
    world: &'a str,
    /// What the widths rest on besides the code.
    assumes: &'a [String],
    /// What can never be: accesses out of bounds, code that no execution reaches.
    findings: &'a [BitsFinding],
    /// Bits of the types of all integers.
    declared: u64,
    /// Bits of the narrowest types that hold them.
    needed_type: u64,
    /// Bits that are not always the same, and that anything looks at.
    needed_slice: u64,
    /// In the order of the module.
    functions: &'a [BitsFunction],
}

impl<'a> BitsJson<'a> {
    /// The document as text.
    pub fn text(answers: &'a BitsAnswers) -> String {
        let total = of_all(&answers.functions);
        document(&BitsJson {
            schema: "opcost.bits/2",
            world: &answers.world,
            assumes: &answers.assumes,
            findings: &answers.findings,
            declared: total.declared,
            needed_type: total.needed,
            needed_slice: total.slice,
            functions: &answers.functions,
        })
    }
}

/// Bits of the values of functions.
pub fn of_all(functions: &[BitsFunction]) -> WidthTotal {
    functions.iter().map(of_one).sum()
}

/// Bits of all values of one function.
pub fn of_one(function: &BitsFunction) -> WidthTotal {
    WidthTotal {
        values: function.values.len() as u64,
        declared: function.declared,
        needed: function.needed_type,
        demanded: function.values.iter().map(|value| u64::from(value.demanded)).sum(),
        slice: function.needed_slice,
    }
}

/// The tables, or the source.
pub fn print_bits(report: &BitsReport<'_>, sources: &mut Sources) -> String {
    let mut text = String::new();
    head(&mut text, report);
    if of_all(&report.answers.functions).values == 0 {
        // A table of nothing says nothing.
    } else if report.annotate {
        annotated(&mut text, report, sources);
    } else if report.with_values {
        for function in &report.answers.functions {
            values(&mut text, report, function);
            floats(&mut text, function, report.most);
        }
    } else {
        functions(&mut text, report);
        lines(&mut text, report, sources);
    }
    dead(&mut text, report);
    findings(&mut text, &report.answers.findings);
    for assumption in &report.answers.assumes {
        let _ = writeln!(text, "assuming {assumption}");
    }
    if report.with_values {
        let mut legend = Legend::default();
        let values = report.answers.functions.iter().flat_map(|function| &function.values);
        values.for_each(|value| legend.read(&value.name));
        text += &legend.text(screen_width());
    }
    for next in &report.next {
        let _ = writeln!(text, "{}", paint(DIM, format!("next: {next}")));
    }
    text
}

/// Accesses that are never in bounds, contracts that are perhaps broken. Code that is never reached
/// shows in its widths.
fn findings(text: &mut String, all: &[BitsFinding]) {
    for finding in all {
        let words = match &*finding.kind {
            "out-of-bounds" => "this access is never within its object",
            "contract" => "this call is not shown to keep a contract",
            "rounding" => {
                "this call changes how numbers with a point are rounded: nothing is said of what is rounded"
            }
            _ => continue,
        };
        let place = match (&finding.file, finding.line) {
            (Some(file), Some(line)) => format!("{}:{line}", tidy_path(file)),
            _ => finding.key.to_string(),
        };
        let _ = writeln!(text, "{place}: {words}: {}", finding.text);
    }
}

fn head(text: &mut String, report: &BitsReport<'_>) {
    let total = of_all(&report.answers.functions);
    let _ = match total.values {
        0 => writeln!(text, "{}", paint(STRONG, "no integers")),
        values => writeln!(
            text,
            "{} of {} {} {} ({}), {} of those {} looked at and not always the same",
            paint(STRONG, counted(values, "integer")),
            counted(total.declared, "bit"),
            verb(values, "needs", "need"),
            paint(STRONG, grouped(total.needed)),
            percent(total.share()),
            if total.slice == 0 { "none".to_owned() } else { grouped(total.slice) },
            verb(total.slice, "is", "are"),
        ),
    };
    let _ = writeln!(text, "{}", paint(DIM, format!("{}, {} world", report.about, report.answers.world)));
    if report.observed {
        write_observed(text, report);
    }
    mantissas(text, &report.answers.functions);
}

/// What the run says of all values that it had.
fn write_observed(text: &mut String, report: &BitsReport<'_>) {
    let all = || report.answers.functions.iter().flat_map(|function| &function.values);
    let ran = || all().filter_map(|value| Some((value, value.observed.as_ref()?)));
    let sum = |bits: fn(&BitsValue) -> u32| ran().map(|(value, _)| u64::from(bits(value))).sum::<u64>();
    let observed: u64 = ran().map(|(_, observed)| u64::from(observed.width)).sum();
    let _ = writeln!(
        text,
        "in this run {} of them {} defined: {} declared, {} proven, {} observed",
        grouped(ran().count()),
        verb(ran().count(), "was", "were"),
        counted(sum(|value| value.declared), "bit"),
        grouped(sum(|value| value.width)),
        grouped(observed),
    );
    let is_bad = |value: &BitsValue, outside: bool| outside && !value.may_be_poison;
    for (value, observed) in ran().filter(|(value, observed)| is_bad(value, observed.is_outside)) {
        let _ = writeln!(
            text,
            "{} {} was {}, which it cannot be ({}){}",
            paint(BAD, "wrong:"),
            value.key,
            observed.range,
            value.range,
            if report.answers.assumes.is_empty() { "" } else { " if what is assumed holds" },
        );
    }
}

/// How many rows of so many, and a word about the rest.
fn shown(most: usize, all: usize) -> (usize, Option<String>) {
    let count = if most == 0 { all } else { most.min(all) };
    (count, (count < all).then(|| format!("  … {} more (--top 0 shows all)", grouped(all - count))))
}

fn name_of(report: &BitsReport<'_>, function: &BitsFunction) -> String {
    report.names.function(&function.key)
}

fn functions(text: &mut String, report: &BitsReport<'_>) {
    let mut order: Vec<&BitsFunction> = report.answers.functions.iter().collect();
    order.retain(|function| !function.values.is_empty());
    order.sort_by_key(|function| std::cmp::Reverse(of_one(function).waste()));
    let (count, more) = shown(report.most, order.len());
    let _ = writeln!(text, "\n{}", paint(DIM, "function                    integers  declared    needed"));
    for function in &order[..count] {
        let bits = of_one(function);
        let _ = writeln!(
            text,
            "{} {:>8} {:>9} {:>9}  {} {}",
            padded(&cut(&name_of(report, function), 27), 27),
            grouped(bits.values),
            grouped(bits.declared),
            grouped(bits.needed),
            padded(&bar(bits.share(), BAR), BAR),
            percent(bits.share()),
        );
    }
    if let Some(more) = more {
        let _ = writeln!(text, "{}", paint(DIM, more));
    }
}

/// Values of the lines of each file.
pub type Lines<'a> = BTreeMap<(&'a str, u32), Vec<&'a BitsValue>>;

/// The values by file and line; those without a line are left out.
pub fn by_line<'a>(functions: &'a [BitsFunction]) -> Lines<'a> {
    let mut lines = Lines::new();
    for value in functions.iter().flat_map(|function| &function.values) {
        if let (Some(file), Some(line)) = (&value.file, value.line) {
            lines.entry((file, line)).or_default().push(value);
        }
    }
    lines
}

/// Bits of these values together.
pub fn of_values(values: &[&BitsValue]) -> WidthTotal {
    let one = |value: &&BitsValue| WidthTotal {
        values: 1,
        declared: value.declared.into(),
        needed: value.width.into(),
        demanded: value.demanded.into(),
        slice: (value.width - value.dead_bits).into(),
    };
    values.iter().map(one).sum()
}

fn lines(text: &mut String, report: &BitsReport<'_>, sources: &mut Sources) {
    let lines = by_line(&report.answers.functions);
    if lines.is_empty() {
        return;
    }
    let mut order: Vec<_> = lines.iter().map(|(at, values)| (at, of_values(values))).collect();
    order.sort_by_key(|&(at, bits)| (std::cmp::Reverse(bits.waste()), at));
    let (count, more) = shown(report.most, order.len());
    let _ = writeln!(text, "\n{}", paint(DIM, "line                        declared    needed"));
    let room = screen_width().saturating_sub(50).max(20);
    for ((file, line), bits) in &order[..count] {
        let place = format!("{}:{line}", tidy_path(file));
        let written = sources.line(file, *line).unwrap_or_default();
        let _ = writeln!(
            text,
            "{} {:>8} {:>9}  {}",
            padded(&cut_start(&place, 27), 27),
            grouped(bits.declared),
            grouped(bits.needed),
            cut(printable(&written).trim(), room),
        );
    }
    if let Some(more) = more {
        let _ = writeln!(text, "{}", paint(DIM, more));
    }
}

/// `u7` or `s12`; `0` of a constant.
fn width(value: &BitsValue) -> String {
    match value.width {
        0 => "0".to_owned(),
        bits if value.signed => format!("s{bits}"),
        bits => format!("u{bits}"),
    }
}

/// What a run says of a value, or else why it is as wide as it is.
fn beside(report: &BitsReport<'_>, value: &BitsValue) -> Option<String> {
    match &value.observed {
        Some(seen) if report.observed => {
            let sign = if seen.signed { "s" } else { "u" };
            Some(format!("seen {sign}{}  {} in {}", seen.width, seen.range, counted(seen.times, "time")))
        }
        None if report.observed => Some("not seen".to_owned()),
        _ => value.because.clone(),
    }
}

fn values(text: &mut String, report: &BitsReport<'_>, function: &BitsFunction) {
    let _ = writeln!(text, "\n{}", paint(STRONG, name_of(report, function)));
    let mut order: Vec<&BitsValue> = function.values.iter().collect();
    order.sort_by_key(|value| std::cmp::Reverse(value.declared - value.width));
    let (count, more) = shown(report.most, order.len());
    let room = screen_width().saturating_sub(66).max(24);
    for value in &order[..count] {
        let line = value.line.map_or_else(String::new, |line| format!("line {line}"));
        let _ = writeln!(
            text,
            "  {} {} {} {:>4} → {}  {}  {}",
            padded(&cut(&printable(&value.name), 16), 16),
            padded(&line, 9),
            padded(&cut(&value.opcode, 10), 10),
            format!("i{}", value.declared),
            padded(&width(value), 4),
            padded(&cut(&value.range, 22), 22),
            paint(DIM, cut(beside(report, value).as_deref().unwrap_or(""), room)),
        );
    }
    if let Some(more) = more {
        let _ = writeln!(text, "{}", paint(DIM, more));
    }
}

/// What a line computes, each name once, with its widths.
pub fn described_values(values: &[&BitsValue]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for value in values.iter().filter(|value| value.declared > 1) {
        let is_named = !value.name.starts_with('%');
        let name = if is_named { printable(&value.name) } else { value.opcode.clone() };
        let part = format!("{name} {}→{}", value.declared, width(value));
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts
}

fn annotated(text: &mut String, report: &BitsReport<'_>, sources: &mut Sources) {
    let lines = by_line(&report.answers.functions);
    let mut files: Vec<&str> = lines.keys().map(|(file, _)| *file).collect();
    files.dedup();
    let column = (screen_width() / 2).max(40);
    for file in files {
        let _ = writeln!(text, "\n{}", paint(STRONG, tidy_path(file)));
        let known = match sources.file(file) {
            SourceText::Lines(known) => known.clone(),
            SourceText::Unusable(why) => {
                let _ = writeln!(text, "  its source {why}");
                continue;
            }
        };
        let own = lines.range((file, 0)..=(file, u32::MAX));
        let own: BTreeMap<u32, &Vec<&BitsValue>> = own.map(|(&(_, line), values)| (line, values)).collect();
        let mut before = 0;
        for (line, written) in (1u32..).zip(&known) {
            let is_near = (line.saturating_sub(CONTEXT)..=line + CONTEXT).any(|near| own.contains_key(&near));
            if !is_near {
                continue;
            }
            if line > before + 1 {
                let _ = writeln!(text, "{}", paint(DIM, "      ⋮"));
            }
            before = line;
            let values =
                own.get(&line).map_or_else(String::new, |values| described_values(values).join(", "));
            let written = padded(&cut(&printable(written), column), column);
            let room = screen_width().saturating_sub(column + 10).max(20);
            let row = format!("{line:>6}  {written}  {}", paint(DIM, cut(&values, room)));
            let _ = writeln!(text, "{}", row.trim_end());
        }
    }
}

/// What no execution gets to: a dead branch, or an index never in bounds. A line has several
/// copies where it was inlined; it is named only if no copy is reached. A function none of whose
/// values is reached is named itself: its other copies run, or nothing calls it.
fn dead(text: &mut String, report: &BitsReport<'_>) {
    // What may be poison is perhaps computed and not looked at.
    let is_dead = |value: &BitsValue| value.range == "never" && !value.may_be_poison;
    let at = |value: &BitsValue| Some((value.file.clone()?, value.line?));
    let functions = || report.answers.functions.iter();
    // Each call hands something over, so a parameter that never is anything says that there is none.
    let is_parameter = |value: &BitsValue| matches!(value.key, Key::Part(_, Part::Parameter(_)));
    let is_uncalled = |function: &&BitsFunction| {
        let values = &function.values;
        !values.is_empty()
            && (values.iter().all(is_dead)
                || values.iter().any(|value| is_parameter(value) && is_dead(value)))
    };
    let called = functions().filter(|function| !is_uncalled(function));
    let living = called.flat_map(|function| &function.values).filter(|value| !is_dead(value));
    let reached: BTreeSet<(String, u32)> = living.filter_map(at).collect();
    let is_idle = |function: &&BitsFunction| {
        is_uncalled(function) && function.values.iter().filter_map(at).any(|place| reached.contains(&place))
    };
    // What is never called says nothing of its lines: its parameters are of no copy.
    let others = functions().filter(|function| !is_idle(function));
    let dead = others.flat_map(|function| &function.values).filter(|value| is_dead(value));
    let mut places: Vec<(String, u32)> = dead.filter_map(at).collect();
    places.retain(|place| !reached.contains(place));
    places.dedup();
    if !places.is_empty() {
        let (count, _) = shown(report.most, places.len());
        let more = if count < places.len() { ", …" } else { "" };
        let places = places[..count].iter().map(|(file, line)| format!("{}:{line}", tidy_path(file)));
        let _ = writeln!(text, "\nno execution gets to {}{more}", places.collect::<Vec<_>>().join(", "));
    }
    for function in functions().filter(is_idle) {
        let name = name_of(report, function);
        let _ = writeln!(text, "\n{name} itself is never called; the copies that were inlined are reached");
    }
}
