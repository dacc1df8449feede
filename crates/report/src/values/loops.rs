//! Loops whose iterations were recorded, as a table that fits the screen.
//!
//! Numbers are as wide as they are. What is left is for the claim, the function and the loop. Where that is
//! too little, names are cut first, then the bars are left out, then the claim gets a line of its own.

use std::fmt::Write;

use crate::kit::numbers::{counted, part, short};
use crate::kit::style::{
    BAD, DIM, GOOD, STRONG, cut, cut_name, cut_start, padded, paint, printable, width_of,
};
use crate::values::report::{place, shape};
use opcost_answer::names::shown_name;
use opcost_answer::values::{ClaimVerdict, RecordedValues, ValueRow};

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Bars of a row.
const BARS: usize = 12;

/// A row of small bars.
fn spark(shape: &[u64]) -> String {
    let most = shape.iter().copied().max().unwrap_or(0).max(1);
    let mark = |&count: &u64| match count {
        0 => ' ',
        count => BLOCKS[((u128::from(count) * 8).div_ceil(u128::from(most)) as usize - 1).min(7)],
    };
    shape.iter().map(mark).collect()
}

/// The loops, at most so many.
pub(super) fn print_loops(
    report: &RecordedValues,
    loops: &[&ValueRow],
    most: usize,
    width: usize,
    out: &mut String,
) {
    print_summary(report, loops, out);
    let entered = loops.iter().filter(|row| row.entries > 0).count();
    let rows: Vec<&ValueRow> =
        loops.iter().filter(|row| row.entries + row.inherited > 0).take(most).copied().collect();
    if rows.is_empty() {
        return;
    }
    let table = Columns::of(&rows, report.verify.is_some(), width);
    _ = writeln!(out, "{}", paint(DIM, table.heading()));
    rows.iter().for_each(|row| table.row(row, out));
    if entered > rows.len() {
        _ = writeln!(out, "{}", paint(DIM, format!("… {} more (--top 0 shows all)", entered - rows.len())));
    }
}

fn print_summary(report: &RecordedValues, loops: &[&ValueRow], out: &mut String) {
    let entered = loops.iter().filter(|row| row.entries > 0).count();
    let sum = |of: fn(&ValueRow) -> u64| loops.iter().map(|row| of(row)).sum::<u64>();
    let (complete, partial) = (sum(|row| row.complete), sum(ValueRow::partial));
    let never = (loops.len() - entered) as u64;
    let reached = listed([part(entered as u64, "entered"), part(never, "never")]);
    let reached = reached.map(|reached| format!(", {reached}"));
    let activations = listed([part(complete, "complete"), part(partial, "partial")]);
    let activations = activations.map(|activations| format!("; activations: {activations}"));
    _ = writeln!(
        out,
        "{}  {}",
        paint(STRONG, &report.command),
        [Some(counted(loops.len(), "loop")), reached, activations].into_iter().flatten().collect::<String>(),
    );
}

/// The parts of a list that are there; `None` if there is none.
pub(super) fn listed(parts: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

const NUMBERS: [&str; 6] = ["activations", "partial", "min", "median", "max", "together"];

fn numbers(row: &ValueRow) -> [String; 6] {
    let [least, middle, most] = row
        .range
        .map_or_else(<[String; 3]>::default, |range| range.map(|value| short(u128::from(value as u64))));
    let partial = if row.partial() > 0 { short(row.partial().into()) } else { String::new() };
    [short(row.entries.into()), partial, least, middle, most, short(row.back_edges.unsigned_abs())]
}

/// How wide each column is; 0: it is left out.
struct Columns {
    label: usize,
    function: usize,
    numbers: [usize; 6],
    bars: usize,
    /// Room of claims; `None`: there are none.
    claim: Option<usize>,
}

impl Columns {
    fn of(rows: &[&ValueRow], claims: bool, width: usize) -> Columns {
        let mut numbers_wide = NUMBERS.map(str::len);
        for row in rows {
            for (wide, number) in numbers_wide.iter_mut().zip(numbers(row)) {
                *wide = (*wide).max(width_of(&number));
            }
        }
        if rows.iter().all(|row| row.partial() == 0) {
            numbers_wide[1] = 0;
        }
        let widest =
            |text: fn(&ValueRow) -> String| rows.iter().map(|row| width_of(&text(row))).max().unwrap_or(0);
        let mut columns = Columns {
            label: widest(place).clamp(5, 28),
            function: widest(|row| printable(&shown_name(&row.function))).clamp(8, 30),
            numbers: numbers_wide,
            bars: BARS,
            claim: claims.then_some(36),
        };
        // From the least loss to the greatest.
        let steps: [fn(&mut Columns); 6] = [
            |it| it.claim = it.claim.map(|_| 24),
            |it| it.function = it.function.min(12),
            |it| it.label = it.label.min(18),
            |it| it.bars = 0,
            |it| it.claim = it.claim.map(|_| 0),
            |it| (it.label, it.function) = (it.label.min(14), it.function.min(8)),
        ];
        for step in steps {
            if columns.total() > width {
                step(&mut columns);
            }
        }
        columns
    }

    fn total(&self) -> usize {
        let gap = |wide: usize, gap: usize| if wide > 0 { wide + gap } else { 0 };
        let numbers: usize = self.numbers.iter().map(|&wide| gap(wide, 1)).sum();
        self.label + 2 + self.function + 1 + numbers + gap(self.bars, 2) + gap(self.claim.unwrap_or(0), 2)
    }

    fn line(&self, label: &str, function: &str, numbers: [&str; 6]) -> String {
        let mut line = format!("{}  {} ", padded(label, self.label), padded(function, self.function));
        for (number, wide) in numbers.into_iter().zip(self.numbers).filter(|(_, wide)| *wide > 0) {
            _ = write!(line, " {number:>wide$}");
        }
        line
    }

    fn heading(&self) -> String {
        let mut line = self.line("loop", "function", NUMBERS);
        if self.bars > 0 {
            _ = write!(line, "  {}", padded("iterations", self.bars));
        }
        if self.claim.is_some_and(|wide| wide > 0) {
            line += "  claim";
        }
        line.trim_end().to_owned()
    }

    fn row(&self, row: &ValueRow, out: &mut String) {
        let function = cut_name(&printable(&shown_name(&row.function)), self.function);
        let numbers = numbers(row);
        let mut line =
            self.line(&cut_start(&place(row), self.label), &function, numbers.each_ref().map(String::as_str));
        if self.bars > 0 {
            _ = write!(line, "  {}", padded(&spark(&shape(row, BARS)), self.bars));
        }
        match self.claim {
            None => _ = writeln!(out, "{}", line.trim_end()),
            Some(0) => {
                let claim = claim_cell(row, 36);
                _ = writeln!(out, "{}", line.trim_end());
                if !claim.is_empty() {
                    _ = writeln!(out, "    claim: {claim}");
                }
            }
            Some(wide) => {
                _ = writeln!(out, "{}", format!("{line}  {}", claim_cell(row, wide)).trim_end());
            }
        }
    }
}

/// Whether a claim was held, and the claim, in so many columns.
fn claim_cell(row: &ValueRow, wide: usize) -> String {
    let Some(claim) = &row.claim else { return paint(DIM, "none") };
    let (style, word) = match claim.verdict {
        ClaimVerdict::Held => (GOOD, "held"),
        ClaimVerdict::Wrong => (BAD, "WRONG"),
        ClaimVerdict::AssumptionViolated => (BAD, "assumption violated"),
        ClaimVerdict::NotChecked => (DIM, "not checked"),
        ClaimVerdict::NotEntered => return String::new(),
    };
    let text = cut(&printable(&claim.text), wide.saturating_sub(word.len() + 1).max(4));
    format!("{} {text}", paint(style, word))
}

#[cfg(test)]
mod tests {
    use super::{Columns, NUMBERS, spark};

    #[test]
    fn the_highest_bar_is_full_and_nothing_is_nothing() {
        assert_eq!(spark(&[0, 1, 8]), " ▁█");
        assert_eq!(spark(&[]), "");
    }

    #[test]
    fn a_row_fits_a_screen_of_80_columns() {
        let wide =
            Columns { label: 28, function: 30, numbers: NUMBERS.map(str::len), bars: 12, claim: Some(36) };
        assert!(wide.total() > 150);
        let table = Columns::of(&[], true, 80);
        assert!(table.total() <= 80 && table.heading().chars().count() <= 80, "{}", table.heading());
    }
}
