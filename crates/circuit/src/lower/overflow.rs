//! Does a sum, difference or product go over an end of its type? Operations with two results.
//!
//! clang makes them of `__builtin_add_overflow` and its like. The first result is the wrapped number.
//! The second is found from signs, from a comparison, or from the upper half of the product.
//!
//! Input: the operands. Output: both results. Cost: four products of half the width where words have
//! more than 64 bits. Source: H. S. Warren, Hacker's Delight, chapters 2 and 8.

use opcost_ir::Predicate;

use super::maker::Maker;
use crate::kernel::{Action, KernelOperand};

/// A number, and whether it is not the true one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overflowing {
    pub(crate) number: KernelOperand,
    pub(crate) is_over: KernelOperand,
}

impl Maker<'_, '_> {
    /// What an operation of this name gives; none where it is no such operation.
    pub(super) fn overflowing(
        &mut self,
        name: &str,
        left: KernelOperand,
        right: KernelOperand,
    ) -> Option<Overflowing> {
        let (number, is_over) = match name {
            "uadd.with.overflow" => {
                let sum = self.node(Action::Add, &[left, right]);
                (sum, self.compare(Predicate::Ult, sum, left))
            }
            "usub.with.overflow" => {
                (self.node(Action::Sub, &[left, right]), self.compare(Predicate::Ult, left, right))
            }
            "sadd.with.overflow" => self.with_sign(left, right, true),
            "ssub.with.overflow" => self.with_sign(left, right, false),
            "umul.with.overflow" | "smul.with.overflow" if self.bits > 64 && self.bits % 2 == 1 => {
                return None;
            }
            "umul.with.overflow" => {
                let product = self.node(Action::Mul, &[left, right]);
                let (upper, zero) = (self.upper_half(left, right), self.constant(0));
                (product, self.compare(Predicate::Ne, upper, zero))
            }
            "smul.with.overflow" => {
                let product = self.node(Action::Mul, &[left, right]);
                let upper = self.upper_half_with_sign(left, right);
                let sign = self.sign_of(product);
                (product, self.compare(Predicate::Ne, upper, sign))
            }
            _ => return None,
        };
        Some(Overflowing { number, is_over })
    }

    /// All ones of a number below zero, else none.
    fn sign_of(&mut self, value: KernelOperand) -> KernelOperand {
        let last = self.constant(u128::from(self.bits) - 1);
        self.node(Action::AShr, &[value, last])
    }

    /// The upper word of a product of two words, of at most 64 bits or of an even number of them.
    fn upper_half(&mut self, left: KernelOperand, right: KernelOperand) -> KernelOperand {
        let bits = self.bits;
        if bits <= 64 {
            let wide = |maker: &mut Self, value| {
                let action = Action::Extend { signed: false };
                KernelOperand::Node(maker.lowering.node(maker.block, action, vec![value], 2 * bits))
            };
            let operands = vec![wide(self, left), wide(self, right)];
            let product = self.lowering.node(self.block, Action::Mul, operands, 2 * bits);
            let by = KernelOperand::Constant { bits: 2 * bits, value: bits.into() };
            let upper = self.lowering.node(self.block, Action::LShr, vec![product.into(), by], 2 * bits);
            return KernelOperand::Node(self.lowering.node(
                self.block,
                Action::Truncate,
                vec![upper.into()],
                bits,
            ));
        }
        // Four products of halves. Each half has at most half the bits, so no sum of them wraps.
        let half = bits / 2;
        let (by, mask) = (self.constant(half.into()), self.constant((1 << half) - 1));
        let mut halves =
            |value| (self.node(Action::LShr, &[value, by]), self.node(Action::And, &[value, mask]));
        let ((left_high, left_low), (right_high, right_low)) = (halves(left), halves(right));
        let low = self.node(Action::Mul, &[left_low, right_low]);
        let carried = self.node(Action::LShr, &[low, by]);
        let first = self.node(Action::Mul, &[left_high, right_low]);
        let middle = self.node(Action::Add, &[first, carried]);
        let middle_low = self.node(Action::And, &[middle, mask]);
        let second = self.node(Action::Mul, &[left_low, right_high]);
        let second = self.node(Action::Add, &[second, middle_low]);
        let high = self.node(Action::Mul, &[left_high, right_high]);
        let from_middle = self.node(Action::LShr, &[middle, by]);
        let from_second = self.node(Action::LShr, &[second, by]);
        let high = self.node(Action::Add, &[high, from_middle]);
        self.node(Action::Add, &[high, from_second])
    }

    /// The upper word of a product of two words with sign.
    fn upper_half_with_sign(&mut self, left: KernelOperand, right: KernelOperand) -> KernelOperand {
        let upper = self.upper_half(left, right);
        let mut without = upper;
        for (sign, other) in [(left, right), (right, left)] {
            let sign = self.sign_of(sign);
            let less = self.node(Action::And, &[sign, other]);
            without = self.node(Action::Sub, &[without, less]);
        }
        without
    }
}
