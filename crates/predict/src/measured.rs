//! What follows for all blocks from what a run of the program's slice counted?
//!
//! A slice counts the blocks whose branches it has, as often as the program runs them, and entries and
//! iterations of all loops. Both are exact. The rest follows along the flow. A function is entered as often as
//! its calls run. A block is reached as often as the ways to it are taken. A branch that the slice does not have
//! sends its flow by what is decided, else by static probabilities, which is a guess. A loop that the slice
//! dropped iterates as its formula says, for as many entries as were counted.
//!
//! Nothing that rests on a guess is exact. Where the prediction from the code alone is exact, it is taken in place
//! of a guess. That is not so where a count contradicts it. Then something is not as was taken for true, such as a
//! library of the user's that changes data of the program. The count holds, and the code alone decides nothing in that
//! loop, or in what is called there.
//!
//! Input: counts, and functions as they are predicted, callers first. Output: the same with what was counted.
//! Cost: units of all regions. Limit: cycles with several entries are passed once; blocks of them that were not counted are
//! guesses.

use num_traits::Zero;
use opcost_analysis::memory::MemoryModel;
use opcost_graph::edge::Edge;
use opcost_graph::loops::LoopId;
use opcost_index::{Id, IdMap};
use opcost_ir::{CalleeRef, Function, Module, Opcode};
use opcost_key::{BlockId, FunctionId};
use rustc_hash::FxHashMap as HashMap;

use crate::contexts::Modelled;
use crate::ending::{early_end, ends};
use crate::evaluate::{Belief, Evaluator, LoopGrade};
use crate::fraction::{Fraction, whole};
use crate::model::FunctionModel;
use crate::prediction::{BlockPrediction, Class, FunctionPrediction};
use crate::region::Unit;

/// Why a block is a guess that the run did not count.
const GUESSED: &str = "its branch is not in the slice, so its share is guessed";
/// Why a block is one whose prediction from the code was not taken.
const CONTRADICTED: &str = "the run counted otherwise nearby than the code alone says";

/// What a run of the slice counted.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    blocks: HashMap<(FunctionId, BlockId), u64>,
    loops: HashMap<(FunctionId, BlockId), LoopRun>,
}

/// What a loop did in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopRun {
    /// How often it was entered.
    pub entries: u64,
    /// How often its header ran.
    pub headers: u64,
}

impl Measured {
    /// Adds how often a block ran.
    pub fn add_block(&mut self, function: FunctionId, block: BlockId, count: u64) {
        self.blocks.insert((function, block), count);
    }

    /// Adds what the loop with this header did.
    pub fn add_loop(&mut self, function: FunctionId, header: BlockId, run: LoopRun) {
        self.loops.insert((function, header), run);
    }

    fn headers(&self, id: FunctionId, header: BlockId) -> Option<u64> {
        self.loops.get(&(id, header)).map(|run| run.headers)
    }

    /// Blocks of loops, or of all the function, in which the run counted otherwise than the code alone says.
    fn contradicted(&self, id: FunctionId, model: &FunctionModel, plain: &FunctionPrediction) -> Vec<bool> {
        let is_contradicted = |(block, one): &(BlockId, &BlockPrediction)| {
            let counts = [self.blocks.get(&(id, *block)).copied(), self.headers(id, *block)];
            one.is_exact && counts.iter().flatten().any(|&count| one.least != whole(count))
        };
        let contradicted = plain.blocks.iter().filter(is_contradicted);
        let scopes: Vec<_> = contradicted.map(|(block, _)| model.forest.innermost[block]).collect();
        let is_within = |block: BlockId| {
            let around = model.forest.chain(model.forest.innermost[block]);
            around.map(Some).chain([None]).any(|one| scopes.contains(&one))
        };
        model.edges.ids().map(is_within).collect()
    }
}

/// A number of times, and whether a guess is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Times {
    count: Fraction,
    is_exact: bool,
}

impl Times {
    fn exact(count: u64) -> Times {
        Times { count: whole(count), is_exact: true }
    }

    fn add(&mut self, other: Times) {
        self.count += other.count;
        self.is_exact &= other.is_exact;
    }

    fn part(&self, share: &Fraction, is_known: bool) -> Times {
        let is_exact = self.is_exact && is_known;
        let count = &self.count * share;
        Times { count: if is_exact { count } else { count.guessed() }, is_exact }
    }
}

/// A program while counts are spread over it.
#[derive(Debug)]
pub(crate) struct MeasuredProgram {
    measured: Measured,
    /// How often calls enter each function.
    entered: IdMap<FunctionId, Times>,
    /// Whether one is called where the run contradicts the code.
    doubted: IdMap<FunctionId, bool>,
    origins: IdMap<FunctionId, EntryOrigin>,
}

/// Where entries of a function come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryOrigin {
    /// Nothing runs it.
    Nowhere,
    /// Calls by name from functions that are predicted before it.
    Calls,
    /// Also something else: only a count says how many there are.
    Elsewhere,
}

impl EntryOrigin {
    fn of(memory: &MemoryModel<'_>, id: FunctionId) -> EntryOrigin {
        let calls = &memory.calls;
        if !calls.is_reachable(id) {
            return EntryOrigin::Nowhere;
        }
        let by_name = calls.callers(id).iter().all(|site| {
            let call = memory.module.functions[site.function].call(site.call);
            call.is_some_and(|call| call.callee == CalleeRef::Function(id))
        });
        let is_begun = memory.roots.is_root(id) || calls.is_called_by_others(id);
        match by_name && !is_begun && !calls.is_recursive(id) {
            true => EntryOrigin::Calls,
            false => EntryOrigin::Elsewhere,
        }
    }
}

impl MeasuredProgram {
    pub(crate) fn new(memory: &MemoryModel<'_>, measured: &Measured) -> MeasuredProgram {
        let functions = memory.module.functions.ids();
        let origins: IdMap<FunctionId, EntryOrigin> =
            functions.map(|id| EntryOrigin::of(memory, id)).collect();
        let entered = origins.values().map(|_| Times::exact(0)).collect();
        let doubted = IdMap::filled(origins.len(), false);
        MeasuredProgram { measured: measured.clone(), entered, doubted, origins }
    }

    /// The prediction of a function with what was counted in place of guesses.
    pub(crate) fn function(
        &mut self,
        id: FunctionId,
        modelled: &Modelled,
        plain: &FunctionPrediction,
    ) -> FunctionPrediction {
        let model = &modelled.model;
        let first = BlockId::new(0);
        let entries = match self.measured.blocks.get(&(id, first)) {
            Some(&count) => Times::exact(count),
            None => {
                let entered = self.entered[id].clone();
                match self.origins[id] {
                    EntryOrigin::Nowhere => Times::exact(0),
                    EntryOrigin::Calls => entered,
                    EntryOrigin::Elsewhere => Times { is_exact: false, ..entered },
                }
            }
        };
        let numbers = HashMap::default();
        let evaluator = Evaluator::new(model, &modelled.dependence, &numbers, BUDGET, Belief::Guess);
        let nothing = Times::exact(0);
        let mut spread = Spread {
            id,
            measured: &self.measured,
            model,
            evaluator,
            edges_in: edges_in(model),
            into: IdMap::filled(model.edges.len(), nothing.clone()),
            of: IdMap::filled(model.edges.len(), nothing),
        };
        spread.into[first] = entries.clone();
        spread.region(None);
        let of = spread.of;
        let doubted = match self.doubted[id] {
            true => vec![true; model.edges.len()],
            false => self.measured.contradicted(id, model, plain),
        };
        for call in &model.calls {
            if call.callee != id {
                self.entered[call.callee].add(of[call.block].clone());
                self.doubted[call.callee] |= doubted[call.block.index()];
            }
        }
        let class_in = |block: BlockId| match model.forest.innermost[block] {
            None if plain.class == Class::StaticBlock => Class::StaticBlock,
            _ => Class::Run,
        };
        let blocks = model.edges.ids().map(|block| {
            let (times, plain) = (&of[block], &plain.blocks[block]);
            if !times.is_exact && plain.is_exact && !doubted[block.index()] {
                return plain.clone();
            }
            let why = if doubted[block.index()] { CONTRADICTED } else { GUESSED };
            BlockPrediction {
                executions: Some(times.count.clone()),
                least: times.count.clone(),
                class: class_in(block),
                is_exact: times.is_exact,
                formula: plain.formula.clone(),
                reason: (!times.is_exact).then(|| why.to_owned()),
            }
        });
        FunctionPrediction {
            blocks: blocks.collect(),
            entries: Some(entries.count),
            class: if plain.class == Class::StaticBlock { Class::StaticBlock } else { Class::Run },
            reason: (!entries.is_exact).then(|| "a call of it is guessed".to_owned()),
            cut_offs: plain.cut_offs.clone(),
        }
    }
}

/// Units of sums that differ from iteration to iteration, for each function.
const BUDGET: u64 = 20_000;

/// How many edges lead to each block.
fn edges_in(model: &FunctionModel) -> IdMap<BlockId, u32> {
    let mut counts = IdMap::filled(model.edges.len(), 0);
    model.edges.values().flatten().for_each(|edge| counts[edge.edge.to] += 1);
    counts
}

/// One function while counts are spread over it.
struct Spread<'s> {
    id: FunctionId,
    measured: &'s Measured,
    model: &'s FunctionModel,
    evaluator: Evaluator<'s>,
    edges_in: IdMap<BlockId, u32>,
    /// What came so far along edges.
    into: IdMap<BlockId, Times>,
    of: IdMap<BlockId, Times>,
}

impl Spread<'_> {
    fn measured_block(&self, block: BlockId) -> Option<Times> {
        self.measured.blocks.get(&(self.id, block)).map(|&count| Times::exact(count))
    }

    fn region(&mut self, scope: Option<LoopId>) {
        let model = self.model;
        for &unit in &model.regions.region(scope).units {
            match unit {
                Unit::Block(block) => self.block(scope, block),
                Unit::Loop(id) if self.measured_block(model.forest.loops[id].header).is_some() => {
                    self.region(Some(id));
                }
                Unit::Loop(id) => self.dropped(id),
            }
        }
    }

    fn block(&mut self, scope: Option<LoopId>, block: BlockId) {
        let is_odd = self.model.forest.irreducible.iter().any(|part| part.contains(&block));
        let is_header = scope.is_some_and(|id| self.model.forest.loops[id].header == block);
        let mut times = self.measured_block(block).unwrap_or_else(|| self.into[block].clone());
        times.is_exact &= self.measured_block(block).is_some() || !(is_odd || is_header);
        self.leave(block, &times);
        self.of[block] = times;
    }

    /// Sends on what a block was reached by.
    fn leave(&mut self, block: BlockId, times: &Times) {
        let model = self.model;
        let edges = &model.edges[block];
        let taken: Vec<Option<Times>> = edges.iter().map(|edge| self.traversals(edge.edge)).collect();
        let known: Fraction = taken.iter().flatten().map(|one| &one.count).sum();
        let open = taken.iter().filter(|one| one.is_none()).count();
        let shares = if open > 0 { self.evaluator.known_shares(block) } else { Vec::new() };
        for (slot, (edge, taken)) in edges.iter().zip(taken).enumerate() {
            let part = match taken {
                Some(taken) => taken,
                // All that did not go another way came here.
                None if open == 1 && times.is_exact && known <= times.count => {
                    Times { count: &times.count - &known, is_exact: true }
                }
                None => times.part(&shares[slot].share, shares[slot].is_decided),
            };
            self.into[edge.edge.to].add(part);
        }
    }

    /// How often an edge was taken, if the run says so.
    fn traversals(&self, edge: Edge<BlockId>) -> Option<Times> {
        let is_only = self.edges_in[edge.to] == 1;
        is_only.then(|| self.measured_block(edge.to)).flatten()
    }

    /// A loop that the slice does not have: so many entries, each as its formula says.
    fn dropped(&mut self, id: LoopId) {
        let model = self.model;
        let header = model.forest.loops[id].header;
        let run = self.measured.loops.get(&(self.id, header)).copied();
        let entries = run.map_or_else(|| self.into[header].clone(), |run| Times::exact(run.entries));
        let counts = self.evaluator.activation_of(id);
        let members = self.evaluator.dependence.members(Some(id));
        let own: HashMap<BlockId, &Fraction> = members.iter().copied().zip(&counts.own.counts).collect();
        // By how much more a loop ran than its formula says: once, or the formula is one of another loop.
        let excess = |one: LoopId| {
            let header = model.forest.loops[one].header;
            let headers = whole(self.measured.headers(self.id, header)?);
            let claimed = &entries.count * *own.get(&header)?;
            let is_same = headers == claimed || claimed.is_zero();
            Some(if is_same { whole(u64::from(headers == claimed)) } else { &headers / &claimed })
        };
        let depth = model.forest.loops[id].depth;
        let around = |block: BlockId| {
            let chain = model.forest.chain(model.forest.innermost[block]);
            chain.filter(move |&one| model.forest.loops[one].depth >= depth)
        };
        let is_decided = |block: BlockId| {
            around(block).all(|one| {
                let is_formula = counts.grades[one].is_none_or(|grade| grade <= LoopGrade::Formula);
                is_formula && excess(one).is_none_or(|excess| excess == whole(1))
            })
        };
        for (&block, varied) in members.iter().zip(&counts.other.counts) {
            let counted = self.measured.headers(self.id, block).map(Times::exact);
            self.of[block] = self.measured_block(block).or(counted).unwrap_or_else(|| {
                let excess = around(block).find_map(excess).unwrap_or_else(|| whole(1));
                entries.part(&(own[&block] * &excess), own[&block] == varied && is_decided(block))
            });
        }
        let is_known = counts.own.exits == counts.other.exits;
        for (edge, share) in &counts.own.exits {
            let part = entries.part(share, is_known && is_decided(header));
            self.into[edge.to].add(part);
        }
    }
}

/// The first block that ran and is not followed by what follows it in the code.
///
/// What a program may do at its very end, where nothing that decides a loop comes after, is not in the slice: `if (wrong)
/// stop 1`. Blocks that were counted come before it, and their numbers hold. What called the program's start
/// may not continue after that.
pub(crate) fn end_of_run(
    module: &Module,
    predictions: &mut IdMap<FunctionId, Option<FunctionPrediction>>,
    main: Option<FunctionId>,
) -> Option<(FunctionId, BlockId)> {
    let is_last = |id: FunctionId, block: BlockId| {
        let function = &module.functions[id];
        let is_guess = predictions[id].as_ref().is_some_and(|one| !one.blocks[block].is_exact);
        is_guess
            && function.blocks[block].successors.is_empty()
            && opcost_key::is_program_start(&function.name)
    };
    let early = early_end(module, predictions, main, is_last).or_else(|| handled(module, predictions));
    let starts = module.functions.iter().filter(|&(id, function)| {
        opcost_key::is_program_start(&function.name)
            && function.blocks.ids().any(|block| ends(function, block) && is_last(id, block))
    });
    let starts: Vec<FunctionId> = starts.map(|(id, _)| id).collect();
    for (id, function) in module.functions.iter() {
        let Some(prediction) = &mut predictions[id] else { continue };
        for (at, call) in &function.calls {
            if matches!(call.callee, CalleeRef::Function(callee) if starts.contains(&callee)) {
                let block = &mut prediction.blocks[function.block_of(*at)];
                block.is_exact = false;
                block.reason.get_or_insert_with(|| "the program may stop in what it calls".to_owned());
            }
        }
    }
    early
}

/// The first block that may run and begins what handles an exception: calls around it did not return.
fn handled(
    module: &Module,
    predictions: &IdMap<FunctionId, Option<FunctionPrediction>>,
) -> Option<(FunctionId, BlockId)> {
    let is_handler = |function: &Function, block: BlockId| {
        function.instructions_of(block).any(|at| function.instructions[at].opcode == Opcode::LandingPad)
    };
    module.functions.iter().find_map(|(id, function)| {
        let prediction = predictions[id].as_ref()?;
        let may_run = |block: BlockId| {
            let one = &prediction.blocks[block];
            !(one.is_exact && one.least.is_zero())
        };
        let block = function.blocks.ids().find(|&block| may_run(block) && is_handler(function, block))?;
        Some((id, block))
    })
}
