//! Judges what a domain makes of steps against all results there are.
//!
//! Members of an element are bits of a word, so that widths up to six can be
//! judged: the results over two elements are looked up rather than computed
//! again for each pair. What is asked: does the element hold every result, and
//! is it the best one that does?

use std::collections::HashMap;
use std::fmt::Debug;

use super::reference;
use crate::ranges::RangeStep;

/// A domain that can be judged.
pub(super) trait Domain: Copy + Eq + Debug {
    /// Every element of this width.
    fn elements(width: u32) -> Vec<Self>;
    /// Whether a number is in it.
    fn holds(&self, value: u128) -> bool;
    /// Which of these elements, all of them of one width, all of which hold a
    /// set, is the best? The lesser is better.
    fn rank(&self, members: u64, width: u32) -> (u32, u32, u32, u64);
}

/// What became of the pairs of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Pairs judged.
    pub(super) judged: u64,
    /// Pairs for which the element is the best one.
    pub(super) best: u64,
    /// Members of the elements, and of the best ones.
    pub(super) members: u64,
    pub(super) least_members: u64,
}

impl Verdict {
    pub(super) fn is_best(&self) -> bool {
        self.best == self.judged
    }

    /// Pairs that are best, in thousandths, rounded down.
    pub(super) fn per_mille(&self) -> u64 {
        self.best * 1000 / self.judged.max(1)
    }

    pub(super) fn add(&mut self, other: Verdict) {
        self.judged += other.judged;
        self.best += other.best;
        self.members += other.members;
        self.least_members += other.least_members;
    }
}

/// The elements of a width with their members.
pub(super) struct Universe<D> {
    pub(super) width: u32,
    pub(super) elements: Vec<(D, u64)>,
    best: HashMap<u64, D>,
}

impl<D: Domain> Universe<D> {
    pub(super) fn new(width: u32) -> Universe<D> {
        let elements =
            D::elements(width).into_iter().map(|element| (element, members(&element, width))).collect();
        Universe { width, elements, best: HashMap::new() }
    }

    /// The best element that holds this set, from all that there are.
    pub(super) fn best(&mut self, set: u64) -> D {
        let (elements, width) = (&self.elements, self.width);
        *self.best.entry(set).or_insert_with(|| {
            let holding = elements.iter().filter(|(_, members)| members & set == set);
            holding.min_by_key(|(element, members)| element.rank(*members, width)).expect("all hold it").0
        })
    }
}

/// The numbers that an element holds, as bits.
pub(super) fn members<D: Domain>(element: &D, width: u32) -> u64 {
    (0..1u64 << width).filter(|&value| element.holds(u128::from(value))).fold(0, |all, bit| all | 1 << bit)
}

/// Judges one result: all of `set` must be in it.
pub(super) fn judge<D: Domain>(
    results: &mut Universe<D>,
    set: u64,
    claimed: D,
    what: impl Fn() -> String,
) -> Verdict {
    let claimed_members = members(&claimed, results.width);
    assert_eq!(set & !claimed_members, 0, "{}: {claimed:?} does not hold all of {set:#b}", what());
    let best = results.best(set);
    let least = u64::from(members(&best, results.width).count_ones());
    let best = u64::from(best == claimed);
    Verdict { judged: 1, best, members: u64::from(claimed_members.count_ones()), least_members: least }
}

/// Judges a step on every pair of elements.
pub(super) fn binary<D: Domain>(
    operands: &Universe<D>,
    step: &RangeStep,
    apply: impl Fn(&[D]) -> D,
) -> Verdict {
    let all: Vec<D> = operands.elements.iter().map(|&(element, _)| element).collect();
    pairs(operands.width, &all, &all, step, apply)
}

/// Judges a step on every pair from these elements.
pub(super) fn pairs<D: Domain>(
    width: u32,
    lefts: &[D],
    rights: &[D],
    step: &RangeStep,
    apply: impl Fn(&[D]) -> D,
) -> Verdict {
    let mut results = Universe::new(step.width);
    let size = 1u128 << width;
    let right_members: Vec<u64> = rights.iter().map(|right| members(right, width)).collect();
    // What a number and an element on its right give.
    let rows: Vec<Vec<u64>> = (0..size)
        .map(|left| {
            let row: Vec<u64> = (0..size)
                .map(|right| reference::result(step, width, &[left, right]).map_or(0, |result| 1 << result))
                .collect();
            let over = |members: u64| {
                let chosen = row.iter().enumerate().filter(|&(right, _)| members >> right & 1 == 1);
                chosen.fold(0, |all, (_, results)| all | results)
            };
            right_members.iter().map(|&members| over(members)).collect()
        })
        .collect();
    let mut verdict = Verdict::default();
    for left in lefts {
        let left_members = members(left, width);
        for (position, right) in rights.iter().enumerate() {
            let rows = rows.iter().enumerate().filter(|&(number, _)| left_members >> number & 1 == 1);
            let set = rows.fold(0, |all, (_, row)| all | row[position]);
            let claimed = apply(&[*left, *right]);
            verdict.add(judge(&mut results, set, claimed, || format!("{step:?} of {left:?}, {right:?}")));
        }
    }
    verdict
}

/// Judges a step on every element.
pub(super) fn unary<D: Domain>(operands: &Universe<D>, step: &RangeStep, apply: impl Fn(D) -> D) -> Verdict {
    let mut results = Universe::new(step.width);
    let mut verdict = Verdict::default();
    for &(only, members) in &operands.elements {
        let numbers = (0..1u128 << operands.width).filter(|number| members >> number & 1 == 1);
        let set = numbers
            .filter_map(|number| reference::result(step, operands.width, &[number]))
            .fold(0, |all, bit| all | 1 << bit);
        verdict.add(judge(&mut results, set, apply(only), || format!("{step:?} of {only:?}")));
    }
    verdict
}

/// Judges a step of three operands on every triple of elements from the lists.
pub(super) fn ternary<D: Domain>(
    width: u32,
    lists: [&[D]; 3],
    step: &RangeStep,
    apply: impl Fn(&[D]) -> D,
) -> Verdict {
    let mut results = Universe::new(width);
    let numbers = |element: &D| (0..1u128 << width).filter(|&value| element.holds(value)).collect::<Vec<_>>();
    let mut verdict = Verdict::default();
    let listed =
        lists.map(|list| list.iter().map(|element| (*element, numbers(element))).collect::<Vec<_>>());
    for (first, first_numbers) in &listed[0] {
        for (third, third_numbers) in &listed[2] {
            // What the outer two give with each number between them.
            let rows: Vec<u64> = (0..1u128 << width)
                .map(|second| {
                    let pairs =
                        first_numbers.iter().flat_map(|a| third_numbers.iter().map(move |c| (*a, *c)));
                    pairs
                        .filter_map(|(a, c)| reference::result(step, width, &[a, second, c]))
                        .fold(0, |all, bit| all | 1 << bit)
                })
                .collect();
            for (second, second_numbers) in &listed[1] {
                let set = second_numbers.iter().fold(0, |all, &number| all | rows[number as usize]);
                let claimed = apply(&[*first, *second, *third]);
                let what = || format!("{step:?} of {first:?}, {second:?}, {third:?}");
                verdict.add(judge(&mut results, set, claimed, what));
            }
        }
    }
    verdict
}
