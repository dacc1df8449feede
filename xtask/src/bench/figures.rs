//! The numbers of the table and the little arithmetic on them.
//!
//! A [`Row`] is one program, a [`Cell`] one build of it. Ratios are to the
//! first cell of the row, the plain build. A cell in trouble keeps the reason
//! and gives no figures.

use super::measure;
use crate::manifest::Program;
use std::path::{Path, PathBuf};

/// One program and its builds, in the order of the columns.
pub(crate) struct Row {
    pub(crate) program: Program,
    pub(crate) cells: Vec<Cell>,
}

/// One build and what was measured of it.
pub(crate) struct Cell {
    pub(crate) executable: Option<PathBuf>,
    /// User CPU seconds, one per round.
    pub(crate) seconds: Vec<f64>,
    /// Machine instructions under callgrind, on small arguments.
    pub(crate) instructions: Option<u64>,
    /// Bytes of the text section beyond those of the empty program.
    pub(crate) text: Option<u64>,
    trouble: Option<String>,
}

impl Cell {
    /// A build that is there.
    pub(crate) fn built(executable: PathBuf) -> Self {
        Self { executable: Some(executable), ..Self::failed(String::new()) }
    }

    /// Notes the size of the text beyond that of the empty program built the
    /// same way.
    pub(crate) fn measure_text(&mut self, empty: &Self) {
        let Some(own) = &self.executable else { return };
        let Some(empty) = &empty.executable else {
            self.trouble = Some(format!("its text is not measured: `empty` is {}", empty.trouble()));
            return;
        };
        match (measure::text_bytes(own), measure::text_bytes(empty)) {
            (Ok(own), Ok(empty)) => self.text = Some(own.saturating_sub(empty)),
            (Err(failure), _) | (_, Err(failure)) => self.trouble = Some(failure.to_string()),
        }
    }

    /// A build that is not there.
    pub(crate) fn failed(reason: String) -> Self {
        Self { executable: None, seconds: Vec::new(), instructions: None, text: None, trouble: Some(reason) }
    }

    /// Gives the cell up: no figure of it is shown any more.
    pub(crate) fn fail(&mut self, reason: String) {
        *self = Self::failed(reason);
    }

    /// Why it has no figures, or nothing.
    pub(crate) fn trouble(&self) -> &str {
        self.trouble.as_deref().unwrap_or_default()
    }

    /// One more run; a failure or another output gives the cell up.
    pub(crate) fn run(&mut self, arguments: &[String], expected: &[u8], folder: &Path) {
        let Some(executable) = &self.executable else { return };
        match measure::run(executable, arguments, folder) {
            Ok(run) if run.output == expected => self.seconds.push(run.seconds),
            Ok(_) => self.fail("wrong: its output differs from the plain build's".to_owned()),
            Err(failure) => self.fail(format!("fails: {failure}")),
        }
    }

    /// The median of its times.
    pub(crate) fn time(&self) -> Option<f64> {
        median(&self.seconds)
    }

    /// The shortest of its times: what disturbance by others lengthens least.
    pub(crate) fn fastest(&self) -> Option<f64> {
        self.seconds.iter().copied().min_by(f64::total_cmp)
    }

    /// Distance between the quartiles of its times, as a share of the median.
    pub(crate) fn spread(&self) -> Option<f64> {
        spread(&self.seconds)
    }
}

/// Distance between the quartiles, as a share of the median.
pub(crate) fn spread(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let quartile = |part: usize| sorted.get((sorted.len().saturating_sub(1) * part + 2) / 4).copied();
    Some((quartile(3)? - quartile(1)?) / median(values)?)
}

/// One of the figures of a cell, as a number.
pub(crate) type Figure = fn(&Cell) -> Option<f64>;

/// The figure of each program in this column as a ratio to plain.
pub(crate) fn ratios(rows: &[Row], column: usize, figure: Figure) -> Vec<Option<f64>> {
    let ratio = |row: &Row| Some(figure(&row.cells[column])? / figure(&row.cells[0])?);
    rows.iter().map(ratio).collect()
}

/// The user time of each program in this column as a ratio to plain: the median
/// over the rounds of the ratio within one round. A machine that is slower for
/// a while is so for both.
pub(crate) fn time_ratios(rows: &[Row], column: usize) -> Vec<Option<f64>> {
    rows.iter().map(|row| ratio_in_rounds(&row.cells[column].seconds, &row.cells[0].seconds)).collect()
}

/// The median over the rounds of the ratio within one round, if both have all of them.
pub(crate) fn ratio_in_rounds(own: &[f64], plain: &[f64]) -> Option<f64> {
    let pairs: Vec<f64> = own.iter().zip(plain).map(|(own, plain)| own / plain).collect();
    median(&pairs).filter(|_| own.len() == plain.len())
}

/// The middle value; of an even number the mean of the two in the middle.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len() % 2 == 1 { upper } else { f64::midpoint(sorted[middle - 1], upper) })
}

/// The geometric mean, when every program has a value: a mean over fewer
/// programs could not be compared with its neighbours.
pub(crate) fn geometric_mean(values: &[Option<f64>]) -> Option<f64> {
    let values: Vec<f64> = values.iter().copied().collect::<Option<_>>()?;
    if values.is_empty() {
        return None;
    }
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    #[expect(clippy::cast_precision_loss, reason = "a handful of programs")]
    Some((logarithms / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: Option<f64>, right: f64) -> bool {
        left.is_some_and(|left| (left - right).abs() < 1e-12)
    }

    #[test]
    fn medians() {
        assert!(close(median(&[3.0, 1.0, 2.0]), 2.0));
        assert!(close(median(&[4.0, 1.0, 2.0, 3.0]), 2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn a_slow_round_is_slow_for_both() {
        let plain = [1.0, 3.0, 1.0];
        assert!(close(ratio_in_rounds(&[1.1, 3.3, 1.2], &plain), 1.1));
        assert_eq!(ratio_in_rounds(&[1.0], &plain), None);
    }

    #[test]
    fn a_geometric_mean_wants_every_program() {
        assert!(close(geometric_mean(&[Some(2.0), Some(8.0)]), 4.0));
        assert_eq!(geometric_mean(&[Some(2.0), None]), None);
        assert_eq!(geometric_mean(&[]), None);
    }

    #[test]
    fn the_spread_is_between_the_quartiles() {
        let mut cell = Cell::failed(String::new());
        cell.seconds = vec![1.0, 2.0, 3.0, 4.0, 5.0];
        assert!(close(cell.spread(), 2.0 / 3.0));
    }
}
