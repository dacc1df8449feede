//! What does one row say that is no count?
//!
//! Of a [`Key`] one answer to one question ([`AnswerColumn`]), how sure it is, and what it
//! rests on: assumptions as data ([`Assumption`]), each with the instruction, loop or condition
//! that it is about. So a reader can ask for all that rests on one `nsw`.
//!
//! Limit: that two rows do not contradict each other is not looked at.

use std::collections::BTreeSet;

use opcost_key::Key;

use super::{Answer, Formula};
use crate::place::SourcePlace;
use crate::words::{AnswerColumn, Assumed, Certainty, Origin, World};

/// One answer, and what it means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerRow {
    /// What it is about.
    pub key: Key,
    /// Which question it answers; its unit is the question's.
    pub column: AnswerColumn,
    /// What is known.
    pub state: AnswerState,
    /// What that rests on.
    pub assumptions: BTreeSet<Assumption>,
    /// How it was had.
    pub origin: Origin,
    /// Under which assumption about callers.
    pub world: World,
    /// Where the thing is written; of a line itself none is needed.
    pub place: Option<SourcePlace>,
}

/// What is known: an answer and how sure it is, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerState {
    /// This.
    Answer(Answer, Certainty),
    /// Nothing, for this reason.
    Nothing(Box<str>),
}

/// What an answer rests on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assumption {
    /// An instruction keeps this promise: `nsw`.
    Promise(Box<str>, Key),
    /// This holds.
    Condition(Formula),
    /// This holds, else a loop does not end.
    EndsIf(Formula),
    /// A loop that does nothing ends, as its language promises.
    Progress(Key),
    /// A loop is not left by this edge, or at this block.
    NotLeft(Key),
    /// Numbers with a point are those of IEEE 754, uncontracted.
    Ieee,
    /// A rule that has a name: of memory, of a contract, of who asked.
    Rule(Box<str>),
}

impl AnswerState {
    /// The answer, if there is one.
    pub fn answer(&self) -> Option<&Answer> {
        match self {
            AnswerState::Answer(answer, _) => Some(answer),
            AnswerState::Nothing(_) => None,
        }
    }
}

impl Assumption {
    /// The word for what is assumed.
    pub fn what(&self) -> Assumed {
        match self {
            Assumption::Promise(..) => Assumed::Promise,
            Assumption::Condition(_) => Assumed::Condition,
            Assumption::EndsIf(_) => Assumed::EndsIf,
            Assumption::Progress(_) => Assumed::Progress,
            Assumption::NotLeft(_) => Assumed::NotLeft,
            Assumption::Ieee => Assumed::Ieee,
            Assumption::Rule(_) => Assumed::Rule,
        }
    }

    /// The thing that it is about, if it is about one.
    pub fn key(&self) -> Option<&Key> {
        match self {
            Assumption::Promise(_, key) | Assumption::Progress(key) | Assumption::NotLeft(key) => Some(key),
            Assumption::Condition(_) | Assumption::EndsIf(_) | Assumption::Ieee | Assumption::Rule(_) => None,
        }
    }

    /// The promise, condition or rule, as text.
    pub fn words(&self) -> Option<String> {
        match self {
            Assumption::Promise(words, _) | Assumption::Rule(words) => Some(words.to_string()),
            Assumption::Condition(formula) | Assumption::EndsIf(formula) => Some(formula.to_string()),
            Assumption::Progress(_) | Assumption::NotLeft(_) | Assumption::Ieee => None,
        }
    }

    /// The assumption of these parts; `None` if they are not those of such a one.
    pub(crate) fn of(what: Assumed, key: Option<Key>, words: Option<&str>) -> Option<Self> {
        match (what, key, words) {
            (Assumed::Promise, Some(key), Some(words)) => Some(Assumption::Promise(words.into(), key)),
            (Assumed::Condition, None, Some(words)) => words.parse().ok().map(Assumption::Condition),
            (Assumed::EndsIf, None, Some(words)) => words.parse().ok().map(Assumption::EndsIf),
            (Assumed::Progress, Some(key), None) => Some(Assumption::Progress(key)),
            (Assumed::NotLeft, Some(key), None) => Some(Assumption::NotLeft(key)),
            (Assumed::Ieee, None, None) => Some(Assumption::Ieee),
            (Assumed::Rule, None, Some(words)) => Some(Assumption::Rule(words.into())),
            _ => None,
        }
    }
}
