//! How often does each block of a function run, for one call of it? Exact fractions.
//!
//! executions(block) = freq(block) / freq(header) · executions of the header, from the inside out
//! (Xie, 2014). One iteration of a loop sends one unit of flow through its region. A branch
//! that is decided sends all of it one way. An iteration goes on if no exit is taken, and the last
//! one leaves; the flow of each is that under this condition. So a loop with B back edges has B
//! iterations of the one kind and one of the other. What an iteration does may depend on its number;
//! then its iterations are summed (`sums`). A loop without a trip count goes on as often as its
//! branches say. That is 1 / (1 − c) times, where c is what comes back of one unit.
//!
//! Input: a [`FunctionModel`], numbers for its symbols. Output: [`Counts`]. Cost: the units of all
//! regions, and for each sum without closed form its terms, up to a budget.
//! Limits: cycles that are no natural loops are passed once; blocks in them and after them are called unknown.

mod loop_flows;

use std::collections::BTreeSet;
use std::rc::Rc;

use num_traits::{One, Zero};
use opcost_analysis::evolution::{Entered, TripAnswer};
use opcost_analysis::expression::{FormulaId, NoNumber, Symbol};
use opcost_graph::edge::Edge;
use opcost_graph::loops::LoopId;
use opcost_index::IdMap;
use opcost_key::BlockId;
use rustc_hash::FxHashMap as HashMap;

use crate::dependence::Dependence;
use crate::fraction::{Fraction, whole};
use crate::model::{EdgeModel, FunctionModel};
use crate::region::Unit;

/// How well it is known how often a loop goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LoopGrade {
    /// A number of the code alone.
    Constant,
    /// A formula whose symbols have numbers.
    Formula,
    /// As often as in a run, on average.
    Run,
    /// No more often than this; the prediction takes the bound.
    Bound,
    /// Nothing: branches were guessed.
    Static,
    /// A formula of an input that has no number.
    Open,
    /// A sum without closed form that has too many terms; some of them were taken for all.
    Averaged,
}

/// How often blocks run for one call, and how that is known.
pub(crate) struct Counts {
    pub(crate) blocks: IdMap<BlockId, Fraction>,
    /// Blocks whose number no guess of a branch changes.
    pub(crate) decided: IdMap<BlockId, bool>,
    /// Of loops that were looked at.
    pub(crate) grades: IdMap<LoopId, Option<LoopGrade>>,
    /// Positions of symbols that would have decided something.
    pub(crate) missing: BTreeSet<usize>,
}

/// One activation of a loop.
#[derive(Debug)]
pub(crate) struct Activation {
    /// Executions of its members, in the order of [`Dependence::members`].
    pub(crate) counts: Vec<Fraction>,
    /// How it is left.
    pub(crate) exits: Vec<(Edge<BlockId>, Fraction)>,
}

/// One activation of a loop, and how that is known.
#[derive(Debug)]
pub(crate) struct LoopCounts {
    pub(crate) own: Rc<Activation>,
    /// The same with other probabilities.
    pub(crate) other: Rc<Activation>,
    /// Of loops that were looked at.
    pub(crate) grades: IdMap<LoopId, Option<LoopGrade>>,
    /// Positions of symbols that would have decided something.
    pub(crate) missing: BTreeSet<usize>,
}

/// The share of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownShare {
    pub(crate) share: Fraction,
    /// Whether no probability is in it.
    pub(crate) is_decided: bool,
}

/// What happens in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Anything.
    Any,
    /// It goes back.
    Stays,
    /// It leaves.
    Leaves,
}

/// How often a loop goes back.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Trips {
    Exact(i128),
    AtMost(i128),
    /// On average of a run.
    Average(Fraction),
    Unknown,
}

/// One unit of flow through a region.
pub(crate) struct Flow {
    pub(crate) counts: Vec<Fraction>,
    exits: Vec<(Edge<BlockId>, Fraction)>,
    back: Fraction,
}

/// Evaluates one function for certain numbers.
pub(crate) struct Evaluator<'m> {
    pub(crate) model: &'m FunctionModel,
    pub(crate) dependence: &'m Dependence,
    numbers: &'m HashMap<Symbol, i128>,
    pub(crate) iterations: IdMap<LoopId, Option<i128>>,
    cache: HashMap<(LoopId, Vec<Option<i128>>), Rc<Activation>>,
    grades: IdMap<LoopId, Option<LoopGrade>>,
    missing: BTreeSet<usize>,
    /// Units that may still be looked at one iteration at a time.
    pub(crate) budget: u64,
    /// What is believed.
    belief: Belief,
    /// Whether other probabilities replace the static ones.
    is_other: bool,
}

/// What an evaluation believes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Belief {
    /// What is known; an input without a number leaves its loop open.
    Decided,
    /// What is known; inputs without numbers are guessed.
    Guess,
    /// Static probabilities alone.
    Statics,
}

impl<'m> Evaluator<'m> {
    pub(crate) fn new(
        model: &'m FunctionModel,
        dependence: &'m Dependence,
        numbers: &'m HashMap<Symbol, i128>,
        budget: u64,
        belief: Belief,
    ) -> Evaluator<'m> {
        let loops = model.loops.len();
        Evaluator {
            model,
            dependence,
            numbers,
            iterations: IdMap::filled(loops, None),
            cache: HashMap::default(),
            grades: IdMap::filled(loops, None),
            missing: BTreeSet::new(),
            budget,
            belief,
            is_other: false,
        }
    }

    /// Executions for one call.
    pub(crate) fn counts(&mut self) -> Counts {
        let blocks = self.blocks();
        // What other probabilities do not change rests on none.
        self.is_other = true;
        self.cache.clear();
        let others = self.blocks();
        self.is_other = false;
        Counts {
            decided: blocks
                .iter()
                .map(|(block, count)| *count == others[block] && !self.model.is_after_cycle[block])
                .collect(),
            blocks,
            grades: self.grades.clone(),
            missing: self.missing.clone(),
        }
    }

    /// One activation of a loop, by what is believed and by other probabilities.
    pub(crate) fn activation_of(&mut self, id: LoopId) -> LoopCounts {
        let around: Vec<Option<i128>> = self.iterations.values().copied().collect();
        let own = self.activation(id);
        self.is_other = true;
        self.cache.clear();
        let other = self.activation(id);
        self.is_other = false;
        self.cache.clear();
        self.iterations = IdMap::from_vec(around);
        LoopCounts { own, other, grades: self.grades.clone(), missing: self.missing.clone() }
    }

    fn blocks(&mut self) -> IdMap<BlockId, Fraction> {
        let flow = self.flow(None, Event::Any);
        let mut blocks = IdMap::filled(self.model.edges.len(), Fraction::zero());
        for (&block, count) in self.dependence.members(None).iter().zip(flow.counts) {
            blocks[block] = count;
        }
        blocks
    }

    /// How executions of a block in one activation of a loop are shared by the loop's iterations. The last
    /// one is the one that leaves. None where their number is not known, or too many.
    pub(crate) fn shares_of_iterations(&mut self, id: LoopId, block: BlockId) -> Option<Vec<Fraction>> {
        let Trips::Exact(back) = self.trips(id) else { return None };
        if back > MOST_ITERATIONS {
            return None;
        }
        let place = self.dependence.members(Some(id)).iter().position(|&member| member == block)?;
        let mut shares = Vec::new();
        for turn in 0..=back {
            self.iterations[id] = Some(turn);
            let event = if turn < back { Event::Stays } else { Event::Leaves };
            shares.push(self.flow(Some(id), event).counts.swap_remove(place));
        }
        self.iterations[id] = None;
        let total: Fraction = shares.iter().sum();
        (!total.is_zero()).then(|| shares.into_iter().map(|share| share / &total).collect())
    }

    /// The number that a formula is in one iteration of a loop.
    pub(crate) fn number_in(&mut self, formula: FormulaId, at: Option<(LoopId, i128)>) -> Option<i128> {
        if let Some((id, turn)) = at {
            self.iterations[id] = Some(turn);
        }
        let number = self.number(formula).ok();
        if let Some((id, _)) = at {
            self.iterations[id] = None;
        }
        number
    }

    /// The number that a formula is.
    pub(crate) fn number(&mut self, formula: FormulaId) -> Result<i128, NoNumber> {
        if let Some(number) = self.model.formulas.as_constant(formula) {
            return Ok(number);
        }
        let number = self.model.formulas.evaluate(formula, &|symbol| match symbol {
            Symbol::Turn(id) => self.iterations[*id],
            other => self.numbers.get(other).copied(),
        });
        if let Err(NoNumber::Unbound(symbol)) = &number {
            self.want(symbol);
        }
        number
    }

    fn want(&mut self, symbol: &Symbol) {
        if let Some(position) = self.model.position_of(symbol) {
            self.missing.insert(position);
        }
    }

    /// Whether what is missing is an input that a user can give.
    fn is_open(&self, missing: &NoNumber) -> bool {
        match missing {
            NoNumber::Unbound(Symbol::Turn(around)) => self.grades[*around] == Some(LoopGrade::Open),
            NoNumber::Unbound(symbol) => {
                self.model.position_of(symbol).is_some_and(|position| self.model.symbols[&position].is_input)
            }
            _ => false,
        }
    }

    fn trips(&mut self, id: LoopId) -> Trips {
        let before = self.grades[id];
        let trips = self.trips_by_formula(id);
        let average = self.model.loops[id].average.as_ref().filter(|_| self.belief != Belief::Statics);
        match (trips, average) {
            (Trips::Exact(back), _) => Trips::Exact(back),
            (_, Some(average)) => {
                self.grades[id] = before;
                self.grade(id, LoopGrade::Run);
                Trips::Average(average.clone())
            }
            (trips, None) => trips,
        }
    }

    fn trips_by_formula(&mut self, id: LoopId) -> Trips {
        let model = self.model;
        let one = &model.loops[id];
        let formula = one.back_edges.formula().filter(|_| self.belief != Belief::Statics);
        let Some(formula) = formula else {
            self.grade(id, LoopGrade::Static);
            return Trips::Unknown;
        };
        let number = self.number(formula).and_then(|number| {
            for condition in &one.conditions {
                let holds = condition.relation.holds(self.number(condition.of)?);
                if !holds {
                    return Ok(None);
                }
            }
            Ok(Some(number.max(0)))
        });
        match (number, &one.back_edges) {
            // What the formula of a loop gives that is not entered; no program that ends goes back so often.
            (Ok(Some(number)), _) if number > MOST_BACK_EDGES => {
                self.grade(id, LoopGrade::Static);
                Trips::Unknown
            }
            (Ok(Some(number)), TripAnswer::Exact(_)) => {
                let is_number = model.formulas.as_constant(formula).is_some();
                self.grade(id, if is_number { LoopGrade::Constant } else { LoopGrade::Formula });
                Trips::Exact(number)
            }
            (Ok(Some(number)), _) => {
                self.grade(id, LoopGrade::Bound);
                Trips::AtMost(number)
            }
            (Err(missing), _) if self.is_open(&missing) && self.belief == Belief::Decided => {
                self.grade(id, LoopGrade::Open);
                Trips::Unknown
            }
            _ => {
                self.grade(id, LoopGrade::Static);
                Trips::Unknown
            }
        }
    }

    pub(crate) fn grade(&mut self, id: LoopId, grade: LoopGrade) {
        let before = self.grades[id];
        self.grades[id] = Some(before.map_or(grade, |before| before.max(grade)));
    }

    /// One activation of a loop, the iterations of those around it being set.
    fn activation(&mut self, id: LoopId) -> Rc<Activation> {
        let around: Vec<Option<i128>> =
            self.dependence.outer_dependences(id).iter().map(|&around| self.iterations[around]).collect();
        let key = (id, around);
        if let Some(known) = self.cache.get(&key) {
            return known.clone();
        }
        let trips = self.trips(id);
        let saved = self.iterations[id].take();
        let activation = Rc::new(match trips {
            Trips::Unknown => self.guessed_activation(id),
            Trips::Exact(back) => self.counted_activation(id, back, true),
            Trips::AtMost(back) => self.counted_activation(id, back, false),
            Trips::Average(back) => self.average_activation(id, &back),
        });
        self.iterations[id] = saved;
        // What depends on a turn is asked for once each.
        if key.1.iter().all(Option::is_none) || self.cache.len() < MOST_KEPT {
            self.cache.insert(key, activation.clone());
        }
        activation
    }

    fn guessed_activation(&mut self, id: LoopId) -> Activation {
        let flow = self.flow(Some(id), Event::Any);
        let leaves = Fraction::one() - &flow.back;
        // A loop that nothing leaves is passed as often as one of which nothing is known.
        let times = if leaves.is_zero() { whole(ENDLESS) } else { leaves.recip() };
        Activation {
            counts: flow.counts.into_iter().map(|count| count * &times).collect(),
            exits: flow.exits.into_iter().map(|(edge, share)| (edge, share * &times)).collect(),
        }
    }

    /// Iterations of the two kinds, so many of the one that goes back.
    fn average_activation(&mut self, id: LoopId, back: &Fraction) -> Activation {
        let stays = if back.is_zero() { Vec::new() } else { self.flow(Some(id), Event::Stays).counts };
        let last = self.flow(Some(id), Event::Leaves);
        let mut counts = last.counts;
        for (count, more) in counts.iter_mut().zip(stays) {
            *count += more * back;
        }
        Activation { counts, exits: last.exits }
    }

    fn counted_activation(&mut self, id: LoopId, back: i128, is_exact: bool) -> Activation {
        let stays = if back > 0 { self.sum_of_stays(id, back) } else { Vec::new() };
        self.iterations[id] = is_exact.then_some(back);
        let last = self.flow(Some(id), Event::Leaves);
        self.iterations[id] = None;
        let mut counts = last.counts;
        for (count, more) in counts.iter_mut().zip(stays) {
            *count += more;
        }
        Activation { counts, exits: last.exits }
    }

    /// The ways out of a unit, with shares.
    fn edges_out(&mut self, unit: Unit, believes: bool) -> Vec<(Edge<BlockId>, Fraction)> {
        match unit {
            Unit::Loop(id) => self.activation(id).exits.clone(),
            Unit::Block(block) => {
                let model = self.model;
                let edges = &model.edges[block];
                edges.iter().map(|edge| edge.edge).zip(self.shares(edges, believes)).collect()
            }
        }
    }

    fn shares(&mut self, edges: &'m [EdgeModel], believes: bool) -> Vec<Fraction> {
        if let [_] = edges {
            return vec![Fraction::one()];
        }
        let decided: Vec<Option<bool>> =
            edges.iter().map(|edge| if believes { self.decided(&edge.taken) } else { None }).collect();
        if let Some(taken) = decided.iter().position(|one| *one == Some(true)) {
            let share = |slot| if slot == taken { Fraction::one() } else { Fraction::zero() };
            return (0..edges.len()).map(share).collect();
        }
        let left: Vec<&'m EdgeModel> =
            edges.iter().zip(&decided).filter(|(_, one)| one.is_none()).map(|(edge, _)| edge).collect();
        let is_other = self.is_other;
        let prior = |edge: &'m EdgeModel| if is_other { &edge.other } else { &edge.prior };
        let total: Fraction = left.iter().map(|edge| prior(edge)).sum();
        let count = whole(left.len().max(1));
        let share = |(edge, one): (&'m EdgeModel, &Option<bool>)| match one {
            Some(_) => Fraction::zero(),
            // All that is likely was refuted: what is left shares equally.
            None if total.is_zero() => count.recip(),
            None => prior(edge) / &total,
        };
        edges.iter().zip(&decided).map(share).collect()
    }

    /// The shares of a block's edges, and whether they rest on no guess.
    pub(crate) fn known_shares(&mut self, block: BlockId) -> Vec<KnownShare> {
        let edges = &self.model.edges[block];
        let own = self.shares(edges, true);
        self.is_other = true;
        let other = self.shares(edges, true);
        self.is_other = false;
        let share = |(share, other): (Fraction, Fraction)| KnownShare { is_decided: share == other, share };
        own.into_iter().zip(other).map(share).collect()
    }

    fn decided(&mut self, taken: &Entered) -> Option<bool> {
        let known = match taken {
            Entered::Always | Entered::Never | Entered::Unknown => taken.clone(),
            _ => taken.decided(&mut |test| match self.number(test.of) {
                Ok(number) => Ok(test.relation.holds(number)),
                Err(_) => Err(test),
            }),
        };
        match known {
            Entered::Always => Some(true),
            Entered::Never => Some(false),
            _ => None,
        }
    }

    /// One unit of flow through a region, under the condition that the event happens.
    pub(crate) fn flow(&mut self, scope: Option<LoopId>, event: Event) -> Flow {
        let model = self.model;
        let region = model.regions.region(scope);
        let mut ways: Vec<Vec<(Edge<BlockId>, Fraction)>> = region.units.iter().map(|_| Vec::new()).collect();
        let mut chances = Vec::new();
        let trusts = self.belief != Belief::Statics;
        for (believes, event) in [(trusts, event), (false, event), (trusts, Event::Any)] {
            for (position, (own, &unit)) in ways.iter_mut().zip(&region.units).enumerate() {
                *own = self.edges_out(unit, believes);
                self.pass_once(scope, position, own);
            }
            chances = self.chances(scope, event, &ways);
            // What is decided contradicts the event only where the count is but a bound.
            if chances.first().is_some_and(|first| !first.is_zero()) {
                return self.send(scope, event, &ways, &chances);
            }
        }
        self.send(scope, Event::Any, &ways, &chances)
    }

    /// What goes back into a cycle that is no natural loop goes on with the rest: it is passed once.
    fn pass_once(&self, scope: Option<LoopId>, position: usize, ways: &mut [(Edge<BlockId>, Fraction)]) {
        let region = self.model.regions.region(scope);
        let header = scope.map(|id| self.model.forest.loops[id].header);
        let goes_back = |edge: &Edge<BlockId>| {
            header != Some(edge.to) && region.position.get(&edge.to).is_some_and(|&to| to <= position)
        };
        if self.model.forest.irreducible.is_empty() || !ways.iter().any(|(edge, _)| goes_back(edge)) {
            return;
        }
        let on: Fraction = ways.iter().filter(|(edge, _)| !goes_back(edge)).map(|(_, share)| share).sum();
        if on.is_zero() {
            return;
        }
        for (edge, share) in ways {
            *share = if goes_back(edge) { Fraction::zero() } else { &*share / &on };
        }
    }

    /// What an edge is worth for an event: how likely it happens after it.
    fn worth(&self, scope: Option<LoopId>, event: Event, to: BlockId, chances: &[Fraction]) -> Fraction {
        let counts = |wanted: Event| {
            if event == Event::Any || event == wanted { Fraction::one() } else { Fraction::zero() }
        };
        match scope {
            Some(id) if self.model.forest.loops[id].header == to => counts(Event::Stays),
            Some(id) if !self.model.forest.contains(id, to) => counts(Event::Leaves),
            _ => match self.model.regions.region(scope).position.get(&to) {
                Some(&position) => chances[position].clone(),
                // Into the middle of a loop: only where a cycle has several entries.
                None => counts(Event::Any),
            },
        }
    }

    /// How likely the event happens from each unit on.
    fn chances(
        &mut self,
        scope: Option<LoopId>,
        event: Event,
        ways: &[Vec<(Edge<BlockId>, Fraction)>],
    ) -> Vec<Fraction> {
        let mut chances = vec![Fraction::zero(); ways.len()];
        for position in (0..ways.len()).rev() {
            chances[position] = if event == Event::Any {
                Fraction::one()
            } else {
                let parts = ways[position].iter().filter(|(_, share)| !share.is_zero());
                parts.map(|(edge, share)| share * self.worth(scope, event, edge.to, &chances)).sum()
            };
        }
        chances
    }

    fn send(
        &mut self,
        scope: Option<LoopId>,
        event: Event,
        ways: &[Vec<(Edge<BlockId>, Fraction)>],
        chances: &[Fraction],
    ) -> Flow {
        let model = self.model;
        let region = model.regions.region(scope);
        let mut flow = vec![Fraction::zero(); ways.len()];
        if let Some(first) = flow.first_mut() {
            *first = Fraction::one();
        }
        let mut whole_flow = Flow { counts: Vec::new(), exits: Vec::new(), back: Fraction::zero() };
        for (position, unit) in region.units.iter().enumerate() {
            let here = flow[position].clone();
            self.add_counts(*unit, &here, &mut whole_flow.counts);
            if here.is_zero() {
                continue;
            }
            for (edge, share) in &ways[position] {
                if share.is_zero() {
                    continue;
                }
                let worth = self.worth(scope, event, edge.to, chances);
                if worth.is_zero() || chances[position].is_zero() {
                    continue;
                }
                let part = &here * share * worth / &chances[position];
                match scope {
                    Some(id) if model.forest.loops[id].header == edge.to => whole_flow.back += part,
                    Some(id) if !model.forest.contains(id, edge.to) => {
                        whole_flow.exits.push((*edge, part));
                    }
                    _ => {
                        if let Some(&next) = region.position.get(&edge.to) {
                            flow[next] += part;
                        }
                    }
                }
            }
        }
        whole_flow
    }

    fn add_counts(&mut self, unit: Unit, here: &Fraction, counts: &mut Vec<Fraction>) {
        match unit {
            Unit::Block(_) => counts.push(here.clone()),
            Unit::Loop(id) if here.is_zero() => {
                let members = self.dependence.members(Some(id)).len();
                counts.extend(std::iter::repeat_n(Fraction::zero(), members));
            }
            Unit::Loop(id) => {
                let activation = self.activation(id);
                counts.extend(activation.counts.iter().map(|count| here * count));
            }
        }
    }
}

/// Back edges of one activation that are believed. More take centuries; what is more comes of a count that
/// wraps where a guard that is not decided passes the loop by.
const MOST_BACK_EDGES: i128 = i64::MAX as i128;
/// Iterations of a loop that each give a call arguments of its own.
const MOST_ITERATIONS: i128 = 256;
/// Activations that are kept for other iterations.
const MOST_KEPT: usize = 1 << 16;
/// How often a loop that nothing leaves is taken to iterate: LLVM's estimate of any loop.
const ENDLESS: u32 = 32;
