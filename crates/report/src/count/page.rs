//! The report as a page for a browser: one file that loads nothing.
//!
//! Style and script lie in the page; a content security policy forbids
//! everything else, and names the script by its hash (a test computes it).
//! The functions are a table that sorts by any column; the source files
//! follow, the user's own before those of libraries, with the heat of each line,
//! cold stretches folded. Whatever has no
//! readable source is listed in IR text. Cost: one row per line that ran.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::kit::files::{is_own, short_path};
use crate::kit::html::{escaped, foot, head};
use opcost_recover::{FunctionListing, LineTotal, SourceLine};

use crate::count::report::{BudgetVerdict, CountReport, Growth};
use crate::kit::numbers::{counted, grouped, percent, share};
use crate::kit::source::{SourceText, Sources};
use opcost_answer::names::{NameBook, demangle, shown_name, tidy_path};
use opcost_answer::run::{Finish, RunQuality};

/// Lines around a line that ran.
const CONTEXT: u32 = 3;
/// Source files that are open at first.
const OPEN_FILES: usize = 1;

/// The page of one report.
pub fn html_page(report: &CountReport, sources: &mut Sources, title: &str) -> String {
    let mut page = Page { report, out: String::new(), files: BTreeMap::new(), names: report.names() };
    page.number_files();
    page.out.push_str(&head(title, ""));
    page.facts();
    page.functions();
    page.source(sources);
    page.texts(sources);
    page.calls();
    page.out.push_str(&foot());
    page.out
}

struct Page<'a> {
    report: &'a CountReport,
    out: String,
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
    fn facts(&mut self) {
        let report = self.report;
        let (facts, total) = (&report.facts, report.summary.weight);
        let quality = match &report.quality {
            RunQuality::Exact => "exact",
            RunQuality::LowerBound(_) => "at least",
            RunQuality::Estimate(_) => "about, by samples",
        };
        let about =
            [&facts.cost_model, &facts.compiler, &facts.flags.join(" "), &facts.target, &quality.to_owned()]
                .map(|fact| escaped(fact))
                .join(" · ");
        let _ = write!(
            self.out,
            "<p class=\"total\"><data id=\"total\" value=\"{total}\">{}</data> <small>instructions</small></p>\n\
             <p class=\"facts\">{about}</p>\n",
            grouped(total)
        );
        for (is_bad, note) in notes(report) {
            let class = if is_bad { "note bad" } else { "note" };
            let _ = writeln!(self.out, "<p class=\"{class}\">{}</p>", escaped(&note));
        }
    }

    fn functions(&mut self) {
        self.out.push_str(
            "<h2>Functions</h2>\n<div class=\"sheet tall\"><table class=\"list\" id=\"functions\">\n<thead><tr>\
             <th class=\"num\" aria-sort=\"descending\"><button>instructions</button></th>\
             <th class=\"num\"><button>share</button></th><th><button>function</button></th>\
             <th><button>place</button></th><th class=\"num\"><button>calls</button></th></tr></thead>\n<tbody>\n",
        );
        for function in self.report.by_cost() {
            let part = self.report.share(function.instructions);
            let _ = writeln!(
                self.out,
                "<tr><td class=\"num\" data-v=\"{0}\">{1}</td><td class=\"num share\" style=\"--s:{part:.4}\" \
                 data-v=\"{0}\">{2}</td><td class=\"name\" title=\"{7}\">{3}</td><td>{4}</td>\
                 <td class=\"num\" data-v=\"{5}\">{6}</td></tr>",
                function.instructions,
                grouped(function.instructions),
                percent(part),
                escaped(&self.names.name(&function.name)),
                function.place.as_ref().map_or(String::new(), |place| self.link(place)),
                function.calls,
                grouped(function.calls),
                escaped(&demangle(&function.name)),
            );
        }
        self.out.push_str("</tbody>\n</table></div>\n");
    }

    fn link(&self, place: &SourceLine) -> String {
        let text = escaped(&format!("{}:{}", short_path(&place.file), place.line));
        match self.files.get(place.file.as_str()) {
            Some(number) => format!("<a href=\"#f{number}-{}\">{text}</a>", place.line),
            None => text,
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

    fn source(&mut self, sources: &mut Sources) {
        if self.files.is_empty() {
            return;
        }
        self.out.push_str("<h2>Source</h2>\n");
        let summary = &self.report.summary;
        let hottest = summary.lines.iter().map(|line| line.instructions).max().unwrap_or(0);
        let mut files: Vec<(usize, &str)> =
            self.files.iter().map(|(&file, &number)| (number, file)).collect();
        files.sort_unstable();
        for (number, file) in files {
            let start = summary.lines.partition_point(|line| line.at.file.as_str() < file);
            let end = summary.lines.partition_point(|line| line.at.file.as_str() <= file);
            let lines = &summary.lines[start..end];
            let cost = lines.iter().map(|line| line.instructions).sum();
            let (text, why) = match sources.file(file) {
                SourceText::Lines(text) => (Some(text.as_slice()), String::new()),
                SourceText::Unusable(why) => (None, format!(" · the file {why}")),
            };
            let open = if number < OPEN_FILES { " open" } else { "" };
            let _ = writeln!(
                self.out,
                "<details{open}><summary title=\"{}\">{}<span>{}{}</span></summary><div class=\"sheet\"><table class=\"code\">",
                escaped(&tidy_path(file)),
                escaped(&short_path(file)),
                percent(self.report.share(cost)),
                escaped(&why)
            );
            self.file(number, lines, text, hottest);
            self.out.push_str("</table></div></details>\n");
        }
    }

    fn file(&mut self, number: usize, lines: &[LineTotal], text: Option<&[String]>, hottest: u128) {
        let known: BTreeMap<u32, &LineTotal> = lines.iter().map(|line| (line.at.line, line)).collect();
        let mut next = 1;
        for line in shown(lines, &self.starts(lines), text) {
            if line > next {
                let _ = writeln!(
                    self.out,
                    "<tr class=\"fold\"><td colspan=\"4\">{} without counts</td></tr>",
                    counted(line - next, "line")
                );
            }
            let words = text.and_then(|text| text.get(line as usize - 1)).map_or("", String::as_str);
            self.line(&Row { file: number, line, total: known.get(&line).copied(), text: words }, hottest);
            next = line + 1;
        }
    }

    /// Lines of the file at which a function that ran begins: links lead there.
    fn starts(&self, lines: &[LineTotal]) -> Vec<u32> {
        let Some(file) = lines.first().map(|line| &line.at.file) else { return Vec::new() };
        let ran = self.report.summary.functions.iter().filter(|function| function.calls > 0);
        let places = ran.filter_map(|function| function.place.as_ref());
        places.filter(|place| place.file == *file).map(|place| place.line).collect()
    }

    fn line(&mut self, row: &Row<'_>, hottest: u128) {
        let (class, count, part) = match row.total {
            Some(line) if ran(line) => {
                // The square root shows that a line ran at all.
                let heat = share(line.instructions, hottest).sqrt();
                let count = line.executions.map_or_else(String::new, |count| format!("{}×", grouped(count)));
                let part = percent(self.report.share(line.instructions));
                (format!(" class=\"ran\" style=\"--h:{heat:.3}\""), count, part)
            }
            Some(_) => (String::new(), "0×".to_owned(), String::new()),
            None => (String::new(), String::new(), String::new()),
        };
        let _ = writeln!(
            self.out,
            "<tr id=\"f{0}-{1}\"{class}><td class=\"num\">{1}</td><td class=\"num\">{count}</td>\
             <td class=\"num\">{part}</td><td><code>{2}</code></td></tr>",
            row.file,
            row.line,
            escaped(row.text.trim_end())
        );
    }

    /// Functions whose source cannot be read, in IR text.
    fn texts(&mut self, sources: &mut Sources) {
        let mut is_first = true;
        for listing in &self.report.listings {
            let readable = |line: &LineTotal| matches!(sources.file(&line.at.file), SourceText::Lines(_));
            if listing.lines.iter().any(readable) || listing.blocks.is_empty() {
                continue;
            }
            if std::mem::take(&mut is_first) {
                self.out.push_str("<h2>IR text of functions without readable source</h2>\n");
            }
            self.text(listing);
        }
    }

    fn text(&mut self, listing: &FunctionListing) {
        let total = &self.report.summary.functions[listing.function];
        let _ = writeln!(
            self.out,
            "<details><summary>{}<span>{}</span></summary><div class=\"sheet\"><table class=\"code\">",
            escaped(&self.names.name(&total.name)),
            percent(self.report.share(total.instructions))
        );
        for block in &listing.blocks {
            let _ = writeln!(
                self.out,
                "<tr class=\"fold\"><td colspan=\"3\">{} · {}×</td></tr>",
                block.block,
                grouped(block.count)
            );
            for instruction in &block.instructions {
                let heat = share(instruction.cost, total.instructions).sqrt();
                let _ = writeln!(
                    self.out,
                    "<tr class=\"ran\" style=\"--h:{heat:.3}\"><td class=\"num\">{}×</td><td class=\"num\">{}</td>\
                     <td><code>{}</code></td></tr>",
                    grouped(instruction.count),
                    percent(share(instruction.cost, total.instructions)),
                    escaped(&instruction.text)
                );
            }
        }
        self.out.push_str("</table></div></details>\n");
    }

    fn calls(&mut self) {
        let calls = &self.report.summary.calls;
        let made: Vec<_> = calls.external.iter().chain(&calls.memory).filter(|call| call.calls > 0).collect();
        if made.is_empty() {
            return;
        }
        self.out.push_str(
            "<h2>Not seen inside</h2>\n<div class=\"sheet tall\"><table class=\"list\"><thead><tr>\
             <th class=\"num\"><button>calls</button></th><th><button>callee</button></th></tr></thead>\n<tbody>\n",
        );
        for call in made {
            let (number, name) = (grouped(call.calls), escaped(&shown_name(&call.name)));
            let _ = writeln!(
                self.out,
                "<tr><td class=\"num\" data-v=\"{}\">{number}</td><td class=\"name\">{name}</td></tr>",
                call.calls
            );
        }
        self.out.push_str("</tbody></table></div>\n");
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

fn notes(report: &CountReport) -> Vec<(bool, String)> {
    let mut notes = Vec::new();
    if let RunQuality::LowerBound(reasons) = &report.quality {
        notes.extend(reasons.iter().map(|reason| (true, format!("not exact: {reason}"))));
    }
    if let RunQuality::Estimate(words) = &report.quality {
        notes.extend(words.iter().map(|word| (false, word.clone())));
    }
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
