//! Does a claim follow from the ends of two ranges?
//!
//! Most claims do: then no solver is asked. Operands are taken as numbers between
//! two ends, once without sign and once with; if no result between the ends that
//! follow leaves the type, the claim must hold all of them. Of types wider than
//! 64 bits nothing is said. Cost: a few operations on numbers of 128 bits.

use opcost_ir::Opcode;

use crate::range::{RangeClaim, mask, signed};

/// Numbers from one to another.
pub(crate) type Ends = (i128, i128);

/// What is known of an operand: its ends without sign and with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownInterval {
    pub(crate) unsigned: Ends,
    pub(crate) signed: Ends,
    width: u32,
}

impl KnownInterval {
    /// From all that is claimed of it; none if it is wider than 64 bits, or the
    /// claims leave nothing.
    pub(crate) fn of(width: u32, claims: &[RangeClaim]) -> Option<KnownInterval> {
        if width > 64 {
            return None;
        }
        let half = 1i128 << (width - 1);
        let mut known = KnownInterval { unsigned: (0, 2 * half - 1), signed: (-half, half - 1), width };
        for claim in claims {
            known.meet(unsigned_ends(claim), signed_ends(claim));
            if let Some(set) = &claim.set {
                let words = || set.iter().map(|word| word.0);
                let numbers = || words().map(|word| signed(word, width));
                known.meet(
                    (words().min()? as i128, words().max()? as i128),
                    (numbers().min()?, numbers().max()?),
                );
            }
        }
        // Between ends that contradict each other there is nothing to compute with.
        let is_empty = |(low, high): Ends| low > high;
        (!is_empty(known.unsigned) && !is_empty(known.signed)).then_some(known)
    }

    fn meet(&mut self, unsigned: Ends, signed: Ends) {
        self.unsigned = (self.unsigned.0.max(unsigned.0), self.unsigned.1.min(unsigned.1));
        self.signed = (self.signed.0.max(signed.0), self.signed.1.min(signed.1));
    }

    /// Whether the claim holds all between the ends.
    pub(crate) fn is_in(&self, claim: &RangeClaim) -> bool {
        let says_little = claim.set.is_none() && claim.ones.0 == 0 && claim.modulus.0 <= 1;
        says_little && (holds(claim, self.unsigned) || holds(claim, self.signed))
    }

    /// The ends that a word has that is a constant.
    pub(crate) fn constant(width: u32, word: u128) -> Option<KnownInterval> {
        KnownInterval::of(width, &[RangeClaim::arc(width, word, 0)])
    }
}

fn unsigned_ends(claim: &RangeClaim) -> Ends {
    let (first, last) = (claim.first.0, claim.first.0 + claim.span.0);
    let most = mask(claim.width);
    let open = !claim.zeros.0 & most;
    match last <= most {
        true => (first as i128, last.min(open) as i128),
        false => (0, open as i128),
    }
}

fn signed_ends(claim: &RangeClaim) -> Ends {
    let first = signed(claim.first.0, claim.width);
    let (least, most) = (-(1i128 << (claim.width - 1)), (1i128 << (claim.width - 1)) - 1);
    match i128::try_from(claim.span.0).ok().and_then(|span| first.checked_add(span)) {
        Some(last) if last <= most => (first, last),
        _ => (least, most),
    }
}

/// Whether what an operation gives must be what is claimed. `false`: perhaps.
pub(crate) fn imply(opcode: Opcode, operands: &[KnownInterval], claim: &RangeClaim) -> bool {
    if claim.width > 64 || claim.set.is_some() || claim.ones.0 != 0 || claim.modulus.0 > 1 {
        return false;
    }
    let all = mask(claim.width) as i128;
    let half = all / 2 + 1;
    let without = unsigned(opcode, operands).filter(|&(low, high)| low >= 0 && high <= all);
    let with = with_sign(opcode, operands).filter(|&(low, high)| low >= -half && high < half);
    [without, with].into_iter().flatten().any(|ends| holds(claim, ends))
}

/// Whether the claim holds all numbers between two ends.
pub(crate) fn holds(claim: &RangeClaim, (low, high): Ends) -> bool {
    let most = mask(claim.width);
    let word = low as u128 & most;
    let ahead = word.wrapping_sub(claim.first.0) & most;
    let on_arc = ahead.checked_add((high - low) as u128).is_some_and(|end| end <= claim.span.0);
    let bits_fit = claim.zeros.0 == 0
        || (low >= 0 && {
            let used = u128::MAX.checked_shr((high as u128).leading_zeros()).unwrap_or(0);
            used & claim.zeros.0 == 0
        });
    low <= high && on_arc && bits_fit
}

fn unsigned(opcode: Opcode, operands: &[KnownInterval]) -> Option<Ends> {
    let a = operands.first()?.unsigned;
    let b = operands.get(1).map(|known| known.unsigned);
    let width = operands[0].width;
    let shift = || b.filter(|b| b.1 < i128::from(width));
    let above = |one: i128, two: i128| {
        let bits = 128 - (one.max(two) as u128).leading_zeros();
        (1i128 << bits) - 1
    };
    Some(match opcode {
        Opcode::ZExt | Opcode::Trunc => a,
        Opcode::Add => (a.0 + b?.0, a.1 + b?.1),
        Opcode::Sub => (a.0 - b?.1, a.1 - b?.0),
        Opcode::Mul => (a.0.checked_mul(b?.0)?, a.1.checked_mul(b?.1)?),
        Opcode::UDiv if b?.0 > 0 => (a.0 / b?.1, a.1 / b?.0),
        Opcode::URem if b?.1 > 0 => (0, a.1.min(b?.1 - 1)),
        Opcode::Shl => (a.0.checked_mul(1 << shift()?.0)?, a.1.checked_mul(1 << shift()?.1)?),
        Opcode::LShr => (a.0 >> shift()?.1, a.1 >> shift()?.0),
        Opcode::And => (0, a.1.min(b?.1)),
        Opcode::Or => (a.0.max(b?.0), above(a.1, b?.1)),
        Opcode::Xor => (0, above(a.1, b?.1)),
        Opcode::Select => joined(operands.get(1)?.unsigned, operands.get(2)?.unsigned),
        _ => return None,
    })
}

fn with_sign(opcode: Opcode, operands: &[KnownInterval]) -> Option<Ends> {
    let a = operands.first()?.signed;
    let b = operands.get(1).map(|known| known.signed);
    let width = operands[0].width;
    let shift = || operands.get(1).map(|known| known.unsigned).filter(|by| by.1 < i128::from(width));
    let corners = |b: Ends, what: &dyn Fn(i128, i128) -> Option<i128>| {
        let all = [what(a.0, b.0)?, what(a.0, b.1)?, what(a.1, b.0)?, what(a.1, b.1)?];
        all.iter().min().copied().zip(all.iter().max().copied())
    };
    Some(match opcode {
        Opcode::SExt | Opcode::Trunc => a,
        Opcode::Add => (a.0 + b?.0, a.1 + b?.1),
        Opcode::Sub => (a.0 - b?.1, a.1 - b?.0),
        Opcode::Mul => corners(b?, &i128::checked_mul)?,
        Opcode::SDiv if b?.0 > 0 => corners(b?, &|one, two| Some(one / two))?,
        Opcode::SRem => {
            let most = b?.0.abs().max(b?.1.abs()) - 1;
            (a.0.max(-most).min(0), a.1.min(most).max(0))
        }
        Opcode::Shl => corners(shift()?, &|one, by| one.checked_mul(1 << by))?,
        Opcode::AShr => corners(shift()?, &|one, by| Some(one >> by))?,
        Opcode::Select => joined(operands.get(1)?.signed, operands.get(2)?.signed),
        _ => return None,
    })
}

/// Between which numbers a sum, difference or product of numbers is; none of
/// other operations, nor beyond 128 bits.
pub(crate) fn combined(opcode: Opcode, one: Ends, two: Ends) -> Option<Ends> {
    let corners = |what: fn(i128, i128) -> Option<i128>| {
        let all = [what(one.0, two.0)?, what(one.0, two.1)?, what(one.1, two.0)?, what(one.1, two.1)?];
        all.iter().min().copied().zip(all.iter().max().copied())
    };
    match opcode {
        Opcode::Add => corners(i128::checked_add),
        Opcode::Sub => corners(i128::checked_sub),
        Opcode::Mul => corners(i128::checked_mul),
        _ => None,
    }
}

/// Between which numbers the square of a number is, if it is promised to be at most `limit`. None
/// beyond 128 bits, nor where no number keeps the promise.
pub(crate) fn squared((low, high): Ends, limit: Option<i128>) -> Option<Ends> {
    let (one, two) = (low.checked_abs()?, high.checked_abs()?);
    let least = if low <= 0 && high >= 0 { 0 } else { one.min(two) };
    let most = limit.map_or(one.max(two), |limit| one.max(two).min(limit.isqrt()));
    let squares = (least.checked_mul(least)?, most.checked_mul(most)?);
    (least <= most).then_some(squares)
}

fn joined(one: Ends, two: Ends) -> Ends {
    (one.0.min(two.0), one.1.max(two.1))
}

#[cfg(test)]
mod tests {
    use opcost_ir::Opcode;

    use super::{KnownInterval, imply};
    use crate::range::{RangeClaim, Word};

    /// Every pair of arcs of three bits: what is implied holds for all words.
    #[test]
    fn what_the_ends_imply_holds_for_every_word() {
        let opcodes = [
            Opcode::Add,
            Opcode::Sub,
            Opcode::Mul,
            Opcode::UDiv,
            Opcode::SDiv,
            Opcode::URem,
            Opcode::SRem,
            Opcode::Shl,
            Opcode::LShr,
            Opcode::AShr,
            Opcode::And,
            Opcode::Or,
            Opcode::Xor,
        ];
        let arcs: Vec<RangeClaim> =
            (0..8).flat_map(|first| (0..8).map(move |span| RangeClaim::arc(3, first, span))).collect();
        let mut implied = 0;
        for opcode in opcodes {
            for one in &arcs {
                for two in &arcs {
                    let known = [
                        KnownInterval::of(3, std::slice::from_ref(one)),
                        KnownInterval::of(3, std::slice::from_ref(two)),
                    ];
                    let known = known.map(|known| known.expect("three bits"));
                    for claim in arcs.iter().filter(|claim| imply(opcode, &known, claim)) {
                        implied += 1;
                        for a in (0..8).filter(|&a| one.contains(a)) {
                            for b in (0..8).filter(|&b| two.contains(b)) {
                                let result = evaluate(opcode, a as i8, b as i8);
                                let fits = result.is_none_or(|word| claim.contains(word));
                                assert!(fits, "{opcode} of {a} and {b}: {result:?} is not in {claim}");
                            }
                        }
                    }
                }
            }
        }
        assert!(implied > 10_000, "{implied}");
    }

    /// A claim that leaves nothing, or two: the solver is asked then.
    #[test]
    fn claims_that_contradict_each_other_have_no_ends() {
        let divisor = RangeClaim { zeros: Word(0xff), ..RangeClaim::arc(8, 200, 10) };
        assert!(KnownInterval::of(8, &[divisor]).is_none());
        assert!(KnownInterval::of(8, &[RangeClaim::arc(8, 100, 10), RangeClaim::arc(8, 0, 5)]).is_none());
        assert!(KnownInterval::of(8, &[RangeClaim::never(8)]).is_none());
        assert!(KnownInterval::of(8, &[RangeClaim::arc(8, 0, 5), RangeClaim::arc(8, 5, 10)]).is_some());
    }

    /// At three bits; none where it is undefined or poison.
    fn evaluate(opcode: Opcode, a: i8, b: i8) -> Option<u128> {
        let signed = |word: i8| word << 5 >> 5;
        let (x, y) = (signed(a), signed(b));
        let word = match opcode {
            Opcode::Add => a + b,
            Opcode::Sub => a - b,
            Opcode::Mul => a * b,
            Opcode::UDiv => a.checked_div(b)?,
            Opcode::URem => a.checked_rem(b)?,
            Opcode::SDiv if (x, y) != (-4, -1) => x.checked_div(y)?,
            Opcode::SRem if (x, y) != (-4, -1) => x.checked_rem(y)?,
            Opcode::Shl if b < 3 => a << b,
            Opcode::LShr if b < 3 => a >> b,
            Opcode::AShr if b < 3 => x >> b,
            Opcode::And => a & b,
            Opcode::Or => a | b,
            Opcode::Xor => a ^ b,
            _ => return None,
        };
        Some((word & 7) as u128)
    }
}
