//! What is known of loops, as rows.
//!
//! Of each loop: how often it goes back and its body runs, exactly or at most, once it is entered;
//! in all turns of the loops around it; when it is entered. Formulas come with quoted names
//! ([`LoopFormulas`]), so that only one reading fits. A formula that is cut, or that does not
//! read, is not known, with the reason; so is all of which the analysis knows nothing.
//!
//! Input: answers, and what was given besides the code ([`given`]). Cost: the length of the
//! formulas. Limit: what is told of a loop of the source that the optimiser split into several
//! is in no row: such a loop has no header of its own.

use std::collections::BTreeSet;

use opcost_answer::loops::{EntryKind, LoopAnswer, LoopAnswers, LoopFormulas, LoopNumbers, LoopRest};
use opcost_profile::answers::{Formula, FormulaError, Operator};
use opcost_profile::{Answer, AnswerColumn, AnswerRow, AnswerState, Assumption, Certainty, Origin};

use super::subject::{RowSubject, location, world};

/// All that is known of the loops; every answer rests on what was `given` besides the code.
pub fn rows(answers: &LoopAnswers, given: &[Assumption]) -> Vec<AnswerRow> {
    let mut rows = Vec::new();
    for (position, answer) in answers.loops.iter().enumerate() {
        let written = answers.written.get(position).cloned().unwrap_or_default();
        let numbers = answers.numbers.get(position).copied().unwrap_or_default();
        let facts = LoopFacts { answer, written: &written, numbers };
        let thing = |rests: BTreeSet<Assumption>| RowSubject {
            key: &answer.key,
            location: location(answer.file.as_deref(), answer.line),
            rests: rests.into_iter().chain(given.iter().cloned()).collect(),
            origin: Origin::Predicted,
            world: world(&answers.world),
        };
        let counts = thing(written.rests.iter().map(|rest| assumption(answer, rest)).collect());
        rows.extend(facts.counts(&counts));
        let before = Assumption::Rule("calls before it return".into());
        rows.push(thing(BTreeSet::from([before])).row(AnswerColumn::EnteredIf, facts.entered()));
    }
    rows
}

/// What a user gave besides the code: numbers for names, and whether there is no input.
///
/// # Errors
/// A number cannot be written in a formula.
pub fn given(bindings: &[(String, i128)], defaults: bool) -> Result<Vec<Assumption>, FormulaError> {
    let is = |(name, number): &(String, i128)| {
        let condition = Formula::join(Formula::name(name), Operator::Equal, Formula::number(*number))?;
        Ok(Assumption::Condition(condition))
    };
    let mut all = bindings.iter().map(is).collect::<Result<Vec<_>, _>>()?;
    if defaults {
        all.push(Assumption::Rule(
            "there is no input: reads fail, and data holds what the program itself stores".into(),
        ));
    }
    Ok(all)
}

/// What is reported of one loop.
struct LoopFacts<'a> {
    answer: &'a LoopAnswer,
    written: &'a LoopFormulas,
    numbers: LoopNumbers,
}

impl LoopFacts<'_> {
    fn counts(&self, thing: &RowSubject<'_>) -> Vec<AnswerRow> {
        let LoopFacts { answer, written, numbers } = self;
        let unknown =
            || AnswerState::Nothing(answer.reason.as_deref().unwrap_or("nothing is known of it").into());
        let back_edges = match (&written.back_edges, numbers.bound) {
            (Some(text), _) => formula_of(text, Certainty::Exact),
            (None, Some(bound)) => AnswerState::Answer(Answer::Number(bound.into()), Certainty::UpperBound),
            (None, None) => unknown(),
        };
        let iterations = match (&written.body_iterations, &written.bound) {
            (Some(text), _) => formula_of(text, Certainty::Exact),
            (None, Some(text)) => formula_of(text, Certainty::UpperBound),
            (None, None) => unknown(),
        };
        let total = written.total.as_ref().map(|text| formula_of(text, Certainty::Exact));
        let all = [
            Some((AnswerColumn::BackEdges, back_edges)),
            Some((AnswerColumn::Iterations, iterations)),
            total.map(|total| (AnswerColumn::IterationsInAll, total)),
        ];
        all.into_iter().flatten().map(|(column, known)| thing.row(column, known)).collect()
    }

    /// When it is entered: 1 where it always is.
    fn entered(&self) -> AnswerState {
        let truth =
            |is_entered: u32| AnswerState::Answer(Answer::Number(is_entered.into()), Certainty::Exact);
        let condition = |certainty| match &self.written.entered {
            Some(text) => formula_of(text, certainty),
            None => AnswerState::Nothing("its condition is not known".into()),
        };
        match self.answer.entered_if.kind {
            EntryKind::Always => truth(1),
            EntryKind::Never => truth(0),
            EntryKind::If => condition(Certainty::Exact),
            // It may be false where the condition is true, and never the other way round.
            EntryKind::OnlyIf => condition(Certainty::UpperBound),
            EntryKind::Unknown => AnswerState::Nothing("when it is entered is not known".into()),
        }
    }
}

/// The formula of a text, a number where it is one.
fn formula_of(text: &str, certainty: Certainty) -> AnswerState {
    match text.parse::<Formula>() {
        Ok(formula) => {
            let number = formula.as_number().cloned().map(Answer::Number);
            AnswerState::Answer(number.unwrap_or(Answer::Formula(formula)), certainty)
        }
        Err(_) if text.contains('…') => {
            AnswerState::Nothing("its formula is too large to be written whole".into())
        }
        Err(error) => AnswerState::Nothing(format!("its formula cannot be kept: {error}").into()),
    }
}

fn assumption(answer: &LoopAnswer, rest: &LoopRest) -> Assumption {
    // Words that are no formula are kept as they are.
    let formula = |text: &str, of: fn(Formula) -> Assumption| match text.parse() {
        Ok(formula) => of(formula),
        Err(_) => Assumption::Rule(text.into()),
    };
    match rest {
        LoopRest::Promise(key, word) => Assumption::Promise(word.as_str().into(), key.clone()),
        LoopRest::Condition(text) => formula(text, Assumption::Condition),
        LoopRest::EndsIf(text) => formula(text, Assumption::EndsIf),
        LoopRest::Progress => Assumption::Progress(answer.key.clone()),
        LoopRest::NotLeft(key) => Assumption::NotLeft(key.clone()),
        LoopRest::Ieee => Assumption::Ieee,
        LoopRest::Rule(words) => Assumption::Rule(words.as_str().into()),
    }
}

#[cfg(test)]
mod tests {
    use opcost_profile::{AnswerState, Certainty};

    use super::{formula_of, given};

    #[test]
    fn what_is_cut_or_no_formula_is_not_known() {
        let text = |text: &str| match formula_of(text, Certainty::Exact) {
            AnswerState::Answer(answer, _) => Ok((answer.form().word(), answer.to_string())),
            AnswerState::Nothing(reason) => Err(reason.to_string()),
        };
        let ok = |form, text: &str| Ok((form, text.to_owned()));
        assert_eq!(text("-3"), ok("number", "-3"));
        assert_eq!(text("`argv[1] - 1` * 2"), ok("formula", "`argv[1] - 1`*2"));
        assert_eq!(text("`n` > 0 && `turn of line 3` < `n`"), ok("formula", "n > 0 && `turn of line 3` < n"));
        assert_eq!(text("`n` + …"), Err("its formula is too large to be written whole".to_owned()));
        assert!(text("n +").is_err() && text("`n` n").is_err());
        // A name may have the sign in it.
        assert_eq!(text("`a…b`"), ok("formula", "`a…b`"));
    }

    #[test]
    fn numbers_that_were_given_are_conditions() {
        let all = given(&[("grid(1)".to_owned(), -3)], true).unwrap();
        assert_eq!(all[0].words().as_deref(), Some("`grid(1)` == -3"));
        assert_eq!(all.len(), 2);
    }
}
