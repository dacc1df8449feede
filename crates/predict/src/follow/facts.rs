//! What of a function stays the same however it is entered?
//!
//! Whether it can be followed at all, which blocks dominate which, and of each loop: what it writes,
//! which symbols decide its counts, which calls are in it, and whether numbers come out of it that
//! later counts may depend on. Cost: one pass a function, when it is entered first.

use std::collections::BTreeSet;

use opcost_analysis::expression::{FormulaId, Symbol};
use opcost_analysis::memory::MemoryModel;
use opcost_graph::dominators::Dominators;
use opcost_graph::edge::Edge;
use opcost_graph::loops::LoopId;
use opcost_index::{Id, IdMap, IdSet};
use opcost_ir::{Flow, Function, Opcode, Type, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashSet;

use super::writes::{Write, WritesOf};
use crate::contexts::Modelled;
use crate::dependence::trip_formulas;
use crate::model::FunctionModel;

/// What is true of a function.
pub(super) struct Facts {
    pub(super) is_followable: bool,
    pub(super) dominators: Dominators<BlockId>,
    pub(super) loops: IdMap<LoopId, LoopFacts>,
    /// Values that decide something, and that calls may decide.
    pub(super) deciding: IdSet<InstructionId>,
}

/// What is true of a loop.
#[derive(Default)]
pub(super) struct LoopFacts {
    pub(super) writes: Vec<Write>,
    /// Symbols of formulas that decide in it, or are passed on in it.
    pub(super) symbols: Vec<Symbol>,
    /// Positions of calls.
    pub(super) calls: Vec<usize>,
    /// Integers or pointers are stored in it, or come out of it.
    pub(super) has_effects: bool,
}

impl Facts {
    pub(super) fn of(
        model: &MemoryModel<'_>,
        id: FunctionId,
        modelled: Option<&Modelled>,
        writes: &WritesOf<'_>,
    ) -> Facts {
        let function = &model.module.functions[id];
        let dominators = Dominators::compute(function, BlockId::new(0));
        let mut facts =
            Facts { is_followable: false, dominators, loops: IdMap::new(), deciding: IdSet::new() };
        let Some(Modelled { model: own, .. }) = modelled else { return facts };
        facts.is_followable = own.forest.irreducible.is_empty()
            && !function.is_naked
            && !function.is_coroutine
            && function.blocks.values().all(|block| matches!(block.flow, Flow::Splittable | Flow::None))
            && !function.instructions.values().any(|one| matches!(one.opcode, Opcode::Resume));
        let values = own.symbols.values().flat_map(|open| &open.values);
        for value in values {
            if let Value::Instruction(at) = *value {
                facts.deciding.insert(at);
            }
        }
        let loops = own.forest.loops.ids().map(|one| {
            let members = &own.forest.loops[one].members;
            let instructions = members.iter().flat_map(|&block| function.instructions_of(block));
            let all: FxHashSet<Write> = instructions.flat_map(|at| writes.of(id, at)).collect();
            LoopFacts {
                writes: all.into_iter().collect(),
                symbols: symbols(own, one),
                calls: calls(own, one),
                has_effects: has_effects(model, function, own, one),
            }
        });
        facts.loops = loops.collect();
        facts
    }
}

fn symbols(model: &FunctionModel, id: LoopId) -> Vec<Symbol> {
    let mut formulas: Vec<FormulaId> = Vec::new();
    for inner in
        model.forest.loops.ids().filter(|&inner| model.forest.chain(Some(inner)).any(|one| one == id))
    {
        formulas.extend(trip_formulas(model, inner));
    }
    for &block in &model.forest.loops[id].members {
        formulas.extend(model.edges[block].iter().flat_map(|edge| edge.taken.formulas()));
    }
    for call in model.calls.iter().filter(|call| model.forest.contains(id, call.block)) {
        formulas.extend(call.arguments.iter().flatten());
    }
    let all: BTreeSet<usize> = formulas
        .into_iter()
        .flat_map(|formula| model.formulas.symbols_in(formula))
        .map(|symbol| symbol.index())
        .collect();
    let of = |position| model.formulas.symbol_of(opcost_analysis::expression::SymbolId::new(position));
    all.into_iter().map(of).filter(|symbol| !matches!(symbol, Symbol::Index(_))).cloned().collect()
}

fn calls(model: &FunctionModel, id: LoopId) -> Vec<usize> {
    let inside = |(position, call): (usize, &crate::model::CallModel)| {
        model.forest.contains(id, call.block).then_some(position)
    };
    model.calls.iter().enumerate().filter_map(inside).collect()
}

/// Whether an integer or a pointer is stored in the loop, or used after it.
fn has_effects(program: &MemoryModel<'_>, function: &Function, model: &FunctionModel, id: LoopId) -> bool {
    let is_number = |value: Value| {
        let ty = program.module.type_of(function, value).map(|ty| &program.module.types[ty]);
        matches!(ty, Some(Type::Integer(_) | Type::Pointer(_)))
    };
    let members = &model.forest.loops[id].members;
    let stores = members.iter().flat_map(|&block| function.instructions_of(block)).any(|at| {
        function.instructions[at].opcode == Opcode::Store && is_number(function.operands_of(at)[0])
    });
    let outside = function.blocks.ids().filter(|&block| !model.forest.contains(id, block));
    let is_inside = |value: &Value| {
        matches!(value, Value::Instruction(at) if model.forest.contains(id, function.block_of(*at)))
            && is_number(*value)
    };
    stores
        || outside
            .flat_map(|block| function.instructions_of(block))
            .any(|at| function.operands_of(at).iter().any(is_inside))
}

/// Whether what a block computes holds at the end of another, in the same iteration.
pub(super) fn holds_at(facts: &Facts, made: BlockId, at: BlockId) -> bool {
    facts.dominators.dominates(made, at)
}

/// The values of phis at the end of an edge, as operands.
pub(super) fn phis(function: &Function, edge: Edge<BlockId>) -> Vec<Value> {
    let mut values = Vec::new();
    for at in function.instructions_of(edge.to) {
        if function.instructions[at].opcode != Opcode::Phi {
            break;
        }
        let mut pairs = function.operands_of(at).chunks_exact(2);
        let own = pairs.find(|pair| pair[1] == Value::Block(edge.from));
        values.push(own.map_or(Value::Block(edge.from), |pair| pair[0]));
    }
    values
}
