//! Which claim is asked for, and what became of it?

/// A claim of a certificate, by its place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimId {
    /// `functions[f].values[n]`
    Value(usize, usize),
    /// `functions[f].returned`
    Returned(usize),
    /// `functions[f].differences[n]`
    Difference(usize, usize),
    /// `functions[f].turns[n]`
    Turns(usize, usize),
    /// `functions[f].sums[n]`
    Sum(usize, usize),
    /// `functions[f].given[n]`: asked only whether the code contradicts it.
    Given(usize, usize),
    /// `contents[n]`
    Contents(usize),
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverVerdict {
    /// It follows.
    Holds,
    /// It does not; where, and, if a solver says so, by which values.
    Fails {
        /// What was not shown, in words.
        what: String,
        /// Terms with values that break it, as far as is known of them.
        example: Vec<(String, String)>,
    },
    /// It does not, and no other claim of the same would that says anything.
    Refused {
        /// Why not, in words.
        what: String,
    },
}

/// It does not follow.
pub(crate) fn fails(what: &str) -> SolverVerdict {
    SolverVerdict::Fails { what: what.to_owned(), example: Vec::new() }
}

/// Neither does any other claim of the same.
pub(crate) fn refused(what: &str) -> SolverVerdict {
    SolverVerdict::Refused { what: what.to_owned() }
}
