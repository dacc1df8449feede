//! What did a solution take?

/// Measures of effort that do not depend on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolveWork {
    /// Components that were solved.
    pub components: usize,
    /// Most steps in a component.
    pub steps: usize,
    /// Rows left by presolve.
    pub rows: usize,
    /// Variables left by presolve.
    pub variables: usize,
    /// Entries of the factors, all components together.
    pub factor_entries: usize,
    /// Multiplications that one factorisation of each component takes.
    pub factor_work: usize,
}
