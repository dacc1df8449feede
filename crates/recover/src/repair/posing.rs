//! Which convex problem do a program's equations and its samples make?
//!
//! Variables are the counts of edges and segments of all functions, and calls from
//! elsewhere; rows say that flow is conserved and that entries are calls.
//!
//! A frame may be left by any call that is not known to return, and what leaves is a
//! drain into which all that contradicts itself would vanish, if it were cheap. So it
//! is dear, unless the code that calls what never returns (`exit`, a throw) was seen,
//! or the code behind the call ought to have been by what was seen before, and was not.
//!
//! Loops of known trip counts stand in `loops.rs`.
//!
//! A segment from which no way leads out of the function (a server's loop) may hold
//! frames for ever; the first segment of such a component has a way of its own out.
//!
//! A function is entered by its call sites, by calls through pointers to its type, if a
//! pointer may lead to it, and by code of others at a price, if these may know it.
//!
//! Output: [`Posed`]. Cost: linear in edges and call sites.

use std::collections::BTreeSet;

use opcost_flow::convex::{Cost, VariableId};
use opcost_index::{AdjacencyGraph, Id, IdMap, strongly_connected_components};
use opcost_key::{EdgeId, EdgeKind, EdgeMap, FunctionMap, SegmentId};

use super::evidence::{deviation_cost, first_deviation_cost, greatest_cost, rate};
use super::options::{RepairOptions, SMALL, Starts};
use super::posed::Posed;
use super::program::{Class, Function, Others, Program, ProgramFunctionId};
use super::segment_edges::{Next, SegmentEdges, is_all_left};
use crate::observation::Observation;

impl Posed {
    pub(super) fn of(program: &Program<'_>, options: RepairOptions) -> Self {
        let size = |one: &Function<'_>| one.map.edges.len() + one.map.segments.len();
        let is_small = program.functions.values().map(size).sum::<usize>() <= SMALL;
        let mut posed = Posed { is_small, ..Posed::empty(options) };
        for function in program.functions.values() {
            posed.pose_function(function);
        }
        // Threads whose code calls what was seen began: a loop of theirs may not turn by itself.
        // (The same of all functions cost brotli 3 points of entries at 1 kHz.)
        let entered = program.surely_entered();
        for (id, function) in program.functions.iter() {
            if entered[id] && function.others == Others::Hardly && !function.is_observed() {
                posed.at_least_once(&[posed.segment(id, SegmentId::new(0))]);
            }
        }
        for class in program.classes.values() {
            posed.pose_pointers(program, class);
        }
        for (id, function) in program.functions.iter() {
            posed.pose_calls(id, function);
        }
        posed
    }

    /// One function by itself, entered so many times.
    pub(super) fn of_function(function: &Function<'_>, entries: f64, options: RepairOptions) -> Self {
        let mut posed = Posed::empty(options);
        let own = posed.pose_function(function);
        if let Some(enter) = function.enter() {
            posed.problem.add_row(entries, [(posed.edge(own, enter), 1.0)]);
        }
        posed
    }

    /// What one function says by itself.
    fn pose_function(&mut self, function: &Function<'_>) -> ProgramFunctionId {
        let options = self.options;
        let dear = greatest_cost(function, options);
        let (into, out) = (SegmentEdges::into(function.map), SegmentEdges::out(function.map));
        let leaving = leaving(function, &out);
        self.edges.push(self.problem.variable_count());
        for edge in function.map.edges.values() {
            let price = match (edge.kind, edge.from) {
                (EdgeKind::Left(_), Some(from)) => leaving[from],
                (EdgeKind::Again, _) => LEAVING,
                _ => 0.0,
            };
            self.problem.add_variable(match price > 0.0 {
                true => Cost::Linear { price: price * dear },
                false => Cost::Free,
            });
        }
        let own = self.segments.push(self.problem.variable_count());
        let rate = if self.is_small { rate(function) } else { 0.0 };
        let has_code = function.observed.values().any(|one| one.cycles > 0.0);
        for observation in function.observed.values() {
            self.problem.add_variable(match observation.cycles > 0.0 {
                true => first_deviation_cost(observation, rate, options),
                // What the linker left out runs never, but for what it stands for.
                false if !has_code => first_deviation_cost(&Observation::busy(0, LEFT_OUT), 0.0, options),
                false => Cost::Linear { price: UNKNOWN * dear },
            });
        }
        let mut still: IdMap<SegmentId, Option<VariableId>> =
            IdMap::filled(function.map.segments.len(), None);
        for segment in endless(function.map, &into) {
            let open = self.problem.add_variable(Cost::Linear { price: LEAVING * dear });
            self.open.entry(own).or_default().push((segment, open));
            still[segment] = Some(open);
        }
        for (ways, is_out) in [(&into, false), (&out, true)] {
            for id in function.map.segments.ids() {
                let ran = (self.segment(own, id), -1.0);
                let first = self.edges[own];
                let carried = ways.of(id).iter().map(|edge| VariableId::new(first + edge.index()));
                let carried = carried.chain(still[id].filter(|_| is_out)).map(|edge| (edge, 1.0));
                self.problem.add_row(0.0, std::iter::once(ran).chain(carried));
            }
        }
        self.tie_loops(function, own, &into);
        let mut ran: BTreeSet<SegmentId> =
            function.observed.iter().filter(|(_, one)| one.samples > 0).map(|(id, _)| id).collect();
        // Then the function was entered: a loop may not turn by itself.
        if !ran.is_empty() {
            ran.insert(SegmentId::new(0));
        }
        ran.into_iter().for_each(|id| self.at_least_once(&[self.segment(own, id)]));
        own
    }

    /// What was seen ran; one of several at least.
    fn at_least_once(&mut self, segments: &[VariableId]) {
        let more = (self.problem.add_variable(Cost::Free), -1.0);
        self.problem.add_row(1.0, segments.iter().map(|&segment| (segment, 1.0)).chain([more]));
    }

    /// What calls cost that come from no known site and no pointer of the program; none where
    /// there can be none.
    fn cost_of_others(&self, function: &Function<'_>) -> Option<Cost> {
        let linear = |share| Cost::Linear { price: share * greatest_cost(function, self.options) };
        match function.others {
            Others::Nobody => None,
            Others::ByName => Some(linear(BY_NAME)),
            Others::ByPointer => Some(linear(BY_POINTER)),
            Others::ByTable => Some(linear(BY_TABLE)),
            Others::Hardly => Some(Cost::Linear { price: ONCE }),
            Others::AtStart => {
                let Starts { least, most } = self.options.starts;
                let above = if most > least { MAYBE } else { ONCE };
                Some(Cost::TwoSided { target: least as f64, above, below: ONCE })
            }
        }
    }

    /// The same with what these counts make expect.
    pub(super) fn weigh_again(&mut self, program: &Program<'_>, counts: &IdMap<VariableId, f64>) {
        for (id, function) in program.functions.iter() {
            let run = |segment| counts[self.segment(id, segment)];
            self.weigh_function(id, function, &function.map.segments.ids().map(run).collect());
            self.price_unlikely(id, function, counts);
        }
    }

    /// That ways that nobody saw are as static prediction expects.
    fn price_unlikely(
        &mut self,
        id: ProgramFunctionId,
        function: &Function<'_>,
        counts: &IdMap<VariableId, f64>,
    ) {
        for edge in unlikely(function) {
            let edge = self.edge(id, edge);
            self.problem.set_cost(edge, Cost::Linear { price: UNLIKELY / counts[edge].max(1.0) });
        }
    }

    /// The same of one function, of which segments ran so often.
    pub(super) fn weigh_function(
        &mut self,
        id: ProgramFunctionId,
        function: &Function<'_>,
        counts: &IdMap<SegmentId, f64>,
    ) {
        for (segment, observation) in function.observed.iter().filter(|(_, one)| one.cycles > 0.0) {
            let expected = counts[segment] * observation.cycles / self.options.cycles_per_sample;
            let cost = deviation_cost(observation, expected, self.options);
            self.problem.set_cost(self.segment(id, segment), cost);
        }
    }

    /// That calls through pointers enter functions of the type that they call, or others
    /// at a price.
    fn pose_pointers(&mut self, program: &Program<'_>, class: &Class) {
        let functions = || class.functions.iter().map(|&id| &program.functions[id]);
        let dear = functions().map(|function| greatest_cost(function, self.options)).sum::<f64>();
        let share = match functions().all(|function| function.others == Others::ByTable) {
            true => FROM_TABLE,
            false => ELSEWHERE,
        };
        let price = share * dear / class.functions.len() as f64;
        let mut row = vec![(self.problem.add_variable(Cost::Linear { price }), -1.0)];
        for &id in &class.functions {
            let entered = self.problem.add_variable(Cost::Free);
            self.unnamed.entry(id).or_default().push(entered);
            row.push((entered, -1.0));
        }
        row.extend(class.sites.iter().map(|&(caller, segment)| (self.segment(caller, segment), 1.0)));
        self.problem.add_row(0.0, row);
    }

    /// That a function is entered as often as it is called.
    fn pose_calls(&mut self, id: ProgramFunctionId, function: &Function<'_>) {
        let Some(enter) = function.enter() else { return };
        let is_called = !function.sites.is_empty() || self.unnamed.contains_key(&id);
        if !is_called && function.others != Others::AtStart {
            return;
        }
        if let Some(cost) = self.cost_of_others(function) {
            let slack = self.problem.add_variable(cost);
            self.unnamed.entry(id).or_default().push(slack);
        }
        let site = |&(caller, segment): &(_, _)| self.segment(caller, segment);
        let sites: Vec<VariableId> = function.sites.iter().map(site).collect();
        // One of those that are known to call it did, or calls would come from elsewhere
        // wherever that is cheaper than the way to the site: of few calls nothing is seen.
        if function.others == Others::ByName && function.is_observed() && !sites.is_empty() {
            self.at_least_once(&sites);
        }
        let mut row = vec![(self.edge(id, enter), 1.0)];
        row.extend(self.unnamed.get(&id).into_iter().flatten().map(|&slack| (slack, -1.0)));
        row.extend(sites.iter().map(|&site| (site, -1.0)));
        self.problem.add_row(0.0, row);
    }
}

/// Ways to code that nobody saw and that static prediction hardly ever expects to be taken,
/// where another one is.
fn unlikely(function: &Function<'_>) -> Vec<EdgeId> {
    let (map, frequencies) = (function.map, &function.map.expected.frequencies);
    if frequencies.is_empty() {
        return Vec::new();
    }
    let mut all: IdMap<SegmentId, u64> = IdMap::filled(map.segments.len(), 0);
    for (id, edge) in map.edges.iter() {
        edge.from.iter().for_each(|&from| all[from] = all[from].saturating_add(frequencies[id]));
    }
    let is_unlikely = |&(id, edge): &(EdgeId, &EdgeMap)| match (edge.kind, edge.from, edge.to) {
        (EdgeKind::Branch { .. }, Some(from), Some(to)) => {
            function.observed[to].samples == 0 && (frequencies[id] as f64) < RARELY * all[from] as f64
        }
        _ => false,
    };
    map.edges.iter().filter(is_unlikely).map(|(id, _)| id).collect()
}

/// What it costs to leave a frame at the end of each segment, as a share of
/// [`greatest_cost`].
fn leaving(function: &Function<'_>, out: &SegmentEdges) -> IdMap<SegmentId, f64> {
    let is_seen = |from: SegmentId| match out.next(function.map, from) {
        Next::Nowhere => function.observed[from].samples > 0,
        Next::Only(way) if way.kind == EdgeKind::Fall => is_missed(function, out, from),
        Next::Only(_) | Next::Several => false,
    };
    let price = |from| if is_seen(from) { VANISHED } else { LEAVING };
    function.map.segments.ids().map(price).collect()
}

/// Whether hardly any sample is in the code that surely runs when the call at the end of a segment
/// returns, though many should.
fn is_missed(function: &Function<'_>, out: &SegmentEdges, from: SegmentId) -> bool {
    let before = &function.observed[from];
    if before.cycles == 0.0 {
        return false;
    }
    let (mut cycles, mut found) = (0.0, 0.0);
    let mut at = from;
    // Each segment once at most: a chain may close.
    for _ in function.map.segments.ids() {
        let Next::Only(EdgeMap { to: Some(next), .. }) = out.next(function.map, at) else { break };
        at = *next;
        cycles += function.observed[at].cycles;
        found += function.observed[at].samples as f64;
    }
    let expected = before.samples as f64 / before.cycles * cycles;
    expected >= MISSED && found <= SEEN * expected
}

/// The first segment of each component that nothing leads out of.
fn endless(map: &FunctionMap, into: &SegmentEdges) -> Vec<SegmentId> {
    // Of nearly all functions; then there is no such component.
    if is_all_left(map, into) {
        return Vec::new();
    }
    let mut graph: AdjacencyGraph<SegmentId> = AdjacencyGraph::new(map.segments.len());
    map.edges
        .values()
        .filter_map(|edge| edge.from.zip(edge.to))
        .for_each(|(from, to)| graph.add_edge(from, to));
    let components = strongly_connected_components(&graph);
    let mut is_left = vec![false; components.members.len()];
    for edge in map.edges.values() {
        let Some(from) = edge.from else { continue };
        let own = components.component_of[from];
        if edge.to.is_none_or(|to| components.component_of[to] != own) {
            is_left[own] = true;
        }
    }
    let endless = components.members.iter().zip(is_left).filter(|(_, is_left)| !is_left);
    endless.filter_map(|(members, _)| members.iter().min().copied()).collect()
}

/// Prices of ways that need an excuse, as shares of [`greatest_cost`]. Counts may be wrong by the same
/// share where the excuse is true. These are calls from elsewhere through a pointer that others
/// were given, and by a name that others may know. (In the programs that these were fit to nobody
/// does; at 6, entries agree a point better there.)
const BY_POINTER: f64 = 0.8;
const BY_NAME: f64 = 1.0;

/// The same for a call through a pointer that enters no function of its type.
const ELSEWHERE: f64 = 0.02;

/// Both where only data has pointers to all functions of the type: calls of virtual functions enter
/// these. At the prices above a call site and its targets differed by a third, where few samples
/// were in them.
const BY_TABLE: f64 = 4.0;
const FROM_TABLE: f64 = 4.0;

/// The same for frames that are left, in general (at 6, 2 % of QuickJS's calls seem not to return,
/// at 60 none). Also where nothing came back: of [`MISSED`] samples or more that were to be
/// expected after the call, not more than the share [`SEEN`]. Of a few instructions a tenth may be
/// seen though all ran. Of 20 samples and a tenth, most calls of one of Lua's functions seemed not
/// to return.
const LEAVING: f64 = 60.0;
const VANISHED: f64 = 0.1;
const MISSED: f64 = 50.0;
const SEEN: f64 = 0.02;

/// Cycles of a segment of a function that has no code, of which no execution is ever seen. The
/// linker left it out, or calls lead to another of the same code.
const LEFT_OUT: f64 = 1.0;

/// The same for each execution of a segment without code in a function that has some. Nothing
/// speaks against it, and nothing for a loop of such segments that iterates for no one.
const UNKNOWN: f64 = 0.01;

/// What it costs that `main`, or a constructor, is entered once more or less often than the program
/// was started. The same holds of a thread that no known call started. The unit is deviance: by
/// samples of a loop that it calls once it would be several times. It is also what a start more
/// costs where other processes were seen, which may have started it again.
const ONCE: f64 = 100.0;
const MAYBE: f64 = 1.0;

/// What it costs to take ways that nobody saw and that static prediction takes more seldom than
/// [`RARELY`] of all ways on from there. That is in all, if they were taken as often as the pass
/// before has it. What is after a loop is as a rule too short to be seen. The shorter one of two
/// ways (to a landing pad) is not the likelier one. From 0.02 to 2 the programs of
/// `corpus/training.toml` agree as well.
const UNLIKELY: f64 = 0.2;
const RARELY: f64 = 0.01;
