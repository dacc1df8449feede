//! What became of a certificate when its claims were checked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of a certificate.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct CheckAnswers {
    /// Claims that were asked.
    pub claims: usize,
    /// What the solver was asked.
    pub questions: u64,
    /// Claims that do not follow.
    pub failed: Vec<CheckFailure>,
    /// What is taken as given.
    pub assumes: Vec<String>,
    /// What the certificate takes as given and nobody else does. Then no claim was asked.
    pub not_given: Vec<NotGiven>,
    /// Whether it was changed since it was written.
    pub is_edited: bool,
}

/// What a certificate takes as given though it was not given to who checks it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NotGiven {
    /// What is taken as given.
    pub what: String,
    /// The flag that gives it. Without one nothing gives it.
    pub flag: Option<String>,
}

impl CheckAnswers {
    /// Whether each claim follows from what was given.
    pub fn holds(&self) -> bool {
        self.failed.is_empty() && self.not_given.is_empty()
    }
}

/// A claim that does not follow.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckFailure {
    /// The claim in words.
    pub claim: String,
    /// What was not shown.
    pub what: String,
    /// Values by which it breaks, if the solver found some.
    pub example: Vec<(String, String)>,
}
