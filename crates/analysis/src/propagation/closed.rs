//! What do closed forms say? Bounds of recurrences over all iterations of a loop.
//!
//! [`evolution`](crate::evolution) gives a value as a formula of the iteration, and how often a
//! loop goes back. Over few iterations the formula is evaluated in each of them: then the range is
//! exact. Over many it is written in binomials of the iteration, `Σ d_k · C(h, k)`, each of which
//! grows with h, so that a polynomial whose differences have one sign is bounded by its ends; what
//! is no polynomial is bounded by its parts. Symbols have the ranges of their types.
//!
//! A claim is used if it rests on flags or on what is known of memory; not if it
//! holds under a condition only.
//! Cost: [`MOST_EVALUATIONS`] a function, and the formulas.

use opcost_ir::{Opcode, Type, Value};
use opcost_key::{BlockId, InstructionId};
use rustc_hash::FxHashMap;

use crate::evolution::{FunctionEvolution, Source, TripAssumption};
use crate::expression::{Facts, FormulaId, FormulaInterval, FormulaNode, Formulas, Symbol, SymbolId};
use crate::ranges::word::mask;
use crate::ranges::{Interval, ValueRange};
use opcost_graph::loops::LoopId;

/// Evaluations for one value.
const MOST_TURNS: u128 = 1024;
/// Evaluations for a function.
const MOST_EVALUATIONS: u128 = 1 << 18;
/// Iterations that are still counted.
const MOST_COUNTED: i128 = 1 << 62;

/// The loops of a function, solved.
pub(super) struct Closed<'a> {
    source: Source<'a>,
    evolution: FunctionEvolution<'a>,
    formulas: Formulas,
    turns: FxHashMap<LoopId, u128>,
    /// What holds of the iterations.
    facts: Facts,
    left: u128,
}

/// What closed forms say of a function.
#[derive(Default)]
pub(super) struct Bounds {
    /// Of results, whatever else is known of them.
    pub(super) ranges: Vec<(InstructionId, ValueRange)>,
    /// Of phis, by how often the loop iterates.
    pub(super) differences: FxHashMap<InstructionId, Differences>,
    /// What all of it rests on.
    pub(super) assumptions: Vec<TripAssumption>,
}

/// `(Σ d_k · C(h, k)) / under`, k from 1.
pub(super) struct Differences {
    pub(super) of: Box<[i128]>,
    pub(super) under: i128,
}

impl<'a> Closed<'a> {
    /// Solves the loops of a function.
    pub(super) fn compute(source: Source<'a>) -> Closed<'a> {
        let mut formulas = Formulas::new();
        let evolution = FunctionEvolution::compute(source, &mut formulas);
        let (turns, facts, left) = (FxHashMap::default(), Facts::new(), MOST_EVALUATIONS);
        let mut closed = Closed { source, evolution, formulas, turns, facts, left };
        closed.count();
        closed
    }

    /// The most iterations of each loop that has a bound, outer loops first.
    fn count(&mut self) {
        let ids: Vec<LoopId> = self.source.forest.loops.ids().collect();
        for id in ids {
            let count = self.evolution.trip_count(id);
            let Some(formula) = count.back_edges.formula().filter(|_| is_certain(&count.assumptions)) else {
                continue;
            };
            let high = self.facts.range(&mut self.formulas, formula).high;
            if !(0..=MOST_COUNTED).contains(&high) {
                continue;
            }
            self.turns.insert(id, high as u128);
            let turn = self.formulas.symbol(Symbol::Turn(id), FormulaInterval::NATURAL);
            let room = self.formulas.combine(high, &[(turn, -1)]);
            self.facts.add(&mut self.formulas, room);
        }
    }

    /// How often loops go back at most.
    pub(super) fn most_turns(&self) -> &FxHashMap<LoopId, u128> {
        &self.turns
    }

    /// Bounds of what merges at heads of loops, and of what comes back there.
    pub(super) fn bounds(&mut self) -> Bounds {
        let mut found = Bounds::default();
        let ids: Vec<LoopId> = self.source.forest.loops.ids().collect();
        for id in ids {
            let header = self.source.forest.loops[id].header;
            for phi in self.source.function.instructions_of(header) {
                if self.source.function.instructions[phi].opcode != Opcode::Phi {
                    break;
                }
                let mut asked = vec![phi];
                for pair in self.source.function.operands_of(phi).chunks_exact(2) {
                    if let [Value::Instruction(next), Value::Block(from)] = *pair
                        && self.is_in(id, next)
                        && self.source.forest.contains(id, from)
                    {
                        asked.push(next);
                    }
                }
                asked.dedup();
                for at in asked {
                    self.bound(at, id, at == phi, &mut found);
                }
            }
        }
        found
    }

    /// Whether an instruction is in the loop and in none inside.
    fn is_in(&self, id: LoopId, at: InstructionId) -> bool {
        let block: BlockId = self.source.function.block_of(at);
        self.source.forest.innermost[block] == Some(id)
    }

    /// What both closed forms say of a value.
    fn bound(&mut self, at: InstructionId, id: LoopId, is_head: bool, found: &mut Bounds) {
        let ty = self.source.function.instructions[at].ty;
        let Type::Integer(width @ 1..=64) = self.source.module.types[ty] else { return };
        let most = self.turns.get(&id).copied();
        let both = self.evolution.both_evolutions_of(&mut self.formulas, Value::Instruction(at), id);
        for value in both {
            if !is_certain(&value.assumptions) || self.formulas.is_too_big(value.value) {
                continue;
            }
            let each = self.each_turn(value.value, width);
            let is_told_exactly = each.is_some();
            let range = each.or_else(|| self.over_turns(value.value, id, width, most?));
            if let Some(range) = range.filter(|range| *range != ValueRange::full(width)) {
                found.ranges.push((at, range));
                found.assumptions.extend(value.assumptions.iter().copied());
            }
            if is_head
                && !is_told_exactly
                && let Some(differences) = self.differences(value.value, id, width)
            {
                found.differences.insert(at, differences);
                found.assumptions.extend(value.assumptions.iter().copied());
            }
        }
    }

    /// The value less its start, as a polynomial whose coefficients are numbers.
    fn differences(&mut self, formula: FormulaId, id: LoopId, width: u32) -> Option<Differences> {
        let inside = self.unwrapped(formula, width);
        let turn = self.formulas.find(&Symbol::Turn(id))?;
        let (coefficients, under) = self.formulas.coefficients(inside, turn)?;
        let mut of = Vec::new();
        let mut factorial = 1i128;
        for degree in 1..coefficients.len() {
            factorial = factorial.checked_mul(degree as i128)?;
            let mut sum = 0i128;
            for (power, &coefficient) in coefficients.iter().enumerate().skip(degree) {
                let factor = stirling(power, degree).checked_mul(factorial)?;
                let coefficient = self.formulas.as_constant(coefficient)?;
                sum = sum.checked_add(coefficient.checked_mul(factor)?)?;
            }
            of.push(sum);
        }
        (under > 0 && !of.is_empty()).then(|| Differences { of: of.into(), under })
    }

    /// What is wrapped is the same arc unwrapped.
    fn unwrapped(&self, formula: FormulaId, width: u32) -> FormulaId {
        match self.formulas.node(formula) {
            FormulaNode::Wrap { domain, of } if domain.bits == width => *of,
            _ => formula,
        }
    }

    /// The values of all iterations, one by one.
    fn each_turn(&mut self, formula: FormulaId, width: u32) -> Option<ValueRange> {
        let mut loops = Vec::new();
        let mut all = 1u128;
        for &symbol in self.formulas.symbols_in(formula) {
            let id = match self.formulas.symbol_of(symbol) {
                Symbol::Turn(id) => id,
                // Bound by its sum.
                Symbol::Index(_) => continue,
                _ => return None,
            };
            let most = *self.turns.get(id)?;
            all = all.checked_mul(most + 1).filter(|&all| all <= MOST_TURNS)?;
            loops.push((*id, most + 1));
        }
        self.left = self.left.checked_sub(all)?;
        let mut words = Vec::with_capacity(all as usize);
        for number in 0..all {
            let turn_of = |wanted: &Symbol| {
                let mut rest = number;
                for &(id, turns) in &loops {
                    if *wanted == Symbol::Turn(id) {
                        return Some((rest % turns) as i128);
                    }
                    rest /= turns;
                }
                None
            };
            let value = self.formulas.evaluate(formula, &turn_of).ok()?;
            words.push(value as u128 & mask(width));
        }
        Some(ValueRange::of_values(width, &words))
    }

    /// Bounds for all iterations together.
    fn over_turns(&mut self, formula: FormulaId, id: LoopId, width: u32, most: u128) -> Option<ValueRange> {
        let inside = self.unwrapped(formula, width);
        let symbol = self.formulas.find(&Symbol::Turn(id));
        let parts = self.facts.range(&mut self.formulas, inside);
        let polynomial = symbol.and_then(|turn| self.polynomial(inside, turn, most));
        let numbers = polynomial.map_or(parts, |numbers| numbers.and(parts));
        if numbers.low == i128::MIN || numbers.high == i128::MAX {
            return None;
        }
        let span = numbers.high.checked_sub(numbers.low)? as u128;
        (span < mask(width)).then(|| {
            let low = numbers.low as u128 & mask(width);
            ValueRange::from(Interval::new(width, low, low.wrapping_add(span) & mask(width)))
        })
    }

    /// `Σ d_k · C(h, k) / under`, h from 0 to `most`.
    fn polynomial(&mut self, formula: FormulaId, turn: SymbolId, most: u128) -> Option<FormulaInterval> {
        let (coefficients, under) = self.formulas.coefficients(formula, turn)?;
        let mut sum = self.facts.range(&mut self.formulas, *coefficients.first()?);
        let (mut binomial, mut factorial) = (1i128, 1i128);
        for degree in 1..coefficients.len() {
            factorial = factorial.checked_mul(degree as i128)?;
            let left = i128::try_from(most).ok()?.checked_sub(degree as i128 - 1)?.max(0);
            // Binomials grow with the turn.
            binomial = binomial.checked_mul(left)? / degree as i128;
            let terms: Option<Vec<(FormulaId, i128)>> = (degree..coefficients.len())
                .map(|power| Some((coefficients[power], stirling(power, degree).checked_mul(factorial)?)))
                .collect();
            let difference = self.formulas.combine(0, &terms?);
            if self.formulas.is_too_big(difference) {
                return None;
            }
            let range = self.facts.range(&mut self.formulas, difference);
            if range.low == i128::MIN || range.high == i128::MAX {
                return None;
            }
            sum.low = sum.low.checked_add(range.low.min(0).checked_mul(binomial)?)?;
            sum.high = sum.high.checked_add(range.high.max(0).checked_mul(binomial)?)?;
        }
        let is_open = sum.low == i128::MIN || sum.high == i128::MAX || under <= 0;
        // The exact quotient lies between the rounded ones.
        (!is_open).then(|| FormulaInterval {
            low: sum.low.div_euclid(under),
            high: sum.high.div_euclid(under) + i128::from(sum.high.rem_euclid(under) != 0),
        })
    }
}

/// Stirling's number of the second kind.
fn stirling(power: usize, parts: usize) -> i128 {
    let mut row = vec![1i128];
    for n in 1..=power {
        let mut next = vec![0i128; n + 1];
        for (k, &before) in row.iter().enumerate() {
            next[k] += before * k as i128;
            next[k + 1] += before;
        }
        row = next;
    }
    row.get(parts).copied().unwrap_or(0)
}

/// Whether a claim holds in all executions that keep their promises. An assumed condition is never
/// certain, even where the language says that the loop ends. What runs before the end matters, and
/// is not undefined yet.
fn is_certain(assumptions: &[TripAssumption]) -> bool {
    assumptions.iter().all(|assumption| !matches!(assumption, TripAssumption::Condition(..)))
}
