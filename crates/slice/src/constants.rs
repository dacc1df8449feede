//! Which loops iterate a constant number of times, so that no event need report them?
//!
//! A loop that iterates seven times at each entry can go, if it does nothing else that stays: its entries
//! times seven are its iterations. And where such a loop is inside of another one, and is entered exactly
//! once in each iteration of that, its entries need no event either.
//!
//! The count is that of [`FunctionEvolution`], if it is a number and rests on nothing but what the language
//! and the code promise: a program that breaks a promise does something undefined. A condition, or an exit
//! that was left out of account, is no promise. A loop that may be left in its middle, by an exception or the
//! end of the program in what it calls, has no constant count.
//!
//! Input: loops, and what is known of calls. Output: [`ConstantLoop`] for those that have one. Cost: that of
//! solving the loops of all functions. Limit: a function with a cycle of several entries has none.

use opcost_analysis::evolution::{FunctionEvolution, Source, TripAssumption, TripCount};
use opcost_analysis::expression::Formulas;
use opcost_analysis::memory::MemoryVersions;
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::{LoopForest, LoopId};
use opcost_index::{Id, IdMap, IdSet};
use opcost_ir::{CalleeRef, Function, Opcode};
use opcost_key::{BlockId, FunctionId};
use opcost_library::effect::Returns;
use rustc_hash::FxHashMap;

use crate::closure::Closure;
use crate::library::Fate;
use crate::marks::{LoopNumber, MarkedLoop};
use crate::site::SliceSite;

/// The most executions of a header that count as a constant. Products of a few of them fit a word.
const MOST_HEADERS: i128 = 1 << 32;

/// A loop that iterates equally often each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantLoop {
    /// How often its header runs each time that the loop is entered.
    pub headers: u64,
    /// How often it is entered each time that the loop around it is; none if events report its entries.
    pub entries: Option<u64>,
}

/// Loops with constant counts, by number.
pub(crate) type ConstantLoops = FxHashMap<LoopNumber, ConstantLoop>;

impl Closure<'_> {
    /// The loops that iterate equally often each time.
    pub(crate) fn constant_loops(&self, loops: &IdMap<LoopNumber, MarkedLoop>) -> ConstantLoops {
        let leaving = self.leaving();
        let mut constants = ConstantLoops::default();
        let all: Vec<(LoopNumber, &MarkedLoop)> = loops.iter().collect();
        for members in all.chunk_by(|(_, one), (_, next)| one.function == next.function) {
            let function = members[0].1.function;
            self.of_function(&Candidates { function, members, leaving: &leaving }, &mut constants);
        }
        constants
    }

    /// Functions that may end in another way than by a return.
    fn leaving(&self) -> IdSet<FunctionId> {
        let mut leaving = IdSet::new();
        loop {
            let mut is_new = false;
            for (function, body) in self.memory.module.functions.iter() {
                if self.memory.calls.is_reachable(function) && !leaving.contains(function) {
                    let site = |instruction| SliceSite { function, instruction };
                    let leaves = body.instructions.ids().any(|at| self.may_leave(site(at), &leaving));
                    is_new |= leaves && leaving.insert(function);
                }
            }
            if !is_new {
                return leaving;
            }
        }
    }

    /// Whether control may go from there to no successor and no return.
    fn may_leave(&self, site: SliceSite, leaving: &IdSet<FunctionId>) -> bool {
        let body = &self.memory.module.functions[site.function];
        let opcode = body.instructions[site.instruction].opcode;
        let Some(call) = body.call(site.instruction).filter(|_| opcode.is_call()) else {
            return matches!(opcode, Opcode::Unreachable | Opcode::Resume);
        };
        if opcode != Opcode::Call || call.is_noreturn || call.returns_twice {
            return true;
        }
        let callees = self.memory.addresses.callees(site.function, site.instruction);
        let may_call_any = match callees {
            Some(callees) => {
                let mut all =
                    callees.functions.iter().chain(callees.callbacks.iter().map(|(callee, _)| callee));
                callees.is_open || all.any(|&callee| leaving.contains(callee))
            }
            None => matches!(call.callee, CalleeRef::Indirect),
        };
        may_call_any
            || match call.callee {
                CalleeRef::Function(callee) => leaving.contains(callee),
                CalleeRef::Indirect => callees.is_none_or(|callees| callees.functions.is_empty()),
                CalleeRef::Assembly => !call.is_empty_assembly,
                CalleeRef::Declaration(declared) => {
                    let effect = self.memory.externals.effect(body, site.instruction, declared);
                    let returns =
                        effect.returns == Returns::Always || (call.is_willreturn && call.is_nounwind);
                    matches!(self.fates.get(&site), None | Some(Fate::Stays | Fate::Ends)) && !returns
                }
            }
    }

    fn of_function(&self, of: &Candidates<'_>, constants: &mut ConstantLoops) {
        let module = self.memory.module;
        let function = &module.functions[of.function];
        let dominators = Dominators::compute(function, BlockId::new(0));
        let forest = LoopForest::compute(function, &dominators);
        if !forest.irreducible.is_empty() {
            return;
        }
        let cells = MemoryVersions::compute(self.memory, of.function, &dominators);
        let layout = self.memory.layout;
        let source =
            Source { module, function, dominators: &dominators, forest: &forest, layout, cells: &cells };
        let mut formulas = Formulas::new();
        let evolution = FunctionEvolution::compute(source, &mut formulas);
        let ids: FxHashMap<BlockId, LoopId> = forest.loops.iter().map(|(id, one)| (one.header, id)).collect();
        // A loop comes after those around it.
        for &(number, one) in of.members {
            let id = ids[&one.header];
            let Some(headers) = headers(evolution.trip_count(id), &formulas) else { continue };
            let mut inside = one.members.iter().flat_map(|&block| function.instructions_of(block));
            let site = |instruction| SliceSite { function: of.function, instruction };
            if inside.any(|at| self.may_leave(site(at), of.leaving)) {
                continue;
            }
            let around = one.parent.and_then(|parent| constants.get(&parent).copied());
            let nest = Nest { function, forest: &forest, dominators: &dominators };
            let entries = around.and_then(|around| nest.entries(id, one, around.headers));
            constants.insert(number, ConstantLoop { headers, entries });
        }
    }
}

/// The loops of one function.
struct Candidates<'a> {
    function: FunctionId,
    members: &'a [(LoopNumber, &'a MarkedLoop)],
    leaving: &'a IdSet<FunctionId>,
}

/// How often the header runs at each entry, if that is a number whatever the program computes.
fn headers(trips: &TripCount, formulas: &Formulas) -> Option<u64> {
    let is_promise = |assumption: &TripAssumption| match assumption {
        TripAssumption::Promise(..) | TripAssumption::Memory(_) | TripAssumption::MustProgress => true,
        TripAssumption::Condition(..) | TripAssumption::NotLeftBy(_) | TripAssumption::Ieee => false,
    };
    let back_edges = formulas.as_constant(trips.back_edges.exact()?)?;
    let is_small = (0..MOST_HEADERS).contains(&back_edges);
    (is_small && trips.assumptions.iter().all(is_promise)).then(|| back_edges as u64 + 1)
}

/// Where loops are inside of each other.
struct Nest<'a> {
    function: &'a Function,
    forest: &'a LoopForest<BlockId>,
    dominators: &'a Dominators<BlockId>,
}

impl Nest<'_> {
    /// How often a loop is entered each time that the one around it is, whose header runs so often.
    ///
    /// The block that enters it must run once in each iteration that comes back to the header. In the last
    /// iteration, which is left, it runs as well if every exit comes after it, and does not if none does.
    fn entries(&self, id: LoopId, one: &MarkedLoop, headers: u64) -> Option<u64> {
        let parent = self.forest.loops[id].parent?;
        let around = &self.forest.loops[parent];
        let &[(block, _)] = one.entries.as_slice() else { return None };
        if self.function.blocks[block].successors.len() != 1 || self.forest.innermost[block] != Some(parent) {
            return None;
        }
        if !around.latches().into_iter().all(|latch| self.dominators.dominates(block, latch)) {
            return None;
        }
        if around.exits.iter().all(|exit| self.dominators.dominates(block, exit.from)) {
            return Some(headers);
        }
        let after = self.after(block, parent);
        (!around.exits.iter().any(|exit| after.contains(exit.from))).then(|| headers - 1)
    }

    /// What comes after a block in the same iteration of a loop.
    fn after(&self, block: BlockId, around: LoopId) -> IdSet<BlockId> {
        let header = self.forest.loops[around].header;
        let mut after = IdSet::new();
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            let is_inside = block != header && self.forest.contains(around, block);
            if is_inside && after.insert(block) {
                work.extend(&self.function.blocks[block].successors);
            }
        }
        after
    }
}
