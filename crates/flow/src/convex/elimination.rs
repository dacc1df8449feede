//! Which entries does a factor have, before there are numbers?
//!
//! L has an entry in row i and column j exactly when an entry of row i of the matrix leads
//! to j on the way up the elimination tree (Liu, "The role of elimination trees in sparse
//! factorization", 1990; Davis, "Direct methods for sparse linear systems", 2006,
//! chapter 4). So the pattern is found row by row, in time linear in its size.
//!
//! Where much fills in, columns follow each other of which each has the rows of the one
//! before it but its first (fundamental supernodes, Liu, Ng and Peyton 1993). These are
//! gone through together, so that a row is looked up once for all.
//!
//! Input: the upper triangle in the order of elimination. Output: [`Pattern`]. Cost: linear
//! in the entries of L.

use super::triangle::UpperTriangle;

/// How many columns are processed together. Results depend on it by rounding only.
pub(super) const PANEL: usize = 4;

/// Where L has entries below its diagonal.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Where each column begins, and the end of the last.
    pub(super) starts: Vec<usize>,
    /// Rows of the entries, ascending in each column.
    pub(super) rows: Vec<u32>,
    /// Where each row begins in `nodes`, and the end of the last.
    pub(super) row_starts: Vec<usize>,
    /// Columns that have an entry in a row, ascending.
    pub(super) nodes: Vec<u32>,
    /// Whether of the columns from this one on, [`PANEL`] of them, each has the rows of the
    /// one before it but its first.
    pub(super) is_panel: Vec<bool>,
}

impl Pattern {
    pub(super) fn of(matrix: &UpperTriangle) -> Self {
        let size = matrix.size();
        let parent = elimination_tree(matrix);
        let (row_starts, nodes) = pattern_by_rows(matrix, &parent);
        let mut starts = vec![0; size + 1];
        nodes.iter().for_each(|&node| starts[node as usize + 1] += 1);
        (0..size).for_each(|column| starts[column + 1] += starts[column]);
        let mut rows = vec![0; nodes.len()];
        let mut filled = starts[..size].to_vec();
        for row in 0..size {
            for &node in &nodes[row_starts[row]..row_starts[row + 1]] {
                rows[filled[node as usize]] = row as u32;
                filled[node as usize] += 1;
            }
        }
        let is_panel = panels(&starts, &parent);
        Self { starts, rows, row_starts, nodes, is_panel }
    }
}

/// As [`Pattern::is_panel`]. A column without its first row, the parent, has only rows of
/// the parent's; when it has as many it has all.
fn panels(starts: &[usize], parent: &[usize]) -> Vec<bool> {
    let entries = |column: usize| starts[column + 1] - starts[column];
    let joins = |column: usize| parent[column] == column + 1 && entries(column) == entries(column + 1) + 1;
    (0..parent.len()).map(|column| (column..column + PANEL - 1).all(joins)).collect()
}

/// No parent: the root of a tree.
const ROOT: usize = usize::MAX;

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
