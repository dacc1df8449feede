//! How is a sparse matrix kept whose columns are variables?
//!
//! Column by column, each a list of rows and values. A variable in k rows makes
//! k^2 entries in the normal equations; one in more than [`WIDEST`] rows is
//! replaced by a chain of copies ([`split_wide_columns`]), which fills in as
//! little as a chain does (Vanderbei, "Splitting dense columns in sparse linear
//! systems", 1991).
//!
//! Cost: products take the entries once.

/// Variables in more rows than this are split.
const WIDEST: usize = 16;

/// A sparse matrix by columns.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// Number of rows.
    pub(crate) height: usize,
    /// Where each column begins, and the end of the last.
    pub(crate) starts: Vec<usize>,
    pub(crate) rows: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

impl Columns {
    pub(crate) fn new(height: usize) -> Self {
        Self { height, starts: vec![0], rows: Vec::new(), values: Vec::new() }
    }

    /// Of entries by column, row and value, in any order; those of a column keep theirs.
    pub(crate) fn of_entries(height: usize, width: usize, entries: &[(usize, u32, f64)]) -> Self {
        let mut starts = vec![0; width + 1];
        entries.iter().for_each(|&(column, _, _)| starts[column + 1] += 1);
        (0..width).for_each(|column| starts[column + 1] += starts[column]);
        let (mut rows, mut values) = (vec![0; entries.len()], vec![0.0; entries.len()]);
        let mut ends = starts.clone();
        for &(column, row, value) in entries {
            (rows[ends[column]], values[ends[column]]) = (row, value);
            ends[column] += 1;
        }
        Self { height, starts, rows, values }
    }

    pub(crate) fn push_column(&mut self, entries: impl IntoIterator<Item = (u32, f64)>) {
        for (row, value) in entries {
            self.rows.push(row);
            self.values.push(value);
        }
        self.starts.push(self.rows.len());
    }

    /// Number of columns.
    pub(crate) fn width(&self) -> usize {
        self.starts.len() - 1
    }

    /// Rows and values of a column.
    #[inline]
    pub(crate) fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[column]..self.starts[column + 1];
        (self.rows[range.clone()].iter().zip(&self.values[range])).map(|(&row, &value)| (row as usize, value))
    }

    /// `A x` added to `sums`.
    pub(crate) fn add_product(&self, x: &[f64], sums: &mut [f64]) {
        for (column, &value) in x.iter().enumerate() {
            for (row, coefficient) in self.column(column) {
                sums[row] += coefficient * value;
            }
        }
    }

    /// `|A| x` added to `sizes`.
    pub(crate) fn add_sizes(&self, x: &[f64], sizes: &mut [f64]) {
        for (column, &value) in x.iter().enumerate() {
            for (row, coefficient) in self.column(column) {
                sizes[row] += (coefficient * value).abs();
            }
        }
    }

    /// What `A x` lacks of the right-hand sides.
    pub(crate) fn lacking(&self, right_hand_sides: &[f64], x: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; right_hand_sides.len()];
        self.add_product(x, &mut sums);
        right_hand_sides.iter().zip(&sums).map(|(right, sum)| right - sum).collect()
    }

    /// The product of a column with `y`.
    #[inline]
    pub(crate) fn dot(&self, column: usize, y: &[f64]) -> f64 {
        self.column(column).map(|(row, value)| value * y[row]).sum()
    }
}

/// Replaces a variable in many rows by a chain of copies. Each is in few of them and equal to the
/// next by a row of its own. The first copy keeps the place of the column; further ones are
/// appended. Returns how many there are.
pub(crate) fn split_wide_columns(matrix: Columns) -> (Columns, usize) {
    let widest = (0..matrix.width()).map(|column| matrix.starts[column + 1] - matrix.starts[column]).max();
    if widest.unwrap_or(0) <= WIDEST {
        return (matrix, 0);
    }
    let mut narrow = Columns::new(matrix.height);
    let mut copies: Vec<Vec<(u32, f64)>> = Vec::new();
    for column in 0..matrix.width() {
        let entries: Vec<(u32, f64)> =
            matrix.column(column).map(|(row, value)| (row as u32, value)).collect();
        let mut parts = entries.chunks(WIDEST).map(<[_]>::to_vec);
        let mut first = parts.next().unwrap_or_default();
        let mut last = &mut first;
        for mut part in parts {
            let link = narrow.height as u32;
            narrow.height += 1;
            last.push((link, 1.0));
            part.push((link, -1.0));
            copies.push(part);
            last = copies.last_mut().expect("one was pushed");
        }
        narrow.push_column(first);
    }
    let added = copies.len();
    for copy in copies {
        narrow.push_column(copy);
    }
    (narrow, added)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_column_becomes_a_chain_that_means_the_same() {
        let height = 100;
        let wide: Vec<(u32, f64)> = (0..height as u32).map(|row| (row, f64::from(row) + 1.0)).collect();
        let mut matrix = Columns::new(height);
        matrix.push_column(wide);
        (0..height as u32).for_each(|row| matrix.push_column([(row, 1.0)]));
        let width = matrix.width();
        let (narrow, added) = split_wide_columns(matrix);
        assert_eq!((added, narrow.height, narrow.width()), (6, height + 6, width + 6));
        assert!(narrow.starts.windows(2).all(|ends| ends[1] - ends[0] <= WIDEST + 2));
        // The same value in all copies meets all links and gives the same sums.
        let mut x = vec![0.0; narrow.width()];
        x[0] = 3.0;
        x[width..].fill(3.0);
        let mut sums = vec![0.0; narrow.height];
        narrow.add_product(&x, &mut sums);
        assert!((0..height).all(|row| sums[row] == 3.0 * (row as f64 + 1.0)));
        assert!(sums[height..].iter().all(|&link| link == 0.0));
    }
}
