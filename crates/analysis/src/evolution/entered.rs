//! Under which condition is a loop entered? What is before it, as a formula.
//!
//! A count holds for a loop that is entered: where a test before it fails (a loop that is tested
//! last has one, and so has what a vector body leaves) its formula says nothing, so the condition
//! belongs to the claim. It is that of coming from the start of the function, or of the iteration
//! of the loop around, to the header: along the dominators, each step being the disjunction of its
//! ways. A block that all ways lead to costs no test. Loops between are left as they are left, if
//! they have one exit; that they end, and that calls return, is presumed. What has no formula is
//! [`Entered::Unknown`], and evaluation has three values: a conjunction fails where one known part
//! does.
//!
//! Input: the loop, and what its count rests on; a test that rests on more is
//! unknown. Output: a tree of tests on the symbols of the count. Cost: at most
//! [`MOST_STEPS`] edges looked at for each loop.

use opcost_index::Id;
use opcost_ir::{Predicate, Value};
use opcost_key::BlockId;
use rustc_hash::FxHashSet as HashSet;

use super::answer::TripAssumption;
use super::entry::Entered;
use super::known::{Known, Mode};
use super::leaving_question::{Compared, Question};
use super::logic::Condition;
use super::predicates::is_signed;
use super::solver::Solver;
use crate::expression::{Domain, Facts, FormulaId, FormulaInterval, Relation, Symbol, Test};
use opcost_graph::edge::{Edge, edges_from};
use opcost_graph::loops::LoopId;

/// How many edges are looked at for one loop.
pub(super) const MOST_STEPS: u32 = 96;
/// How many tests a condition may have; the rest of them are unknown.
pub(super) const MOST_TESTS: u32 = 12;

/// A block that control comes to, or an edge that it takes, and what that may rest on.
pub(super) struct Search<'r> {
    /// The loop around it: conditions are those of its iteration.
    pub(super) scope: Option<LoopId>,
    pub(super) mode: Mode,
    pub(super) relies: Relied<'r>,
    pub(super) steps: u32,
    pub(super) tests: u32,
}

/// What a condition may rest on.
#[derive(Clone, Copy)]
pub(super) enum Relied<'r> {
    /// These assumptions and no others.
    These(&'r [TripAssumption]),
    /// All that the language and the code promise; no condition on the symbols.
    Promises,
}

impl Relied<'_> {
    fn allows(self, assumption: &TripAssumption) -> bool {
        match self {
            Relied::These(list) => list.contains(assumption),
            Relied::Promises => !matches!(assumption, TripAssumption::Condition(..)),
        }
    }
}

impl Solver<'_, '_> {
    /// When a loop is entered, resting on nothing more than this.
    pub(super) fn entered(&mut self, id: LoopId, mode: Mode, relies: &[TripAssumption]) -> Entered {
        let natural = &self.source.forest.loops[id];
        let (header, scope) = (natural.header, natural.parent);
        let start = match scope {
            Some(around) => self.source.forest.loops[around].header,
            None => BlockId::new(0),
        };
        let relies = Relied::These(relies);
        let mut search = Search { scope, mode, relies, steps: MOST_STEPS, tests: MOST_TESTS };
        self.reached(header, start, &mut search)
    }

    /// When control that is at `from` comes to `to`, which it dominates.
    fn reached(&mut self, to: BlockId, from: BlockId, search: &mut Search<'_>) -> Entered {
        let mut all = Entered::Always;
        let mut below = to;
        while below != from {
            let Some(above) = self.step_above(below, search) else { return Entered::Unknown };
            let step = self.between(above, below, search);
            // What comes first is said first.
            all = step.and(all);
            if all == Entered::Never {
                break;
            }
            below = above;
        }
        all
    }

    /// The nearest dominator, or the header of the loop that it is in and that was left on the way.
    fn step_above(&self, below: BlockId, search: &Search<'_>) -> Option<BlockId> {
        let above = self.source.dominators.immediate(below)?;
        Some(match self.left_between(above, below, search) {
            Some(left) => self.source.forest.loops[left].header,
            None => above,
        })
    }

    /// The outermost loop of the iteration that holds `from` and not `to`.
    fn left_between(&self, from: BlockId, to: BlockId, search: &Search<'_>) -> Option<LoopId> {
        let chain = self.source.forest.chain(self.source.forest.innermost[from]);
        chain
            .take_while(|&id| Some(id) != search.scope)
            .filter(|&id| !self.source.forest.contains(id, to))
            .last()
    }

    /// When control goes on from a block to one that it dominates next.
    fn between(&mut self, above: BlockId, below: BlockId, search: &mut Search<'_>) -> Entered {
        if self.all_ways_lead(above, below, search) {
            return Entered::Always;
        }
        let mut any = Entered::Never;
        for from in self.state.predecessors[below].clone() {
            let is_back = self.source.dominators.dominates(below, from);
            if is_back || !self.source.dominators.is_reachable(from) {
                continue;
            }
            if search.steps == 0 {
                return Entered::Unknown;
            }
            search.steps -= 1;
            let left = self.left_between(from, below, search);
            let way = match left {
                Some(left) => {
                    let header = self.source.forest.loops[left].header;
                    let exits = &self.source.forest.loops[left].exits;
                    let is_only = exits.iter().all(|exit| exit.to == below);
                    let after = if is_only { Entered::Always } else { Entered::Unknown };
                    self.reached(header, above, search).and(after)
                }
                None => {
                    let before = self.reached(from, above, search);
                    // What is never reached needs no further test.
                    if before == Entered::Never {
                        before
                    } else {
                        before.and(self.goes_to(from, below, search))
                    }
                }
            };
            any = any.or(way);
            if any == Entered::Always {
                break;
            }
        }
        any
    }

    /// Whether control that is at `from` comes to `to` whatever is decided.
    fn all_ways_lead(&self, from: BlockId, to: BlockId, search: &mut Search<'_>) -> bool {
        let function = self.source.function;
        let scope_header = search.scope.map(|around| self.source.forest.loops[around].header);
        let mut seen: HashSet<BlockId> = HashSet::from_iter([from]);
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            if search.steps == 0 {
                return false;
            }
            search.steps -= 1;
            if function.blocks[block].successors.is_empty() {
                return false;
            }
            for &next in &function.blocks[block].successors {
                // The turn around ends.
                let is_out = Some(next) == scope_header
                    || search.scope.is_some_and(|around| !self.source.forest.contains(around, next));
                if is_out {
                    return false;
                }
                if next != to && seen.insert(next) {
                    work.push(next);
                }
            }
        }
        true
    }

    /// When control at the end of a block goes to this one of its successors.
    fn goes_to(&mut self, from: BlockId, to: BlockId, search: &mut Search<'_>) -> Entered {
        let function = self.source.function;
        let edges: Vec<Edge<BlockId>> = edges_from(function, from).collect();
        if edges.iter().all(|edge| edge.to == to) {
            return Entered::Always;
        }
        let mut any = Entered::Never;
        for edge in edges.into_iter().filter(|edge| edge.to == to) {
            let condition = self.exit_condition(edge);
            any = any.or(self.holds_where(&condition, search));
        }
        any
    }

    /// A condition as a tree of tests: it holds where a loop would be left.
    pub(super) fn holds_where(&mut self, condition: &Condition, search: &mut Search<'_>) -> Entered {
        match condition {
            Condition::Always(true) => Entered::Always,
            Condition::Always(false) => Entered::Never,
            Condition::Unknown(_) => Entered::Unknown,
            Condition::Any(parts) => {
                parts.iter().fold(Entered::Never, |any, part| any.or(self.holds_where(part, search)))
            }
            Condition::All(parts) => {
                parts.iter().fold(Entered::Always, |all, part| all.and(self.holds_where(part, search)))
            }
            Condition::Comparison { stays, sides, domain, .. } => {
                let are_addresses = domain.bits > 1 && !domain.signed;
                if are_addresses && is_signed(*stays) {
                    return Entered::Unknown;
                }
                let [left, right] = sides.map(|side| self.told(side, search));
                match (left, right) {
                    (Some(left), Some(right)) => self.tested(*stays, [left, right], *domain, search),
                    _ => Entered::Unknown,
                }
            }
            Condition::Truth { value, stays_if } => {
                let domain = self.type_of_operand(*value).and_then(|ty| self.domain(ty));
                let Some(domain) = domain.filter(|domain| domain.bits == 1) else { return Entered::Unknown };
                let Some(value) = self.told(*value, search) else { return Entered::Unknown };
                let stays = if *stays_if { Predicate::Ne } else { Predicate::Eq };
                let zero = self.table.constant(0);
                self.tested(stays, [value, zero], domain, search)
            }
        }
    }

    /// A value in terms of the iterations around, if that rests on nothing more.
    fn told(&mut self, value: Value, search: &Search<'_>) -> Option<FormulaId> {
        let raw = self.raw_value(value, search.mode);
        let inside = self.resolve(raw, search.scope, search.mode);
        let known = self.lifted_from(inside, search.scope, search.mode);
        let Known { formula, relies } = known;
        let rests = relies.iter().all(|one| search.relies.allows(one));
        let is_told = rests && !self.table.is_too_big(formula) && !self.is_no_number(formula);
        is_told.then_some(formula)
    }

    /// The statement that `stays` does not hold.
    fn tested(
        &mut self,
        stays: Predicate,
        sides: [FormulaId; 2],
        domain: Domain,
        search: &mut Search<'_>,
    ) -> Entered {
        // No turn decides here: what is asked is a statement, not the first turn in which it holds.
        let turn = self.table.symbol(Symbol::Named("no turn".into()), FormulaInterval::NATURAL);
        let Some(turn) = self.table.as_symbol(turn) else { return Entered::Unknown };
        let are_addresses = domain.bits > 1 && !domain.signed;
        let facts = Facts::new();
        let mut question = Question { table: self.table, facts: &facts, turn, trusts: false, are_addresses };
        let Some(mut test) = question.leaves_if(Compared { stays, sides, bits: domain.bits }) else {
            return Entered::Unknown;
        };
        if self.table.is_too_big(test.of) {
            return Entered::Unknown;
        }
        match self.table.decide(test, &facts) {
            Some(true) => return Entered::Always,
            Some(false) => return Entered::Never,
            None => {}
        }
        if search.tests == 0 {
            return Entered::Unknown;
        }
        search.tests -= 1;
        // `x != 0` of what is not negative reads `x > 0`.
        if test.relation == Relation::NotZero && self.table.range(test.of).low >= 0 {
            test = Test { relation: Relation::NotNegative, of: self.table.add_constant(test.of, -1) };
        }
        Entered::If(test)
    }
}
