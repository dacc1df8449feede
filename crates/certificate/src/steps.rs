//! Does what is claimed of a value follow from what it is computed from?
//!
//! A phi takes a value on each edge, a parameter one from each call, a load what
//! lies there, a call what its function returns; all else is computed from its
//! operands. Each case is one question: what is known at that moment, and the
//! claim denied. Functions into which control may return a second time
//! (`setjmp`) are refused: values need not be the last ones there.

use std::collections::BTreeSet;

use opcost_ir::{CalleeRef, Opcode, Value};
use opcost_key::{FunctionId, InstructionId};

use crate::checker::Checker;
use crate::goals::{evaluate_base, goal, goal_of_value};
use crate::intervals::{self, KnownInterval};
use crate::names::ValueName;
use crate::question::ALWAYS;
use crate::range::RangeClaim;
use crate::relation::Goal;
use crate::shape::word;
use crate::value_facts::integer_width;
use crate::verdict::{ClaimId, SolverVerdict, fails, refused};

/// A word of which all that is known are claims.
#[derive(Clone, Copy)]
pub(crate) struct Word<'w> {
    pub(crate) claimed_ranges: &'w [&'w RangeClaim],
    /// What to call it.
    pub(crate) what: &'w str,
}

impl<'c> Checker<'c> {
    pub(crate) fn check_value(&self, place: usize, at: usize, used: &mut BTreeSet<ClaimId>) -> SolverVerdict {
        let claim = &self.claims(place).values[at];
        let (function, value) = (self.functions[place], claim.value.value());
        if claim.range.is_anything() {
            return SolverVerdict::Holds;
        }
        match self.value_follows(function, value, Goal::Range(&claim.range), used) {
            SolverVerdict::Holds => SolverVerdict::Holds,
            verdict => match (self.hindsight_shows(function, value, &claim.range, used), verdict) {
                (SolverVerdict::Holds, _) => SolverVerdict::Holds,
                // What follows may show less.
                (SolverVerdict::Fails { .. }, SolverVerdict::Refused { what }) => fails(&what),
                (_, verdict) => verdict,
            },
        }
    }

    pub(crate) fn check_returned(&self, place: usize, used: &mut BTreeSet<ClaimId>) -> SolverVerdict {
        let Some(range) = &self.claims(place).returned else { return SolverVerdict::Holds };
        if range.is_anything() {
            return SolverVerdict::Holds;
        }
        let id = self.functions[place];
        let function = &self.module.functions[id];
        if self.comes_again(id) {
            return refused("control may return a second time");
        }
        for (at, instruction) in function.instructions.iter() {
            let block = self.shapes[id].block_of[at];
            if instruction.opcode != Opcode::Ret || !self.shapes[id].is_reached(block) {
                continue;
            }
            let Some(&value) = function.operands_of(at).first() else { continue };
            if self.is_within(id, value, Goal::Range(range), used) {
                continue;
            }
            let verdict = self.follows(id, &format!("what {at} returns"), used, |question| {
                question.at_block(block);
                goal_of_value(question, value, Goal::Range(range))
            });
            if verdict != SolverVerdict::Holds {
                return verdict;
            }
        }
        SolverVerdict::Holds
    }

    pub(crate) fn value_follows(
        &self,
        id: FunctionId,
        value: Value,
        wanted_of: Goal<'_>,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        if self.comes_again(id) {
            return refused("control may return a second time");
        }
        if let Some(verdict) = self.is_given(id, value, wanted_of, used) {
            return verdict;
        }
        let at = match value {
            Value::Argument(position) => return self.argument_follows(id, position, wanted_of, used),
            Value::Instruction(at) => at,
            _ => return refused("it is no value"),
        };
        let block = self.shapes[id].block_of[at];
        if !self.shapes[id].is_reached(block) {
            return SolverVerdict::Holds;
        }
        let function = &self.module.functions[id];
        match function.instructions[at].opcode {
            Opcode::Phi => self.phi_follows(id, at, wanted_of, used),
            Opcode::Load => self.load_follows(id, at, wanted_of, used),
            Opcode::Call | Opcode::Invoke
                if matches!(function.call(at).map(|call| call.callee), Some(CalleeRef::Function(_))) =>
            {
                self.result_follows(id, at, wanted_of, used)
            }
            // Another word each time that it is used: only as far as each use goes.
            Opcode::Freeze if self.may_be_undefined(id, function.operands_of(at)[0]) => {
                refused("it is a freeze of what may be undefined")
            }
            _ if self.ends_imply(id, at, wanted_of, used) => SolverVerdict::Holds,
            _ if self.root_implies(id, at, wanted_of, used) => SolverVerdict::Holds,
            _ if self.low_bits_imply(id, at, wanted_of, used) => SolverVerdict::Holds,
            _ => self.follows(id, &format!("{at}"), used, |question| {
                question.at_block(block);
                evaluate_base(question, wanted_of)?;
                let operand = question.computed(value)?;
                goal(question, &operand, wanted_of)
            }),
        }
    }

    /// Whether the ends of the operands' ranges are enough.
    fn ends_imply(
        &self,
        id: FunctionId,
        at: InstructionId,
        wanted_of: Goal<'_>,
        used: &mut BTreeSet<ClaimId>,
    ) -> bool {
        let Goal::Range(range) = wanted_of else { return false };
        let mut rests_on = Vec::new();
        let function = &self.module.functions[id];
        let known = |value: &Value| self.ends(id, *value, &mut rests_on);
        let operands: Option<Vec<KnownInterval>> = function.operands_of(at).iter().map(known).collect();
        let is_implied = operands
            .is_some_and(|operands| intervals::imply(function.instructions[at].opcode, &operands, range));
        if is_implied {
            used.extend(rests_on);
        }
        is_implied
    }

    /// Whether what is claimed of a value is enough wherever it is used.
    pub(crate) fn is_within(
        &self,
        id: FunctionId,
        value: Value,
        wanted_of: Goal<'_>,
        used: &mut BTreeSet<ClaimId>,
    ) -> bool {
        let Goal::Range(range) = wanted_of else { return false };
        if let Some(word) = word(self.module, value) {
            return !self.is_pointer(id, value) && range.contains(word);
        }
        let mut rests_on = Vec::new();
        let known = self.ends(id, value, &mut rests_on);
        let is_within = known.is_some_and(|known| known.is_in(range));
        if is_within {
            used.extend(rests_on);
        }
        is_within
    }

    /// The ends between which a value is claimed to be.
    pub(crate) fn ends(
        &self,
        id: FunctionId,
        value: Value,
        rests_on: &mut Vec<ClaimId>,
    ) -> Option<KnownInterval> {
        let width = integer_width(self.module, self.type_of(id, value)?)?;
        if let Value::Constant(_) = value {
            return KnownInterval::constant(width, word(self.module, value)?);
        }
        let (ids, claims): (Vec<_>, Vec<_>) = self.claims_of(id, ValueName::of(value)?).into_iter().unzip();
        rests_on.extend(ids);
        KnownInterval::of(width, &claims)
    }

    /// What is given of a value.
    fn given_of(&self, id: FunctionId, value: Value) -> Vec<(ClaimId, RangeClaim)> {
        let claims = ValueName::of(value).map(|name| self.claims_of(id, name)).unwrap_or_default();
        claims.into_iter().filter(|(claim, _)| matches!(claim, ClaimId::Given(..))).collect()
    }

    /// What is given holds; whether that is all that is claimed.
    fn is_given(
        &self,
        id: FunctionId,
        value: Value,
        wanted_of: Goal<'_>,
        used: &mut BTreeSet<ClaimId>,
    ) -> Option<SolverVerdict> {
        let Goal::Range(range) = wanted_of else { return None };
        let given = self.given_of(id, value);
        if given.is_empty() {
            return None;
        }
        let known: Vec<&RangeClaim> = given.iter().map(|(_, claim)| claim).collect();
        let verdict =
            self.words_imply(id, Word { claimed_ranges: &known, what: "what is given" }, range, used);
        (verdict == SolverVerdict::Holds).then_some(verdict)
    }

    fn phi_follows(
        &self,
        id: FunctionId,
        phi: InstructionId,
        wanted_of: Goal<'_>,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        let function = &self.module.functions[id];
        let to = self.shapes[id].block_of[phi];
        let all = ValueName::of(Value::Instruction(phi)).map(|name| self.claims_of(id, name));
        let is_sum = |(claim, _): &(ClaimId, RangeClaim)| matches!(claim, ClaimId::Sum(..));
        let sums: Vec<(ClaimId, RangeClaim)> = all.into_iter().flatten().filter(is_sum).collect();
        for pair in function.operands_of(phi).chunks_exact(2) {
            let (value, Value::Block(from)) = (pair[0], pair[1]) else {
                return refused("a phi without blocks");
            };
            if !self.shapes[id].is_reached(from) || self.is_within(id, value, wanted_of, used) {
                continue;
            }
            let Some(wanted_of) = self.at_the_same_time(id, phi, from, wanted_of) else {
                return refused("the other value is no word there");
            };
            let verdict = self.follows(id, &format!("{phi} when it comes from {from}"), used, |question| {
                question.on_edge(from, to);
                let goal = goal_of_value(question, value, wanted_of)?;
                // What it now is has been added up.
                if let (Goal::Range(_), Some(now)) = (wanted_of, question.word_of(value)) {
                    for (sum, range) in &sums {
                        question.assume(&range.conditions(&now.term));
                        question.used.insert(*sum);
                    }
                }
                Some(goal)
            });
            if verdict != SolverVerdict::Holds {
                return verdict;
            }
        }
        SolverVerdict::Holds
    }

    fn argument_follows(
        &self,
        id: FunctionId,
        position: u32,
        wanted_of: Goal<'_>,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        let Goal::Range(range) = wanted_of else { return refused("parameters are unrelated") };
        let given = self.given_of(id, Value::Argument(position));
        if !self.origins.is_called_here_only[id] {
            let what = "anyone may call it with anything";
            // Less than this may be what is given.
            return if given.is_empty() { refused(what) } else { fails(what) };
        }
        let facts = self.module.functions[id].parameter_facts.get(position as usize);
        if facts.is_some_and(|facts| facts.byval.is_some()) {
            return refused("it points to a copy");
        }
        used.extend(given.iter().map(|(claim, _)| *claim));
        for (caller, call) in self.calls_of(id) {
            let function = &self.module.functions[caller];
            let block = self.shapes[caller].block_of[call];
            if !self.shapes[caller].is_reached(block) {
                continue;
            }
            let Some(&value) = function.arguments_of(call).get(position as usize) else {
                return fails("a call gives it nothing");
            };
            if self.type_of(caller, value) != self.type_of(id, Value::Argument(position)) {
                return fails("a call gives it something of another type");
            }
            if self.is_within(caller, value, Goal::Range(range), used) {
                continue;
            }
            if self.comes_again(caller) {
                return fails("control may return a second time into a caller");
            }
            let what = format!("what {}:{call} gives", function.name);
            let verdict = self.follows(caller, &what, used, |question| {
                question.at_block(block);
                // The call keeps what is given.
                let word = question.value(value, ALWAYS)?.term;
                given.iter().for_each(|(_, claim)| question.assume(&claim.conditions(&word)));
                goal_of_value(question, value, Goal::Range(range))
            });
            if verdict != SolverVerdict::Holds {
                return verdict;
            }
        }
        SolverVerdict::Holds
    }

    fn result_follows(
        &self,
        id: FunctionId,
        at: InstructionId,
        wanted_of: Goal<'_>,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        let Goal::Range(range) = wanted_of else { return refused("results are unrelated") };
        let Some(CalleeRef::Function(callee)) = self.module.functions[id].call(at).map(|call| call.callee)
        else {
            return refused("nobody knows who is called");
        };
        let returned =
            self.place(callee).and_then(|place| Some((place, self.claims(place).returned.as_ref()?)));
        let Some((place, returned)) = returned.filter(|_| self.origins.is_final(callee)) else {
            return refused("nothing is claimed of what is returned");
        };
        if returned.width != range.width || self.is_pointer(id, Value::Instruction(at)) {
            return refused("what is returned is of another type");
        }
        used.insert(ClaimId::Returned(place));
        self.words_imply(
            id,
            Word { claimed_ranges: &[returned], what: &format!("the result of {at}") },
            range,
            used,
        )
    }

    /// Whether all that is claimed of a word says what is wanted of it.
    pub(crate) fn words_imply(
        &self,
        id: FunctionId,
        word: Word<'_>,
        wanted_of: &RangeClaim,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        let Word { claimed_ranges: known, what } = word;
        if known.contains(&wanted_of) {
            return SolverVerdict::Holds;
        }
        self.follows(id, what, used, |question| {
            question.text.push_str(&format!("(declare-const word (_ BitVec {}))\n", wanted_of.width));
            known.iter().for_each(|claim| question.assume(&claim.conditions("word")));
            Some(wanted_of.conditions("word"))
        })
    }
}
