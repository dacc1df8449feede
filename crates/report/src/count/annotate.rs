//! How often did each line of a function run? The source beside its counts.
//!
//! Per file that the function's instructions come from (its own first, then
//! what was inlined, by cost): the lines with how often the line's hottest
//! instruction ran, its share of the function, and the text. Of optimised code
//! that is no number of the line, and has a sign. Lines between
//! the hot ones are folded, with what they cost together. Where there is no
//! source (no debug information, file missing or changed) the function is
//! listed by block in IR text. A ledger has no counts of lines: the column
//! then holds their cost.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use opcost_recover::{BlockListing, FunctionListing, LineTotal, SourceLine};

use crate::kit::numbers::{bar, counted, grouped, percent, share, short};
use crate::kit::source::{SourceText, Sources};
use crate::kit::style::{BAD, DIM, STRONG, cut, cut_name, cut_start, heat, padded, paint, printable};
use opcost_answer::count::CountAnswers;
use opcost_answer::names::{NameBook, tidy_path};

/// How much of a function is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The lines that matter.
    Hottest,
    /// All that ran.
    Whole,
}

/// At which lines the work of a function is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinesOf {
    /// Those where it is written.
    All,
    /// Own lines, by [`crate::count::mine`].
    Own,
}

/// Lines around a line that is shown.
const CONTEXT: u32 = 1;
/// Lines and blocks of a function that count as hot, at most.
const HOT_LINES: usize = 12;
const HOT_BLOCKS: usize = 3;
/// Share of the function from which on a line is hot.
const HOT_SHARE: f64 = 0.005;
const BAR_WIDTH: usize = 8;
/// Below this share of readable source, a function is listed in IR text too.
const READABLE: f64 = 0.5;

/// One function's annotated listing.
pub struct Annotation<'a> {
    /// The report that the function is listed in.
    pub report: &'a CountAnswers,
    /// Lines and blocks of the function with their counts.
    pub listing: &'a FunctionListing,
    /// What functions of the report are called.
    pub names: &'a NameBook,
    /// How much of the function is shown.
    pub depth: Depth,
    /// At which lines the work is shown.
    pub lines: LinesOf,
    /// Whether IR text is shown next to a source.
    pub ir: bool,
    /// Cells of a line.
    pub width: usize,
}

impl Annotation<'_> {
    /// Writes it.
    pub fn write(&self, sources: &mut Sources, out: &mut String) {
        self.title(out);
        if self.total() == 0 {
            let _ = writeln!(out, "  it did not run");
            return;
        }
        for (file, lines) in self.files() {
            match sources.file(file) {
                SourceText::Lines(text) => {
                    self.file_title(file, &lines, out);
                    self.lines(&lines, text, out);
                }
                SourceText::Unusable(why) => {
                    let costs = lines.values().map(|line| line.instructions).sum();
                    let all = percent(share(costs, self.total()));
                    let file = cut_start(&tidy_path(file), self.width / 2);
                    let _ = writeln!(out, "  {file} {why} ({all} of the function)");
                }
            }
        }
        self.machine_rest(out);
        if self.lines == LinesOf::Own {
            self.foreign_rest(out);
        }
        let readable = self.readable(sources);
        if self.ir {
            self.blocks(out);
        } else if self.lines == LinesOf::Own {
            // What is not at own lines was just told.
        } else if self.listing.blocks.is_empty() && readable > 0.0 {
            let rest = percent((1.0 - readable).max(0.0));
            let text =
                format!("  the other {rest} was inlined from elsewhere; a ledger does not tell from where");
            let _ = writeln!(out, "{}", paint(DIM, text));
        } else if readable < READABLE {
            self.blocks(out);
        }
        out.push('\n');
    }

    /// What of the function no own line wanted.
    fn foreign_rest(&self, out: &mut String) {
        let own: u128 = self.listing.lines.iter().map(|line| line.instructions).sum();
        let rest = self.total().saturating_sub(own);
        let text = match rest {
            0 => String::new(),
            _ => format!(", {} no line of yours", percent(share(rest, self.total()))),
        };
        let text = format!("  with what was inlined into your lines{text} (--mine=never: as it is written)");
        let _ = writeln!(out, "{}", paint(DIM, text));
    }

    /// The share of the function whose source can be shown.
    fn readable(&self, sources: &mut Sources) -> f64 {
        let lines = self.listing.lines.iter();
        let shown = lines.filter(|line| matches!(sources.file(&line.at.file), SourceText::Lines(_)));
        share(shown.map(|line| line.instructions).sum(), self.total())
    }

    fn total(&self) -> u128 {
        self.report.summary.functions[self.listing.function].instructions
    }

    fn title(&self, out: &mut String) {
        let total = &self.report.summary.functions[self.listing.function];
        let place = total
            .place
            .as_ref()
            .map_or(String::new(), |place| format!("   {}:{}", tidy_path(&place.file), place.line));
        let name = cut_name(&self.names.name(&total.name), self.width);
        let _ = writeln!(
            out,
            "{}{place}\n  {} · {} · {}",
            paint(STRONG, name),
            percent(self.report.share(total.instructions)),
            counted(total.instructions, "instruction"),
            self.report.calls_of(total).map_or_else(|| "? calls".to_owned(), |calls| counted(calls, "call")),
        );
    }

    /// The function's lines by file: its own first, then the most expensive.
    fn files(&self) -> Vec<(&str, BTreeMap<u32, &LineTotal>)> {
        let mut files: BTreeMap<&str, BTreeMap<u32, &LineTotal>> = BTreeMap::new();
        for line in &self.listing.lines {
            files.entry(&line.at.file).or_default().insert(line.at.line, line);
        }
        let own = self.own_file();
        let cost = |lines: &BTreeMap<u32, &LineTotal>| -> u128 {
            lines.values().map(|line| line.instructions).sum()
        };
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort_by_key(|(file, lines)| (Some(*file) != own, std::cmp::Reverse(cost(lines))));
        files.retain(|(file, lines)| {
            Some(*file) == own || lines.values().any(|line| self.matters(line.instructions))
        });
        files
    }

    fn own_file(&self) -> Option<&str> {
        let place = self.report.summary.functions[self.listing.function].place.as_ref();
        place.map(|place| place.file.as_str())
    }

    fn matters(&self, cost: u128) -> bool {
        match self.depth {
            Depth::Whole => cost > 0,
            Depth::Hottest => share(cost, self.total()) >= HOT_SHARE,
        }
    }

    fn file_title(&self, file: &str, lines: &BTreeMap<u32, &LineTotal>, out: &mut String) {
        let cost = lines.values().map(|line| line.instructions).sum();
        let is_own = Some(file) == self.own_file();
        let what = if is_own || self.lines == LinesOf::Own { "" } else { "inlined from " };
        let counted = if lines.values().any(|line| line.executions.is_some()) { "ran" } else { "cost" };
        let title = format!("  {what}{}", cut_start(&tidy_path(file), self.width - 30));
        let all = if is_own && self.lines == LinesOf::All && self.listing.lines.len() == lines.len() {
            String::new()
        } else {
            format!(" ({})", percent(share(cost, self.total())))
        };
        let _ = writeln!(out, "{}", paint(DIM, format!("{title}{all}")));
        let _ = writeln!(out, "{}", paint(DIM, format!("{:>6} │ {counted:>8} {:>7}", "line", "share")));
    }

    fn lines(&self, lines: &BTreeMap<u32, &LineTotal>, text: &[String], out: &mut String) {
        let shown = self.shown(lines, text.len());
        let mut last = None;
        for &number in &shown {
            if let Some(last) = last
                && number > last + 1
            {
                self.fold(lines, last + 1, number - 1, out);
            }
            let source = text.get(number as usize - 1).map_or("", |line| line.as_str());
            let _ = writeln!(out, "{}", self.line(number, lines.get(&number).copied(), source));
            if let Some(line) = lines.get(&number) {
                self.machine_code(|at| at.is_some_and(|at| *at == line.at), out);
            }
            last = Some(number);
        }
    }

    /// The numbers of the lines that are not folded.
    fn shown(&self, lines: &BTreeMap<u32, &LineTotal>, last: usize) -> BTreeSet<u32> {
        let mut hot: Vec<&LineTotal> =
            lines.values().copied().filter(|line| self.matters(line.instructions)).collect();
        if self.depth == Depth::Hottest {
            hot.sort_by_key(|line| (std::cmp::Reverse(line.instructions), line.at.line));
            hot.truncate(HOT_LINES);
        }
        let mut shown: BTreeSet<u32> = hot
            .iter()
            .flat_map(|line| line.at.line.saturating_sub(CONTEXT)..=line.at.line.saturating_add(CONTEXT))
            .collect();
        let place = self.report.summary.functions[self.listing.function].place.as_ref();
        let is_own = |place: &&opcost_recover::SourceLine| {
            lines.values().next().is_some_and(|line| line.at.file == place.file)
        };
        shown.extend(place.filter(is_own).map(|place| place.line));
        // A gap of one line is shown: the fold would take as much room.
        let gaps: Vec<u32> = shown.iter().map(|line| line + 1).filter(|l| shown.contains(&(l + 1))).collect();
        shown.extend(gaps);
        shown.retain(|&line| line >= 1 && line as usize <= last);
        shown
    }

    fn line(&self, number: u32, line: Option<&LineTotal>, source: &str) -> String {
        let room = self.width.saturating_sub(38);
        let text = cut(&printable(source), room);
        let Some(line) = line else {
            return format!("{number:>6} │ {:8} {:7} {:BAR_WIDTH$} │ {}", "", "", "", paint(DIM, text));
        };
        let part = share(line.instructions, self.total());
        // What was inlined there may have run more often than the line did.
        let is_foreign = self.lines == LinesOf::Own && line.executions.is_none();
        let count = if is_foreign { String::new() } else { count_of(line) };
        let percent = if line.instructions > 0 { percent(part) } else { String::new() };
        let figures = format!("{count:>8} {percent:>7} {}", padded(&bar(part, BAR_WIDTH), BAR_WIDTH));
        let style = if line.instructions == 0 { DIM } else { heat(part) };
        format!("{number:>6} │ {} │ {text}", paint(style, figures))
    }

    /// The machine instructions of a place.
    fn machine_code(&self, is_meant: impl Fn(Option<&SourceLine>) -> bool, out: &mut String) {
        let Some(Ok(code)) = self.report.machine.get(&self.listing.function) else { return };
        for one in code.iter().filter(|one| is_meant(one.at.as_ref())) {
            let count = one.count.map_or(String::new(), |count| format!("{}×", short(u128::from(count))));
            let place = format!("+{:#x}", one.offset);
            let text = format!("{:>6} │ {count:>8} {place:>16} │     {}", "", one.text);
            let _ = writeln!(out, "{}", paint(DIM, cut(&text, self.width)));
        }
    }

    /// What the machine code has besides, or why there is none.
    fn machine_rest(&self, out: &mut String) {
        match self.report.machine.get(&self.listing.function) {
            None => {}
            Some(Err(why)) => {
                let _ = writeln!(out, "  {}", paint(BAD, format!("no machine code: {why}")));
            }
            Some(Ok(code)) => {
                let rest = code.iter().filter(|one| one.at.is_none()).count();
                let text = format!(
                    "  {} (of the code that nobody counts in), {} of them of no line: frame, copies, constants",
                    counted(code.len(), "machine instruction"),
                    if rest == 0 { "none".to_owned() } else { grouped(rest) }
                );
                let _ = writeln!(out, "{}", paint(DIM, text));
            }
        }
    }

    fn fold(&self, lines: &BTreeMap<u32, &LineTotal>, from: u32, to: u32, out: &mut String) {
        let cost: u128 = lines.range(from..=to).map(|(_, line)| line.instructions).sum();
        let together =
            if cost == 0 { String::new() } else { format!(", {}", percent(share(cost, self.total()))) };
        let text = format!("{:>6} ┆ {}{together}", "…", counted(to - from + 1, "line"));
        let _ = writeln!(out, "{}", paint(DIM, text));
    }

    /// The function by block, in IR text.
    fn blocks(&self, out: &mut String) {
        let blocks = &self.listing.blocks;
        if blocks.is_empty() {
            let _ = writeln!(out, "  a ledger holds no IR text: name the program with --program to see it");
            return;
        }
        if self.listing.lines.is_empty() {
            let _ = writeln!(out, "  no debug information, so by block in IR text (build with -g for lines)");
        } else {
            let _ = writeln!(out, "  by block in IR text:");
        }
        let cost = |block: &BlockListing| block.instructions.iter().map(|i| i.cost).sum::<u128>();
        let mut hot: Vec<usize> = (0..blocks.len()).filter(|&at| blocks[at].count > 0).collect();
        if self.depth == Depth::Hottest {
            hot.sort_by_key(|&at| (std::cmp::Reverse(cost(&blocks[at])), at));
            hot.truncate(HOT_BLOCKS);
            hot.sort_unstable();
        }
        let mut next = 0;
        for at in hot.into_iter().chain([blocks.len()]) {
            if at > next {
                let folded = blocks[next..at].iter().map(cost).sum();
                let part = percent(share(folded, self.total()));
                let blocks = if at - next == 1 { "block" } else { "blocks" };
                let text = format!("  … {} {blocks}, {part}", at - next);
                let _ = writeln!(out, "{}", paint(DIM, text));
            }
            if let Some(block) = blocks.get(at) {
                self.block(block, out);
            }
            next = at + 1;
        }
    }

    fn block(&self, block: &BlockListing, out: &mut String) {
        let _ = writeln!(out, "  {}   {}×", paint(STRONG, block.block), grouped(block.count));
        for instruction in &block.instructions {
            let part = share(instruction.cost, self.total());
            let part_text = if instruction.cost > 0 { percent(part) } else { String::new() };
            let figures = format!("{:>8}× {part_text:>7}", short(instruction.count));
            let text = cut(&printable(&instruction.text), self.width.saturating_sub(24));
            let _ = writeln!(out, "    {} │ {text}", paint(heat(part), figures));
        }
    }
}

/// Before a number that is of a line's code, and perhaps not of the line.
pub(crate) const OF_CODE: &str = "≈";

/// What the sign says.
pub(crate) fn of_code() -> String {
    format!(
        "{OF_CODE} counts optimised code of a line. The line itself may have run more or less often \
         (--anchor source, C and C++)."
    )
}

/// How often the line's hottest instruction ran, or else what the line cost.
fn count_of(line: &LineTotal) -> String {
    match line.executions {
        Some(count) if line.is_of_line => format!("{}×", short(count)),
        Some(count) => format!("{OF_CODE}{}×", short(count)),
        None if line.instructions == 0 => String::new(),
        None => short(line.instructions),
    }
}

/// The hottest lines of a function, for the short report: number, count, text
/// and share, in the order of the source.
pub fn hot_lines(
    report: &CountAnswers,
    listing: &FunctionListing,
    sources: &mut Sources,
    width: usize,
    out: &mut String,
) {
    const LINES: usize = 3;
    const ROOM: usize = 10;
    let total = &report.summary.functions[listing.function];
    let mut lines: Vec<&LineTotal> = listing
        .lines
        .iter()
        .filter(|line| share(line.instructions, total.instructions) >= 2.0 * HOT_SHARE)
        .collect();
    lines.sort_by_key(|line| (std::cmp::Reverse(line.instructions), line.at.line));
    lines.truncate(LINES);
    lines.sort_by_key(|line| &line.at);
    for line in lines {
        let Some(text) = sources.line(&line.at.file, line.at.line) else { continue };
        let is_own = total.place.as_ref().is_some_and(|place| place.file == line.at.file);
        let file = line.at.file.rsplit('/').next().unwrap_or("");
        let place = if is_own { line.at.line.to_string() } else { format!("{file}:{}", line.at.line) };
        let count = count_of(line);
        let part = share(line.instructions, total.instructions);
        let head = format!("{:>8} │ {count:>8} ", cut_start(&place, 20));
        let room = width.saturating_sub(crate::kit::style::width_of(&head) + ROOM + 1);
        let text = padded(&cut(printable(&text).trim_start(), room), room.min(60));
        let bar = paint(heat(part), bar(part, ROOM));
        let _ = writeln!(out, "{}{text} {bar}", paint(DIM, head));
    }
}
