//! Half of a symmetric matrix, by columns.

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
    pub(super) fn size(&self) -> usize {
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
