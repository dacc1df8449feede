//! When is a loop entered, and what becomes of a claim where it is not, or where
//! what it assumes does not hold?
//!
//! The condition of [`Entered`] with the numbers put in that are known or given.
//! Where it fails, the loop runs no turn, whatever its formula says. Where a
//! condition that the count rests on fails for these numbers, there is no count.
//! Cost: the tests.

use opcost_ir::{Type, Value};

use super::{Kind, LoopClaim, Numbers, Teller};
use crate::evolution::{Assumption, Entered, FunctionEvolution, Otherwise, Promise, TripCount};
use crate::expression::{Facts, FormulaId, Interval, Symbol, Test};
use opcost_graph::loops::LoopId;

/// How well it is known when a loop is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// Whenever its function is, or the turn around it begins.
    Always,
    /// Exactly where the condition holds.
    If,
    /// Only where the condition holds, and perhaps not always then.
    OnlyIf,
    /// It is never entered.
    Never,
    /// That cannot be told.
    Unknown,
}

/// When a loop is entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryClaim {
    /// How well that is known.
    pub kind: EntryKind,
    /// The condition, over the names of the claim.
    pub condition: Option<String>,
}

impl EntryClaim {
    /// Nothing is known of it.
    pub fn unknown() -> EntryClaim {
        EntryClaim { kind: EntryKind::Unknown, condition: None }
    }
}

impl Teller<'_> {
    /// The condition with the numbers that are known or given put in.
    pub(super) fn entry(&mut self, entered: &Entered) -> EntryClaim {
        let settled = entered.decided(&mut |test| {
            let of = self.settled(test.of, &Facts::new());
            let test = Test { of, ..test };
            let range = self.formulas.range(of);
            test.relation.decide(range).ok_or(test)
        });
        let (necessary, is_whole) = settled.necessary();
        let kind = match (&necessary, is_whole) {
            (Entered::Never, _) => EntryKind::Never,
            (Entered::Always, true) => EntryKind::Always,
            (Entered::Always, false) => EntryKind::Unknown,
            (_, true) => EntryKind::If,
            (_, false) => EntryKind::OnlyIf,
        };
        let is_told = matches!(kind, EntryKind::If | EntryKind::OnlyIf);
        EntryClaim { kind, condition: is_told.then(|| self.condition_text(&necessary, false)) }
    }

    /// A promise not to wrap that the count rests on and that the given numbers
    /// break, in the first turn or the last.
    pub(super) fn broken_promise(
        &mut self,
        id: LoopId,
        trips: &TripCount,
        evolution: &mut FunctionEvolution<'_>,
    ) -> Option<String> {
        if self.bindings.given.is_empty() {
            return None;
        }
        let turns = trips.body_iterations.exact()?;
        let turns = self.settled(turns, &Facts::new());
        let last = self.formulas.as_constant(turns)? - 1;
        let function = &self.program.module.functions[self.id];
        for assumption in &trips.assumptions {
            let Assumption::Promise(at, Promise::NoSignedWrap) = *assumption else { continue };
            let Type::Integer(bits) = self.program.module.types[function.instructions[at].ty] else {
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
                let Interval { low, high } = Interval::signed(bits);
                let number = self.formulas.as_constant(value);
                if last >= 0 && number.is_some_and(|number| !(low..=high).contains(&number)) {
                    return Some(format!("nsw of {}", self.names.instruction(at)));
                }
            }
        }
        None
    }

    fn condition_text(&self, entered: &Entered, is_part: bool) -> String {
        let (parts, word) = match entered {
            Entered::If(test) => {
                return self.formulas.test_text(*test, &|symbol| self.names.of(symbol).name);
            }
            Entered::All(parts) => (parts, " && "),
            Entered::Any(parts) => (parts, " || "),
            Entered::Always | Entered::Unknown => return "true".to_owned(),
            Entered::Never => return "false".to_owned(),
        };
        let parts: Vec<String> = parts.iter().map(|part| self.condition_text(part, true)).collect();
        let text = parts.join(word);
        if is_part { format!("({text})") } else { text }
    }

    /// The claim as it is for the numbers at hand: no turns where the loop is
    /// never entered, no count where something that it assumes does not hold.
    pub(super) fn as_entered(
        &mut self,
        claim: LoopClaim,
        trips: &TripCount,
        broken: Option<String>,
    ) -> LoopClaim {
        if claim.entered.kind == EntryKind::Never {
            let none = || Some("0".to_owned());
            return LoopClaim {
                kind: Kind::Constant,
                back_edges: none(),
                body_iterations: none(),
                numbers: Numbers { exact: Some(0), bound: Some(0), total: None },
                ..claim.uncounted(None)
            };
        }
        let failed = trips.assumptions.iter().find_map(|assumption| {
            let Assumption::Condition(test, otherwise) = *assumption else { return None };
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
        uncounted.vectorised.iter_mut().for_each(|whole| whole.source_iterations = None);
        uncounted.unrolled.iter_mut().for_each(|whole| whole.source_iterations = None);
        uncounted
    }
}
