//! What do `bench count` and `bench fuel` ask about a program?
//!
//! The two share all but their columns and their page; a question chooses both.

/// What is asked about a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// What does counting cost?
    Count,
    /// What does fuel cost?
    Fuel,
}

impl Question {
    /// Its word on the command line, and the name of its page.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Fuel => "fuel",
        }
    }
}
