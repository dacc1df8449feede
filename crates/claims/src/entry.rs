//! What becomes of a claim where its loop is not entered, or where what it assumes
//! does not hold?
//!
//! Where the condition of entering fails, the loop runs no turn, whatever its formula
//! says. Where a condition that the count rests on fails for the numbers that are
//! known or given, there is no count.
//! Cost: the tests.

use opcost_ir::{Type, Value};

use crate::claim::LoopClaim;
use crate::describer::LoopDescriber;
use opcost_analysis::evolution::{FlagPromise, FunctionEvolution, Otherwise, TripAssumption, TripCount};
use opcost_analysis::expression::{Facts, FormulaId, FormulaInterval, Symbol};
use opcost_answer::loops::{AnswerKind, EntryKind, LoopAnswer, LoopFormulas, LoopNumbers};
use opcost_graph::loops::LoopId;

impl LoopDescriber<'_> {
    /// A promise not to wrap that the count rests on and that the given numbers break, in the first
    /// iteration or the last.
    pub(super) fn broken_promise(
        &mut self,
        id: LoopId,
        trips: &TripCount,
        evolution: &mut FunctionEvolution<'_>,
    ) -> Option<String> {
        if self.bindings.given.is_empty() && self.bindings.words.is_empty() {
            return None;
        }
        let turns = trips.body_iterations.exact()?;
        let turns = self.settled(turns, &Facts::new());
        let last = self.formulas.as_constant(turns)? - 1;
        let function = self.scope.function();
        for assumption in &trips.assumptions {
            let TripAssumption::Promise(at, FlagPromise::NoSignedWrap) = *assumption else { continue };
            let Type::Integer(bits) = self.scope.program.module.types[function.instructions[at].ty] else {
                continue;
            };
            let values: Vec<FormulaId> = evolution
                .both_evolutions_of(&mut self.formulas, Value::Instruction(at), id)
                .map(|evolution| evolution.value)
                .collect();
            let Some(symbol) = self.formulas.find(&Symbol::Turn(id)) else { continue };
            // The exact value is that of the form that believes in flags.
            let Some(&value) = values.last() else { continue };
            for turn in [0, last.max(0)] {
                let turn = self.formulas.constant(turn);
                let value = self.formulas.replace(value, symbol, turn);
                let value = self.settled(value, &Facts::new());
                let FormulaInterval { low, high } = FormulaInterval::signed(bits);
                let number = self.formulas.as_constant(value);
                if last >= 0 && number.is_some_and(|number| !(low..=high).contains(&number)) {
                    return Some(format!("nsw of {}", self.names.instruction(at)));
                }
            }
        }
        None
    }

    /// The claim as it is for the numbers at hand. There are no iterations where the loop is never
    /// entered, and no count where something that it assumes does not hold.
    pub(super) fn as_entered(
        &mut self,
        claim: LoopClaim,
        trips: &TripCount,
        broken: Option<String>,
    ) -> LoopClaim {
        if claim.answer.entered_if.kind == EntryKind::Never {
            let none = || Some("0".to_owned());
            let LoopClaim { answer, .. } = claim.uncounted(None);
            let (kind, back_edges, body_iterations) = (AnswerKind::Constant, none(), none());
            return LoopClaim {
                answer: LoopAnswer { kind, back_edges, body_iterations, ..answer },
                numbers: LoopNumbers { exact: Some(0), bound: Some(0), total: None },
                written: LoopFormulas {
                    back_edges: none(),
                    body_iterations: none(),
                    ..LoopFormulas::default()
                },
            };
        }
        let failed = trips.assumptions.iter().find_map(|assumption| {
            let TripAssumption::Condition(test, otherwise) = *assumption else { return None };
            let of = self.settled(test.of, &Facts::new());
            let holds = test.relation.decide(self.formulas.range(of));
            (holds == Some(false)).then_some((test, otherwise))
        });
        let reason = match (failed, broken) {
            (Some((test, otherwise)), _) => {
                let text = self.formulas.test_text(test, &|symbol| self.names.of(symbol).name);
                match otherwise {
                    Otherwise::Endless => format!("it does not end: {text} does not hold"),
                    Otherwise::Differs => format!("its formula needs {text}, which does not hold"),
                }
            }
            (None, Some(promise)) => format!("its formula needs {promise}, which the given numbers break"),
            (None, None) => return claim,
        };
        let mut uncounted = claim.uncounted(Some(reason));
        // What is told of the source's loop is a count of this one, multiplied.
        uncounted.answer.vectorised.iter_mut().for_each(|whole| whole.source_iterations = None);
        uncounted.answer.unrolled.iter_mut().for_each(|whole| whole.source_iterations = None);
        uncounted
    }
}
