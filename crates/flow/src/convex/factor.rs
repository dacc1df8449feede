//! How is a sparse positive definite system solved again and again?
//!
//! By `M = L D L^T` without square roots (Davis, "Direct methods for sparse
//! linear systems", 2006, chapter 4). What does not depend on the numbers is
//! done once: the elimination tree (Liu) and the pattern of L by rows, which is
//! what the entries of column k of M reach in the tree. Each factorisation then
//! goes up-looking: row k of L is a sparse triangular solve.
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

use std::ops::Range;

/// No parent: the root of a tree.
const ROOT: usize = usize::MAX;

/// A pivot below this share of its diagonal is noise.
const NOISE: f64 = 5e-16;

/// Fewer rows that follow on each other are treated as any others.
const SHORT: usize = 8;

/// The upper triangle of a symmetric matrix by columns, diagonal included.
#[derive(Clone, Debug)]
pub(crate) struct UpperTriangle {
    /// Where each column begins, and the end of the last.
    pub(crate) starts: Vec<usize>,
    /// Row of each entry, at most its column.
    pub(crate) rows: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

impl UpperTriangle {
    fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// The product of the symmetric matrix with a vector.
    pub(crate) fn times(&self, vector: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; vector.len()];
        for column in 0..self.size() {
            let range = self.starts[column]..self.starts[column + 1];
            let mut sum = 0.0;
            for (&row, &value) in self.rows[range.clone()].iter().zip(&self.values[range]) {
                sum += value * vector[row as usize];
                if row as usize != column {
                    product[row as usize] += value * vector[column];
                }
            }
            product[column] += sum;
        }
        product
    }
}

/// The factors, with room for the work.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    /// Where each column of L begins, and the end of the last.
    starts: Vec<usize>,
    /// Rows of the entries below the diagonal, ascending in each column.
    rows: Vec<u32>,
    values: Vec<f64>,
    /// From which entry on the rows of each column follow on each other.
    tails: Vec<usize>,
    /// Where each row of L begins in `nodes`, and the end of the last.
    row_starts: Vec<usize>,
    /// Columns that have an entry in a row, children before parents.
    nodes: Vec<u32>,
    /// 1 / pivot; 0 where the pivot is noise.
    inverse_pivots: Vec<f64>,
    filled: Vec<usize>,
    row: Vec<f64>,
}

impl Factor {
    /// The structure of L for a matrix of this pattern.
    pub(crate) fn analyse(matrix: &UpperTriangle) -> Self {
        let size = matrix.size();
        let parent = elimination_tree(matrix);
        let (row_starts, nodes) = pattern_by_rows(matrix, &parent);
        let mut starts = vec![0; size + 1];
        nodes.iter().for_each(|&node| starts[node as usize + 1] += 1);
        (0..size).for_each(|column| starts[column + 1] += starts[column]);
        let mut rows = vec![0; nodes.len()];
        let mut tails = starts[..size].to_vec();
        let mut filled = starts[..size].to_vec();
        for row in 0..size {
            for &node in &nodes[row_starts[row]..row_starts[row + 1]] {
                let (column, end) = (node as usize, filled[node as usize]);
                rows[end] = row as u32;
                if end > starts[column] && rows[end - 1] + 1 < row as u32 {
                    tails[column] = end;
                }
                filled[column] = end + 1;
            }
        }
        // Of a few rows it is quicker to look at each.
        for (column, tail) in tails.iter_mut().enumerate() {
            if filled[column] - *tail < SHORT {
                *tail = filled[column];
            }
        }
        Self {
            starts,
            values: vec![0.0; rows.len()],
            rows,
            tails,
            row_starts,
            nodes,
            inverse_pivots: vec![0.0; size],
            filled,
            row: vec![0.0; size],
        }
    }

    /// How many entries L has below its diagonal.
    pub(crate) fn entries(&self) -> usize {
        self.rows.len()
    }

    /// Multiplications that a factorisation takes.
    pub(crate) fn work(&self) -> usize {
        self.starts.windows(2).map(|ends| (ends[1] - ends[0]) * (ends[1] - ends[0])).sum()
    }

    /// Factors the numbers of `matrix`, which has the pattern analysed.
    pub(crate) fn factor(&mut self, matrix: &UpperTriangle) {
        let size = matrix.size();
        self.filled.copy_from_slice(&self.starts[..size]);
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
        for &node in &self.nodes[self.row_starts[column]..self.row_starts[column + 1]] {
            let node = node as usize;
            let value = std::mem::take(&mut self.row[node]);
            let end = self.filled[node];
            let column_so_far =
                Column { rows: &self.rows, values: &self.values, tail: self.tails[node].min(end) };
            column_so_far.subtract(self.starts[node]..end, value, &mut self.row);
            let scaled = value * self.inverse_pivots[node];
            pivot -= scaled * value;
            self.values[end] = scaled;
            self.filled[node] = end + 1;
        }
        pivot
    }

    /// Solves `M x = vector` in place.
    pub(crate) fn solve(&self, vector: &mut [f64]) {
        let size = vector.len();
        for column in 0..size {
            let value = vector[column];
            if value != 0.0 {
                self.column(column).subtract(self.starts[column]..self.starts[column + 1], value, vector);
            }
        }
        for column in (0..size).rev() {
            let below = self.column(column).dot(self.starts[column]..self.starts[column + 1], vector);
            vector[column] = vector[column] * self.inverse_pivots[column] - below;
        }
    }

    fn column(&self, column: usize) -> Column<'_> {
        Column { rows: &self.rows, values: &self.values, tail: self.tails[column] }
    }
}

/// A column of L whose rows follow on each other from entry `tail` on. Where
/// much fills in, these are nearly all, and they need no look at their rows.
struct Column<'a> {
    rows: &'a [u32],
    values: &'a [f64],
    tail: usize,
}

impl Column<'_> {
    /// Subtracts `factor` times these entries from the vector.
    #[inline]
    fn subtract(&self, entries: Range<usize>, factor: f64, vector: &mut [f64]) {
        let (scattered, tail) = (entries.start..self.tail, self.tail..entries.end);
        for (&row, &value) in self.rows[scattered.clone()].iter().zip(&self.values[scattered]) {
            vector[row as usize] -= value * factor;
        }
        if !tail.is_empty() {
            let first = self.rows[tail.start];
            let beside = &mut vector[first as usize..first as usize + tail.len()];
            for (target, &value) in beside.iter_mut().zip(&self.values[tail]) {
                *target -= value * factor;
            }
        }
    }

    /// The sum of these entries times those of the vector.
    #[inline]
    fn dot(&self, entries: Range<usize>, vector: &[f64]) -> f64 {
        let (scattered, tail) = (entries.start..self.tail, self.tail..entries.end);
        let mut sum: f64 = (self.rows[scattered.clone()].iter().zip(&self.values[scattered]))
            .map(|(&row, &value)| value * vector[row as usize])
            .sum();
        if !tail.is_empty() {
            let first = self.rows[tail.start];
            let beside = &vector[first as usize..first as usize + tail.len()];
            // Four sums that do not wait for each other.
            let mut sums = [0.0; 4];
            let (values, beside) = (self.values[tail].chunks_exact(4), beside.chunks_exact(4));
            let rest = values.remainder().iter().zip(beside.remainder());
            sum += rest.map(|(value, other)| value * other).sum::<f64>();
            for (values, others) in values.zip(beside) {
                for lane in 0..4 {
                    sums[lane] += values[lane] * others[lane];
                }
            }
            sum += (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
        sum
    }
}

/// The parent of each column: the first below the diagonal that it reaches.
fn elimination_tree(matrix: &UpperTriangle) -> Vec<usize> {
    let mut parent = vec![ROOT; matrix.size()];
    // Paths to the root are shortened as they are gone.
    let mut ancestor = vec![ROOT; matrix.size()];
    for column in 0..matrix.size() {
        for &row in &matrix.rows[matrix.starts[column]..matrix.starts[column + 1]] {
            let mut node = row as usize;
            while node < column {
                let next = std::mem::replace(&mut ancestor[node], column);
                if next == ROOT {
                    parent[node] = column;
                    break;
                }
                node = next;
            }
        }
    }
    parent
}

/// The columns with an entry in each row of L: what the entries of the matrix
/// reach in the tree. Where each row begins, and the columns, ascending.
fn pattern_by_rows(matrix: &UpperTriangle, parent: &[usize]) -> (Vec<usize>, Vec<u32>) {
    let mut seen = vec![ROOT; matrix.size()];
    let (mut starts, mut nodes) = (vec![0], Vec::new());
    for column in 0..matrix.size() {
        let start = nodes.len();
        seen[column] = column;
        for &row in &matrix.rows[matrix.starts[column]..matrix.starts[column + 1]] {
            let mut node = row as usize;
            while seen[node] != column {
                nodes.push(node as u32);
                seen[node] = column;
                node = parent[node];
            }
        }
        nodes[start..].sort_unstable();
        starts.push(nodes.len());
    }
    (starts, nodes)
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
        (1usize..9).prop_flat_map(|size| {
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
