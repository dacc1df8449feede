//! Which numbers did a user give, and what does that decide?
//!
//! Input: an answer of the resolver. Output: a number, an input by its name, or nothing.
//! Cost: the leaves of the answer.

use std::collections::BTreeMap;

use crate::names::Decided;
use opcost_analysis::dependence::{Reads, Resolution, ResolutionQuality};

/// An expression of so many letters can be a name.
const SHORT: usize = 32;

/// Numbers for names, as a user gives them.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// Name and number.
    pub given: Vec<(String, i128)>,
    /// The same of the command line: `argc`, `atoi(argv[1])`. These are the parameters of `main` and what is read of them,
    /// whatever else has such a name.
    pub words: Vec<(String, i128)>,
    /// What data is that is read, unless it is given.
    pub reads: Reads,
}

/// How the number of a word of Fortran's command line is named: this, its position, and a parenthesis.
const FORTRAN_WORD: &str = "_FortranAGetCommandArgument(";

impl Bindings {
    /// Words of the command line that are numbers, as Fortran counts them: 1 is the first after the program.
    pub fn fortran_words(&self) -> BTreeMap<u32, i128> {
        let word = |(name, number): &(String, i128)| {
            Some((name.strip_prefix(FORTRAN_WORD)?.strip_suffix(')')?.parse().ok()?, *number))
        };
        self.words.iter().filter_map(word).collect()
    }

    /// The number of a name.
    pub(super) fn number_of(&self, name: &str) -> Option<i128> {
        self.given.iter().find(|(given, _)| given == name).map(|(_, number)| *number)
    }

    /// The number of what the command line has under a name.
    pub(super) fn word(&self, name: &str) -> Option<i128> {
        self.words.iter().find(|(given, _)| given == name).map(|(_, number)| *number)
    }

    /// What an answer of the resolver means for a formula.
    pub(super) fn decided(&self, answer: &Resolution<'_, '_>) -> Decided {
        if answer.quality() == ResolutionQuality::Unknown {
            return Decided::Open;
        }
        if let Some(number) = answer.as_constant() {
            return Decided::Number(number);
        }
        if !self.given.is_empty() || !self.words.is_empty() || self.reads.is_without_files() {
            let given = |name: &str, is_memory: bool| {
                let word = || (!is_memory).then(|| self.word(name)).flatten();
                let known = self.number_of(name).or_else(word);
                known.or_else(|| self.reads.is_without_files().then(|| absent(name)).flatten())
            };
            if let Some(number) = answer.number_given(&given, self.reads) {
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
                // An address has no number, but for null.
                if let (true, Some(number)) = (self.reads.is_without_files(), absent(called)) {
                    return Decided::Number(number);
                }
                let is_memory = answer.depends_on_memory();
                return Decided::Input {
                    called: Some(called.to_owned()),
                    about: about.to_owned(),
                    is_memory,
                };
            }
        }
        let is_short = expression.terms.is_empty() && expression.text.len() <= SHORT;
        let about = format!("{expression} (of {})", inputs.join("; "));
        let called = is_short.then_some(expression.text);
        Decided::Input { called, about, is_memory: answer.depends_on_memory() }
    }
}

/// What a library function gives where there is no file that it could open or read. It is a status
/// of failure, or no stream.
fn absent(name: &str) -> Option<i128> {
    match name {
        "_FortranAioEndIoStatement()" => Some(1),
        _ if name.starts_with("fopen(") => Some(0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::absent;

    #[test]
    fn without_files_nothing_is_opened() {
        assert_eq!(absent("_FortranAioEndIoStatement()"), Some(1));
        assert_eq!(absent("fopen(\"input.data\")"), Some(0));
        assert_eq!(absent("rand()"), None);
    }
}
