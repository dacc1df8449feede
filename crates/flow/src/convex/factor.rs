//! How is a sparse positive definite system solved again and again?
//!
//! By `M = L D L^T` without square roots (Davis, "Direct methods for sparse
//! linear systems", 2006, chapter 4). What does not depend on the numbers is
//! done once: the elimination tree (Liu) and the size of each column of L.
//! Each factorisation then goes up-looking: row k of L is a sparse triangular
//! solve whose pattern is what the entries of column k of M reach in the tree.
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

/// No parent: the root of a tree.
const ROOT: usize = usize::MAX;

/// A pivot below this share of its diagonal is noise.
const NOISE: f64 = 1e-14;

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
    parent: Vec<usize>,
    /// Where each column of L begins, and the end of the last.
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
    /// 1 / pivot; 0 where the pivot is noise.
    inverse_pivots: Vec<f64>,
    filled: Vec<usize>,
    row: Vec<f64>,
    seen: Vec<usize>,
    stack: Vec<u32>,
}

impl Factor {
    /// The structure of L for a matrix of this pattern.
    pub(crate) fn analyse(matrix: &UpperTriangle) -> Self {
        let size = matrix.size();
        let mut parent = vec![ROOT; size];
        let mut seen = vec![ROOT; size];
        let mut counts = vec![0usize; size];
        for column in 0..size {
            seen[column] = column;
            for &row in &matrix.rows[matrix.starts[column]..matrix.starts[column + 1]] {
                let mut node = row as usize;
                while seen[node] != column {
                    if parent[node] == ROOT {
                        parent[node] = column;
                    }
                    counts[node] += 1;
                    seen[node] = column;
                    node = parent[node];
                }
            }
        }
        let mut starts = Vec::with_capacity(size + 1);
        let mut end = 0;
        starts.push(0);
        for count in counts {
            end += count;
            starts.push(end);
        }
        Self {
            parent,
            starts,
            rows: vec![0; end],
            values: vec![0.0; end],
            inverse_pivots: vec![0.0; size],
            filled: vec![0; size],
            row: vec![0.0; size],
            seen,
            stack: vec![0; size],
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
        self.seen.fill(ROOT);
        let size = matrix.size();
        self.filled.copy_from_slice(&self.starts[..size]);
        for column in 0..size {
            let top = self.reach(matrix, column);
            let diagonal = std::mem::take(&mut self.row[column]);
            let pivot = self.eliminate(column, top, diagonal);
            self.inverse_pivots[column] = if pivot > NOISE * diagonal { 1.0 / pivot } else { 0.0 };
        }
    }

    /// Scatters column `column` of the matrix into `row` and leaves the
    /// pattern of row `column` of L in `stack`, from the position returned,
    /// children before parents.
    fn reach(&mut self, matrix: &UpperTriangle, column: usize) -> usize {
        let mut top = self.stack.len();
        self.seen[column] = column;
        for entry in matrix.starts[column]..matrix.starts[column + 1] {
            let mut node = matrix.rows[entry] as usize;
            self.row[node] += matrix.values[entry];
            let mut length = 0;
            while self.seen[node] != column {
                self.stack[length] = node as u32;
                length += 1;
                self.seen[node] = column;
                node = self.parent[node];
            }
            while length > 0 {
                length -= 1;
                top -= 1;
                self.stack[top] = self.stack[length];
            }
        }
        top
    }

    /// Computes row `column` of L and returns its pivot.
    fn eliminate(&mut self, column: usize, top: usize, diagonal: f64) -> f64 {
        let mut pivot = diagonal;
        for position in top..self.stack.len() {
            let node = self.stack[position] as usize;
            let value = std::mem::take(&mut self.row[node]);
            let (start, end) = (self.starts[node], self.filled[node]);
            for (&row, &factor) in self.rows[start..end].iter().zip(&self.values[start..end]) {
                self.row[row as usize] -= factor * value;
            }
            let scaled = value * self.inverse_pivots[node];
            pivot -= scaled * value;
            self.rows[end] = column as u32;
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
            let range = self.starts[column]..self.starts[column + 1];
            for (&row, &factor) in self.rows[range.clone()].iter().zip(&self.values[range]) {
                vector[row as usize] -= factor * value;
            }
        }
        for column in (0..size).rev() {
            let range = self.starts[column]..self.starts[column + 1];
            let below: f64 = (self.rows[range.clone()].iter().zip(&self.values[range]))
                .map(|(&row, &factor)| factor * vector[row as usize])
                .sum();
            vector[column] = vector[column] * self.inverse_pivots[column] - below;
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
