//! How far are values of a loop from each other?
//!
//! Three kinds of pairs are claimed: phis inside of a turn and the one at its
//! head, as their ranges were found; counters and the bound that they have not
//! met yet; and counters at one head that are moved in step, of which the
//! difference stays as it began, or, if one rises while the other falls, what
//! both are together.
//!
//! Nothing here need be true: the checker decides. Input: the ranges of a
//! function. Output: [`DifferenceClaim`]s. Cost: linear, but for phis of one
//! block, which are compared by pairs.

use opcost_analysis::propagation::Distance;
use opcost_certificate::{Claim, DifferenceClaim, ValueName, Word};
use opcost_ir::{Opcode, Predicate, Type, Value};
use opcost_key::InstructionId;

use crate::claimed::{Claimant, MOST_GAIN, claim};

/// Counters at one head of which pairs are made.
const MOST_COUNTERS: usize = 8;

impl Claimant<'_> {
    /// Distances that are no sums.
    pub(crate) fn differences(&self) -> Vec<DifferenceClaim> {
        let one = |distance: &Distance| {
            let range = claim(self.range(distance.variable)?);
            let value = ValueName::of(Value::Instruction(distance.phi))?;
            let base = ValueName::of(Value::Instruction(distance.from))?;
            let range = Claim { modulus: Word(0), rest: Word(0), set: None, ..range };
            (range.span.0 < u128::from(MOST_GAIN)).then_some(DifferenceClaim {
                value,
                base,
                range,
                is_total: false,
                if_both: false,
            })
        };
        self.distances().filter_map(one).chain(self.below_bounds()).chain(self.in_step()).collect()
    }

    /// Counters that are compared with a bound for (in)equality: they have not
    /// reached it. Such is what loops with `<` become.
    fn below_bounds(&self) -> Vec<DifferenceClaim> {
        let tests = self.function.instructions.iter().filter(|(_, one)| {
            matches!(one.predicate, Some(Predicate::Eq | Predicate::Ne)) && one.opcode == Opcode::ICmp
        });
        tests.filter_map(|(at, _)| self.below_bound(self.function.operands_of(at))).collect()
    }

    fn below_bound(&self, operands: &[Value]) -> Option<DifferenceClaim> {
        let &[Value::Instruction(counted), bound] = operands else { return None };
        // The counter of this turn, or of the next.
        let is_phi = |at: InstructionId| self.function.instructions[at].opcode == Opcode::Phi;
        let phi = match self.function.operands_of(counted).first() {
            _ if is_phi(counted) => counted,
            Some(&Value::Instruction(phi)) if is_phi(phi) => phi,
            _ => return None,
        };
        let counter = self.counter(phi)?;
        let of = |value: Value| self.ranges.range(self.id, value)?.integer()?.signed_range();
        let ((low, high), (least, most)) = (of(Value::Instruction(phi))?, of(bound)?);
        let step = i128::from(counter.step);
        let (low, high) = match counter.falls {
            false => (low.checked_sub(most)?, -step),
            true => (step, high.checked_sub(least)?),
        };
        let span = u128::try_from(high.checked_sub(low)?).ok()?;
        let width = self.ranges.range(self.id, bound)?.integer()?.type_width();
        let range = Claim::arc(width, low as u128, span);
        let is_said = !range.is_anything();
        let base = ValueName::of(bound)?;
        is_said.then_some(DifferenceClaim {
            value: counter.counter,
            base,
            range,
            is_total: false,
            if_both: true,
        })
    }

    /// Pairs of counters at one head that are moved in step.
    fn in_step(&self) -> Vec<DifferenceClaim> {
        let is_counter = |&(at, moved): &(InstructionId, i128)| moved != 0 && self.number_width(at).is_some();
        let phis = self.function.instructions.iter().filter(|(_, one)| one.opcode == Opcode::Phi);
        let counters = phis.filter_map(|(at, _)| Some((at, self.moved_by(at)?))).filter(is_counter);
        let counters: Vec<(InstructionId, i128)> = counters.collect();
        let mut found = Vec::new();
        for (at, &one) in counters.iter().enumerate() {
            let others = counters[at + 1..].iter().take(MOST_COUNTERS);
            let others = others.filter(|two| self.function.block_of(two.0) == self.function.block_of(one.0));
            found.extend(others.filter_map(|&two| self.pair(one, two)));
        }
        found
    }

    fn number_width(&self, at: InstructionId) -> Option<u32> {
        match self.program.module.types[self.function.instructions[at].ty] {
            Type::Integer(width @ 1..=64) => Some(width),
            _ => None,
        }
    }

    /// By which constant a phi is moved on every way back, if it is the same on all.
    fn moved_by(&self, phi: InstructionId) -> Option<i128> {
        let values = self.function.operands_of(phi).iter().step_by(2);
        let steps: Vec<i128> = values.filter_map(|&value| self.step(phi, value)).collect();
        steps.first().copied().filter(|first| steps.iter().all(|step| step == first))
    }

    fn pair(&self, one: (InstructionId, i128), two: (InstructionId, i128)) -> Option<DifferenceClaim> {
        let width = self.number_width(one.0).filter(|&width| self.number_width(two.0) == Some(width))?;
        let is_total = match () {
            () if one.1 == two.1 => false,
            () if one.1 == -two.1 => true,
            () => return None,
        };
        let (mut low, mut high) = (i128::MAX, i128::MIN);
        for pair in self.function.operands_of(one.0).chunks_exact(2) {
            let mut edges = self.function.operands_of(two.0).chunks_exact(2);
            let (first, second) = (pair[0], edges.find(|edge| edge[1] == pair[1])?[0]);
            if self.step(one.0, first).is_some() && self.step(two.0, second).is_some() {
                continue;
            }
            let (first, second) = (self.signed_ends(first)?, self.signed_ends(second)?);
            let (least, most) = match is_total {
                true => (second.0 + first.0, second.1 + first.1),
                false => (second.0 - first.1, second.1 - first.0),
            };
            (low, high) = (low.min(least), high.max(most));
        }
        let span = u128::try_from(high.checked_sub(low)?).ok()?;
        let range = Claim::arc(width, low as u128, span);
        let is_said = span < u128::from(MOST_GAIN) && !range.is_anything();
        let name = |at: InstructionId| ValueName::of(Value::Instruction(at));
        let (value, base) = (name(two.0)?, name(one.0)?);
        is_said.then_some(DifferenceClaim { value, base, range, is_total, if_both: true })
    }

    /// Between which numbers with sign a value is.
    fn signed_ends(&self, value: Value) -> Option<(i128, i128)> {
        if let Value::Constant(id) = value {
            let number = self.constant(id)?.1;
            return Some((number, number));
        }
        self.ranges.range(self.id, value)?.integer()?.signed_range()
    }
}
