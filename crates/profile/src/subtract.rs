//! What did one run do beyond another of the same build?
//!
//! The first ledger less the others, fact by fact: what a warm-up did is taken
//! from a long run, a day from a week. A count below zero means that the
//! others did something that the first did not, so they are no part of it; it
//! is refused with the first such fact, and `diff` is the verb that compares
//! either way. What remains is as sure as both sides, but nothing can be taken
//! away that is only a lower bound: the rest would be neither at least nor at
//! most anything. A fact that only the first ledger has stays whole. The
//! difference counts as the runs that are left over, or one. How runs went is of
//! whole runs and is left out, and so is what values were observed: the least of all runs says
//! nothing of the least of some.
//!
//! Cost: facts * log facts.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::merge::other_build;
use crate::{Column, Fact, Ledger, LedgerError, MergeError, Quality, Subject};

/// Why one ledger cannot be taken from another.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SubtractError {
    /// They do not even add.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// More is taken away than there is.
    #[error(
        "{column} of {subject} is {whole}, and {part} is to be taken away (as of {others} other facts): what is \
         subtracted is no part of the first ledger; `opcost diff` compares such runs"
    )]
    BelowZero {
        /// What the first such fact is about.
        subject: String,
        /// Which question.
        column: Column,
        /// What the first ledger has.
        whole: u64,
        /// What the others have.
        part: u64,
        /// How many other facts would be below zero.
        others: usize,
    },
    /// What is taken away is at least so much, so what remains is unknown.
    #[error(
        "{column} of {subject} is only a lower bound in what is subtracted, so what remains is not known; repeat \
         the run that ended without notice"
    )]
    NotSure {
        /// What it is about.
        subject: String,
        /// Which question.
        column: Column,
    },
}

/// `whole` less `part`.
///
/// # Errors
/// They are of two builds or origins, something would be below zero, or what is
/// taken away is not known well enough.
pub fn subtract(whole: &Ledger, part: &Ledger) -> Result<Ledger, SubtractError> {
    if let Some(what) = other_build(&whole.about, &part.about) {
        return Err(MergeError::OtherBuild { position: 1, what }.into());
    }
    let mut less: BTreeMap<(&Subject, Column), &Fact> =
        part.facts().iter().map(|fact| ((&fact.subject, fact.column), fact)).collect();
    let mut below = Vec::new();
    let mut facts = Vec::new();
    let is_of_runs = |fact: &&Fact| {
        matches!(fact.subject, Subject::Ending(_) | Subject::Doubt(..))
            || matches!(fact.column, Column::Runs | Column::HeldFixed | Column::Processes)
    };
    less.retain(|_, fact| !is_of_runs(fact));
    for fact in whole.facts().iter().filter(|fact| !is_of_runs(fact)) {
        let Some(other) = less.remove(&(&fact.subject, fact.column)) else {
            facts.push(fact.clone());
            continue;
        };
        facts.push(difference(fact, other, &mut below)?);
    }
    // What only the part knows is taken from nothing.
    let of_nothing = part.facts().iter().filter(|fact| less.contains_key(&(&fact.subject, fact.column)));
    let of_nothing = of_nothing.filter(|fact| fact.value != Some(0));
    below.extend(of_nothing.map(|fact| (fact, 0, fact.value.unwrap_or(0))));
    if let Some((fact, whole, part)) = below.first() {
        let (subject, column, others) = (fact.subject.to_string(), fact.column, below.len() - 1);
        return Err(SubtractError::BelowZero { subject, column, whole: *whole, part: *part, others });
    }
    let mut about = whole.about.clone();
    about.runs = about.runs.saturating_sub(part.about.runs).max(1);
    let mut rest = Ledger::of_ordered(about, facts);
    rest.answers = whole.answers.iter().filter(|row| !row.column.is_observed()).cloned().collect();
    Ok(rest)
}

/// A fact, with what the whole and the part say.
type Below<'a> = (&'a Fact, u64, u64);

fn difference<'a>(fact: &'a Fact, other: &Fact, below: &mut Vec<Below<'a>>) -> Result<Fact, SubtractError> {
    let column = fact.column;
    if fact.origin != other.origin {
        let (first, second) = (fact.origin, other.origin);
        let mixed = LedgerError::MixedOrigin { subject: fact.subject.to_string(), column, first, second };
        return Err(MergeError::Ledger(mixed).into());
    }
    if other.quality == Quality::LowerBound {
        return Err(SubtractError::NotSure { subject: fact.subject.to_string(), column });
    }
    let mut rest = fact.clone();
    rest.value = match (fact.value, other.value) {
        (Some(whole), Some(part)) => {
            if part > whole {
                below.push((fact, whole, part));
            }
            Some(whole.saturating_sub(part))
        }
        _ => None,
    };
    rest.quality = rest.quality.and(other.quality.clone());
    rest.world = rest.world.max(other.world);
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::{SubtractError, subtract};
    use crate::example::{facts_of, function, ledger, program};
    use crate::{MergeError, Origin, Quality, merge};

    #[test]
    fn a_sum_less_one_part_is_the_other() {
        let main = function("main", 1, 2);
        let first = ledger(facts_of(&main, 1, 10, &[1, 0, 7]));
        let second = ledger(facts_of(&main, 2, 25, &[2, 5, 0]));
        let both = merge(&[first.clone(), second.clone()]).unwrap();
        assert_eq!(subtract(&both, &second).unwrap(), first);
        assert_eq!(subtract(&both, &first).unwrap(), second);
        let nothing = subtract(&first, &first).unwrap();
        assert!(nothing.facts().iter().all(|fact| fact.value == Some(0)));
        assert_eq!(nothing.about.runs, 1);
    }

    #[test]
    fn below_zero_is_refused_with_the_fact() {
        let error = subtract(&ledger(vec![program(3)]), &ledger(vec![program(5)])).unwrap_err().to_string();
        assert!(error.contains("instructions of the program is 3, and 5 is to be taken away"), "{error}");
        let error = subtract(&ledger(vec![]), &ledger(vec![program(5)])).unwrap_err();
        assert!(matches!(error, SubtractError::BelowZero { whole: 0, part: 5, others: 0, .. }), "{error}");
        assert!(subtract(&ledger(vec![]), &ledger(vec![program(0)])).is_ok());
    }

    #[test]
    fn what_is_not_sure_or_of_another_kind_is_refused() {
        let (whole, mut part) = (ledger(vec![program(9)]), program(4));
        part.quality = Quality::LowerBound;
        let error = subtract(&whole, &ledger(vec![part.clone()])).unwrap_err();
        assert!(matches!(error, SubtractError::NotSure { .. }), "{error}");
        // The other way round what remains is at least so much.
        let rest = subtract(&ledger(vec![part.clone()]), &ledger(vec![program(1)])).unwrap();
        assert_eq!((rest.facts()[0].value, &rest.facts()[0].quality), (Some(3), &Quality::LowerBound));
        (part.quality, part.origin) = (Quality::Estimate, Origin::Repaired);
        let error = subtract(&whole, &ledger(vec![part])).unwrap_err();
        assert!(matches!(error, SubtractError::Merge(MergeError::Ledger(_))), "{error}");
        let mut other = whole.clone();
        other.about.modules[0].map.0 = 8;
        assert!(subtract(&whole, &other).unwrap_err().to_string().contains("another build"));
    }
}
