//! A second reading of LLVM's language reference, over numbers that are wide
//! enough: every operation of up to 60 bits is one on `i128`, and whatever does
//! not fit is poison. Shares no code with what it judges.

use opcost_ir::{Flags, Predicate};

use crate::ranges::{Operation, RangeStep};

/// The result of a step; none if poison or undefined.
pub(super) fn result(step: &RangeStep, from: u32, operands: &[u128]) -> Option<u128> {
    let reading = Reading { width: from, flags: step.flags };
    let size = 1i128 << step.width;
    let number = match *operands {
        [only] => reading.unary(step, only as i128),
        [left, right] => reading.binary(step.operation, left as i128, right as i128),
        [first, second, third] => {
            Reading { width: step.width, ..reading }.ternary(step.operation, first, second, third)
        }
        _ => None,
    }?;
    Some(number.rem_euclid(size) as u128)
}

struct Reading {
    width: u32,
    flags: Flags,
}

impl Reading {
    fn size(&self) -> i128 {
        1 << self.width
    }

    fn signed(&self, word: i128) -> i128 {
        if word >= self.size() / 2 { word - self.size() } else { word }
    }

    fn fits_unsigned(&self, number: i128) -> bool {
        (0..self.size()).contains(&number)
    }

    fn fits_signed(&self, number: i128) -> bool {
        (-self.size() / 2..self.size() / 2).contains(&number)
    }

    /// The number `unsigned`, which is `signed` if operands are read so.
    fn kept(&self, unsigned: i128, signed: i128) -> Option<i128> {
        let wraps = self.flags.has(Flags::NUW) && !self.fits_unsigned(unsigned)
            || self.flags.has(Flags::NSW) && !self.fits_signed(signed);
        (!wraps).then_some(unsigned)
    }

    fn clamp_unsigned(&self, number: i128) -> i128 {
        number.clamp(0, self.size() - 1)
    }

    fn clamp_signed(&self, number: i128) -> i128 {
        number.clamp(-self.size() / 2, self.size() / 2 - 1)
    }

    fn unary(&self, step: &RangeStep, word: i128) -> Option<i128> {
        let bits: Vec<bool> = (0..self.width).map(|bit| word >> bit & 1 == 1).collect();
        let zeros = |bits: &mut dyn Iterator<Item = &bool>| bits.take_while(|&&bit| !bit).count() as i128;
        match step.operation {
            Operation::Trunc => {
                let narrow = Reading { width: step.width, flags: self.flags };
                let unsigned_broken = self.flags.has(Flags::NUW) && !narrow.fits_unsigned(word);
                let signed_broken = self.flags.has(Flags::NSW) && !narrow.fits_signed(self.signed(word));
                (!unsigned_broken && !signed_broken).then_some(word)
            }
            Operation::ZExt => (!self.flags.has(Flags::NNEG) || self.signed(word) >= 0).then_some(word),
            Operation::SExt => Some(self.signed(word)),
            Operation::Square => self.kept(word * word, self.signed(word) * self.signed(word)),
            Operation::Abs { minimum_is_poison } => {
                let number = self.signed(word).abs();
                (self.fits_signed(number) || !minimum_is_poison).then_some(number)
            }
            Operation::PopulationCount => Some(bits.iter().filter(|&&bit| bit).count() as i128),
            Operation::LeadingZeros { zero_is_poison } => {
                (word != 0 || !zero_is_poison).then(|| zeros(&mut bits.iter().rev()))
            }
            Operation::TrailingZeros { zero_is_poison } => {
                (word != 0 || !zero_is_poison).then(|| zeros(&mut bits.iter()))
            }
            Operation::BitReverse => Some(bits.iter().fold(0, |done, &bit| done * 2 + i128::from(bit))),
            Operation::ByteSwap => {
                let bytes = (0..self.width / 8).map(|byte| word >> (8 * byte) & 255);
                Some(bytes.fold(0, |done, byte| done * 256 + byte))
            }
            _ => panic!("no unary operation: {step:?}"),
        }
    }

    fn ternary(&self, operation: Operation, first: u128, second: u128, third: u128) -> Option<i128> {
        let (high, low, size) = (first as i128, second as i128, self.size());
        // Both words behind one another, shifted, and the upper or lower one taken.
        let amount = (third % u128::from(self.width)) as i128;
        Some(match operation {
            Operation::Select => (if first == 1 { second } else { third }) as i128,
            Operation::FShl => (high * size + low) * (1 << amount) / size % size,
            Operation::FShr => (high * size + low) / (1 << amount) % size,
            _ => panic!("no ternary operation: {operation:?}"),
        })
    }

    fn binary(&self, operation: Operation, left: i128, right: i128) -> Option<i128> {
        use Operation::*;
        let (signed_left, signed_right) = (self.signed(left), self.signed(right));
        let sum = (left + right, signed_left + signed_right);
        let difference = (left - right, signed_left - signed_right);
        let product = || (left * right, signed_left * signed_right);
        let truth = |is_true: bool| Some(i128::from(is_true));
        match operation {
            Add => self.kept(sum.0, sum.1),
            Sub => self.kept(difference.0, difference.1),
            Mul => self.kept(product().0, product().1),
            UDiv | SDiv | URem | SRem => self.division(operation, left, right),
            Shl | LShr | AShr | UShlSat | SShlSat => {
                if right < i128::from(self.width) {
                    self.shift(operation, left, right)
                } else {
                    None
                }
            }
            And => Some(left & right),
            Or => (!self.flags.has(Flags::DISJOINT) || left + right == left | right).then_some(left | right),
            Xor => Some(left ^ right),
            UMin => Some(left.min(right)),
            UMax => Some(left.max(right)),
            SMin => Some(signed_left.min(signed_right)),
            SMax => Some(signed_left.max(signed_right)),
            UAddSat => Some(self.clamp_unsigned(sum.0)),
            USubSat => Some(self.clamp_unsigned(difference.0)),
            SAddSat => Some(self.clamp_signed(sum.1)),
            SSubSat => Some(self.clamp_signed(difference.1)),
            UAddOverflow => truth(!self.fits_unsigned(sum.0)),
            USubOverflow => truth(!self.fits_unsigned(difference.0)),
            UMulOverflow => truth(!self.fits_unsigned(product().0)),
            SAddOverflow => truth(!self.fits_signed(sum.1)),
            SSubOverflow => truth(!self.fits_signed(difference.1)),
            SMulOverflow => truth(!self.fits_signed(product().1)),
            UCmp => Some((left - right).signum()),
            SCmp => Some((signed_left - signed_right).signum()),
            Compare(predicate) => {
                let differ = (signed_left < 0) != (signed_right < 0);
                if self.flags.has(Flags::SAMESIGN) && differ {
                    return None;
                }
                truth(compare(predicate, [left, right], [signed_left, signed_right]))
            }
            _ => panic!("no binary operation: {operation:?}"),
        }
    }

    fn division(&self, operation: Operation, left: i128, right: i128) -> Option<i128> {
        let is_signed = matches!(operation, Operation::SDiv | Operation::SRem);
        let (of, by) = if is_signed { (self.signed(left), self.signed(right)) } else { (left, right) };
        if by == 0 || is_signed && !self.fits_signed(of / by) {
            return None;
        }
        match operation {
            Operation::UDiv | Operation::SDiv => {
                (!self.flags.has(Flags::EXACT) || of % by == 0).then_some(of / by)
            }
            _ => Some(of % by),
        }
    }

    fn shift(&self, operation: Operation, left: i128, amount: i128) -> Option<i128> {
        let (signed, by) = (self.signed(left), 1i128 << amount);
        let kept = !self.flags.has(Flags::EXACT) || left % by == 0;
        match operation {
            Operation::Shl => self.kept(left * by, signed * by),
            Operation::UShlSat => Some(self.clamp_unsigned(left * by)),
            Operation::SShlSat => Some(self.clamp_signed(signed * by)),
            Operation::LShr => kept.then_some(left / by),
            _ => kept.then_some(signed.div_euclid(by)),
        }
    }
}

fn compare(predicate: Predicate, unsigned: [i128; 2], signed: [i128; 2]) -> bool {
    match predicate {
        Predicate::Eq => unsigned[0] == unsigned[1],
        Predicate::Ne => unsigned[0] != unsigned[1],
        Predicate::Ugt => unsigned[0] > unsigned[1],
        Predicate::Uge => unsigned[0] >= unsigned[1],
        Predicate::Ult => unsigned[0] < unsigned[1],
        Predicate::Ule => unsigned[0] <= unsigned[1],
        Predicate::Sgt => signed[0] > signed[1],
        Predicate::Sge => signed[0] >= signed[1],
        Predicate::Slt => signed[0] < signed[1],
        _ => signed[0] <= signed[1],
    }
}
