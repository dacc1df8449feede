//! Which consistent counts are likeliest, given what samples say of a program?
//!
//! Each segment was seen some times; by the cycles that one execution is expected
//! to take that says about how often it ran, and these counts contradict each
//! other. Sought are counts that obey all equations of the program and deviate
//! least from what was seen:
//!
//! - what comes into a segment goes out of it;
//! - a function is entered as often as all its known call sites run, or more
//!   often: what comes from elsewhere (the C library, a pointer) has a price, and
//!   none where no call site is known;
//! - what was seen ran at least once, and `main` is entered once, as far as nothing
//!   else speaks against it;
//! - frames that are left by a call that does not return, and second returns of
//!   `setjmp`, have the price of moving everything else instead.
//!
//! A deviation is priced by its likelihood: quasi-Poisson deviance of the samples
//! with variance m + (error * m)^2, the second part for cycles that are not what
//! the model says; m is what was seen, or what the counts of the pass before make
//! expect if that is more (iteratively reweighted, McCullagh and Nelder,
//! "Generalized linear models", 1989). So code that was not seen is evidence by
//! how much it would have been seen, and where counts agree but for a few places
//! that are slow, these move least. A segment without code says nothing and costs
//! nothing. All functions are solved as one convex problem
//! (`opcost_flow::convex`), recursion as circulation.
//!
//! Counts are then made whole function by function, callers before callees, so
//! that entries are the sums of call sites to the digit; in a recursion to about
//! one call a function.
//!
//! Limit: a loop that was seen, in a function whose way to the loop was not, may
//! turn without being entered more than once.
//!
//! Input: maps with observations, cycles of one sample. Output: [`ModuleCounts`]
//! as of a counted run, and what had to be assumed. Cost: that of the solver.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use opcost_flow::convex::{Cost, Problem, Settings, Status, VariableId, minimise, round_flow};
use opcost_flow::{FlowEdge, check_conservation};
use opcost_index::{AdjacencyGraph, Id, IdMap, define_id, strongly_connected_components};
use opcost_key::{Callee, EdgeId, EdgeKind, FunctionId, FunctionMap, ModuleMap, SegmentId};

use crate::sampled::{ModuleObservations, Observation};
use crate::{FunctionCounts, ModuleCounts, RecoverError};

/// A module and what was seen of it.
#[derive(Clone, Copy, Debug)]
pub struct SampledModule<'a> {
    /// Its map.
    pub map: &'a ModuleMap,
    /// What samples say.
    pub observed: &'a ModuleObservations,
}

/// How samples are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepairOptions {
    /// Cycles of the processor for each sample.
    pub cycles_per_sample: f64,
    /// How wrong the expected cycles of a segment are, relative to them.
    pub error: f64,
}

/// Consistent counts.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// Of each module, in the order they were given.
    pub counts: Vec<ModuleCounts>,
    /// Whether no other counts are likelier, up to the solver's tolerance.
    pub is_optimal: bool,
    /// What the counts may be worse than the best, in units of deviance.
    pub gap: f64,
    /// Deviance of the counts from what was seen.
    pub deviance: f64,
    /// Calls that come from no known call site.
    pub from_outside: u128,
    /// Frames that were left by a call that did not return.
    pub left: u128,
    /// All calls.
    pub entries: u128,
}

define_id!(
    /// A function of the program.
    struct ProgramFunctionId, "function of the program"
);

/// Repairs a program.
///
/// # Errors
/// Counts that do not fit 63 bits.
pub fn repair(modules: &[SampledModule<'_>], options: RepairOptions) -> Result<Repaired, RecoverError> {
    let program = Program::of(modules);
    let mut posed = Posed::of(&program, options);
    let mut solution = minimise(&posed.problem, Settings::default());
    for _ in 1..PASSES {
        posed.weigh_again(&program, options, &solution.values);
        solution = minimise(&posed.problem, Settings::default());
    }
    posed.values = solution.values;
    let counts = posed.rounded(&program)?;
    let mut repaired = Repaired {
        counts: Vec::new(),
        is_optimal: solution.status == Status::Optimal,
        gap: solution.certificate.gap,
        deviance: solution.certificate.objective,
        from_outside: program.calls_from_outside(&counts),
        left: 0,
        entries: 0,
    };
    let mut all = counts.values().cloned();
    for module in modules {
        let functions: IdMap<FunctionId, FunctionCounts> =
            all.by_ref().take(module.map.functions.len()).collect();
        for function in functions.values() {
            repaired.entries += u128::from(function.entries);
            repaired.left += u128::from(function.left.unwrap_or(0).unsigned_abs());
        }
        repaired.counts.push(ModuleCounts { functions });
    }
    Ok(repaired)
}

/// All functions of all modules, and who calls whom.
struct Program<'a> {
    functions: IdMap<ProgramFunctionId, Function<'a>>,
}

struct Function<'a> {
    module: &'a ModuleMap,
    map: &'a FunctionMap,
    observed: &'a IdMap<SegmentId, Observation>,
    /// Where it is called directly.
    sites: Vec<(ProgramFunctionId, SegmentId)>,
}

impl<'a> Program<'a> {
    fn of(modules: &[SampledModule<'a>]) -> Self {
        let mut functions: IdMap<ProgramFunctionId, Function<'a>> = IdMap::new();
        let mut exported: HashMap<&str, ProgramFunctionId> = HashMap::new();
        let mut starts = Vec::new();
        for module in modules {
            starts.push(functions.len());
            for (id, map) in module.map.functions.iter() {
                let observed = &module.observed.functions[id];
                let own = functions.push(Function { module: module.map, map, observed, sites: Vec::new() });
                if !map.is_local && !map.blocks.is_empty() {
                    exported.entry(&map.name).or_insert(own);
                }
            }
        }
        let mut found = Vec::new();
        for (caller, function) in functions.iter() {
            let start = starts[starts.partition_point(|&start| start <= caller.index()) - 1];
            for call in &function.map.calls {
                let callee = match &call.callee {
                    Callee::Defined(id) => Some(ProgramFunctionId::new(start + id.index())),
                    Callee::Declared(name) => exported.get(name.as_str()).copied(),
                    Callee::Memory(_) | Callee::Indirect | Callee::Assembly => None,
                };
                found
                    .extend(callee.map(|callee| (callee, caller, function.map.segment_of(call.instruction))));
            }
        }
        for (callee, caller, segment) in found {
            functions[callee].sites.push((caller, segment));
        }
        Program { functions }
    }

    /// Calls that no known call site made.
    fn calls_from_outside(&self, counts: &IdMap<ProgramFunctionId, FunctionCounts>) -> u128 {
        let of = |(id, function): (ProgramFunctionId, &Function<'_>)| {
            let sites = function.sites.iter();
            let made: u128 = sites.map(|&(caller, at)| u128::from(counts[caller].segments[at])).sum();
            u128::from(counts[id].entries).saturating_sub(made)
        };
        self.functions.iter().map(of).sum()
    }

    /// Functions, callers before what they call where there is no recursion.
    fn callers_first(&self) -> Vec<ProgramFunctionId> {
        let mut graph = AdjacencyGraph::new(self.functions.len());
        for (callee, function) in self.functions.iter() {
            function.sites.iter().for_each(|&(caller, _)| graph.add_edge(callee, caller));
        }
        strongly_connected_components(&graph).members.iter().flatten().copied().collect()
    }
}

/// The program as a problem, and its solution.
struct Posed {
    problem: Problem,
    /// Where each function's edges and segments begin among the variables.
    edges: IdMap<ProgramFunctionId, usize>,
    segments: IdMap<ProgramFunctionId, usize>,
    /// Calls of functions from nowhere that is known.
    outside: BTreeMap<ProgramFunctionId, VariableId>,
    values: IdMap<VariableId, f64>,
}

impl Posed {
    fn of(program: &Program<'_>, options: RepairOptions) -> Self {
        let mut posed = Posed {
            problem: Problem::new(),
            edges: IdMap::new(),
            segments: IdMap::new(),
            outside: BTreeMap::new(),
            values: IdMap::new(),
        };
        for function in program.functions.values() {
            posed.pose_function(function, options);
        }
        for (id, function) in program.functions.iter() {
            posed.pose_calls(id, function, options);
        }
        posed
    }

    fn edge(&self, function: ProgramFunctionId, edge: EdgeId) -> VariableId {
        VariableId::new(self.edges[function] + edge.index())
    }

    fn segment(&self, function: ProgramFunctionId, segment: SegmentId) -> VariableId {
        VariableId::new(self.segments[function] + segment.index())
    }

    /// What one function says by itself.
    fn pose_function(&mut self, function: &Function<'_>, options: RepairOptions) {
        let dear = dearest(function, options);
        self.edges.push(self.problem.variable_count());
        for edge in function.map.edges.values() {
            self.problem.add_variable(match edge.kind {
                EdgeKind::Left(_) | EdgeKind::Again => Cost::Linear { price: LEAVING * dear },
                EdgeKind::Enter | EdgeKind::Branch { .. } | EdgeKind::Fall | EdgeKind::Return => Cost::Free,
            });
        }
        let own = self.segments.push(self.problem.variable_count());
        for observation in function.observed.values() {
            self.problem.add_variable(match observation.cycles > 0.0 {
                true => seen(observation, 0.0, options),
                false => Cost::Free,
            });
        }
        let mut into: IdMap<SegmentId, Vec<(VariableId, f64)>> =
            function.map.segments.ids().map(|id| vec![(self.segment(own, id), -1.0)]).collect();
        let mut out = into.clone();
        for (id, edge) in function.map.edges.iter() {
            let carried = (self.edge(own, id), 1.0);
            edge.to.iter().for_each(|&to| into[to].push(carried));
            edge.from.iter().for_each(|&from| out[from].push(carried));
        }
        for row in into.values().chain(out.values()) {
            self.problem.add_row(0.0, row.iter().copied());
        }
        let mut ran: BTreeSet<SegmentId> =
            function.observed.iter().filter(|(_, one)| one.samples > 0).map(|(id, _)| id).collect();
        // Then the function was entered: a loop may not turn by itself.
        if !ran.is_empty() {
            ran.insert(SegmentId::new(0));
        }
        ran.into_iter().for_each(|id| self.at_least_once(self.segment(own, id)));
        if function.map.name == "main" {
            self.once(function, own);
        }
    }

    /// What was seen ran.
    fn at_least_once(&mut self, segment: VariableId) {
        let more = self.problem.add_variable(Cost::Free);
        self.problem.add_row(1.0, [(segment, 1.0), (more, -1.0)]);
    }

    /// A program's first function is entered once, but for odd programs.
    fn once(&mut self, function: &Function<'_>, own: ProgramFunctionId) {
        let enters = function.map.edges.iter().find(|(_, edge)| edge.kind == EdgeKind::Enter);
        if let Some((enter, _)) = enters {
            let cost = Cost::TwoSided { target: 1.0, above: ONCE, below: ONCE };
            self.problem.set_cost(self.edge(own, enter), cost);
        }
    }

    /// The same with what these counts make expect.
    fn weigh_again(
        &mut self,
        program: &Program<'_>,
        options: RepairOptions,
        counts: &IdMap<VariableId, f64>,
    ) {
        for (id, function) in program.functions.iter() {
            for (segment, observation) in function.observed.iter().filter(|(_, one)| one.cycles > 0.0) {
                let variable = self.segment(id, segment);
                let expected = counts[variable] * observation.cycles / options.cycles_per_sample;
                self.problem.set_cost(variable, seen(observation, expected, options));
            }
        }
    }

    /// That a function is entered as often as it is called.
    fn pose_calls(&mut self, id: ProgramFunctionId, function: &Function<'_>, options: RepairOptions) {
        let enters = function.map.edges.iter().filter(|(_, edge)| edge.kind == EdgeKind::Enter);
        let mut row: Vec<(VariableId, f64)> = enters.map(|(edge, _)| (self.edge(id, edge), 1.0)).collect();
        if row.is_empty() || function.sites.is_empty() {
            return;
        }
        let share = if function.map.is_local { LOCAL } else { EXPORTED };
        let price = share * dearest(function, options);
        let slack = self.problem.add_variable(Cost::Linear { price });
        self.outside.insert(id, slack);
        row.push((slack, -1.0));
        row.extend(function.sites.iter().map(|&(caller, segment)| (self.segment(caller, segment), -1.0)));
        self.problem.add_row(0.0, row);
    }

    /// Whole counts of each function.
    fn rounded(
        &self,
        program: &Program<'_>,
    ) -> Result<IdMap<ProgramFunctionId, FunctionCounts>, RecoverError> {
        let mut counts: IdMap<ProgramFunctionId, Option<FunctionCounts>> =
            IdMap::filled(program.functions.len(), None);
        for id in program.callers_first() {
            let function = &program.functions[id];
            let calls = |&(caller, segment): &(ProgramFunctionId, SegmentId)| match &counts[caller] {
                Some(known) => u128::from(known.segments[segment]),
                None => self.values[self.segment(caller, segment)].round() as u128,
            };
            let entries = (!function.sites.is_empty()).then(|| {
                let outside = self.outside.get(&id).map_or(0, |&slack| self.values[slack].round() as u128);
                let sum = function.sites.iter().map(calls).sum::<u128>() + outside;
                // Parts of calls may all have been rounded down, and the function ran.
                if sum == 0 && self.is_entered(id, function) { 1 } else { sum }
            });
            let made = self.rounded_function(id, function, entries)?;
            counts[id] = Some(made);
        }
        Ok(counts.values().map(|counts| counts.clone().expect("each function is in a component")).collect())
    }

    fn is_entered(&self, id: ProgramFunctionId, function: &Function<'_>) -> bool {
        let enters = function.map.edges.iter().filter(|(_, edge)| edge.kind == EdgeKind::Enter);
        enters.map(|(edge, _)| self.values[self.edge(id, edge)]).sum::<f64>() >= 0.5
    }

    fn rounded_function(
        &self,
        id: ProgramFunctionId,
        function: &Function<'_>,
        entries: Option<u128>,
    ) -> Result<FunctionCounts, RecoverError> {
        let map = function.map;
        let refuse = |what: String| RecoverError::Unrepairable {
            module: function.module.module.clone(),
            function: map.name.clone(),
            what,
        };
        let edges: IdMap<EdgeId, FlowEdge<SegmentId>> =
            map.edges.values().map(|edge| FlowEdge { from: edge.from, to: edge.to }).collect();
        let flow: IdMap<EdgeId, f64> =
            map.edges.ids().map(|edge| self.values[self.edge(id, edge)].max(0.0)).collect();
        let enter = map.edges.iter().find(|(_, edge)| edge.kind == EdgeKind::Enter).map(|(edge, _)| edge);
        let prescribed = match (enter, entries) {
            (Some(enter), Some(entries)) => {
                let entries = u64::try_from(entries).map_err(|_| refuse(format!("{entries} calls")))?;
                Some((enter, entries))
            }
            _ => None,
        };
        let nodes = map.segments.len();
        let whole =
            round_flow(nodes, &edges, &flow, prescribed).map_err(|error| refuse(error.to_string()))?;
        let signed: IdMap<EdgeId, i128> = whole.values().map(|&count| i128::from(count)).collect();
        check_conservation(nodes, &edges, &signed).map_err(|error| refuse(error.to_string()))?;
        Ok(counts_of(map, &whole))
    }
}

/// What it costs to deviate from an observation where so many samples were to be
/// expected.
fn seen(observation: &Observation, expected: f64, options: RepairOptions) -> Cost {
    let samples = observation.samples as f64;
    Cost::Deviance {
        samples,
        cycles: observation.cycles / options.cycles_per_sample,
        dispersion: 1.0 + options.error * options.error * samples.max(expected),
    }
}

/// Counts of a function by its edges.
fn counts_of(map: &FunctionMap, whole: &IdMap<EdgeId, u64>) -> FunctionCounts {
    let mut segments: IdMap<SegmentId, u64> = IdMap::filled(map.segments.len(), 0);
    let (mut entries, mut returns, mut left) = (0u64, 0u64, 0i64);
    for (id, edge) in map.edges.iter() {
        let count = whole[id];
        edge.to.iter().for_each(|&to| segments[to] = segments[to].saturating_add(count));
        match edge.kind {
            EdgeKind::Enter => entries += count,
            EdgeKind::Return => returns += count,
            EdgeKind::Left(_) => left += count as i64,
            EdgeKind::Again => left -= count as i64,
            EdgeKind::Branch { .. } | EdgeKind::Fall => {}
        }
    }
    FunctionCounts {
        segments,
        edges: Some(whole.values().map(|&count| count as i64).collect()),
        entries,
        returns: Some(returns),
        left: Some(left),
        lengths: BTreeMap::new(),
        paths: Vec::new(),
    }
}

/// How often all is solved; each time but the first by the counts of the last.
const PASSES: usize = 3;

/// Prices of ways that need an excuse, as shares of [`dearest`]; counts may be wrong
/// by the same share where the excuse is true. Calls that come from elsewhere of
/// functions that nobody outside sees, and of others; frames that are left (at 2, 0.5 %
/// in place of 7 of SQLite's seem to be, but where all are, four fifths are denied).
const LOCAL: f64 = 0.2;
const EXPORTED: f64 = 0.05;
const LEAVING: f64 = 0.1;

/// What it costs that `main` is entered once more or once less.
const ONCE: f64 = 1.0;

/// What one execution of a usual segment of the function costs at most when it is
/// added to what was seen.
fn dearest(function: &Function<'_>, options: RepairOptions) -> f64 {
    let seen = || function.observed.values().filter(|observation| observation.cycles > 0.0);
    let count = seen().count().max(1) as f64;
    let samples: f64 = seen().map(|observation| observation.samples as f64).sum();
    let cycles: f64 = seen().map(|observation| observation.cycles).sum::<f64>() / count;
    let dispersion = 1.0 + options.error * options.error * samples / count;
    2.0 * (cycles.max(1.0) / options.cycles_per_sample) / dispersion
}

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;
