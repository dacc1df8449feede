//! Which loops' iterations are not all alike? What in a loop depends on the number of the iteration.
//!
//! A formula matters where it decides something. That is the condition of an edge of a block that
//! has another choice, and the trip count of a loop inside. A branch whose only other way leaves the
//! loop is decided by the trip count. Cost: the formulas, once for each loop around.

use std::collections::BTreeSet;

use opcost_analysis::expression::{FormulaId, Symbol};
use opcost_graph::loops::LoopId;
use opcost_index::IdMap;
use opcost_key::BlockId;

use crate::model::FunctionModel;
use crate::region::Unit;

/// What the loops of a function depend on.
#[derive(Clone, Debug)]
pub(crate) struct Dependence {
    whole: Vec<BlockId>,
    loops: IdMap<LoopId, OfLoop>,
}

#[derive(Clone, Debug, Default)]
struct OfLoop {
    /// Its blocks in the order of its region, those of loops inside in theirs.
    members: Vec<BlockId>,
    /// Conditions of edges that decide in its own blocks while it goes on.
    conditions: Vec<FormulaId>,
    /// Those that decide by which exit it is left.
    leaving: Vec<FormulaId>,
    /// Loops around it whose iteration decides something in it.
    outside: Vec<LoopId>,
    /// Whether its own iteration does.
    varies: bool,
}

impl Dependence {
    pub(crate) fn of(model: &FunctionModel) -> Dependence {
        let mut all =
            Dependence { whole: Vec::new(), loops: model.loops.ids().map(|_| OfLoop::default()).collect() };
        // From the inside out.
        for id in model.loops.ids().rev() {
            all.loops[id].members = all.members_of(model, Some(id));
            (all.loops[id].conditions, all.loops[id].leaving) = own_conditions(model, id);
            let mut turns = BTreeSet::new();
            all.add_dependences(model, id, &mut turns);
            all.loops[id].varies = turns.contains(&id);
            let parent = model.forest.loops[id].parent;
            for formula in trip_formulas(model, id).chain(all.loops[id].leaving.iter().copied()) {
                add_dependences(model, formula, &mut turns);
            }
            all.loops[id].outside = model.forest.chain(parent).filter(|one| turns.contains(one)).collect();
        }
        all.whole = all.members_of(model, None);
        all
    }

    /// The blocks of a region, in the order in which counts of it are listed.
    pub(crate) fn members(&self, scope: Option<LoopId>) -> &[BlockId] {
        scope.map_or(&self.whole, |id| &self.loops[id].members)
    }

    /// The loops around whose iterations must be known to evaluate one activation.
    pub(crate) fn outer_dependences(&self, id: LoopId) -> &[LoopId] {
        &self.loops[id].outside
    }

    /// Whether iterations differ.
    pub(crate) fn varies(&self, id: LoopId) -> bool {
        self.loops[id].varies
    }

    /// Conditions that decide in a loop's own blocks.
    pub(crate) fn conditions(&self, id: LoopId) -> &[FormulaId] {
        &self.loops[id].conditions
    }

    /// Conditions that decide by which exit a loop is left.
    pub(crate) fn leaving(&self, id: LoopId) -> &[FormulaId] {
        &self.loops[id].leaving
    }

    fn members_of(&self, model: &FunctionModel, scope: Option<LoopId>) -> Vec<BlockId> {
        let mut members = Vec::new();
        for unit in &model.regions.region(scope).units {
            match unit {
                Unit::Block(block) => members.push(*block),
                Unit::Loop(id) => members.extend(&self.loops[*id].members),
            }
        }
        members
    }

    /// Loops whose iterations decide something in those of a loop.
    fn add_dependences(&self, model: &FunctionModel, id: LoopId, turns: &mut BTreeSet<LoopId>) {
        for &formula in &self.loops[id].conditions {
            add_dependences(model, formula, turns);
        }
        for inner in model.regions.region(Some(id)).inner() {
            for formula in trip_formulas(model, inner).chain(self.loops[inner].leaving.iter().copied()) {
                add_dependences(model, formula, turns);
            }
            self.add_dependences(model, inner, turns);
        }
    }
}

/// The trip count of a loop, and what it needs.
pub(crate) fn trip_formulas(model: &FunctionModel, id: LoopId) -> impl Iterator<Item = FormulaId> + '_ {
    let one = &model.loops[id];
    one.back_edges.formula().into_iter().chain(one.conditions.iter().map(|test| test.of))
}

/// Conditions that decide while a loop goes on, and those by which it is left.
fn own_conditions(model: &FunctionModel, id: LoopId) -> (Vec<FormulaId>, Vec<FormulaId>) {
    let exits = model.forest.loops[id].exits.len();
    let (mut stays, mut leaving) = (Vec::new(), Vec::new());
    for unit in &model.regions.region(Some(id)).units {
        let Unit::Block(block) = unit else { continue };
        let edges = &model.edges[*block];
        let inside: BTreeSet<BlockId> =
            edges.iter().map(|edge| edge.edge.to).filter(|&to| model.forest.contains(id, to)).collect();
        let leaves = edges.iter().any(|edge| !model.forest.contains(id, edge.edge.to));
        let conditions = edges.iter().flat_map(|edge| edge.taken.formulas());
        if inside.len() > 1 {
            stays.extend(conditions);
        } else if leaves && exits > 1 {
            leaving.extend(conditions);
        }
    }
    (stays, leaving)
}

fn add_dependences(model: &FunctionModel, formula: FormulaId, turns: &mut BTreeSet<LoopId>) {
    for &symbol in model.formulas.symbols_in(formula) {
        if let Symbol::Turn(id) = model.formulas.symbol_of(symbol) {
            turns.insert(*id);
        }
    }
}
