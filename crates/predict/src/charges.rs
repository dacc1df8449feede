//! What must a program add up, and where, so that it predicts its own instructions?
//!
//! The prediction as code (Xie, 2014). Outside of loops, each straight run of blocks is charged
//! where it begins. The first one begins where the function is entered. Each loop is charged where it is
//! entered, once for all of its iterations: back edges times an iteration that stays, and one that leaves.
//! The back edges are the formula that is claimed of the loop, evaluated from what the program has there.
//! Loops inside are charged at their own entries. A block that hangs on the number of the iteration, by
//! formulas, is charged in the iteration. So the branch that skips a loop skips its charge, and no
//! formula is evaluated above its operands. A loop without a formula, or whose iterations hang on a guess, is
//! charged an estimate by static probabilities.
//!
//! Where code that was charged may be left in the middle (`exit`, `longjmp`, an exception, `fork`, a thread), a charge
//! of nothing says so: the program's result is no longer exact. The block in which `main` ends cuts nothing off.
//!
//! Input: what blocks weigh, the loops' entries and formulas as a recording has them. Output: a
//! [`Charging`]. Cost: that of solving the functions. Limit: conditions without a formula
//! are guessed inside of loops.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use opcost_analysis::evolution::Entered;
use opcost_analysis::memory::MemoryModel;
use opcost_claims::{Bindings, with_functions};
use opcost_graph::edge::Edge;
use opcost_graph::loops::LoopId;
use opcost_index::IdMap;
use opcost_ir::{
    CalleeRef, ChargeAmount, ChargeEdit, Charging, CheckInput, ESTIMATE_PARTS, EditPoint, Function, Module,
    Opcode, PointId, RecordEdit, Recording,
};
use opcost_key::{BlockId, FunctionId};

use crate::dependence::Dependence;
use crate::ending::{calls_named, cut_offs, ends, starts_thread};
use crate::evaluate::{Belief, Evaluator};
use crate::fraction::{Fraction, rounded, whole};
use crate::model::FunctionModel;
use crate::program::main_of;
use crate::region::Unit;

/// A loop that a recording has as a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopPoint {
    /// Its function.
    pub function: FunctionId,
    /// Its header.
    pub header: BlockId,
}

/// What charges are made of.
#[derive(Clone, Copy, Debug)]
pub struct Chargeable<'a> {
    /// What each block costs each time, up to a call that never comes back, by function. Nothing for functions that
    /// must not be touched.
    pub weights: &'a IdMap<FunctionId, IdMap<BlockId, u64>>,
    /// Where loops are entered, and what is noted there.
    pub recording: &'a Recording,
    /// The loops of its points.
    pub loops: &'a IdMap<PointId, LoopPoint>,
}

/// What the program must add up.
pub fn charging(program: &MemoryModel<'_>, of: Chargeable<'_>) -> Charging {
    let module = program.module;
    let mut all =
        Charging { charges: of.loops.values().map(|one| nothing(one.function)).collect(), edits: Vec::new() };
    let mut prepared: BTreeMap<FunctionId, Vec<RecordEdit>> = BTreeMap::new();
    for (id, edit) in &of.recording.edits {
        prepared.entry(*id).or_default().push(*edit);
    }
    with_functions(program, &Bindings::default(), |functions| {
        for (id, function) in module.functions.iter() {
            if function.blocks.is_empty() || of.weights[id].is_empty() {
                continue;
            }
            let model = functions.solve(id, |solved| FunctionModel::of(program, id, solved));
            let points = of.loops.iter().filter(|(_, one)| one.function == id);
            let points: BTreeMap<BlockId, PointId> = points.map(|(point, one)| (one.header, point)).collect();
            let mut charger = Charger { module, id, function, of, model: &model, points, all: &mut all };
            charger.straight_runs();
            charger.early_ends(program);
            charger.loops();
            charger.prepared(prepared.get(&id).map_or(&[], |edits| edits));
        }
    });
    all
}

fn nothing(function: FunctionId) -> ChargeAmount {
    ChargeAmount {
        function,
        back_edges: None,
        is_exact: true,
        stay: 0,
        leave: 0,
        guess: 0,
        is_early_end: false,
    }
}

/// Makes the charges of one function.
struct Charger<'a> {
    module: &'a Module,
    id: FunctionId,
    function: &'a Function,
    of: Chargeable<'a>,
    model: &'a FunctionModel,
    points: BTreeMap<BlockId, PointId>,
    all: &'a mut Charging,
}

impl Charger<'_> {
    fn weight(&self, block: BlockId) -> u64 {
        self.of.weights[self.id][block]
    }

    fn constant(&mut self, block: BlockId, charge: ChargeAmount) {
        let point = self.all.charges.push(charge);
        self.all.edits.push((self.id, ChargeEdit::Charge { site: EditPoint::Start(block), point }));
    }

    fn edges_out(&self, unit: Unit) -> Vec<Edge<BlockId>> {
        match unit {
            Unit::Loop(id) => self.model.forest.loops[id].exits.clone(),
            Unit::Block(block) => self.model.edges[block].iter().map(|edge| edge.edge).collect(),
        }
    }

    /// Blocks outside of loops, each run of them charged at its first one. A loop with one exit does not end a
    /// run: what comes after it runs as often.
    fn straight_runs(&mut self) {
        let region = self.model.regions.region(None);
        let mut entered = vec![0_usize; region.units.len()];
        let mut next: Vec<Option<usize>> = vec![None; region.units.len()];
        for (position, &unit) in region.units.iter().enumerate() {
            let edges = self.edges_out(unit);
            let targets: Vec<Option<usize>> =
                edges.iter().map(|edge| region.position.get(&edge.to).copied()).collect();
            targets.iter().flatten().for_each(|&to| entered[to] += 1);
            if let [Some(only)] = targets[..] {
                next[position] = Some(only);
            }
        }
        let mut continues = vec![false; region.units.len()];
        for &to in next.iter().flatten().filter(|&&to| to != 0 && entered[to] == 1) {
            continues[to] = true;
        }
        for first in (0..region.units.len()).filter(|&first| !continues[first]) {
            let mut total = 0_u128;
            let mut start = None;
            let mut at = Some(first);
            while let Some(position) = at {
                if let Unit::Block(block) = region.units[position] {
                    start = start.or(Some(block));
                    total += u128::from(self.weight(block));
                }
                at = next[position].filter(|&to| continues[to]);
            }
            // A run that begins with a loop has its first block behind it.
            if let Some(block) = start.filter(|_| total > 0) {
                self.constant(block, ChargeAmount { leave: total, ..nothing(self.id) });
            }
        }
    }

    /// Blocks after which charged code may not run, or run again.
    fn early_ends(&mut self, program: &MemoryModel<'_>) {
        let cut_offs = cut_offs(program, self.id);
        for block in self.reached() {
            let lands = self.function.instructions_of(block).any(|at| {
                let opcode = self.function.instructions[at].opcode;
                matches!(opcode, Opcode::LandingPad | Opcode::CatchSwitch | Opcode::CleanupPad)
            });
            let ends = ends(self.function, block) || cut_offs[block].is_some();
            let is_named = calls_named(self.module, self.function, block)
                || starts_thread(self.module, self.function, block);
            if lands || is_named || (ends && !self.is_last(block)) {
                self.constant(block, ChargeAmount { is_early_end: true, ..nothing(self.id) });
            }
        }
    }

    /// Whether it is the block in which the program ends, all that was charged being through. Nobody but the system calls
    /// `main`. Trip counts presume that no loop is left towards an `unreachable`, if there is another end.
    fn is_last(&self, block: BlockId) -> bool {
        let is_end = |block: &BlockId| self.function.blocks[*block].successors.is_empty();
        if !is_end(&block) || main_of(self.module) != Some(self.id) || self.function.is_address_taken {
            return false;
        }
        let mut calls = self.module.functions.values().flat_map(|function| &function.calls);
        let is_called =
            calls.any(|(_, call)| matches!(call.callee, CalleeRef::Function(callee) if callee == self.id));
        let has_one_end = || self.reached().iter().filter(|block| is_end(block)).count() == 1;
        !is_called
            && match self.function.instructions[self.function.terminator_of(block)].opcode {
                Opcode::Ret => true,
                Opcode::Unreachable => has_one_end(),
                _ => false,
            }
    }

    fn reached(&self) -> Vec<BlockId> {
        let has_unit = |block: &BlockId| {
            self.model.regions.region(self.model.forest.innermost[*block]).position.contains_key(block)
        };
        self.function.blocks.ids().filter(has_unit).collect()
    }

    fn loops(&mut self) {
        let dependence = Dependence::of(self.model);
        let numbers = rustc_hash::FxHashMap::default();
        let mut evaluator = Evaluator::new(self.model, &dependence, &numbers, 0, Belief::Decided);
        for id in self.model.forest.loops.ids() {
            self.one_loop(id, &dependence, &mut evaluator);
        }
    }

    fn one_loop(&mut self, id: LoopId, dependence: &Dependence, evaluator: &mut Evaluator<'_>) {
        let header = self.model.forest.loops[id].header;
        let flows = evaluator.loop_flows(id, false);
        let others = evaluator.loop_flows(id, true);
        let is_own = |block: &BlockId| self.model.forest.innermost[*block] == Some(id);
        let members = dependence.members(Some(id)).iter().copied().enumerate();
        let mut own: Vec<(usize, BlockId)> = members.filter(|(_, block)| is_own(block)).collect();
        let is_fixed = |at: usize| {
            let [stays, leaves] = [&flows.stays[at], &flows.leaves[at]];
            stays.is_whole()
                && leaves.is_whole()
                && *stays == others.stays[at]
                && *leaves == others.leaves[at]
        };
        let Some(&point) = self.points.get(&header) else {
            // Nothing can be inserted where it is entered: each iteration is charged by itself.
            let guess = parts(&self.sum(&own, &flows.any));
            self.constant(header, ChargeAmount { is_exact: false, guess, ..nothing(self.id) });
            return;
        };
        let check = self.of.recording.points[point].check.as_ref();
        let has_cycle = self.model.forest.irreducible.iter().flatten().any(is_own);
        let has_count = check.is_some_and(|check| check.is_exact) && !has_cycle;
        let is_exact = has_count && (self.is_decided(&own) || own.iter().all(|&(at, _)| is_fixed(at)));
        if is_exact {
            // What hangs on the number of the iteration is charged in the iteration: it is known there.
            let varying: Vec<BlockId> =
                own.iter().filter(|&&(at, _)| !is_fixed(at)).map(|&(_, block)| block).collect();
            for block in varying {
                let leave = u128::from(self.weight(block));
                self.constant(block, ChargeAmount { leave, ..nothing(self.id) });
            }
            own.retain(|&(at, _)| is_fixed(at));
        }
        let amount = |sum: &Fraction| if is_exact { whole_number(&rounded(sum)) } else { parts(sum) };
        self.all.charges[point] = ChargeAmount {
            back_edges: check.map(|check| check.steps.clone()),
            is_exact,
            stay: amount(&self.sum(&own, &flows.stays)),
            leave: amount(&self.sum(&own, &flows.leaves)),
            guess: parts(&(self.sum(&own, &flows.any) * flows.iterations)),
            ..nothing(self.id)
        };
    }

    /// What some blocks cost together, if they run so often.
    fn sum(&self, blocks: &[(usize, BlockId)], counts: &[Fraction]) -> Fraction {
        blocks.iter().map(|&(at, block)| &counts[at] * whole(self.weight(block))).sum()
    }

    /// Whether formulas decide each branch of these blocks.
    fn is_decided(&self, blocks: &[(usize, BlockId)]) -> bool {
        let edges = blocks.iter().flat_map(|&(_, block)| &self.model.edges[block]);
        { edges }.all(|edge| !matches!(edge.taken, Entered::Unknown))
    }

    /// What formulas need, and after it the charges of loops.
    fn prepared(&mut self, edits: &[RecordEdit]) {
        let has_formula = |all: &Charging, point: PointId| all.charges[point].back_edges.is_some();
        let counted: BTreeSet<PointId> = edits
            .iter()
            .filter_map(|edit| match edit {
                RecordEdit::Note { point, input: CheckInput::Iterations(around), .. }
                    if has_formula(self.all, *point) =>
                {
                    Some(*around)
                }
                _ => None,
            })
            .collect();
        let mut open: Option<(EditPoint, PointId)> = None;
        for edit in edits {
            let continues = matches!((edit, open), (RecordEdit::Note { spot, point, .. }, Some(entry)) if (*spot, *point) == entry);
            if !continues && let Some((spot, point)) = open.take() {
                self.all.edits.push((self.id, ChargeEdit::Charge { site: spot, point }));
            }
            match edit {
                RecordEdit::Enter { spot, point } => open = Some((*spot, *point)),
                RecordEdit::Note { point, .. } if !has_formula(self.all, *point) => continue,
                RecordEdit::Iteration { point, .. } if !counted.contains(point) => continue,
                RecordEdit::Leave { .. } | RecordEdit::Record { .. } => continue,
                _ => {}
            }
            self.all.edits.push((self.id, ChargeEdit::Prepare(*edit)));
        }
        if let Some((spot, point)) = open {
            self.all.edits.push((self.id, ChargeEdit::Charge { site: spot, point }));
        }
    }
}

/// The most that is charged at once. What is more is none of a program's loops: its total would not fit either.
fn whole_number(number: &BigInt) -> u128 {
    if number.is_zero() { 0 } else { number.to_u128().unwrap_or(u128::MAX) }
}

fn parts(amount: &Fraction) -> u128 {
    whole_number(&rounded(&(amount * whole(ESTIMATE_PARTS))))
}
