//! What is the result of a check, and does a check hang together?
//!
//! The same stack machine as the runtime's `values_check.c`, for activations that were open at the
//! end, and as its referee. What is no number stays none in what is made of it, but a choice looks
//! at no more than what decides it and what is chosen. Sums are added up term by term:
//! [`MOST_TERMS`] in one check, after which it is reported as too long. Input: steps, and numbers
//! for their inputs as far as they are known. Cost: the steps, those of sums once for each term.

use opcost_ir::{CheckStep, IntegerComparison, MOST_DEPTH, MOST_SUMS, MOST_TERMS};

use crate::unchecked::Unchecked;

/// Why a check has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoResult {
    /// A number needs more than 128 bits, is divided by zero, or is not known.
    NoNumber,
    /// It adds up too many terms.
    TooLong,
}

type Number = Result<i128, NoResult>;

/// A sum that is being added up.
struct Sum {
    /// The step that began it.
    start: usize,
    index: u32,
    count: i128,
    turn: i128,
    sum: i128,
}

/// The result of a check on these inputs, as the runtime has it.
///
/// # Errors
/// Why there is none.
pub fn evaluate(steps: &[CheckStep], inputs: &[Option<u64>]) -> Number {
    let mut machine = Machine { stack: Vec::new(), sums: Vec::new(), terms: MOST_TERMS };
    let mut at = 0;
    while let Some(&step) = steps.get(at) {
        at = machine.step(at, step, inputs).ok_or(NoResult::NoNumber)? + 1;
    }
    match machine.stack[..] {
        [result] => result,
        _ => Err(NoResult::NoNumber),
    }
}

struct Machine {
    stack: Vec<Number>,
    sums: Vec<Sum>,
    terms: u32,
}

impl Machine {
    /// Does one step; which was the last then, or nothing where the stack is too short.
    fn step(&mut self, at: usize, step: CheckStep, inputs: &[Option<u64>]) -> Option<usize> {
        let result = match step {
            CheckStep::Constant(value) => Ok(value),
            CheckStep::Input(position) => {
                let input = inputs.get(position as usize).copied().flatten();
                input.map(i128::from).ok_or(NoResult::NoNumber)
            }
            CheckStep::Index(index) => {
                let sum = self.sums.iter().rev().find(|sum| sum.index == index);
                sum.map(|sum| sum.turn).ok_or(NoResult::NoNumber)
            }
            CheckStep::Select(comparison) => {
                let [otherwise, if_so, b, a] =
                    [self.stack.pop()?, self.stack.pop()?, self.stack.pop()?, self.stack.pop()?];
                match (a, b) {
                    (Ok(a), Ok(b)) if compares(comparison, a, b) => if_so,
                    (Ok(_), Ok(_)) => otherwise,
                    (Err(reason), _) | (_, Err(reason)) => Err(reason),
                }
            }
            CheckStep::Sum { index, length } => return self.begin(at, index, length),
            CheckStep::SumEnd => return self.end(at),
            _ if step.takes() == 1 => {
                let value = self.stack.pop()?;
                value.and_then(|value| single(step, value).ok_or(NoResult::NoNumber))
            }
            _ => {
                let [b, a] = [self.stack.pop()?, self.stack.pop()?];
                let both = a.and_then(|a| Ok((a, b?)));
                both.and_then(|(a, b)| binary(step, a, b).ok_or(NoResult::NoNumber))
            }
        };
        self.stack.push(result);
        Some(at)
    }

    fn begin(&mut self, at: usize, index: u32, length: u32) -> Option<usize> {
        match self.stack.pop()? {
            Ok(count) if count > 0 => {
                self.sums.push(Sum { start: at, index, count, turn: 0, sum: 0 });
                return Some(at);
            }
            Ok(_) => self.stack.push(Ok(0)),
            Err(reason) => self.stack.push(Err(reason)),
        }
        Some(at + length as usize)
    }

    fn end(&mut self, at: usize) -> Option<usize> {
        let term = self.stack.pop()?;
        let sum = self.sums.last_mut()?;
        let added = term.and_then(|term| sum.sum.checked_add(term).ok_or(NoResult::NoNumber));
        let result = match added {
            Err(reason) => Err(reason),
            Ok(_) if self.terms == 0 => Err(NoResult::TooLong),
            Ok(added) => {
                self.terms -= 1;
                sum.sum = added;
                sum.turn += 1;
                if sum.turn < sum.count {
                    return Some(sum.start);
                }
                Ok(added)
            }
        };
        self.sums.pop();
        self.stack.push(result);
        Some(at)
    }
}

fn compares(comparison: IntegerComparison, a: i128, b: i128) -> bool {
    match comparison {
        IntegerComparison::Equal => a == b,
        IntegerComparison::NotEqual => a != b,
        IntegerComparison::Less => a < b,
        IntegerComparison::LessOrEqual => a <= b,
    }
}

fn single(step: CheckStep, value: i128) -> Option<i128> {
    match step {
        CheckStep::Wrap { bits, is_signed } => Some(wrapped(value, bits, is_signed)),
        CheckStep::Power { base, is_capped } => {
            let exponent = u32::try_from(value.max(-1).min(i128::from(u32::MAX))).ok()?;
            base.checked_pow(exponent).or(is_capped.then_some(i128::MAX))
        }
        CheckStep::CeilLog(base) => {
            let (mut reached, mut exponent) = (1_i128, 0);
            while reached < value {
                exponent += 1;
                let Some(next) = reached.checked_mul(base) else { break };
                reached = next;
            }
            Some(exponent)
        }
        CheckStep::CeilRoot if value <= 0 => Some(0),
        CheckStep::CeilRoot => {
            let root = value.isqrt();
            Some(if root * root == value { root } else { root + 1 })
        }
        _ => None,
    }
}

fn binary(step: CheckStep, a: i128, b: i128) -> Option<i128> {
    let down = || {
        let (quotient, rest) = (a.checked_div(b)?, a.checked_rem(b)?);
        let is_above = rest != 0 && (rest < 0) != (b < 0);
        Some(if is_above { (quotient - 1, rest + b) } else { (quotient, rest) })
    };
    match step {
        CheckStep::Add => a.checked_add(b),
        CheckStep::Subtract => a.checked_sub(b),
        CheckStep::Multiply => a.checked_mul(b),
        CheckStep::DivideDown => down().map(|(quotient, _)| quotient),
        CheckStep::DivideUp => down().map(|(quotient, rest)| quotient + i128::from(rest != 0)),
        CheckStep::DivideTowardsZero => a.checked_div(b),
        CheckStep::Remainder => down().map(|(_, rest)| rest),
        CheckStep::Minimum => Some(a.min(b)),
        CheckStep::Maximum => Some(a.max(b)),
        _ => None,
    }
}

/// The lowest bits; up to 127, so that with and without a sign they fit.
fn wrapped(value: i128, bits: u32, is_signed: bool) -> i128 {
    let unused = 128 - bits;
    let high = (value as u128) << unused;
    if is_signed { high as i128 >> unused } else { (high >> unused) as i128 }
}

/// Whether each step finds its operands, each sum its end, and one number is left.
pub(crate) fn balanced(steps: &[CheckStep]) -> Result<(), Unchecked> {
    let mut depth = 0_usize;
    // Of each sum around: its index, where it ends, how deep it began.
    let mut sums: Vec<(u32, usize, usize)> = Vec::new();
    for (at, &step) in steps.iter().enumerate() {
        let rest = depth.checked_sub(step.takes()).ok_or(Unchecked::TakesTooMuch)?;
        let floor = sums.last().map_or(0, |&(_, _, floor)| floor);
        if rest < floor {
            return Err(Unchecked::TakesOthers);
        }
        depth = rest + 1;
        match step {
            CheckStep::Wrap { bits, .. } if !(1..=127).contains(&bits) => {
                return Err(Unchecked::Width(bits));
            }
            CheckStep::Power { base, .. } | CheckStep::CeilLog(base) if base < 2 => {
                return Err(Unchecked::Power(base));
            }
            CheckStep::Index(index) if sums.iter().all(|&(known, ..)| known != index) => {
                return Err(Unchecked::NoSum);
            }
            CheckStep::Sum { index, length } => {
                depth = rest;
                let end = at + length as usize;
                let is_inside = sums.last().is_none_or(|&(_, around, _)| end < around);
                if length < 2 || !is_inside || steps.get(end) != Some(&CheckStep::SumEnd) {
                    return Err(Unchecked::SumWithoutEnd);
                }
                sums.push((index, end, depth));
            }
            CheckStep::SumEnd => match sums.pop() {
                Some((_, end, floor)) if end == at && rest == floor => {}
                _ => return Err(Unchecked::SumWithoutBeginning),
            },
            _ => {}
        }
        if depth > MOST_DEPTH || sums.len() > MOST_SUMS {
            return Err(Unchecked::TooDeep);
        }
    }
    if depth == 1 && sums.is_empty() { Ok(()) } else { Err(Unchecked::NoSingleNumber) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(steps: &[CheckStep]) -> Option<i128> {
        assert_eq!(balanced(steps), Ok(()), "{steps:?}");
        evaluate(steps, &[Some(u64::MAX), Some(7), None]).ok()
    }

    #[test]
    fn divisions_round_as_they_say() {
        for a in -9_i128..10 {
            for b in (-4_i128..5).filter(|b| *b != 0) {
                let of = |step| run(&[CheckStep::Constant(a), CheckStep::Constant(b), step]).unwrap();
                let exact = a as f64 / b as f64;
                assert_eq!(of(CheckStep::DivideDown), exact.floor() as i128, "{a} / {b}");
                assert_eq!(of(CheckStep::DivideUp), exact.ceil() as i128, "{a} / {b}");
                assert_eq!(of(CheckStep::DivideTowardsZero), exact.trunc() as i128, "{a} / {b}");
                assert_eq!(of(CheckStep::Remainder), a - b * exact.floor() as i128, "{a} % {b}");
            }
        }
        assert_eq!(run(&[CheckStep::Constant(1), CheckStep::Constant(0), CheckStep::DivideDown]), None);
        assert_eq!(run(&[CheckStep::Constant(i128::MAX), CheckStep::Constant(1), CheckStep::Add]), None);
    }

    #[test]
    fn values_have_the_sign_that_wrapping_gives_them() {
        assert_eq!(run(&[CheckStep::Input(0)]), Some(i128::from(u64::MAX)));
        assert_eq!(run(&[CheckStep::Input(0), CheckStep::Wrap { bits: 64, is_signed: true }]), Some(-1));
        assert_eq!(
            run(&[CheckStep::Input(0), CheckStep::Wrap { bits: 65, is_signed: true }]),
            Some(u64::MAX.into())
        );
        assert_eq!(
            run(&[CheckStep::Constant(-1), CheckStep::Wrap { bits: 127, is_signed: false }]),
            Some(i128::MAX)
        );
        assert_eq!(run(&[CheckStep::Constant(-1), CheckStep::Wrap { bits: 127, is_signed: true }]), Some(-1));
        let chosen =
            [CheckStep::Input(1), CheckStep::Constant(7), CheckStep::Constant(10), CheckStep::Constant(20)];
        let select = |comparison| run(&[&chosen[..], &[CheckStep::Select(comparison)]].concat());
        assert_eq!(select(IntegerComparison::Equal), Some(10));
        assert_eq!(select(IntegerComparison::Less), Some(20));
    }

    #[test]
    fn a_choice_needs_only_what_is_chosen() {
        let choose = |first: i128| {
            let steps = [
                CheckStep::Constant(first),
                CheckStep::Constant(0),
                CheckStep::Input(2),
                CheckStep::Constant(5),
            ];
            run(&[
                &steps[..],
                &[CheckStep::Select(IntegerComparison::Equal), CheckStep::Constant(1), CheckStep::Add],
            ]
            .concat())
        };
        assert_eq!(choose(1), Some(6));
        assert_eq!(choose(0), None);
    }

    #[test]
    fn sums_run_over_their_index_and_no_longer_than_agreed() {
        // Σ over i < 10 of Σ over j < i of j
        let nested = [
            CheckStep::Constant(10),
            CheckStep::Sum { index: 1, length: 5 },
            CheckStep::Index(1),
            CheckStep::Sum { index: 0, length: 2 },
            CheckStep::Index(0),
            CheckStep::SumEnd,
            CheckStep::SumEnd,
        ];
        let expected: i128 = (0..10).map(|i: i128| (0..i).sum::<i128>()).sum();
        assert_eq!(run(&nested), Some(expected));
        let long = |count: i128| {
            let steps = [
                CheckStep::Constant(count),
                CheckStep::Sum { index: 0, length: 2 },
                CheckStep::Index(0),
                CheckStep::SumEnd,
            ];
            evaluate(&steps, &[])
        };
        assert_eq!(long(i128::from(MOST_TERMS)), Ok(((1 << 20) - 1) * (1 << 19)));
        assert_eq!(long(i128::from(MOST_TERMS) + 1), Err(NoResult::TooLong));
        assert_eq!(long(-3), Ok(0));
    }

    #[test]
    fn powers_logarithms_and_roots_are_exact() {
        for value in -3_i128..200 {
            let of = |step| run(&[CheckStep::Constant(value), step]);
            let logarithm = (0..).find(|&n| 3_i128.pow(n) >= value).map(i128::from);
            assert_eq!(of(CheckStep::CeilLog(3)), logarithm, "{value}");
            assert_eq!(of(CheckStep::CeilRoot), (0..).find(|n| n * n >= value), "{value}");
            let power = |is_capped| of(CheckStep::Power { base: 2, is_capped });
            let exact = u32::try_from(value).ok().and_then(|value| 2_i128.checked_pow(value));
            assert_eq!(power(false), exact, "{value}");
            let capped = if value < 0 { None } else { Some(exact.unwrap_or(i128::MAX)) };
            assert_eq!(power(true), capped, "{value}");
        }
    }

    #[test]
    fn formulas_that_do_not_fit_are_refused() {
        assert!(balanced(&[CheckStep::Add]).is_err());
        assert!(balanced(&[CheckStep::Constant(1), CheckStep::Constant(2)]).is_err());
        assert!(balanced(&[CheckStep::Constant(1); 100]).is_err());
        assert!(balanced(&[CheckStep::Constant(1), CheckStep::Constant(2), CheckStep::Maximum]).is_ok());
        assert!(balanced(&[CheckStep::Constant(1), CheckStep::Index(0), CheckStep::Add]).is_err());
        assert!(balanced(&[CheckStep::Constant(1), CheckStep::SumEnd]).is_err());
        let sum = |length| {
            [
                CheckStep::Constant(1),
                CheckStep::Sum { index: 0, length },
                CheckStep::Index(0),
                CheckStep::SumEnd,
            ]
        };
        assert!(balanced(&sum(2)).is_ok() && balanced(&sum(3)).is_err() && balanced(&sum(1)).is_err());
        assert!(
            balanced(&[CheckStep::Constant(1), CheckStep::Wrap { bits: 128, is_signed: false }]).is_err()
        );
    }
}
