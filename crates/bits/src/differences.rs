//! How far are values of a loop from each other?
//!
//! Four kinds of pairs are claimed: phis inside of a turn and the one at its
//! head, as their ranges were found; counters and the bound that they have not
//! met yet, or at which they begin again; and counters at one head that are moved in step, of which the
//! difference stays as it began, or, if one rises while the other falls, what
//! both are together; and what is halved in each turn and the sum of what it was,
//! which together with twice what is left is never more than in the beginning.
//!
//! Nothing here need be true: the checker decides. Input: the ranges of a
//! function. Output: [`DifferenceClaim`]s. Cost: linear, but for phis of one
//! block, which are compared by pairs.

use opcost_analysis::propagation::Distance;
use opcost_certificate::{DifferenceClaim, RangeClaim, ValueName, Word};
use opcost_ir::{Opcode, Predicate, Type, Value};
use opcost_key::InstructionId;

use crate::claimed::{Claimant, MOST_GAIN, claim};

/// Counters at one head of which pairs are made.
const MOST_COUNTERS: usize = 8;
/// Values that carry a place in a ring.
const MOST_MEMBERS: usize = 16;

/// A phi, and by how much each way back moves it.
#[derive(Clone, Copy, Debug)]
struct Moved {
    phi: InstructionId,
    by: i128,
}

impl Claimant<'_> {
    /// Distances that are no sums.
    pub(crate) fn differences(&self) -> Vec<DifferenceClaim> {
        let one = |distance: &Distance| {
            let range = claim(self.range(distance.variable)?);
            let value = ValueName::of(Value::Instruction(distance.phi))?;
            let base = ValueName::of(Value::Instruction(distance.from))?;
            let range = RangeClaim { modulus: Word(0), rest: Word(0), set: None, ..range };
            (range.span.0 < u128::from(MOST_GAIN)).then_some(DifferenceClaim {
                value,
                base,
                range,
                times: -1,
                if_both: false,
            })
        };
        self.distances()
            .filter_map(one)
            .chain(self.below_bounds())
            .chain(self.in_step())
            .chain(self.halved())
            .collect()
    }

    /// Counters that are compared with a bound for (in)equality: they have not
    /// reached it. Such is what loops with `<` become.
    fn below_bounds(&self) -> Vec<DifferenceClaim> {
        let tests = self.function.instructions.iter().filter(|(_, one)| {
            matches!(one.predicate, Some(Predicate::Eq | Predicate::Ne)) && one.opcode == Opcode::ICmp
        });
        let of = |at: InstructionId| {
            let operands = self.function.operands_of(at);
            self.below_bound(operands).map_or_else(|| self.around(operands), |claim| vec![claim])
        };
        tests.flat_map(|(at, _)| of(at)).collect()
    }

    /// A place in a ring: one further, or at the bound back to the beginning. All that
    /// carry it on through loops and choices are below the bound.
    fn around(&self, operands: &[Value]) -> Vec<DifferenceClaim> {
        let &[Value::Instruction(counted), bound] = operands else { return Vec::new() };
        let Some(&Value::Instruction(phi)) = self.function.operands_of(counted).first() else {
            return Vec::new();
        };
        let opcode = |at: InstructionId| self.function.instructions[at].opcode;
        let of_bound = self.ranges.range(self.id, bound).and_then(|range| range.integer());
        let ends = of_bound.and_then(|range| range.signed_range()).filter(|&(least, _)| least > 0);
        let (Some((_, most)), Some(base), Some(width)) = (ends, ValueName::of(bound), self.number_width(phi))
        else {
            return Vec::new();
        };
        if opcode(phi) != Opcode::Phi || self.step(phi, operands[0]) != Some(1) {
            return Vec::new();
        }
        let range = RangeClaim::arc(width, most.wrapping_neg() as u128, most as u128 - 1);
        let (mut members, mut work) = (Vec::new(), vec![phi]);
        while let Some(at) = work.pop().filter(|_| members.len() < MOST_MEMBERS) {
            if members.contains(&at) {
                continue;
            }
            members.push(at);
            let operands = self.function.operands_of(at).iter();
            work.extend(operands.filter_map(|&operand| match operand {
                Value::Instruction(at) if matches!(opcode(at), Opcode::Phi | Opcode::Select) => Some(at),
                _ => None,
            }));
        }
        let one = |at: InstructionId| {
            let value = ValueName::of(Value::Instruction(at))?;
            let is_number = self.number_width(at) == Some(width);
            let range = range.clone();
            is_number.then_some(DifferenceClaim { value, base, range, times: -1, if_both: true })
        };
        members.into_iter().filter_map(one).collect()
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
        let range = RangeClaim::arc(width, low as u128, span);
        let is_said = !range.is_anything();
        let base = ValueName::of(bound)?;
        is_said.then_some(DifferenceClaim { value: counter.counter, base, range, times: -1, if_both: true })
    }

    /// Pairs of counters at one head that are moved in step.
    fn in_step(&self) -> Vec<DifferenceClaim> {
        let is_counter = |one: &Moved| one.by != 0 && self.number_width(one.phi).is_some();
        let phis = self.function.instructions.iter().filter(|(_, one)| one.opcode == Opcode::Phi);
        let counters =
            phis.filter_map(|(at, _)| Some(Moved { phi: at, by: self.moved_by(at)? })).filter(is_counter);
        let counters: Vec<Moved> = counters.collect();
        let mut found = Vec::new();
        for (at, &one) in counters.iter().enumerate() {
            let others = counters[at + 1..].iter().take(MOST_COUNTERS);
            let others =
                others.filter(|two| self.function.block_of(two.phi) == self.function.block_of(one.phi));
            found.extend(others.filter_map(|&two| self.pair(one, two)));
        }
        found
    }

    /// What is halved in each iteration and perhaps added to another phi: that and twice what is
    /// left never become more.
    fn halved(&self) -> Vec<DifferenceClaim> {
        let phis = || self.function.instructions.iter().filter(|(_, one)| one.opcode == Opcode::Phi);
        let is_halved = |at: InstructionId| {
            let mut list = self.function.operands_of(at).iter().step_by(2);
            list.any(|&value| self.least_shift(at, value).is_some_and(|(falls, places)| falls && places > 0))
        };
        let mut found = Vec::new();
        for (base, _) in phis().filter(|&(at, _)| is_halved(at)) {
            let others = phis().filter(|&(at, _)| self.function.block_of(at) == self.function.block_of(base));
            found.extend(others.filter_map(|(at, _)| self.with_twice(at, base)));
        }
        found
    }

    fn with_twice(&self, at: InstructionId, base: InstructionId) -> Option<DifferenceClaim> {
        let width = self.number_width(at).filter(|&width| self.number_width(base) == Some(width))?;
        let mut is_added = false;
        let (mut low, mut high) = (i128::MAX, i128::MIN);
        for pair in self.function.operands_of(at).chunks_exact(2) {
            let mut edges = self.function.operands_of(base).chunks_exact(2);
            let other = edges.find(|edge| edge[1] == pair[1])?[0];
            if self.least_shift(base, other).is_some() {
                is_added |= self.adds(pair[0], at, base);
                continue;
            }
            let (one, two) = (self.signed_ends(pair[0])?, self.signed_ends(other)?);
            (low, high) = (low.min(one.0), high.max(one.1 + 2 * two.1));
        }
        let span = u128::try_from(high.checked_sub(low)?).ok()?;
        let (value, base) =
            (ValueName::of(Value::Instruction(at))?, ValueName::of(Value::Instruction(base))?);
        let range = RangeClaim::arc(width, low as u128, span);
        let is_said = is_added && span < u128::from(MOST_GAIN) && !range.is_anything();
        is_said.then_some(DifferenceClaim { value, base, range, times: 2, if_both: true })
    }

    /// Whether a value is a phi with another one, or nothing, added.
    fn adds(&self, value: Value, phi: InstructionId, other: InstructionId) -> bool {
        let Value::Instruction(at) = value else { return false };
        let operands = self.function.operands_of(at);
        let is_other = |&value: &Value| match value {
            Value::Instruction(by) if by == other => true,
            Value::Instruction(by) if self.function.instructions[by].opcode == Opcode::Select => {
                self.function.operands_of(by).contains(&Value::Instruction(other))
            }
            _ => false,
        };
        self.function.instructions[at].opcode == Opcode::Add
            && operands.contains(&Value::Instruction(phi))
            && operands.iter().any(is_other)
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

    fn pair(&self, one: Moved, two: Moved) -> Option<DifferenceClaim> {
        let width = self.number_width(one.phi).filter(|&width| self.number_width(two.phi) == Some(width))?;
        let times = match () {
            () if one.by == two.by => -1,
            () if one.by == -two.by => 1,
            () => return None,
        };
        let (mut low, mut high) = (i128::MAX, i128::MIN);
        for pair in self.function.operands_of(one.phi).chunks_exact(2) {
            let mut edges = self.function.operands_of(two.phi).chunks_exact(2);
            let (first, second) = (pair[0], edges.find(|edge| edge[1] == pair[1])?[0]);
            if self.step(one.phi, first).is_some() && self.step(two.phi, second).is_some() {
                continue;
            }
            let (first, second) = (self.signed_ends(first)?, self.signed_ends(second)?);
            let (least, most) = match times {
                1 => (second.0 + first.0, second.1 + first.1),
                _ => (second.0 - first.1, second.1 - first.0),
            };
            (low, high) = (low.min(least), high.max(most));
        }
        let span = u128::try_from(high.checked_sub(low)?).ok()?;
        let range = RangeClaim::arc(width, low as u128, span);
        let is_said = span < u128::from(MOST_GAIN) && !range.is_anything();
        let name = |at: InstructionId| ValueName::of(Value::Instruction(at));
        let (value, base) = (name(two.phi)?, name(one.phi)?);
        is_said.then_some(DifferenceClaim { value, base, range, times, if_both: true })
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
