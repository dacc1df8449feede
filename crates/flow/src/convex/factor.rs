//! How is a sparse positive definite system solved again and again?
//!
//! By `M = L D L^T` without square roots (Davis, "Direct methods for sparse
//! linear systems", 2006, chapter 4). What does not depend on the numbers is
//! done once ([`elimination`](super::elimination)). Each factorisation then goes
//! up-looking: row k of L is a sparse triangular solve. Where columns that follow each
//! other share their rows, a few of them (a panel) are gone through together: what a row
//! below holds is looked up once for all.
//!
//! A matrix of rows that depend on each other is only semidefinite, and one
//! with weights that are nothing beside the others is so to all that numbers
//! can tell. Its pivot that should be 0 is noise. The unknown of such a pivot
//! does not move (Wright, "Modified Cholesky factorizations in interior-point
//! algorithms for linear programming", 1999), for what noise says moves it
//! anywhere. Where it was not all noise (counts of 1 beside 1e11 look the
//! same) the caller's refinement moves it still, as far as its row is coupled
//! to others.
//!
//! Input: the upper triangle, column by column, in the order of elimination
//! (the caller permutes, see [`normal`](super::normal)). Cost: the sum of
//! squares of the column sizes of L to factor, twice their sum to solve.

use super::elimination::{PANEL, Pattern};
use super::triangle::UpperTriangle;

/// A pivot below this share of its diagonal is noise.
const NOISE: f64 = 5e-16;

/// The factors, with room for the work.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pattern: Pattern,
    /// Entries of L below the diagonal, as the pattern has them.
    values: Vec<f64>,
    /// 1 / pivot; 0 where the pivot is noise.
    inverse_pivots: Vec<f64>,
    /// Up to where the entries of each column are known.
    filled: Vec<usize>,
    row: Vec<f64>,
}

impl Factor {
    /// The structure of L for a matrix of this pattern.
    pub(crate) fn analyse(matrix: &UpperTriangle) -> Self {
        let size = matrix.size();
        let pattern = Pattern::of(matrix);
        Self {
            values: vec![0.0; pattern.rows.len()],
            filled: pattern.starts[..size].to_vec(),
            pattern,
            inverse_pivots: vec![0.0; size],
            row: vec![0.0; size],
        }
    }

    /// How many entries L has below its diagonal.
    pub(crate) fn entries(&self) -> usize {
        self.values.len()
    }

    /// Multiplications that a factorisation takes.
    pub(crate) fn work(&self) -> usize {
        self.pattern.starts.windows(2).map(|ends| (ends[1] - ends[0]) * (ends[1] - ends[0])).sum()
    }

    /// Factors the numbers of `matrix`, which has the pattern analysed.
    pub(crate) fn factor(&mut self, matrix: &UpperTriangle) {
        let size = matrix.size();
        self.filled.copy_from_slice(&self.pattern.starts[..size]);
        for column in 0..size {
            let range = matrix.starts[column]..matrix.starts[column + 1];
            for (&row, &value) in matrix.rows[range.clone()].iter().zip(&matrix.values[range]) {
                self.row[row as usize] += value;
            }
            let diagonal = std::mem::take(&mut self.row[column]);
            let pivot = self.eliminate(column, diagonal);
            self.inverse_pivots[column] = if pivot > NOISE * diagonal { 1.0 / pivot } else { 0.0 };
        }
    }

    /// Computes row `column` of L and returns its pivot.
    fn eliminate(&mut self, column: usize, diagonal: f64) -> f64 {
        let mut pivot = diagonal;
        let (mut at, end) = (self.pattern.row_starts[column], self.pattern.row_starts[column + 1]);
        while at < end {
            let first = self.pattern.nodes[at] as usize;
            // The way up the tree goes through all of a panel, if the row does not end it.
            if self.pattern.is_panel[first] && end - at >= PANEL {
                pivot = self.eliminate_panel::<PANEL>(first, pivot);
                at += PANEL;
            } else {
                pivot = self.eliminate_panel::<1>(first, pivot);
                at += 1;
            }
        }
        pivot
    }

    /// Computes the entries of the row in the columns from `first` on and returns what they
    /// leave of its pivot.
    #[inline]
    fn eliminate_panel<const N: usize>(&mut self, first: usize, mut pivot: f64) -> f64 {
        let panel = Panel::<N>::of(&self.pattern, &self.values, &self.filled, first);
        for (node, value) in (first..).zip(panel.subtract(&mut self.row)) {
            self.row[node] = 0.0;
            let scaled = value * self.inverse_pivots[node];
            pivot -= scaled * value;
            self.values[self.filled[node]] = scaled;
            self.filled[node] += 1;
        }
        pivot
    }

    /// Solves `M x = vector` in place.
    pub(crate) fn solve(&self, vector: &mut [f64]) {
        let (pattern, values) = (&self.pattern, &self.values);
        let ends = &pattern.starts[1..];
        let mut first = 0;
        while first < vector.len() {
            if pattern.is_panel[first] {
                let found: [f64; PANEL] = Panel::of(pattern, values, ends, first).subtract(vector);
                vector[first..first + PANEL].copy_from_slice(&found);
                first += PANEL;
            } else {
                let _: [f64; 1] = Panel::of(pattern, values, ends, first).subtract(vector);
                first += 1;
            }
        }
        let mut end = vector.len();
        while end > 0 {
            if end >= PANEL && pattern.is_panel[end - PANEL] {
                end -= PANEL;
                Panel::<PANEL>::of(pattern, values, ends, end).substitute(vector, &self.inverse_pivots);
            } else {
                end -= 1;
                Panel::<1>::of(pattern, values, ends, end).substitute(vector, &self.inverse_pivots);
            }
        }
    }
}

/// Columns of L that follow on each other, each with the rows of the one before it but its first.
/// What each row below them holds of them is in the same places.
struct Panel<'a, const N: usize> {
    first: usize,
    /// Rows below all of the columns.
    rows: &'a [u32],
    /// Entries of each column in the rows that the later ones begin with.
    above: [&'a [f64]; N],
    /// Entries of each column in the rows below.
    below: [&'a [f64]; N],
}

impl<'a, const N: usize> Panel<'a, N> {
    /// The columns from `first` on, with their entries up to these ends.
    #[inline]
    fn of(pattern: &'a Pattern, values: &'a [f64], ends: &[usize], first: usize) -> Self {
        let columns: [(&[f64], &[f64]); N] = std::array::from_fn(|at| {
            let column = first + at;
            values[pattern.starts[column]..ends[column]].split_at(N - 1 - at)
        });
        let last = first + N - 1;
        Self {
            first,
            rows: &pattern.rows[pattern.starts[last]..ends[last]],
            above: columns.map(|column| column.0),
            below: columns.map(|column| column.1),
        }
    }

    /// Solves for the unknowns of these columns and subtracts what they make below.
    #[inline]
    fn subtract(&self, vector: &mut [f64]) -> [f64; N] {
        let mut found: [f64; N] = std::array::from_fn(|at| vector[self.first + at]);
        for at in 0..N {
            for (later, &value) in self.above[at].iter().enumerate() {
                found[at + 1 + later] -= value * found[at];
            }
        }
        let below = self.below.map(|column| &column[..self.rows.len()]);
        for (place, &row) in self.rows.iter().enumerate() {
            let target = &mut vector[row as usize];
            *target = (0..N).fold(*target, |left, at| left - below[at][place] * found[at]);
        }
        found
    }

    /// Puts what is known of the rows below into these columns.
    #[inline]
    fn substitute(&self, vector: &mut [f64], inverse_pivots: &[f64]) {
        let mut sums = [0.0; N];
        let below = self.below.map(|column| &column[..self.rows.len()]);
        for (place, &row) in self.rows.iter().enumerate() {
            let known = vector[row as usize];
            (0..N).for_each(|at| sums[at] += below[at][place] * known);
        }
        for at in (0..N).rev() {
            let column = self.first + at;
            let later = &vector[column + 1..column + N - at];
            let sum: f64 = self.above[at].iter().zip(later).map(|(value, known)| value * known).sum();
            vector[column] = vector[column] * inverse_pivots[column] - sums[at] - sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The upper triangle of `B B^T + shift`, dense; rows of B may depend on
    /// each other.
    fn gram(factor: &[Vec<f64>], shift: f64) -> Vec<Vec<f64>> {
        let entry = |a: usize, b: usize| -> f64 {
            let sum: f64 = factor[a].iter().zip(&factor[b]).map(|(a, b)| a * b).sum();
            sum + if a == b { shift } else { 0.0 }
        };
        (0..factor.len()).map(|a| (0..factor.len()).map(|b| entry(a, b)).collect()).collect()
    }

    fn sparse(dense: &[Vec<f64>]) -> UpperTriangle {
        let mut matrix = UpperTriangle { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for (column, line) in dense.iter().enumerate() {
            // The diagonal first, the others in falling order: any will do.
            for row in (0..=column).rev().filter(|&row| row == column || line[row] != 0.0) {
                matrix.rows.push(row as u32);
                matrix.values.push(line[row]);
            }
            matrix.starts.push(matrix.rows.len());
        }
        matrix
    }

    fn times(dense: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
        dense.iter().map(|line| line.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
    }

    fn vectors() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<f64>)> {
        (1usize..16).prop_flat_map(|size| {
            let entry = prop_oneof![3 => Just(0.0), 1 => Just(1.0), 1 => Just(-1.0), 1 => -3.0..3.0];
            let factor = prop::collection::vec(prop::collection::vec(entry, 6), size);
            (factor, prop::collection::vec(-5.0..5.0, size))
        })
    }

    proptest! {
        /// Referee: multiplying back with the dense matrix.
        #[test]
        fn solutions_multiply_back((factor, wanted) in vectors()) {
            let dense = gram(&factor, 0.5);
            let matrix = sparse(&dense);
            for (ours, theirs) in matrix.times(&wanted).iter().zip(times(&dense, &wanted)) {
                prop_assert!((ours - theirs).abs() < 1e-10, "{ours} is not {theirs}");
            }
            let mut ours = Factor::analyse(&matrix);
            // Twice, since the second run reuses the room of the first.
            for _ in 0..2 {
                ours.factor(&matrix);
                let mut solution = times(&dense, &wanted);
                ours.solve(&mut solution);
                for (found, wanted) in solution.iter().zip(&wanted) {
                    prop_assert!((found - wanted).abs() < 1e-8, "{found} is not {wanted}");
                }
            }
        }
    }
}
