//! What is asked of a value? That it is in a range, or how it stands to another.
//!
//! A goal is written for a solver where the value is used; what is known of it
//! there is looked at by this. Of two values the other is looked at first, so that
//! what is claimed of both together is noticed. That a value is no word at all
//! (poison) is a goal, too: unless it is said to be none where it is looked at.
//! Cost: that of looking at the values.

use opcost_ir::Value;

use crate::question::{ALWAYS, Question};
use crate::relation::{Goal, Relation, related};
use crate::terms::Operand;

/// What is wanted of a value that is used here.
pub(crate) fn goal_of_value(
    question: &mut Question<'_, '_>,
    value: Value,
    wanted_of: Goal<'_>,
) -> Option<String> {
    evaluate_base(question, wanted_of)?;
    let operand = question.value(value, ALWAYS)?;
    goal(question, &operand, wanted_of)
}

/// The other of two values comes first, so that distances from it are noticed.
pub(crate) fn evaluate_base(question: &mut Question<'_, '_>, wanted_of: Goal<'_>) -> Option<()> {
    match wanted_of {
        Goal::From(Relation { base, if_both: true, .. }) => question.value(base, ALWAYS).map(|_| ()),
        Goal::From(Relation { base, .. }) => question.word_of(base).map(|_| ()),
        Goal::Range(_) => Some(()),
    }
}

pub(crate) fn goal(
    question: &mut Question<'_, '_>,
    operand: &Operand,
    wanted_of: Goal<'_>,
) -> Option<String> {
    match wanted_of {
        Goal::Range(range) => {
            let is_counted = operand.base.is_none_or(|base| base.is_start);
            is_counted.then(|| range.conditions(&operand.term))
        }
        Goal::From(Relation { base, range, if_both, times }) => {
            let before = question.word_of(base)?;
            let apart = range.conditions(&related(times, operand, &before));
            // It is no poison where the value is none. A number never is.
            let is_number = matches!(base, Value::Constant(_));
            let guard = if if_both || is_number { ALWAYS.to_owned() } else { question.guard_of(base) };
            // Of addresses there are only distances.
            let is_meant = before.base == operand.base && (times == -1 || before.base.is_none());
            is_meant.then(|| format!("(and {apart} {guard})"))
        }
    }
}
