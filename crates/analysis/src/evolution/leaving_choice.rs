//! In which iteration does a comparison first fail, where a side is one of two?
//!
//! A choice by a test that no iteration changes makes two cases, put together by the same test. A
//! choice by "is it the first iteration?" (what merges a constant at the head and another one on
//! the way back) is looked at in the first iteration, and after it one iteration later. A choice by
//! "is the iteration odd?" is decided in the first two iterations or never. Of a choice by another
//! test that decides the comparison alone (a truth value that was computed before it is branched
//! on) the first iteration of the test counts. Cost: at most [`CASES`] choices deep.

use opcost_ir::Predicate;

use super::answer::Otherwise;
use super::leaving_question::{Compared, First, Needed, Question};
use crate::expression::{Domain, Facts, FormulaId, FormulaNode, Relation, Test};

/// How many choices of one comparison are distinguished.
const CASES: u32 = 3;

/// What decides a choice.
enum Choice {
    /// A test that is the same in every iteration.
    Fixed(Test),
    /// Whether it is the first iteration; the test says that it is.
    First(Test),
    /// Whether the iteration is even; the test says that it is.
    Even(Test),
    /// Something else that moves.
    Moving(Test),
}

impl Question<'_> {
    /// The first iteration in which `stays` does not hold between values of so many bits.
    pub(super) fn first_turn(&mut self, compared: Compared) -> First {
        self.first_turn_by_cases(compared, CASES)
    }

    /// The first iteration in which `stays` does not hold, choices distinguished.
    fn first_turn_by_cases(&mut self, compared: Compared, cases: u32) -> First {
        let choice = if cases > 0 { self.choice(compared.sides) } else { None };
        match choice {
            None => self.first_turn_of(compared),
            Some(Choice::Fixed(test)) => self.by_fixed_choice(test, compared, cases),
            Some(Choice::First(test)) => self.behind_first_turn(test, compared, cases),
            Some(Choice::Even(test)) => self.in_two_turns(test, compared),
            Some(Choice::Moving(test)) => self.by_moving_test(test, compared, cases),
        }
    }

    /// A choice that is the same in every iteration makes two cases.
    fn by_fixed_choice(&mut self, test: Test, compared: Compared, cases: u32) -> First {
        let [then, otherwise] = [test, test.inverse()].map(|holds| {
            let sides = compared.sides.map(|side| self.table.where_holds(side, holds));
            self.first_turn_by_cases(compared.of(sides), cases - 1)
        });
        match (then, otherwise) {
            (
                First::At { turn, conditions, is_modular },
                First::At { turn: other, conditions: more, is_modular: hard },
            ) => {
                let turn = self.table.select(test, turn, other);
                let conditions = conditions.into_iter().filter_map(|needed| self.needed_if(test, needed));
                let mut conditions: Vec<Needed> = conditions.collect();
                conditions
                    .extend(more.into_iter().filter_map(|needed| self.needed_if(test.inverse(), needed)));
                First::At { turn, conditions, is_modular: is_modular || hard }
            }
            (First::Never, First::Never) => First::Never,
            _ => First::Unknown,
        }
    }

    /// The first iteration by itself; then the others, counted from the second one.
    fn behind_first_turn(&mut self, is_first: Test, compared: Compared, cases: u32) -> First {
        let leaves = self.leaves_in_turn(0, is_first, compared);
        let Some(leaves) = leaves else { return First::Unknown };
        let leaves = match self.table.decide(leaves, self.facts) {
            Some(true) => return First::plain(self.table.constant(0), Vec::new()),
            Some(false) => None,
            None => Some(leaves),
        };
        let turn = self.turn_formula();
        let next = self.table.add_constant(turn, 1);
        let later = compared.sides.map(|side| {
            let side = self.table.where_holds(side, is_first.inverse());
            self.table.replace(side, self.turn, next)
        });
        let behind = match (self.first_turn_by_cases(compared.of(later), cases - 1), leaves) {
            (First::At { turn, conditions, is_modular }, _) => (turn, conditions, is_modular),
            (First::AtOnceIf(test), _) => (self.table.constant(0), vec![(test, Otherwise::Endless)], false),
            (First::Never, None) => return First::Never,
            (First::Never, Some(test)) => return First::AtOnceIf(test),
            (First::Unknown, _) => return First::Unknown,
        };
        let (turn, conditions, is_modular) = behind;
        let turn = self.table.add_constant(turn, 1);
        let Some(leaves) = leaves else { return First::At { turn, conditions, is_modular } };
        let zero = self.table.constant(0);
        let turn = self.table.select(leaves, zero, turn);
        let stays_at_first = leaves.inverse();
        let conditions = conditions.into_iter().filter_map(|needed| self.needed_if(stays_at_first, needed));
        First::At { turn, conditions: conditions.collect(), is_modular }
    }

    /// Sides that are the same in every second iteration.
    fn in_two_turns(&mut self, is_even: Test, compared: Compared) -> First {
        let turns = [is_even, is_even.inverse()].map(|holds| {
            let sides = compared.sides.map(|side| self.table.where_holds(side, holds));
            let is_fixed = sides.iter().all(|&side| !self.table.contains(side, self.turn));
            let leaves = is_fixed.then(|| self.leaves_if(compared.of(sides))).flatten();
            leaves.map(|leaves| (leaves, self.table.decide(leaves, self.facts)))
        });
        let zero = self.table.constant(0);
        let one = self.table.constant(1);
        match turns {
            [Some((_, Some(true))), Some(_)] => First::plain(zero, Vec::new()),
            [Some((_, Some(false))), Some((_, Some(false)))] => First::Never,
            [Some((at_first, None)), Some((_, Some(false)))] => First::AtOnceIf(at_first),
            [Some((at_first, _)), Some((at_second, later))] => {
                let turn = self.table.select(at_first, zero, one);
                let needed = (at_second, Otherwise::Endless);
                let conditions = match later {
                    Some(_) => Vec::new(),
                    None => self.needed_if(at_first.inverse(), needed).into_iter().collect(),
                };
                First::plain(turn, conditions)
            }
            _ => First::Unknown,
        }
    }

    /// Sides that a test decides alone: the first iteration in which the test comes out so that the
    /// comparison fails.
    fn by_moving_test(&mut self, test: Test, compared: Compared, cases: u32) -> First {
        let [leaves_if, leaves_if_not] = [test, test.inverse()].map(|holds| {
            let sides = compared.sides.map(|side| self.table.where_holds(side, holds));
            let leaves = self.leaves_if(compared.of(sides));
            leaves.and_then(|leaves| self.table.decide(leaves, self.facts))
        });
        match (leaves_if, leaves_if_not) {
            (Some(true), Some(true)) => First::plain(self.table.constant(0), Vec::new()),
            (Some(false), Some(false)) => First::Never,
            (Some(true), Some(false)) => self.first_turn_of_test(test, cases),
            (Some(false), Some(true)) => self.first_turn_of_test(test.inverse(), cases),
            _ => self.first_turn_of(compared),
        }
    }

    /// The first iteration in which a test of exact integers holds.
    fn first_turn_of_test(&mut self, test: Test, cases: u32) -> First {
        let zero = self.table.constant(0);
        let stays = match test.relation {
            Relation::Negative => Predicate::Sge,
            Relation::NotNegative => Predicate::Slt,
            Relation::Zero => Predicate::Ne,
            Relation::NotZero => Predicate::Eq,
        };
        if matches!(test.relation, Relation::Negative | Relation::NotNegative) {
            return self.first_turn_by_cases(Compared { stays, sides: [test.of, zero], bits: 64 }, cases - 1);
        }
        // Zero modulo 2^bits is zero where the number has so few bits.
        let range = self.table.range(test.of);
        let bits = [32, 64].into_iter().find(|&bits| Domain { bits, signed: true }.interval().holds(range));
        match bits {
            Some(bits) => {
                self.first_turn_by_cases(Compared { stays, sides: [test.of, zero], bits }, cases - 1)
            }
            None => First::Unknown,
        }
    }

    /// When the comparison fails in an iteration of this number, as a test.
    fn leaves_in_turn(&mut self, turn: i128, holds: Test, compared: Compared) -> Option<Test> {
        let turn = self.table.constant(turn);
        let sides = compared.sides.map(|side| {
            let side = self.table.where_holds(side, holds);
            self.table.replace(side, self.turn, turn)
        });
        self.leaves_if(compared.of(sides))
    }

    /// When `stays` does not hold between two values of so many bits.
    pub(super) fn leaves_if(&mut self, compared: Compared) -> Option<Test> {
        let Compared { stays, sides: [left, right], bits } = compared;
        use Predicate::*;
        if self.table.is_too_big(left) || self.table.is_too_big(right) {
            return None;
        }
        let (left, right) = match stays {
            Ult | Ule | Ugt | Uge => (self.unsigned(left, bits), self.unsigned(right, bits)),
            Slt | Sle | Sgt | Sge if bits == 1 => (self.table.negate(left), self.table.negate(right)),
            _ => (left, right),
        };
        let difference = self.table.subtract(left, right);
        let one_less = self.table.add_constant(difference, -1);
        let (relation, of) = match stays {
            Eq => (Relation::NotZero, difference),
            Ne => (Relation::Zero, difference),
            Slt | Ult => (Relation::NotNegative, difference),
            Sge | Uge => (Relation::Negative, difference),
            Sle | Ule => (Relation::NotNegative, one_less),
            Sgt | Ugt => (Relation::Negative, one_less),
            _ => return None,
        };
        Some(self.table.plain_test(Test { relation, of }))
    }

    pub(super) fn turn_formula(&mut self) -> FormulaId {
        let (symbol, range) = (self.table.symbol_of(self.turn).clone(), self.table.symbol_range(self.turn));
        self.table.symbol(symbol, range)
    }

    /// The test of a choice in what is compared, one that no iteration changes first.
    fn choice(&mut self, sides: [FormulaId; 2]) -> Option<Choice> {
        let tests: Vec<Test> = sides.into_iter().flat_map(|side| self.choices(side)).collect();
        if let Some(&test) = tests.iter().find(|test| !self.table.contains(test.of, self.turn)) {
            return Some(Choice::Fixed(test));
        }
        let &test = tests.first()?;
        let turn = self.turn_formula();
        let test = match test.relation {
            Relation::NotZero => test.inverse(),
            _ => test,
        };
        let parity = self.table.wrap(Domain { bits: 1, signed: false }, turn);
        let opposites = [turn, parity].map(|of| self.table.negate(of));
        Some(match test.relation {
            Relation::Zero if [turn, opposites[0]].contains(&test.of) => Choice::First(test),
            Relation::Zero if [parity, opposites[1]].contains(&test.of) => Choice::Even(test),
            _ => Choice::Moving(test),
        })
    }

    /// The tests of choices in a formula of the iteration.
    fn choices(&self, of: FormulaId) -> Vec<Test> {
        let (mut found, mut work) = (Vec::new(), vec![of]);
        while let Some(id) = work.pop() {
            if !self.table.contains(id, self.turn) {
                continue;
            }
            match self.table.node(id) {
                FormulaNode::Select { test, .. } => found.push(*test),
                FormulaNode::Sum { terms, .. } => work.extend(terms.iter().map(|&(term, _)| term)),
                FormulaNode::Wrap { of, .. } => work.push(*of),
                _ => {}
            }
        }
        found
    }

    /// What is needed only where a test holds; none if it then holds anyway.
    fn needed_if(&mut self, test: Test, (needed, otherwise): Needed) -> Option<Needed> {
        let mut facts = self.facts.clone();
        self.note(&mut facts, test);
        if self.table.decide(needed, &facts) == Some(true) {
            return None;
        }
        let harmless = self.table.constant(match needed.relation {
            Relation::Negative => -1,
            Relation::NotZero => 1,
            Relation::NotNegative | Relation::Zero => 0,
        });
        let of = self.table.select(test, needed.of, harmless);
        Some((Test { of, ..needed }, otherwise))
    }

    /// Adds what a test says to what is known.
    fn note(&mut self, facts: &mut Facts, Test { relation, of }: Test) {
        let range = self.table.range(of);
        let above = self.table.add_constant(of, -1);
        let below = self.table.combine(-1, &[(of, -1)]);
        match relation {
            Relation::Zero => facts.add_zero(self.table, of),
            Relation::NotNegative => facts.add(self.table, of),
            Relation::Negative => facts.add(self.table, below),
            Relation::NotZero if range.low >= 0 => facts.add(self.table, above),
            Relation::NotZero if range.high <= 0 => facts.add(self.table, below),
            Relation::NotZero => {}
        }
    }
}
