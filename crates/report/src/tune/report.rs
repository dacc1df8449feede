//! What is shown of a tuned program?

use opcost_answer::tune::Tuned;

/// Functions that are listed without `--explain`.
pub(super) const FUNCTIONS: usize = 8;

/// What is shown.
pub struct TuneReport<'a> {
    /// What was done.
    pub tuned: &'a Tuned,
    /// What was tuned and on what it was judged, in words.
    pub about: String,
    /// Whether all functions are listed.
    pub explain: bool,
    /// What to try next.
    pub next: Vec<String>,
}
