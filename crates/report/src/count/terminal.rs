//! The report on the terminal: what one wants to see first, first.
//!
//! A headline with the total; the functions by cost, the hottest with their
//! hottest lines; what was not seen inside; what limits the answer; the next
//! command. With `--annotate` the source of the hottest functions follows the
//! table. Names and places are cut to the terminal's width.

use std::fmt::Write;

use opcost_recover::{FunctionTotal, LineTotal, NamedCalls};

use crate::count::annotate::{Annotation, Depth, LinesOf, OF_CODE, hot_lines, of_code};
use crate::count::builds::{BuildDetail, build_lines, only_build};
use crate::count::mine::{Mine, at_own_lines};
use crate::count::stacks::print_stacks;
use crate::count::tasks::print_tasks;
use crate::kit::files::is_own;
use crate::kit::numbers::{bar, grouped, noun, percent};
use crate::kit::source::Sources;
use crate::kit::style::{
    BAD, DIM, GOOD, STRONG, cut_middle, cut_start, heat, padded, paint, width_of, wrapped,
};
use opcost_answer::count::{BudgetVerdict, CountAnswers, Grown, Growth, RunSpread};
use opcost_answer::names::{NameBook, are_names_full, shown_name, tidy_path};
use opcost_answer::run::{Finish, RunQuality};

/// Cells of a full bar.
const BAR_WIDTH: usize = 10;
/// Share of the total from which on a function shows its hottest lines.
const HOT_SHARE: f64 = 0.10;
/// Share from which on `--annotate` shows a function that was not asked for.
const ANNOTATED_SHARE: f64 = 0.01;
/// Callees that are named.
const CALLEES: usize = 6;
/// Functions that are blamed.
const BLAMED: usize = 10;

/// What of a report is printed.
#[derive(Clone, Copy, Debug)]
pub struct TableLayout {
    /// Rows of the table.
    pub top: usize,
    /// Whether listings are shown whole; else only their hottest lines.
    pub annotate: bool,
    /// Whether listings have IR text.
    pub ir: bool,
    /// When work is shown at the user's own lines.
    pub mine: Mine,
    /// Whether listings are of functions that were asked for by name.
    pub chosen: bool,
    /// How much is said of builds.
    pub builds: BuildDetail,
    /// Cells of a line.
    pub width: usize,
}

/// The whole report of `opcost count`.
pub fn print_count(report: &CountAnswers, sources: &mut Sources, layout: TableLayout) -> String {
    let mut out = String::new();
    let names = report.names();
    headline(report, layout, &mut out);
    functions(&Shown { report, names: &names, layout }, sources, &mut out);
    if layout.annotate {
        out.push('\n');
        let depth = if layout.chosen { Depth::Whole } else { Depth::Hottest };
        let is_shown = |part: f64| layout.chosen || part >= ANNOTATED_SHARE;
        for listing in &report.listings {
            if !is_shown(report.share(report.summary.functions[listing.function].instructions)) {
                continue;
            }
            let total = report.summary.functions[listing.function].instructions;
            let own = at_own_lines(listing, total, layout.mine, is_own);
            let lines = if own.is_some() { LinesOf::Own } else { LinesOf::All };
            let listing = own.as_ref().unwrap_or(listing);
            Annotation { report, listing, names: &names, depth, lines, ir: layout.ir, width: layout.width }
                .write(sources, &mut out);
        }
    }
    let is_marked = |line: &LineTotal| line.executions.is_some() && !line.is_of_line;
    if out.contains(OF_CODE) && report.listings.iter().flat_map(|listing| &listing.lines).any(is_marked) {
        for line in wrapped(&of_code(), layout.width) {
            let _ = writeln!(out, "{}", paint(DIM, line));
        }
    }
    unseen(report, &mut out);
    not_counted(report, &mut out);
    if let Some(stacks) = &report.stacks {
        out += &print_stacks(stacks);
        out.push('\n');
    }
    if let Some(tasks) = &report.tasks {
        out += &print_tasks(tasks, report.threads.as_ref().map_or(0, |threads| threads.all));
    }
    if layout.mine == Mine::Always && report.listings.iter().all(|listing| listing.stacks.is_empty()) {
        out += "a ledger does not record through which lines code was inlined, so --mine changes nothing\n";
    }
    notes(report, layout.width, &mut out);
    out
}

fn headline(report: &CountAnswers, layout: TableLayout, out: &mut String) {
    let (facts, weight) = (&report.facts, report.summary.weight);
    let quality = report.quality.words();
    let world = if report.is_deterministic { " · deterministic world" } else { "" };
    let world = match &report.spread {
        Some(spread) => format!(" for run 1 of {}{world}", spread.runs),
        None => world.to_owned(),
    };
    let noun = noun(weight, "instruction");
    let before = format!("{} {noun}   {} · ", grouped(weight), facts.cost_model);
    let behind = format!("{quality}{world}");
    let room = layout.width.saturating_sub(width_of(&before) + width_of(&behind) + 3).max(20);
    let only = only_build(&facts.groups, room, layout.builds);
    let only = only.map_or_else(String::new, |way| format!("{way} · "));
    let _ =
        writeln!(out, "{} {noun}   {} · {only}{behind}", paint(STRONG, grouped(weight)), facts.cost_model,);
    for line in build_lines(&facts.groups, layout.width.saturating_sub(2), layout.builds) {
        let _ = writeln!(out, "  {line}");
    }
    if let Some(outside) = &report.outside {
        let _ = writeln!(out, "  {} {outside}", paint(BAD, "mostly elsewhere:"));
    }
    if let Some(host) = &report.host {
        let _ = writeln!(out, "  {host} has no counters of its own: this is what it loaded or started");
    }
    if report.processes > 1 {
        let _ = writeln!(out, "  in {} processes", report.processes);
    }
    if report.runs > 1 {
        let _ = writeln!(out, "  in {} runs", report.runs);
    }
    if let Some(RunSpread { runs, least, most }) = report.spread {
        let _ = writeln!(out, "  {runs} runs took {} to {}", grouped(least), grouped(most));
    }
}

/// A report, with the names of its functions.
struct Shown<'a> {
    report: &'a CountAnswers,
    names: &'a NameBook,
    layout: TableLayout,
}

fn functions(what: &Shown<'_>, sources: &mut Sources, out: &mut String) {
    let (report, layout) = (what.report, what.layout);
    let functions = report.by_cost();
    let shown = &functions[..functions.len().min(layout.top)];
    let table = Table::fit(what, shown);
    for function in shown {
        let part = report.share(function.instructions);
        let _ = writeln!(out, "{}", table.row(function, part));
        let listing =
            report.listings.iter().find(|listing| report.summary.functions[listing.function] == **function);
        if let Some(listing) = listing
            && !layout.annotate
            && part >= HOT_SHARE
        {
            hot_lines(report, listing, sources, layout.width, out);
        }
    }
    if functions.len() > shown.len() {
        let rest: u128 = functions[shown.len()..].iter().map(|function| function.instructions).sum();
        let part = percent(report.share(rest));
        let more = functions.len() - shown.len();
        let _ = writeln!(out, "{part:>7} in {} more {} (--top N)", more, noun(more, "function"));
    }
}

/// Widths of the table's columns.
struct Table<'a> {
    report: &'a CountAnswers,
    names: &'a NameBook,
    name: usize,
    place: usize,
    calls: usize,
}

impl<'a> Table<'a> {
    fn fit(what: &Shown<'a>, shown: &[&FunctionTotal]) -> Table<'a> {
        let (report, names, width) = (what.report, what.names, what.layout.width);
        let widest = |cell: &dyn Fn(&FunctionTotal) -> String| {
            shown.iter().map(|function| width_of(&cell(function))).max().unwrap_or(0)
        };
        let (name, place, calls) =
            (widest(&|f| names.name(&f.name)), widest(&place), widest(&|f| calls(report, f)));
        let room = width.saturating_sub(7 + 1 + BAR_WIDTH + 1 + 2 + 2 + calls);
        let place =
            if name + place <= room { place } else { place.min((room / 3).max(room - name.min(room))) };
        let name = if are_names_full() { name } else { name.min(room - place.min(room)) };
        Table { report, names, name, place, calls }
    }

    fn row(&self, function: &FunctionTotal, part: f64) -> String {
        let bar = paint(heat(part), padded(&bar(part, BAR_WIDTH), BAR_WIDTH));
        let name = padded(&cut_middle(&self.names.name(&function.name), self.name), self.name);
        let place = padded(&cut_start(&place(function), self.place), self.place);
        format!(
            "{:>7} {bar} {}  {}  {:>calls$}",
            percent(part),
            paint(STRONG, name),
            paint(DIM, place),
            calls(self.report, function),
            calls = self.calls
        )
        .trim_end()
        .to_owned()
    }
}

fn place(function: &FunctionTotal) -> String {
    function
        .place
        .as_ref()
        .map_or(String::new(), |place| format!("{}:{}", tidy_path(&place.file), place.line))
}

fn calls(report: &CountAnswers, function: &FunctionTotal) -> String {
    match report.calls_of(function) {
        Some(1) => "1 call ".to_owned(),
        Some(calls) => format!("{} calls", grouped(calls)),
        None => match report.threads_of(function) {
            Some(threads @ 2..) => format!("? calls, in {threads} threads or more"),
            _ => "? calls".to_owned(),
        },
    }
}

fn unseen(report: &CountAnswers, out: &mut String) {
    let calls = &report.summary.calls;
    let all = calls.external.iter().chain(&calls.memory);
    let mut named: Vec<&NamedCalls> = all.filter(|call| call.calls > 0).collect();
    named.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.name.cmp(&b.name)));
    let mut parts: Vec<String> = named
        .iter()
        .take(CALLEES)
        .map(|call| {
            let calls =
                if report.knows_calls() { format!(" {}", grouped(call.calls)) } else { String::new() };
            shown_name(&call.name) + &calls
        })
        .collect();
    if named.len() > CALLEES {
        let rest: u128 = named[CALLEES..].iter().map(|call| call.calls).sum();
        let rest = if report.knows_calls() { format!(" {}", grouped(rest)) } else { String::new() };
        parts.push(format!("{} others{rest}", named.len() - CALLEES));
    }
    let through_pointers: u128 = calls.indirect.iter().map(|site| site.calls).sum();
    if through_pointers > 0 {
        let calls =
            if report.knows_calls() { format!(" {}", grouped(through_pointers)) } else { String::new() };
        parts.push(format!("through pointers{calls}"));
    }
    if !parts.is_empty() {
        let head = if report.knows_calls() { "not seen inside (calls)" } else { "not seen inside" };
        let _ = writeln!(out, "{head}: {}", parts.join(" · "));
    }
}

/// What of the program's build was not counted, and how that can be.
fn not_counted(report: &CountAnswers, out: &mut String) {
    for part in &report.not_counted {
        let _ = writeln!(out, "{} {}: {}", paint(BAD, "not counted:"), part.what, part.reason);
        if let Some(next) = &part.next {
            let _ = writeln!(out, "  {next}");
        }
    }
}

fn notes(report: &CountAnswers, width: usize, out: &mut String) {
    if let RunQuality::LowerBound(reasons) = &report.quality {
        for reason in reasons {
            let _ = writeln!(out, "{} {reason}", paint(BAD, "not exact:"));
        }
    }
    if let RunQuality::Estimate(words) = &report.quality {
        let is_of_run = report.quality.is_of_run();
        for word in words {
            let head = if is_of_run { format!("{} ", paint(BAD, "not exact:")) } else { String::new() };
            let _ = writeln!(out, "{head}{word}");
        }
    }
    if !report.facts.has_lines {
        let _ = writeln!(out, "no debug information: functions are shown without lines (build with -g)");
    }
    if let Some(repetition) = &report.repetition {
        let _ = writeln!(out, "{repetition}");
    }
    match report.finish {
        None | Some(Finish::Exited(0)) => {}
        Some(Finish::Exited(status)) => {
            let _ = writeln!(out, "{}", paint(BAD, format!("the program exited with status {status}")));
        }
        Some(Finish::Killed(signal)) => {
            let _ = writeln!(out, "{}", paint(BAD, format!("signal {signal} ended the program")));
        }
    }
    verdict(report, out);
    if !report.next.is_empty() {
        let one_line = report.next.join("   ·   ");
        let fits = width_of(&one_line) + 6 <= width;
        let next = if fits { one_line } else { report.next.join("\n      ") };
        let _ = writeln!(out, "{} {next}", paint(DIM, "next:"));
    }
}

fn verdict(report: &CountAnswers, out: &mut String) {
    match &report.verdict {
        BudgetVerdict::None => {}
        BudgetVerdict::Within { budget } => {
            let _ = writeln!(out, "{}", paint(GOOD, format!("within the budget of {}", grouped(budget))));
        }
        BudgetVerdict::Over { budget, grew } => {
            let over = report.most() - budget;
            let text = format!("over the budget of {} by {}", grouped(budget), grouped(over));
            let _ = writeln!(out, "{}", paint(BAD, text));
            blame(report, grew, out);
        }
    }
}

/// The functions that made it too much.
fn blame(report: &CountAnswers, grew: &Growth, out: &mut String) {
    match grew {
        Growth::Since(grown) if grown.is_empty() => {
            let _ = writeln!(out, "  no function does more than in the baseline: it was over already");
        }
        Growth::Since(grown) => {
            let _ = writeln!(out, "functions that grew since the baseline:");
            for function in grown.iter().take(BLAMED) {
                let _ = writeln!(out, "  {}", growth(function));
            }
            if grown.len() > BLAMED {
                let _ = writeln!(out, "  and {} more", grown.len() - BLAMED);
            }
        }
        Growth::Refused(why) => {
            let _ = writeln!(out, "the baseline says nothing about who grew: {why}");
        }
        Growth::Unknown => {
            let largest: Vec<String> = report
                .by_cost()
                .iter()
                .take(3)
                .map(|function| format!("{} {}", shown_name(&function.name), grouped(function.instructions)))
                .collect();
            let _ = writeln!(
                out,
                "  the largest: {} (with --baseline FILE.opc: those that grew)",
                largest.join(" · ")
            );
        }
    }
}

fn growth(function: &Grown) -> String {
    let name = shown_name(&function.name);
    let place = function
        .location
        .as_ref()
        .map_or(String::new(), |place| format!("  {}:{}", tidy_path(&place.file), place.line));
    match function.before {
        None => format!("+{}  {name}{place}  (new)", grouped(function.after)),
        Some(before) => format!(
            "+{}  {name}{place}  ({} before, {} now)",
            grouped(function.after - before),
            grouped(before),
            grouped(function.after)
        ),
    }
}
