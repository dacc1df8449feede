//! How are operations made that are no single node?
//!
//! Funnel shifts, saturating sums, reversals and counts of bits, each of nodes of one width in one
//! block. Input: operands. Output: the node with the result. Cost: nodes in the logarithm of the
//! width, or in the width where that is no power of two. Source: H. S. Warren, Hacker's Delight,
//! chapters 2, 5 and 7.

use opcost_ir::Predicate;
use opcost_key::BlockId;

use super::Lowering;
use crate::kernel::{Action, KernelOperand, all_bits};

/// Adds nodes of one width to a block.
pub(super) struct Maker<'l, 'm> {
    pub(super) lowering: &'l mut Lowering<'m>,
    pub(super) block: BlockId,
    pub(super) bits: u32,
}

impl Maker<'_, '_> {
    pub(super) fn node(&mut self, action: Action, operands: &[KernelOperand]) -> KernelOperand {
        KernelOperand::Node(self.lowering.node(self.block, action, operands.to_vec(), self.bits))
    }

    pub(super) fn compare(
        &mut self,
        predicate: Predicate,
        left: KernelOperand,
        right: KernelOperand,
    ) -> KernelOperand {
        let action = Action::Compare(predicate);
        KernelOperand::Node(self.lowering.node(self.block, action, vec![left, right], 1))
    }

    pub(super) fn constant(&self, value: u128) -> KernelOperand {
        KernelOperand::Constant { bits: self.bits, value: value & all_bits(self.bits) }
    }

    /// Both words side by side, moved.
    pub(super) fn funnel(
        &mut self,
        high: KernelOperand,
        low: KernelOperand,
        by: KernelOperand,
        left: bool,
    ) -> KernelOperand {
        // A word of one bit is moved by no bit.
        if self.bits == 1 {
            return self.node(Action::Copy, &[if left { high } else { low }]);
        }
        let last = self.constant(u128::from(self.bits) - 1);
        let one = self.constant(1);
        let (by, rest) = match self.bits.is_power_of_two() {
            true => (self.node(Action::And, &[by, last]), self.node(Action::Xor, &[by, last])),
            false => {
                let bits = self.constant(self.bits.into());
                let by = self.node(Action::Rem { signed: false }, &[by, bits]);
                (by, self.node(Action::Sub, &[last, by]))
            }
        };
        let (first, second) = match left {
            true => {
                let half = self.node(Action::LShr, &[low, one]);
                (self.node(Action::Shl, &[high, by]), self.node(Action::LShr, &[half, rest]))
            }
            false => {
                let double = self.node(Action::Shl, &[high, one]);
                (self.node(Action::LShr, &[low, by]), self.node(Action::Shl, &[double, rest]))
            }
        };
        self.node(Action::Or, &[first, second])
    }

    /// A sum or difference with sign, and whether it went over an end. It did where its sign is neither
    /// that of the sum's parts, nor what the difference's parts allow.
    pub(super) fn with_sign(
        &mut self,
        left: KernelOperand,
        right: KernelOperand,
        adds: bool,
    ) -> (KernelOperand, KernelOperand) {
        let result = self.node(if adds { Action::Add } else { Action::Sub }, &[left, right]);
        let differs = self.node(Action::Xor, &[left, result]);
        let other = self.node(Action::Xor, &[right, if adds { result } else { left }]);
        let both = self.node(Action::And, &[differs, other]);
        let zero = self.constant(0);
        let is_over = self.compare(Predicate::Slt, both, zero);
        (result, is_over)
    }

    /// A sum or difference, with the sign, held at the ends of its type.
    pub(super) fn saturated(
        &mut self,
        left: KernelOperand,
        right: KernelOperand,
        adds: bool,
    ) -> KernelOperand {
        let (result, is_over) = self.with_sign(left, right, adds);
        let end = self.end_of(left);
        self.node(Action::Select, &[is_over, end, result])
    }

    /// The end of the type on the side of a number with sign.
    fn end_of(&mut self, value: KernelOperand) -> KernelOperand {
        let zero = self.constant(0);
        let (least, most) = (self.constant(1 << (self.bits - 1)), self.constant((1 << (self.bits - 1)) - 1));
        let is_negative = self.compare(Predicate::Slt, value, zero);
        self.node(Action::Select, &[is_negative, least, most])
    }

    /// A shift to the left that is held at the end where bits get lost.
    pub(super) fn shifted(&mut self, value: KernelOperand, by: KernelOperand, signed: bool) -> KernelOperand {
        let result = self.node(Action::Shl, &[value, by]);
        let back = self.node(if signed { Action::AShr } else { Action::LShr }, &[result, by]);
        let is_over = self.compare(Predicate::Ne, back, value);
        let end = if signed { self.end_of(value) } else { self.constant(u128::MAX) };
        self.node(Action::Select, &[is_over, end, result])
    }

    /// Minus one, zero or one.
    pub(super) fn three_ordered(
        &mut self,
        left: KernelOperand,
        right: KernelOperand,
        signed: bool,
    ) -> KernelOperand {
        let (less, greater) =
            if signed { (Predicate::Slt, Predicate::Sgt) } else { (Predicate::Ult, Predicate::Ugt) };
        let (is_less, is_greater) = (self.compare(less, left, right), self.compare(greater, left, right));
        let [below, same, above] = [u128::MAX, 0, 1].map(|value| self.constant(value));
        let rest = self.node(Action::Select, &[is_greater, above, same]);
        self.node(Action::Select, &[is_less, below, rest])
    }

    /// The bits of which each group of so many changes places with its neighbour.
    fn swapped(&mut self, value: KernelOperand, by: u32) -> KernelOperand {
        let (low, by) = (self.constant(groups(by)), self.constant(by.into()));
        let right = self.node(Action::LShr, &[value, by]);
        let right = self.node(Action::And, &[right, low]);
        let left = self.node(Action::And, &[value, low]);
        let left = self.node(Action::Shl, &[left, by]);
        self.node(Action::Or, &[left, right])
    }

    /// Groups of so many bits in the other order; their number is a power of two.
    pub(super) fn reversed(&mut self, value: KernelOperand, group: u32) -> KernelOperand {
        let mut value = self.node(Action::Copy, &[value]);
        // Words of 48 bits have three pairs of bytes.
        if !(self.bits / group).is_power_of_two() {
            return self.reversed_group_by_group(value, group);
        }
        let mut by = group;
        while by < self.bits {
            value = self.swapped(value, by);
            by *= 2;
        }
        value
    }

    pub(super) fn reversed_bit_by_bit(&mut self, value: KernelOperand) -> KernelOperand {
        self.reversed_group_by_group(value, 1)
    }

    fn reversed_group_by_group(&mut self, value: KernelOperand, group: u32) -> KernelOperand {
        let mask = self.constant((1 << group) - 1);
        let mut all = self.constant(0);
        for at in (0..self.bits).step_by(group as usize) {
            let (from, to) = (self.constant(at.into()), self.constant((self.bits - group - at).into()));
            let one = self.node(Action::LShr, &[value, from]);
            let one = self.node(Action::And, &[one, mask]);
            let one = self.node(Action::Shl, &[one, to]);
            all = self.node(Action::Or, &[all, one]);
        }
        all
    }

    /// How many bits are one: sums of neighbours, then of their sums.
    pub(super) fn population(&mut self, value: KernelOperand) -> KernelOperand {
        let mut sum = self.node(Action::Copy, &[value]);
        let mut by = 1;
        while by < self.bits {
            let (low, shift) = (self.constant(groups(by)), self.constant(by.into()));
            let even = self.node(Action::And, &[sum, low]);
            let odd = self.node(Action::LShr, &[sum, shift]);
            let odd = self.node(Action::And, &[odd, low]);
            sum = self.node(Action::Add, &[even, odd]);
            by *= 2;
        }
        sum
    }

    /// Ones fill what is below the first; what stays zero is counted.
    pub(super) fn leading_zeros(&mut self, value: KernelOperand) -> KernelOperand {
        let mut filled = self.node(Action::Copy, &[value]);
        let mut by = 1;
        while by < self.bits {
            let shift = self.constant(by.into());
            let below = self.node(Action::LShr, &[filled, shift]);
            filled = self.node(Action::Or, &[filled, below]);
            by *= 2;
        }
        let zeros = self.inverted(filled);
        self.population(zeros)
    }

    /// The bits below the last one are counted.
    pub(super) fn trailing_zeros(&mut self, value: KernelOperand) -> KernelOperand {
        let one = self.constant(1);
        let below = self.node(Action::Sub, &[value, one]);
        let others = self.inverted(value);
        let zeros = self.node(Action::And, &[below, others]);
        self.population(zeros)
    }

    fn inverted(&mut self, value: KernelOperand) -> KernelOperand {
        let ones = self.constant(u128::MAX);
        self.node(Action::Xor, &[value, ones])
    }
}

/// Ones in every second group of so many bits, from the lowest on.
fn groups(by: u32) -> u128 {
    (0..128u32).filter(|bit| (bit / by).is_multiple_of(2)).fold(0, |all, bit| all | 1 << bit)
}
