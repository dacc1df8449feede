//! What do the counters mean? Writes the module's map.
//!
//! Cost: linear; the text of an instruction is most of it.

use std::collections::BTreeMap;

use opcost_index::{Id, IdMap};
use opcost_ir::{CalleeRef, Function, FunctionText, Linkage, Module, Plan};
use opcost_key::{
    BlockMap, CallMap, CallSiteId, Callee, CounterId, EdgeId, EdgeKind, EdgeMap, Expected, FunctionId,
    FunctionMap, Hash128, Hasher128, InstructionId, InstructionMap, Meter, ModuleMap, PathsMap, SegmentId,
    SegmentMap,
};

use crate::bodies::is_counted_in_runs;
use crate::cost::is_assume_like;
use crate::request::{InstrumentRequest, WRAPPER_PREFIX};
use crate::skeleton::{PlacedEdge, Skeleton, Way};

/// What was decided for one function.
pub(crate) struct FunctionFacts {
    pub(crate) skeleton: Skeleton,
    /// The counter of each edge that has one.
    pub(crate) counters: IdMap<EdgeId, Option<CounterId>>,
    /// The call site of each edge by which frames are left, by edge.
    pub(crate) sites: Vec<Option<CallSiteId>>,
    pub(crate) segment_counters: Option<CounterId>,
    pub(crate) paths: PathsMap,
    /// The counter of each length that is charged when the program runs.
    pub(crate) lengths: BTreeMap<InstructionId, CounterId>,
}

pub(crate) fn map_module(
    module: &Module,
    request: &InstrumentRequest<'_>,
    plan: &Plan,
    facts: IdMap<FunctionId, FunctionFacts>,
    call_sites: IdMap<CallSiteId, (FunctionId, EdgeId)>,
) -> ModuleMap {
    let functions = facts.iter().map(|(id, facts)| map_function(module, request, id, facts)).collect();
    let mut build = request.build.clone();
    build.placement = Some(request.placement);
    build.has_debug_lines = !module.places.is_empty();
    ModuleMap {
        module: request.module.clone(),
        anchor: request.anchor,
        build,
        cost: request.cost.facts(),
        files: module.files.clone(),
        places: module.places.clone(),
        functions,
        counter_count: plan.counter_count,
        call_sites,
        addresses_taken: Vec::new(),
        by_code: None,
        texts: Vec::new(),
    }
}

fn map_function(
    module: &Module,
    request: &InstrumentRequest<'_>,
    id: FunctionId,
    facts: &FunctionFacts,
) -> FunctionMap {
    let function = &module.functions[id];
    let is_local = function.linkage == Linkage::Local;
    let skeleton = &facts.skeleton;
    let is_mapped = !skeleton.segments.is_empty();
    let (shape, body) = hashes(module, function, skeleton);
    let text = FunctionText::new(module, function);
    let instructions: IdMap<InstructionId, InstructionMap> = function
        .instructions
        .iter()
        .filter(|_| is_mapped)
        .map(|(id, instruction)| InstructionMap {
            weight: request.cost.weight(module, function, id),
            length: facts.lengths.get(&id).copied(),
            place: instruction.place,
            text: text.instruction(id),
        })
        .collect();
    FunctionMap {
        name: function.name.clone(),
        is_local,
        home: module.homes.get(&id).filter(|_| is_local).cloned(),
        place: function.place,
        shape,
        body,
        blocks: skeleton
            .first_segments
            .iter()
            .map(|(block, &first_segment)| BlockMap {
                first_segment,
                first_instruction: InstructionId::new(function.blocks[block].instructions.start as usize),
            })
            .collect(),
        segments: segments(function, skeleton, &instructions),
        edges: skeleton.edges.iter().map(|(id, edge)| map_edge(id, edge, facts)).collect(),
        calls: if is_mapped { calls(module, function) } else { Vec::new() },
        instructions,
        segment_counters: facts.segment_counters,
        paths: facts.paths.clone(),
        expected: Expected::default(),
    }
}

fn segments(
    function: &Function,
    skeleton: &Skeleton,
    instructions: &IdMap<InstructionId, InstructionMap>,
) -> IdMap<SegmentId, SegmentMap> {
    debug_assert!(skeleton.segments.is_empty() || instructions.len() == function.instructions.len());
    let segments = skeleton.segments.values();
    segments
        .map(|segment| {
            let own = (segment.first.index()..segment.last.index() + 1).map(InstructionId::new);
            let weight = own.map(|id| u64::from(instructions[id].weight)).sum();
            SegmentMap { block: segment.block, first_instruction: segment.first, weight }
        })
        .collect()
}

fn map_edge(id: EdgeId, edge: &PlacedEdge, facts: &FunctionFacts) -> EdgeMap {
    let site = || facts.sites[id.index()].expect("an edge by which frames are left has a call site");
    let kind = match edge.kind {
        Way::Enter => EdgeKind::Enter,
        Way::Branch { block, slot } => EdgeKind::Branch { block, slot },
        Way::Fall => EdgeKind::Fall,
        Way::Return => EdgeKind::Return,
        Way::Left(_) | Way::NoReturn(_) => EdgeKind::Left(site()),
        Way::Again(_) => EdgeKind::Again,
    };
    let meter = match (facts.counters[id], edge.kind) {
        (Some(counter), _) => Meter::Counter(counter),
        (None, Way::Left(_)) => Meter::LeftFrames,
        (None, _) => Meter::Derived,
    };
    EdgeMap { from: edge.from, to: edge.to, kind, meter }
}

fn calls(module: &Module, function: &Function) -> Vec<CallMap> {
    let mut calls = Vec::new();
    for &(instruction, call) in &function.calls {
        let callee = match call.callee {
            // What is not counted here may be somewhere else, or nowhere.
            CalleeRef::Function(id) if !is_counted_in_runs(&module.functions[id]) => {
                Callee::Declared(module.functions[id].name.clone())
            }
            CalleeRef::Function(id) => Callee::Defined(id),
            CalleeRef::Indirect => Callee::Indirect,
            CalleeRef::Assembly => Callee::Assembly,
            CalleeRef::Declaration(id) => {
                let declaration = &module.declarations[id];
                match memory_function(&declaration.name) {
                    Some(name) => Callee::Memory(name.to_owned()),
                    None if declaration.is_intrinsic || is_assume_like(module, call.callee) => continue,
                    None => Callee::Declared(
                        declaration.name.strip_prefix(WRAPPER_PREFIX).unwrap_or(&declaration.name).to_owned(),
                    ),
                }
            }
        };
        calls.push(CallMap { instruction, callee });
    }
    calls
}

/// The library function that does the work of a memory intrinsic.
fn memory_function(name: &str) -> Option<&'static str> {
    ["memcpy", "memmove", "memset"].into_iter().find(|function| {
        name.strip_prefix("llvm.")
            .and_then(|rest| rest.strip_prefix(function))
            .is_some_and(|suffix| suffix.starts_with('.') && !suffix.starts_with(".inline"))
    })
}

/// Shape: control flow, order of successors, positions of calls. Body: also
/// opcodes and types.
pub(crate) fn hashes(module: &Module, function: &Function, skeleton: &Skeleton) -> (Hash128, Hash128) {
    let mut shape = Hasher128::new();
    for block in function.blocks.values() {
        shape.number(block.successors.len() as u64);
        for successor in &block.successors {
            shape.number(successor.index() as u64);
        }
    }
    for edge in skeleton.edges.values() {
        let end = |segment: Option<SegmentId>| segment.map_or(0, |id| id.index() as u64 + 1);
        shape.number(end(edge.from)).number(end(edge.to));
    }
    let mut body = shape.clone();
    for instruction in function.instructions.values() {
        body.number(instruction.opcode as u64).text(&module.type_text(instruction.ty));
        body.number(instruction.predicate.map_or(0, |predicate| predicate as u64 + 1));
    }
    (shape.finish(), body.finish())
}
