//! A slice as text: how much stays, which loops keep computed data alive, what a verification found.
//!
//! Cost: the loops and lines.

use std::fmt::Write;

use opcost_answer::names::shown_name;
use opcost_answer::numbers::{counted, grouped};
use opcost_answer::slice::{LoopFate, SliceAnswers, SliceVerdict, SlicedLink, SlicedLocation};

use super::json::fate;
use crate::kit::numbers::percent;
use crate::kit::style::{DIM, STRONG, WARM, cut, paint, printable};

/// Loops that are listed.
const LOOPS: usize = 40;
/// Links of chains that are listed.
const LINKS: usize = 40;

/// What is shown.
pub struct SliceReport<'a> {
    /// The slice.
    pub answers: &'a SliceAnswers,
    /// What two runs said.
    pub verdict: Option<&'a SliceVerdict>,
    /// The inputs and the level, in words.
    pub about: String,
    /// Whether lines are listed.
    pub annotate: bool,
    /// What to try next.
    pub next: Vec<String>,
}

/// The text, in lines of so many cells.
pub fn print_slice(report: &SliceReport<'_>, width: usize) -> String {
    let answers = report.answers;
    let mut text = String::new();
    if answers.retained * 10 > answers.instructions * 9 {
        let _ = writeln!(text, "{}", paint(WARM, "this slice saves less than a tenth of the instructions"));
    }
    let share = answers.retained as f64 / answers.instructions.max(1) as f64;
    let what = if answers.is_of_line { "decide the line" } else { "decide the loops" };
    let head = format!(
        "{} of {} {what} ({})",
        grouped(answers.retained),
        counted(answers.instructions, "instruction"),
        percent(share)
    );
    let _ = writeln!(text, "{}", paint(STRONG, head));
    let _ = writeln!(
        text,
        "{}: {} of {} branches with several ways stay",
        report.about,
        grouped(answers.retained_branches),
        grouped(answers.branches)
    );
    if let Some(share) = answers.dropped_share {
        let words = format!(
            "approximate: dropped loops are predicted to have {} of all executed instructions, without what they call",
            percent(share)
        );
        let _ = writeln!(text, "{}", paint(WARM, words));
    }
    if let Some(verdict) = report.verdict {
        print_verdict(answers, verdict, &mut text);
    }
    if let Some(left_out) = &answers.without {
        let words = format!("left out on purpose: {} at {}", left_out.what, shown(&left_out.location));
        let _ = writeln!(text, "{}", paint(WARM, printable(&words)));
    }
    if answers.loops.is_empty() {
        let _ = writeln!(
            text,
            "\nno function that is run has a loop: what stays is input, calls and the exit status"
        );
    }
    print_loops(report, width, &mut text);
    if !answers.computed.is_empty() {
        let _ = writeln!(text, "\ncomputed data that decides something:");
        answers.computed.iter().for_each(|one| print_link(one, &mut text));
    }
    if report.annotate {
        print_lines(answers, &mut text);
    }
    for chain in &answers.why {
        let _ = writeln!(text, "\nwhy it stays:");
        chain.iter().take(LINKS).for_each(|one| print_link(one, &mut text));
    }
    if !answers.printing.is_empty() {
        let calls = answers.printing.len();
        let _ = writeln!(text, "\noutput that goes ({}):", counted(calls, "call"));
        answers.printing.iter().take(LINKS).for_each(|one| {
            let _ = writeln!(text, "  {}", printable(&format!("{} at {}", one.what, shown(&one.location))));
        });
        more(calls, LINKS, &mut text);
    }
    if !report.next.is_empty() {
        text.push('\n');
    }
    for next in &report.next {
        let _ = writeln!(text, "{}", paint(DIM, format!("next: {next}")));
    }
    text
}

fn more(all: usize, listed: usize, text: &mut String) {
    if all > listed {
        let _ = writeln!(text, "  and {} more (--json lists all)", all - listed);
    }
}

fn shown(location: &SlicedLocation) -> String {
    let function = shown_name(&location.function);
    match (&location.file, location.line) {
        (Some(file), Some(line)) => format!("{file}:{line} ({function})"),
        _ => function,
    }
}

fn print_link(link: &SlicedLink, text: &mut String) {
    let words = format!("  {} at {}: {}", link.what, shown(&link.location), link.why);
    let _ = writeln!(text, "{}", printable(&words));
}

fn print_verdict(answers: &SliceAnswers, verdict: &SliceVerdict, text: &mut String) {
    let events = counted(verdict.events, "event");
    let loops = counted(verdict.loops.iter().filter(|one| one.is_equal.is_some()).count(), "loop");
    if verdict.streams_equal {
        let _ = writeln!(text, "streams equal: {events} of {loops}, in order");
        let times = verdict.seconds / verdict.slice_seconds.max(1e-9);
        let _ = writeln!(
            text,
            "the program ran {:.3} s, its slice {:.3} s ({times:.1} times as fast)",
            verdict.seconds, verdict.slice_seconds
        );
    } else {
        let words = format!(
            "streams differ: {events} of the program, {} of its slice",
            grouped(verdict.slice_events)
        );
        let _ = writeln!(text, "{}", paint(WARM, words));
        let wrong = verdict.loops.iter().filter(|one| one.is_equal == Some(false));
        for one in wrong.clone().take(LOOPS) {
            let location =
                answers.loops.get(one.position).map(|one| shown(&one.location)).unwrap_or_default();
            let words = format!(
                "  {location}: entered {} times, {} iterations; the slice {} times, {} iterations",
                one.entries, one.iterations, one.slice_entries, one.slice_iterations
            );
            let _ = writeln!(text, "{}", printable(&words));
        }
        more(wrong.count(), LOOPS, text);
    }
    if let Some(share) = verdict.dropped_share {
        let words = format!("dropped loops had {} of what loops executed in this run", percent(share));
        let _ = writeln!(text, "{words}");
    }
    if !verdict.ends_equal {
        let words = format!("the program ended with {}, its slice with {}", verdict.end, verdict.slice_end);
        let _ = writeln!(text, "{}", paint(WARM, words));
    }
}

fn print_loops(report: &SliceReport<'_>, width: usize, text: &mut String) {
    let loops = &report.answers.loops;
    if loops.is_empty() {
        return;
    }
    let of = |wanted: LoopFate| loops.iter().filter(|one| one.fate == wanted).count();
    let _ = writeln!(
        text,
        "\n{}: {} thinned, {} whole, {} constant, {} waived{}{}",
        counted(loops.len(), "loop"),
        of(LoopFate::Thinned),
        of(LoopFate::Whole),
        of(LoopFate::Constant),
        of(LoopFate::Waived),
        some(of(LoopFate::Evaluated), "evaluated"),
        some(of(LoopFate::Dropped), "dropped")
    );
    for one in loops.iter().take(LOOPS) {
        let share = percent(one.retained as f64 / one.instructions.max(1) as f64);
        let row = format!("  {:<8} {share:>7} stays  {}", fate(one.fate), shown(&one.location));
        let _ = writeln!(text, "{}", cut(&printable(&row), width));
        if let Some(constant) = &one.constant {
            let entries = match constant.entries {
                Some(entries) => format!(", entered {} for each entry of the loop around it", times(entries)),
                None => String::new(),
            };
            let words =
                format!("             its header runs {} for each entry{entries}", times(constant.headers));
            let _ = writeln!(text, "{}", paint(DIM, words));
        }
        if let Some(trips) = &one.evaluated {
            let words = format!(
                "             entered {}, its header runs {}, by the arguments",
                times(trips.entries),
                times(trips.headers)
            );
            let _ = writeln!(text, "{}", paint(DIM, words));
        }
        if let Some(why) = &one.why {
            let _ = writeln!(text, "{}", paint(DIM, printable(&format!("             {why}"))));
        }
    }
    more(loops.len(), LOOPS, text);
}

/// `, 3 dropped`, or nothing where there is none.
fn some(count: usize, what: &str) -> String {
    if count == 0 { String::new() } else { format!(", {count} {what}") }
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{} times", grouped(count)) }
}

fn print_lines(answers: &SliceAnswers, text: &mut String) {
    let _ = writeln!(text, "\nlines, with instructions that stay:");
    for line in &answers.lines {
        let why = line.why.as_deref().unwrap_or("goes");
        let counts = format!("{}/{}", line.retained, line.instructions);
        let words = format!("  {counts:>9}  {}: {why}", shown(&line.location));
        let _ = writeln!(text, "{}", printable(&words));
    }
}
