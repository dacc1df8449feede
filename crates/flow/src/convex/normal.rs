//! What does one Newton step have to solve? The normal equations.
//!
//! An interior-point step leads to `A D A^T y = r` with one equation per row
//! of A and a positive diagonal D that changes with each step. The pattern
//! does not: which entries of A meet in which entry of `A D A^T` is found once
//! and kept as a list of positions, the order of elimination is that of
//! approximate minimum degree (Amestoy, Davis and Duff 1996, the crate `amd`).
//! Graphs of control flow are nearly trees (Thorup 1998), so little fills in.
//!
//! A row with thousands of variables (a function called from everywhere) is
//! one line of the matrix and is eliminated late. A variable in k rows makes
//! k^2 entries; those in many rows are to be split before
//! ([`split_wide_columns`](super::columns::split_wide_columns)). Cost: the sum of squares of the column sizes.

use super::columns::Columns;
use super::factor::Factor;
use super::triangle::UpperTriangle;

/// `A D A^T` for one A and many D.
pub(crate) struct NormalEquations {
    /// Position of each row of A in the order of elimination.
    position: Vec<u32>,
    /// Columns of A with rows renamed to their positions, in ascending order.
    permuted: Columns,
    matrix: UpperTriangle,
    /// Which entry of `matrix` each pair of entries of a column adds to.
    slots: Vec<u32>,
    factor: Factor,
}

impl NormalEquations {
    /// Orders and analyses.
    ///
    /// # Panics
    /// When `A D A^T` has 2^32 entries or more.
    pub(crate) fn new(matrix: &Columns) -> Self {
        let natural: Vec<u32> = (0..matrix.height as u32).collect();
        let (pattern, _) = pattern_with_slots(&permute(matrix, &natural));
        let position = elimination_order(&pattern);
        let permuted = permute(matrix, &position);
        let (matrix, slots) = pattern_with_slots(&permuted);
        let factor = Factor::analyse(&matrix);
        Self { position, permuted, matrix, slots, factor }
    }

    /// How many entries L has.
    pub(crate) fn factor_entries(&self) -> usize {
        self.factor.entries()
    }

    /// Multiplications that a factorisation takes.
    pub(crate) fn factor_work(&self) -> usize {
        self.factor.work()
    }

    /// Computes and factors `A diag(weights) A^T`.
    pub(crate) fn factor(&mut self, weights: &[f64]) {
        self.matrix.values.fill(0.0);
        let mut slots = self.slots.iter();
        for (column, &weight) in weights.iter().enumerate() {
            let range = self.permuted.starts[column]..self.permuted.starts[column + 1];
            let values = &self.permuted.values[range];
            for (count, &right) in values.iter().enumerate() {
                let scaled = right * weight;
                for (&left, &slot) in values[..=count].iter().zip(slots.by_ref()) {
                    self.matrix.values[slot as usize] += left * scaled;
                }
            }
        }
        self.factor.factor(&self.matrix);
    }

    /// Solves in place as well as the factors can, unrefined.
    pub(crate) fn solve_roughly(&mut self, vector: &mut [f64]) {
        let mut solution = vec![0.0; vector.len()];
        for (&position, &value) in self.position.iter().zip(&*vector) {
            solution[position as usize] = value;
        }
        self.factor.solve(&mut solution);
        for (&position, value) in self.position.iter().zip(vector) {
            *value = solution[position as usize];
        }
    }

    /// Solves in place, refined by conjugate gradients with the factors as preconditioner: one step
    /// as a rule, more where pivots were noise. What is left in each row is measured by the `sizes`
    /// of the rows; a share of `enough` may be left. The best solution is the one that leaves least
    /// in all rows together. One row whose pivot was noise is no reason to give up the others.
    pub(crate) fn solve(&mut self, vector: &mut [f64], sizes: &[f64], enough: f64) {
        let size = vector.len();
        let mut residual = vec![0.0; size];
        let mut inverse_sizes = vec![0.0; size];
        for (row, &position) in self.position.iter().enumerate() {
            residual[position as usize] = vector[row];
            inverse_sizes[position as usize] = 1.0 / sizes[row];
        }
        let mut solution = vec![0.0; size];
        let mut best = vec![0.0; size];
        let mut least = shares(&residual, &inverse_sizes).1;
        let mut direction = vec![0.0; size];
        let mut old = 0.0;
        let mut futile = 0;
        for step in 0..REFINEMENTS {
            let mut towards = residual.clone();
            self.factor.solve(&mut towards);
            let product = dot(&residual, &towards);
            let keep = if step == 0 { 0.0 } else { product / old };
            old = product;
            for (direction, towards) in direction.iter_mut().zip(&towards) {
                *direction = towards + keep * *direction;
            }
            let image = self.matrix.times(&direction);
            let along = product / dot(&direction, &image);
            if !along.is_finite() {
                break;
            }
            for row in 0..size {
                solution[row] += along * direction[row];
                residual[row] -= along * image[row];
            }
            let (greatest, sum) = shares(&residual, &inverse_sizes);
            futile = if sum > 0.1 * least { futile + 1 } else { 0 };
            let is_better = sum < least;
            if is_better {
                least = sum;
                best.copy_from_slice(&solution);
            }
            if (is_better && greatest <= enough) || futile == 2 {
                break;
            }
        }
        for (&position, value) in self.position.iter().zip(vector) {
            *value = best[position as usize];
        }
    }
}

/// Most steps of refinement.
const REFINEMENTS: usize = 6;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// What is left in each row as a share of its size: the greatest and the sum.
fn shares(residual: &[f64], inverse_sizes: &[f64]) -> (f64, f64) {
    let shares = residual.iter().zip(inverse_sizes).map(|(value, inverse)| value.abs() * inverse);
    shares.fold((0.0, 0.0), |(greatest, sum), share| (f64::max(greatest, share), sum + share))
}

fn permute(matrix: &Columns, position: &[u32]) -> Columns {
    let mut permuted = Columns::new(matrix.height);
    let mut entries: Vec<(u32, f64)> = Vec::new();
    for column in 0..matrix.width() {
        entries.clear();
        entries.extend(matrix.column(column).map(|(row, value)| (position[row], value)));
        entries.sort_unstable_by_key(|&(row, _)| row);
        permuted.push_column(entries.iter().copied());
    }
    permuted
}

/// The upper triangle of `A D A^T` without numbers. Also which of its entries each pair of entries
/// of a column adds to (columns in order, each pair once).
fn pattern_with_slots(matrix: &Columns) -> (UpperTriangle, Vec<u32>) {
    let by_row = columns_of_rows(matrix);
    // The first slot of each column of A: triangles of the column sizes.
    let mut first_slot = Vec::with_capacity(matrix.width());
    let mut slot_count = 0;
    for column in 0..matrix.width() {
        first_slot.push(slot_count);
        let size = matrix.starts[column + 1] - matrix.starts[column];
        slot_count += size * (size + 1) / 2;
    }
    let mut slots = vec![0u32; slot_count];
    let mut starts = vec![0];
    let mut rows: Vec<u32> = Vec::new();
    let mut entry_of_row = vec![u32::MAX; matrix.height];
    for row in 0..matrix.height {
        let start = rows.len();
        // The diagonal exists even in a row without variables.
        entry_of_row[row] = start as u32;
        rows.push(row as u32);
        for &(column, count) in &by_row.1[by_row.0[row]..by_row.0[row + 1]] {
            let base = first_slot[column as usize] + (count as usize) * (count as usize + 1) / 2;
            let begin = matrix.starts[column as usize];
            let above = &matrix.rows[begin..=begin + count as usize];
            for (offset, &other) in above.iter().enumerate() {
                let known = &mut entry_of_row[other as usize];
                if *known == u32::MAX || (*known as usize) < start {
                    *known = u32::try_from(rows.len()).expect("less than 2^32 entries");
                    rows.push(other);
                }
                slots[base + offset] = *known;
            }
        }
        starts.push(rows.len());
    }
    let values = vec![0.0; rows.len()];
    (UpperTriangle { starts, rows, values }, slots)
}

/// For each row the columns it has entries in, with the number of entries of
/// the column before it.
fn columns_of_rows(matrix: &Columns) -> (Vec<usize>, Vec<(u32, u32)>) {
    let mut starts = vec![0usize; matrix.height + 1];
    for &row in &matrix.rows {
        starts[row as usize + 1] += 1;
    }
    for row in 0..matrix.height {
        starts[row + 1] += starts[row];
    }
    let mut next = starts.clone();
    let mut entries = vec![(0u32, 0u32); matrix.rows.len()];
    for column in 0..matrix.width() {
        for (count, (row, _)) in matrix.column(column).enumerate() {
            entries[next[row]] = (column as u32, count as u32);
            next[row] += 1;
        }
    }
    (starts, entries)
}

fn elimination_order(pattern: &UpperTriangle) -> Vec<u32> {
    let size = i64::try_from(pattern.starts.len() - 1).expect("sizes fit");
    let starts: Vec<i64> = pattern.starts.iter().map(|&start| start as i64).collect();
    let rows: Vec<i64> = pattern.rows.iter().map(|&row| i64::from(row)).collect();
    let (_, position, _) = amd::order(size, &starts, &rows, &amd::Control::default())
        .unwrap_or_else(|status| panic!("a legal pattern is ordered, not {status:?}"));
    position.into_iter().map(|place| place as u32).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matrices() -> impl Strategy<Value = (usize, Vec<Vec<(u32, f64)>>)> {
        (1usize..30).prop_flat_map(|height| {
            let entry = (0..height as u32, prop::sample::select(&[1.0, -1.0, 2.0][..]));
            let column = prop::collection::vec(entry, 0..5).prop_map(|mut column| {
                column.sort_by_key(|&(row, _)| row);
                column.dedup_by_key(|&mut (row, _)| row);
                column
            });
            (Just(height), prop::collection::vec(column, 1..60))
        })
    }

    fn columns(height: usize, entries: &[Vec<(u32, f64)>]) -> Columns {
        let mut matrix = Columns::new(height);
        for column in entries {
            matrix.push_column(column.iter().copied());
        }
        // A unit in each row makes the product definite.
        (0..height as u32).for_each(|row| matrix.push_column([(row, 1.0)]));
        matrix
    }

    proptest! {
        /// Referee: `A (D (A^T y))`, factor by factor.
        #[test]
        fn solutions_multiply_back((height, entries) in matrices(), seed in 1u32..1000) {
            let matrix = columns(height, &entries);
            let weights: Vec<f64> =
                (0..matrix.width()).map(|column| 1.0 + f64::from(seed) * column as f64 % 7.0).collect();
            let wanted: Vec<f64> = (0..height).map(|row| (f64::from(seed) + row as f64).sin()).collect();
            let inner: Vec<f64> =
                (0..matrix.width()).map(|column| weights[column] * matrix.dot(column, &wanted)).collect();
            let mut solution = vec![0.0; height];
            matrix.add_product(&inner, &mut solution);
            let mut equations = NormalEquations::new(&matrix);
            equations.factor(&weights);
            equations.solve(&mut solution, &vec![1.0; height], 1e-12);
            for (found, wanted) in solution.iter().zip(&wanted) {
                prop_assert!((found - wanted).abs() < 1e-8, "{found} is not {wanted}");
            }
        }
    }

    proptest! {
        /// Rows that are there twice have solutions where right-hand sides
        /// agree. What is refined is not exact, but never worse than nothing.
        #[test]
        fn dependent_rows_are_solved_as_far_as_they_can((height, entries) in matrices()) {
            let twice = |entries: &[(u32, f64)]| -> Vec<(u32, f64)> {
                let copies = entries.iter().map(|&(row, value)| (row + height as u32, value));
                entries.iter().copied().chain(copies).collect()
            };
            let mut matrix = Columns::new(2 * height);
            entries.iter().for_each(|column| matrix.push_column(twice(column)));
            (0..height as u32).for_each(|row| matrix.push_column(twice(&[(row, 1.0)])));
            let inner: Vec<f64> = (0..matrix.width()).map(|column| (column as f64).cos()).collect();
            let mut right = vec![0.0; 2 * height];
            matrix.add_product(&inner, &mut right);
            let mut equations = NormalEquations::new(&matrix);
            equations.factor(&vec![1.0; matrix.width()]);
            let mut solution = right.clone();
            equations.solve(&mut solution, &vec![1.0; 2 * height], 1e-12);
            let inner: Vec<f64> = (0..matrix.width()).map(|column| matrix.dot(column, &solution)).collect();
            let mut found = vec![0.0; 2 * height];
            matrix.add_product(&inner, &mut found);
            let worst = found.iter().zip(&right).map(|(found, right)| (found - right).abs()).fold(0.0, f64::max);
            let greatest = right.iter().map(|right| right.abs()).fold(0.0, f64::max);
            prop_assert!(worst <= 1e-3 * greatest, "{worst} of {greatest}");
        }
    }

    /// Two rows hang together by so much that what holds them is lost in rounding, and
    /// what comes to them cannot be had. The rows beside them have nothing to do with it.
    #[test]
    fn rows_that_cannot_be_solved_leave_the_others_alone() {
        let mut matrix = Columns::new(5);
        matrix.push_column([(0, 1.0), (1, -1.0)]);
        (0..5).for_each(|row| matrix.push_column([(row, 1.0)]));
        let mut equations = NormalEquations::new(&matrix);
        equations.factor(&[1e20, 1.0, 1.0, 1.0, 1.0, 1.0]);
        let mut solution = [1.0, 0.5, 1.0, 1.0, 1.0];
        equations.solve(&mut solution, &[1.0; 5], 1e-12);
        assert!(solution[2..].iter().all(|found| (found - 1.0).abs() < 1e-9), "{solution:?}");
    }
}
