//! The report as a page for a browser: one file that loads nothing.
//!
//! Frame, style and script are those of all pages (`crate::kit::html`). The functions are a table that sorts by any
//! column; the source files follow, the user's own before those of libraries, with the heat of each line,
//! cold stretches folded. Whatever has no readable source is listed in IR text. Cost: one row per line that ran.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::files::{is_own, short_path};
use crate::kit::html::{
    Column, PageParts, TABLES, filter_box, listing, listing_header, number_cell, page, share_cell, sheet,
    sorted_header,
};
use maud::{Markup, html};
use opcost_recover::{FunctionListing, LineTotal, SourceLine};

use crate::count::annotate::{OF_CODE, of_code};
use crate::count::builds::{BuildDetail, build_lines, only_build};
use crate::kit::numbers::{counted, grouped, percent, share};
use crate::kit::source::{SourceText, Sources};
use opcost_answer::count::{BudgetVerdict, CountAnswers, Growth};
use opcost_answer::names::{NameBook, demangle, shown_name, tidy_path};
use opcost_answer::run::{Finish, RunQuality};

/// Lines around a line that ran.
const CONTEXT: u32 = 3;
/// Source files that are open at first.
const OPEN_FILES: usize = 1;

const FUNCTIONS: [Column; 5] = [
    Column { name: "instructions", is_number: true },
    Column { name: "share", is_number: true },
    Column { name: "function", is_number: false },
    Column { name: "place", is_number: false },
    Column { name: "calls", is_number: true },
];

const CALLEES: [Column; 2] =
    [Column { name: "calls", is_number: true }, Column { name: "callee", is_number: false }];

/// The page of one report.
pub fn html_page(report: &CountAnswers, sources: &mut Sources, title: &str) -> String {
    let mut own = Page { report, files: BTreeMap::new(), names: report.names() };
    own.number_files();
    let content = html! {
        (own.functions())
        (own.source(sources))
        (own.texts(sources))
        (own.calls())
    };
    page(&PageParts { title, command: "opcost", about: own.facts(), content, script: TABLES })
}

struct Page<'a> {
    report: &'a CountAnswers,
    /// Number of each file: the user's own first, then by cost.
    files: BTreeMap<&'a str, usize>,
    names: NameBook,
}

/// A line of a source file, as it is shown.
struct Row<'a> {
    /// Number of the file.
    file: usize,
    /// Its line, from 1.
    line: u32,
    /// What ran there, if the line has instructions.
    total: Option<&'a LineTotal>,
    text: &'a str,
}

impl<'a> Page<'a> {
    fn facts(&self) -> Markup {
        let report = self.report;
        let (facts, total) = (&report.facts, report.summary.weight);
        let quality = report.quality.words();
        let target = facts.first(|group| group.build.target.clone());
        let only = only_build(&facts.groups, 0, BuildDetail::Full);
        let about: Vec<&str> = [Some(&*facts.cost_model), only.as_deref(), Some(&*target), Some(quality)]
            .into_iter()
            .flatten()
            .collect();
        let about = about.join(" · ");
        html! {
            p.total { data id="total" value=(total) { (grouped(total)) } " " small { "instructions" } }
            p.facts { (about) }
            @for line in build_lines(&facts.groups, 0, BuildDetail::Full) {
                p.facts { (line) }
            }
            @for (is_bad, note) in notes(report) {
                p.note.bad[is_bad] { (note) }
            }
            (filter_box())
        }
    }

    fn functions(&self) -> Markup {
        let [instructions, share, _, place, calls] = FUNCTIONS.map(|column| column.name);
        let table = html! {
            table.list id="functions" {
                caption.quiet { "Functions and what they cost" }
                (sorted_header(&FUNCTIONS))
                "\n" tbody {
                    @for function in self.report.by_cost() {
                        @let (cost, part) = (function.instructions, self.report.share(function.instructions));
                        tr {
                            (number_cell(instructions, cost, &grouped(cost)))
                            (share_cell(share, cost, part, &percent(part)))
                            td.name title=(demangle(&function.name)) { (self.names.name(&function.name)) }
                            td.place data-of=(place) { @if let Some(place) = &function.place { (self.link(place)) } }
                            @match self.report.calls_of(function) {
                                Some(known) => { (number_cell(calls, known, &grouped(known))) }
                                None => { (number_cell(calls, 0, "?")) }
                            }
                        }
                        "\n"
                    }
                }
            }
        };
        html! { h2 { "Functions" } (sheet("sheet tall", "functions", &table)) }
    }

    fn link(&self, place: &SourceLine) -> Markup {
        let text = format!("{}:{}", short_path(&place.file), place.line);
        html! {
            @match self.files.get(place.file.as_str()) {
                Some(number) => { a href=(format!("#f{number}-{}", place.line)) { (text) } }
                None => { (text) }
            }
        }
    }

    fn number_files(&mut self) {
        let mut costs: BTreeMap<&str, u128> = BTreeMap::new();
        for line in self.report.summary.lines.iter().filter(|line| ran(line)) {
            *costs.entry(&line.at.file).or_default() += line.instructions;
        }
        let mut files: Vec<_> = costs.into_iter().collect();
        files.sort_by_key(|&(file, cost)| (!is_own(file), std::cmp::Reverse(cost), file));
        self.files = files.into_iter().enumerate().map(|(number, (file, _))| (file, number)).collect();
    }

    fn source(&self, sources: &mut Sources) -> Markup {
        if self.files.is_empty() {
            return html! {};
        }
        let summary = &self.report.summary;
        let hottest = summary.lines.iter().map(|line| line.instructions).max().unwrap_or(0);
        let mut files: Vec<(usize, &str)> =
            self.files.iter().map(|(&file, &number)| (number, file)).collect();
        files.sort_unstable();
        html! {
            h2 { "Source" }
            @if summary.lines.iter().any(|line| line.executions.is_some() && !line.is_of_line) {
                p.note { (of_code()) }
            }
            @for (number, file) in files {
                @let start = summary.lines.partition_point(|line| line.at.file.as_str() < file);
                @let end = summary.lines.partition_point(|line| line.at.file.as_str() <= file);
                @let lines = &summary.lines[start..end];
                @let cost = lines.iter().map(|line| line.instructions).sum();
                @let (text, why) = match sources.file(file) {
                    SourceText::Lines(text) => (Some(text.as_slice()), String::new()),
                    SourceText::Unusable(why) => (None, format!(" · the file {why}")),
                };
                @let word = format!("{}{why}", percent(self.report.share(cost)));
                @let table = self.file(number, lines, text, hottest);
                (listing(number < OPEN_FILES, &short_path(file), &tidy_path(file), &word, &table))
            }
        }
    }

    fn file(&self, number: usize, lines: &[LineTotal], text: Option<&[String]>, hottest: u128) -> Markup {
        let known: BTreeMap<u32, &LineTotal> = lines.iter().map(|line| (line.at.line, line)).collect();
        let mut next = 1;
        let mut rows = Vec::new();
        for line in shown(lines, &self.starts(lines), text) {
            if line > next {
                let folded = counted(line - next, "line");
                rows.push(html! { tr.fold { td colspan="4" { (folded) " without counts" } } "\n" });
            }
            let words = text.and_then(|text| text.get(line as usize - 1)).map_or("", String::as_str);
            let row = Row { file: number, line, total: known.get(&line).copied(), text: words };
            rows.push(self.line(&row, hottest));
            next = line + 1;
        }
        html! {
            table.code {
                (listing_header("Lines and what they cost", &["line", "executions", "share", "source"]))
                tbody { @for row in rows { (row) } }
            }
        }
    }

    /// Lines of the file at which a function that ran begins: links lead there.
    fn starts(&self, lines: &[LineTotal]) -> Vec<u32> {
        let Some(file) = lines.first().map(|line| &line.at.file) else { return Vec::new() };
        let ran = self.report.summary.functions.iter().filter(|function| function.calls > 0);
        let places = ran.filter_map(|function| function.place.as_ref());
        places.filter(|place| place.file == *file).map(|place| place.line).collect()
    }

    fn line(&self, row: &Row<'_>, hottest: u128) -> Markup {
        let (heat, count, part) = match row.total {
            Some(line) if ran(line) => {
                // The square root shows that a line ran at all.
                let heat = share(line.instructions, hottest).sqrt();
                let sign = if line.is_of_line { "" } else { OF_CODE };
                let count =
                    line.executions.map_or_else(String::new, |count| format!("{sign}{}×", grouped(count)));
                let part = percent(self.report.share(line.instructions));
                (Some(format!("--h:{heat:.3}")), count, part)
            }
            Some(line) if line.is_of_line => (None, "0×".to_owned(), String::new()),
            Some(_) => (None, format!("{OF_CODE}0×"), String::new()),
            None => (None, String::new(), String::new()),
        };
        html! {
            tr.ran[heat.is_some()] id=(format!("f{}-{}", row.file, row.line)) style=[heat] {
                td.num { (row.line) }
                td.num { (count) }
                td.num { (part) }
                td { code { (row.text.trim_end()) } }
            }
            "\n"
        }
    }

    /// Functions whose source cannot be read, in IR text.
    fn texts(&self, sources: &mut Sources) -> Markup {
        let mut readable = |line: &LineTotal| matches!(sources.file(&line.at.file), SourceText::Lines(_));
        let mut listings: Vec<&FunctionListing> = self.report.listings.iter().collect();
        listings.retain(|listing| !listing.blocks.is_empty() && !listing.lines.iter().any(&mut readable));
        html! {
            @if !listings.is_empty() {
                h2 { "IR text of functions without readable source" }
                @for listing in listings { (self.text(listing)) }
            }
        }
    }

    fn text(&self, text: &FunctionListing) -> Markup {
        let total = &self.report.summary.functions[text.function];
        let table = html! {
            table.code {
                (listing_header("Instructions and what they cost", &["executions", "share", "instruction"]))
                tbody {
                    @for block in &text.blocks {
                        tr.fold { td colspan="3" { (block.block) " · " (grouped(block.count)) "×" } }
                        @for instruction in &block.instructions {
                            @let part = share(instruction.cost, total.instructions);
                            tr.ran style=(format!("--h:{:.3}", part.sqrt())) {
                                td.num { (grouped(instruction.count)) "×" }
                                td.num { (percent(part)) }
                                td { code { (instruction.text) } }
                            }
                            "\n"
                        }
                    }
                }
            }
        };
        let share = percent(self.report.share(total.instructions));
        listing(false, &self.names.name(&total.name), &demangle(&total.name), &share, &table)
    }

    fn calls(&self) -> Markup {
        let calls = &self.report.summary.calls;
        let made: Vec<_> = calls.external.iter().chain(&calls.memory).filter(|call| call.calls > 0).collect();
        if made.is_empty() {
            return html! {};
        }
        let table = html! {
            table.list {
                caption.quiet { "Callees that were not seen inside" }
                (sorted_header(&CALLEES))
                "\n" tbody {
                    @for call in made {
                        tr {
                            @if self.report.knows_calls() {
                                (number_cell(CALLEES[0].name, call.calls, &grouped(call.calls)))
                            } @else {
                                (number_cell(CALLEES[0].name, 0, "?"))
                            }
                            td.name { (shown_name(&call.name)) }
                        }
                        "\n"
                    }
                }
            }
        };
        html! { h2 { "Not seen inside" } (sheet("sheet tall", "callees that were not seen inside", &table)) }
    }
}

fn ran(line: &LineTotal) -> bool {
    line.executions.map_or(line.instructions > 0, |count| count > 0)
}

/// The lines that are not folded.
fn shown(lines: &[LineTotal], starts: &[u32], text: Option<&[String]>) -> BTreeSet<u32> {
    let hot = lines.iter().filter(|line| ran(line)).map(|line| line.at.line);
    let Some(text) = text else { return hot.collect() };
    let around = |line: u32| line.saturating_sub(CONTEXT).max(1)..=line.saturating_add(CONTEXT);
    let last = u32::try_from(text.len()).unwrap_or(u32::MAX);
    hot.chain(starts.iter().copied()).flat_map(around).filter(|&line| line <= last).collect()
}

fn notes(report: &CountAnswers) -> Vec<(bool, String)> {
    let mut notes = Vec::new();
    if let RunQuality::LowerBound(reasons) = &report.quality {
        notes.extend(reasons.iter().map(|reason| (true, format!("not exact: {reason}"))));
    }
    if let RunQuality::Estimate(words) = &report.quality {
        let is_of_run = report.quality.is_of_run();
        let head = if is_of_run { "not exact: " } else { "" };
        notes.extend(words.iter().map(|word| (is_of_run, format!("{head}{word}"))));
    }
    notes.extend(
        report.not_counted.iter().map(|part| (true, format!("not counted: {}: {}", part.what, part.reason))),
    );
    if !report.facts.has_lines {
        notes.push((false, "no debug information: functions are shown without lines".to_owned()));
    }
    notes.extend(report.repetition.iter().map(|found| (false, found.clone())));
    match report.finish {
        Some(Finish::Exited(status)) if status != 0 => {
            notes.push((true, format!("the program exited with status {status}")));
        }
        Some(Finish::Killed(signal)) => notes.push((true, format!("signal {signal} ended the program"))),
        _ => {}
    }
    match &report.verdict {
        BudgetVerdict::None => {}
        BudgetVerdict::Within { budget } => {
            notes.push((false, format!("within the budget of {}", grouped(budget))))
        }
        BudgetVerdict::Over { budget, grew } => {
            notes.push((true, format!("over the budget of {}", grouped(budget))));
            if let Growth::Since(grown) = grew {
                let names = grown.iter().map(|function| shown_name(&function.name)).collect::<Vec<_>>();
                notes.push((true, format!("grew since the baseline: {}", names.join(", "))));
            }
        }
    }
    notes
}
