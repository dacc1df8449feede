//! Which numbers did a user give, and what does that decide?
//!
//! Input: an answer of the resolver. Output: a number, an input by its name, or nothing.
//! Cost: the leaves of the answer.

use crate::names::Decided;
use opcost_analysis::dependence::{Resolution, ResolutionQuality};

/// An expression of so many letters can be a name.
const SHORT: usize = 32;

/// Numbers for names, as a user gives them.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// Name and number.
    pub given: Vec<(String, i128)>,
    /// Data that is read holds what it holds when the read fails, unless it is given.
    pub defaults: bool,
}

impl Bindings {
    /// What an answer of the resolver means for a formula.
    pub(super) fn decided(&self, answer: &Resolution<'_, '_>) -> Decided {
        if answer.quality() == ResolutionQuality::Unknown {
            return Decided::Open;
        }
        if let Some(number) = answer.as_constant() {
            return Decided::Number(number);
        }
        if !self.given.is_empty() || self.defaults {
            let given = |name: &str| Some(self.given.iter().find(|(given, _)| given == name)?.1);
            if let Some(number) = answer.number_given(&given, self.defaults) {
                return Decided::Number(number);
            }
        }
        if !answer.is_closed() {
            return Decided::Open;
        }
        let (inputs, expression) = (answer.inputs(), answer.expression());
        if let [input] = &inputs[..] {
            let (called, about) = input.split_once(": ").unwrap_or((input, ""));
            if expression.terms.is_empty() && expression.text == called {
                return Decided::Input { called: Some(called.to_owned()), about: about.to_owned() };
            }
        }
        let is_short = expression.terms.is_empty() && expression.text.len() <= SHORT;
        let about = format!("{expression} (of {})", inputs.join("; "));
        Decided::Input { called: is_short.then_some(expression.text), about }
    }
}
