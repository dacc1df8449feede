//! Does what is claimed of a square follow from what is claimed of its root?
//!
//! A product of a value with itself is a square, if the value is the same word at
//! both uses: an undefined one may be two words. Then
//! - it lies between the squares of the least and the greatest distance of the
//!   root from zero, the root read without sign or with, as far as no promise
//!   forbids it (as `nsw` the number with sign must fit, as `nuw` the one without);
//! - its lowest bits follow from those of the root: of `r + 2^k·t`, where `r` are
//!   `k` known bits, the four remainders of `t` by four are tried;
//! - of a root of which all words are listed each one is squared.
//!
//! No solver is asked, for which squares are hard. Of arcs of types wider than 64
//! bits nothing is said. Cost: a few operations on numbers of 128 bits, or one for
//! each word that is listed.

use std::collections::BTreeSet;

use opcost_ir::{Flags, Opcode};
use opcost_key::{FunctionId, InstructionId};

use crate::checker::Checker;
use crate::intervals::{KnownInterval, holds, squared};
use crate::names::ValueName;
use crate::range::{RangeClaim, Word, mask, signed};
use crate::relation::Goal;
use crate::verdict::ClaimId;

impl Checker<'_> {
    /// Whether an instruction multiplies a word with itself.
    pub(crate) fn is_square(&self, id: FunctionId, at: InstructionId) -> bool {
        let function = &self.module.functions[id];
        let operands = function.operands_of(at);
        function.instructions[at].opcode == Opcode::Mul
            && operands[0] == operands[1]
            && !self.may_be_undefined(id, operands[0])
    }

    /// Whether the claims of its root are enough for a square.
    pub(crate) fn root_implies(
        &self,
        id: FunctionId,
        at: InstructionId,
        wanted_of: Goal<'_>,
        used: &mut BTreeSet<ClaimId>,
    ) -> bool {
        let Goal::Range(range) = wanted_of else { return false };
        if !self.is_square(id, at) {
            return false;
        }
        let function = &self.module.functions[id];
        let Some(root) = ValueName::of(function.operands_of(at)[0]) else { return false };
        let (rests_on, claims): (Vec<_>, Vec<_>) = self.claims_of(id, root).into_iter().unzip();
        let flags = match self.certificate.no_overflow {
            true => function.instructions[at].flags.with(Flags::NSW),
            false => function.instructions[at].flags,
        };
        let is_implied = imply(&claims, flags, range);
        if is_implied {
            used.extend(rests_on);
        }
        is_implied
    }
}

/// Whether the square of a word of all these claims must be what is claimed, if
/// it is not poison. `false`: perhaps.
fn imply(root: &[RangeClaim], flags: Flags, claim: &RangeClaim) -> bool {
    let width = claim.width;
    if let Some(words) = root.iter().find_map(|root| root.set.as_ref()) {
        let mut words = words.iter().filter(|word| root.iter().all(|root| root.contains(word.0)));
        return words.all(|word| square(word.0, width, flags).is_none_or(|square| claim.contains(square)));
    }
    let says_more = claim.set.is_some() || claim.modulus.0 > 1;
    let low = low_bits(width, root);
    if says_more || claim.ones.0 & !low.ones != 0 {
        return false;
    }
    let arc = RangeClaim { zeros: Word(0), ones: Word(0), ..claim.clone() };
    let left = claim.zeros.0 & !low.zeros;
    if arc.is_arc_full() && left == 0 {
        return true;
    }
    let Some(known) = KnownInterval::of(width, root) else { return false };
    let (all, half) = (mask(width) as i128, (mask(width) >> 1) as i128);
    let without = squared(known.unsigned, flags.has(Flags::NUW).then_some(all));
    let with = squared(known.signed, flags.has(Flags::NSW).then_some(half));
    [without, with].into_iter().flatten().any(|(low, high)| {
        let used = u128::MAX.checked_shr((high as u128).leading_zeros()).unwrap_or(0);
        high <= all && left & used == 0 && holds(&arc, (low, high))
    })
}

/// The square; none if a promise is broken.
fn square(word: u128, width: u32, flags: Flags) -> Option<u128> {
    let fits = |magnitude: u128, most: u128| magnitude.checked_mul(magnitude).is_some_and(|it| it <= most);
    let is_broken = flags.has(Flags::NUW) && !fits(word, mask(width))
        || flags.has(Flags::NSW) && !fits(signed(word, width).unsigned_abs(), mask(width) >> 1);
    (!is_broken).then_some(word.wrapping_mul(word) & mask(width))
}

/// Bits of a square that are known.
struct LowBits {
    zeros: u128,
    ones: u128,
}

fn low_bits(width: u32, root: &[RangeClaim]) -> LowBits {
    let zeros = root.iter().fold(0, |all, claim| all | claim.zeros.0);
    let ones = root.iter().fold(0, |all, claim| all | claim.ones.0);
    let known = (zeros | ones).trailing_ones().min(width);
    let rest = ones & mask_of(known);
    // (s + 2^(k+2)·u)² is s² but for multiples of 2^(k+3)·s and of 2^(2k+4).
    let factor = if rest == 0 { known } else { rest.trailing_zeros() };
    let certain = mask_of((known + 3 + factor).min(2 * known + 4).min(width));
    let step = 1u128.checked_shl(known).unwrap_or(0);
    let mut bits = LowBits { zeros: certain, ones: certain };
    for turn in 0..4 {
        let root = rest.wrapping_add(step.wrapping_mul(turn));
        let square = root.wrapping_mul(root);
        bits.zeros &= !square;
        bits.ones &= square;
    }
    bits
}

/// So many low bits.
fn mask_of(count: u32) -> u128 {
    1u128.checked_shl(count).map_or(u128::MAX, |power| power - 1)
}

#[cfg(test)]
mod tests {
    use opcost_ir::Flags;

    use super::{imply, low_bits};
    use crate::range::{RangeClaim, Word, mask};

    const FLAGS: [Flags; 3] = [Flags::NONE, Flags::NUW, Flags::NSW];

    /// The square of a word of so many bits, by its meaning; none if it is poison.
    fn squared(word: u128, width: u32, flags: Flags) -> Option<u128> {
        let size = 1i64 << width;
        let (plain, number) =
            (word as i64, if word as i64 >= size / 2 { word as i64 - size } else { word as i64 });
        let wraps = flags.has(Flags::NUW) && plain * plain >= size
            || flags.has(Flags::NSW) && number * number >= size / 2;
        (!wraps).then_some((plain * plain % size) as u128)
    }

    fn arcs(width: u32) -> impl Iterator<Item = RangeClaim> {
        let size = 1u128 << width;
        (0..size).flat_map(move |first| (0..size).map(move |span| RangeClaim::arc(width, first, span)))
    }

    /// Claims of known bits, with any arc of some.
    fn boxes(width: u32) -> Vec<RangeClaim> {
        let size = 1u128 << width;
        let pairs = (0..size).flat_map(|zeros| (0..size).map(move |ones| (zeros, ones)));
        let pairs = pairs.filter(|(zeros, ones)| zeros & ones == 0);
        pairs
            .map(|(zeros, ones)| RangeClaim {
                zeros: Word(zeros),
                ones: Word(ones),
                ..RangeClaim::anything(width)
            })
            .collect()
    }

    /// How many claims are implied, each of which must hold of every square.
    fn judge(width: u32, roots: &[RangeClaim], claims: &[RangeClaim]) -> [u32; 2] {
        let (mut implied, mut true_ones) = (0, 0);
        for root in roots {
            for flags in FLAGS {
                let words = (0..=mask(width)).filter(|&word| root.contains(word));
                let squares: Vec<u128> = words.filter_map(|word| squared(word, width, flags)).collect();
                for claim in claims {
                    let is_true = squares.iter().all(|&square| claim.contains(square));
                    let is_implied = imply(std::slice::from_ref(root), flags, claim);
                    assert!(is_true || !is_implied, "{root}, {flags:?}: {claim} of {squares:?}");
                    implied += u32::from(is_implied);
                    true_ones += u32::from(is_true);
                }
            }
        }
        [implied, true_ones]
    }

    #[test]
    fn what_a_root_implies_holds_for_every_square() {
        // What wraps is left to the solver.
        let arcs: Vec<RangeClaim> = arcs(4).collect();
        let [implied, true_ones] = judge(4, &arcs, &arcs);
        assert!(implied * 10 > true_ones * 4, "{implied} of {true_ones}");
        let boxes = boxes(4);
        let [implied, true_ones] = judge(4, &boxes, &boxes);
        assert!(implied * 10 > true_ones * 3, "{implied} of {true_ones}");
        let lists: Vec<RangeClaim> = (0..1u128 << 8)
            .map(|list| {
                let words = (0..8).filter(|word| list >> word & 1 == 1).map(Word).collect();
                RangeClaim { set: Some(words), ..RangeClaim::anything(3) }
            })
            .collect();
        let [implied, true_ones] = judge(3, &lists, &lists);
        assert_eq!(implied, true_ones);
    }

    /// No more is known of low bits than holds, and the second bit is always known.
    #[test]
    fn low_bits_of_squares() {
        for root in boxes(6) {
            let bits = low_bits(6, std::slice::from_ref(&root));
            for word in (0..64).filter(|&word| root.contains(word)) {
                let square = (word * word) & 63;
                assert_eq!((square & bits.zeros, !square & bits.ones), (0, 0), "{root}: {word}");
            }
            assert_eq!((bits.zeros | bits.ones) & 2, 2, "{root}");
        }
    }

    #[test]
    fn a_short_squared() {
        let short = [RangeClaim::arc(32, 0xffff_8000, 0xffff)];
        let claim = RangeClaim { zeros: Word(2), ..RangeClaim::arc(32, 0, 1 << 30) };
        assert!(imply(&short, Flags::NONE, &claim));
        assert!(!imply(&short, Flags::NONE, &RangeClaim::arc(32, 0, (1 << 30) - 1)));
        assert!(!imply(&short, Flags::NONE, &RangeClaim::arc(32, 1, 1 << 30)));
        // As a word it may wrap; with the promise it does not.
        let any = [RangeClaim::anything(32)];
        let positive = RangeClaim::arc(32, 0, (1 << 31) - 1);
        assert!(!imply(&any, Flags::NONE, &positive) && imply(&any, Flags::NSW, &positive));
        assert!(!imply(&any, Flags::NUW, &positive));
    }
}
