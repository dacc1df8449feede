//! What became of a certificate when its claims were checked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::define_document;

define_document!(
    /// The document of `opcost bits --check`.
    pub struct CheckDocument = "opcost.bits-check/1"
);

/// The document of `opcost bits --check`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "opcost.bits-check/1")]
pub struct CheckAnswers {
    /// Always `opcost.bits-check/1`.
    pub schema: CheckDocument,
    /// Whether every claim follows.
    pub holds: bool,
    /// How many claims there are.
    pub claims: usize,
    /// What the solver was asked.
    pub questions: u64,
    /// Whether the certificate was changed since it was written.
    pub is_edited: bool,
    /// Claims that do not follow.
    pub failed: Vec<CheckFailure>,
    /// What nobody proves.
    pub assumes: Vec<String>,
    /// What the certificate takes as given and `--check` was not given. Then no claim was asked.
    pub not_given: Vec<NotGiven>,
}

/// What a certificate takes as given though it was not given to who checks it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NotGiven {
    /// What is taken as given.
    pub what: String,
    /// The flag that gives it. Without one nothing gives it.
    pub flag: Option<String>,
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
