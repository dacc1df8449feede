//! Values as pictures: over time, or as a histogram. One panel for each point.
//!
//! A panel has as many columns as it has pixels; where several values share one
//! the least and the greatest are drawn, so that no spike is lost.

use std::fmt::Write;

use crate::kit::style::printable;
use crate::values::report::{number, place, shape};
use opcost_answer::names::shown_name;
use opcost_answer::points::Meaning;
use opcost_answer::values::{RecordedValues, ValueRow};
use opcost_profile::opcval::layout::double;

const WIDTH: f64 = 900.0;
const PANEL: f64 = 180.0;
const LEFT: f64 = 130.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 32.0;
/// Panels in one picture; more are named and left out.
const MOST_PANELS: usize = 24;
const COLUMNS: usize = (WIDTH - LEFT - RIGHT) as usize;

/// Values over time.
pub fn time_picture(report: &RecordedValues) -> String {
    picture(report, "over time", over_time)
}

/// How often each value came.
pub fn histogram_picture(report: &RecordedValues) -> String {
    picture(report, "by value", by_value)
}

fn picture(report: &RecordedValues, what: &str, draw: impl Fn(&ValueRow, f64, &mut String)) -> String {
    let rows: Vec<&ValueRow> = report.rows.iter().filter(|row| row.range.is_some()).collect();
    let shown = &rows[..rows.len().min(MOST_PANELS)];
    let height = 30.0 + shown.len().max(1) as f64 * PANEL + if rows.len() > shown.len() { 20.0 } else { 0.0 };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\" role=\"img\">\n\
         <title>{0}, {what}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"12\" y=\"20\" font-size=\"14\" font-weight=\"600\" fill=\"#1a1a1a\">{0}, {what}</text>\n",
        escaped(&report.command)
    );
    for (position, row) in shown.iter().enumerate() {
        let top = 30.0 + position as f64 * PANEL;
        heading(row, top, &mut out);
        draw(row, top, &mut out);
    }
    let foot = height - 8.0;
    if shown.is_empty() {
        text(&mut out, 12.0, 60.0, "start", "nothing was recorded");
    } else if rows.len() > shown.len() {
        text(&mut out, 12.0, foot, "start", &format!("{} more are left out", rows.len() - shown.len()));
    }
    out + "</svg>\n"
}

fn heading(row: &ValueRow, top: f64, out: &mut String) {
    let kind = if row.is_loop() {
        "iterations of the loop, for each activation".to_owned()
    } else {
        printable(&row.text)
    };
    let words: String =
        format!("{}  {}  {kind}", place(row), shown_name(&row.function)).chars().take(120).collect();
    text(out, LEFT, top + 22.0, "start", &words);
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#444\">{}</text>",
        escaped(words)
    );
}

fn escaped(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// What is at the ends of a panel's axes.
struct Ends<'a> {
    lowest: &'a str,
    highest: &'a str,
    first: &'a str,
    last: &'a str,
}

fn axes(top: f64, ends: &Ends<'_>, out: &mut String) {
    let &Ends { lowest, highest, first, last } = ends;
    let (low, high) = (top + PANEL - BOTTOM, top + TOP);
    let right = WIDTH - RIGHT;
    _ = writeln!(out, "<path d=\"M{LEFT} {high:.1}V{low:.1}H{right:.1}\" fill=\"none\" stroke=\"#999\"/>");
    if lowest == highest {
        text(out, LEFT - 8.0, (low + high) / 2.0 + 4.0, "end", highest);
    } else {
        text(out, LEFT - 8.0, high + 4.0, "end", highest);
        text(out, LEFT - 8.0, low, "end", lowest);
    }
    text(out, LEFT, low + 16.0, "start", first);
    text(out, right, low + 16.0, "end", last);
}

/// A value as a height: doubles as they are.
fn height_of(meaning: Meaning, value: i64) -> f64 {
    match meaning {
        Meaning::Float => double(value).clamp(-1e300, 1e300),
        Meaning::BackEdges | Meaning::Unsigned => value as u64 as f64,
        Meaning::Signed => value as f64,
    }
}

fn over_time(row: &ValueRow, top: f64, out: &mut String) {
    let total: u64 = row.runs.iter().map(|run| run.1).sum();
    if total == 0 {
        text(out, LEFT, top + 60.0, "start", "the sequence was not kept");
        return;
    }
    let of = |value| height_of(row.meaning, value);
    let least = row.runs.iter().map(|run| of(run.0)).fold(f64::INFINITY, f64::min);
    let most = row.runs.iter().map(|run| of(run.0)).fold(f64::NEG_INFINITY, f64::max);
    let ends = |pick: fn(f64, f64) -> bool| {
        let found = row.runs.iter().map(|run| run.0).reduce(|a, b| if pick(of(b), of(a)) { b } else { a });
        number(row.meaning, found.unwrap_or(0))
    };
    let last = crate::kit::numbers::grouped(u128::from(total) * u128::from(row.stride));
    let unit = if row.stride > 1 { format!(" (every {}.)", row.stride) } else { String::new() };
    let (lowest, highest, last) = (ends(|a, b| a < b), ends(|a, b| a > b), format!("{last}{unit}"));
    axes(top, &Ends { lowest: &lowest, highest: &highest, first: "1", last: &last }, out);
    let (low, high) = (top + PANEL - BOTTOM - 2.0, top + TOP + 2.0);
    let y = |value: f64| {
        if most > least { low - (value - least) / (most - least) * (low - high) } else { (low + high) / 2.0 }
    };
    let columns = columns(row, total);
    let step = (WIDTH - LEFT - RIGHT) / columns.len() as f64;
    let mut path = String::new();
    for (position, &(first, low_value, high_value, end)) in columns.iter().enumerate() {
        let x = LEFT + position as f64 * step;
        _ = write!(path, "{}{x:.1} {:.1}", if position == 0 { "M" } else { "L" }, y(of(first)));
        if low_value != first || high_value != first {
            _ = write!(path, "V{:.1}V{:.1}V{:.1}", y(of(high_value)), y(of(low_value)), y(of(end)));
        }
        _ = write!(path, "H{:.1}", x + step);
    }
    _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"#1f5fa8\" stroke-width=\"1.2\"/>");
}

/// First, least, greatest and last value of each column.
fn columns(row: &ValueRow, total: u64) -> Vec<(i64, i64, i64, i64)> {
    let count = (total as usize).min(COLUMNS);
    let mut columns: Vec<Option<(i64, i64, i64, i64)>> = vec![None; count];
    let mut at = 0_u64;
    let column = |position: u64| (u128::from(position) * count as u128 / u128::from(total)) as usize;
    for &(value, number) in row.runs.iter().filter(|run| run.1 > 0) {
        for own in &mut columns[column(at)..=column(at + number - 1)] {
            *own = Some(match *own {
                None => (value, value, value, value),
                Some((first, least, most, _)) => (first, least.min(value), most.max(value), value),
            });
        }
        at += number;
    }
    columns.into_iter().flatten().collect()
}

fn by_value(row: &ValueRow, top: f64, out: &mut String) {
    let Some([least, _, most]) = row.range else { return };
    let shape = shape(row, 120);
    let highest = shape.iter().copied().max().unwrap_or(1).max(1);
    let (first, last) = (number(row.meaning, least), number(row.meaning, most));
    let most = crate::kit::numbers::grouped(highest);
    axes(top, &Ends { lowest: "0", highest: &most, first: &first, last: &last }, out);
    let low = top + PANEL - BOTTOM;
    let step = (WIDTH - LEFT - RIGHT) / shape.len() as f64;
    let room = low - top - TOP;
    let mut path = String::new();
    for (position, &count) in shape.iter().enumerate().filter(|(_, count)| **count > 0) {
        let size = (count as f64 / highest as f64 * room).max(1.0);
        let x = LEFT + position as f64 * step + step * 0.05;
        _ = write!(path, "M{x:.1} {low:.1}v{:.1}h{:.1}v{size:.1}z", -size, step * 0.9);
    }
    _ = writeln!(out, "<path d=\"{path}\" fill=\"#1f5fa8\"/>");
    if row.meaning == Meaning::Float {
        text(out, (LEFT + WIDTH - RIGHT) / 2.0, low + 16.0, "middle", "(columns by magnitude)");
    }
}
