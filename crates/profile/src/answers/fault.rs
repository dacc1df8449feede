//! Why is a text no answer?

use thiserror::Error;

/// A text, or parts, that make no answer of a form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{text}' is no {form}")]
pub struct AnswerError {
    /// What it should be.
    pub form: &'static str,
    /// What it is.
    pub text: String,
}

impl AnswerError {
    pub(super) fn new(form: &'static str, text: &str) -> Self {
        Self { form, text: text.to_owned() }
    }
}
