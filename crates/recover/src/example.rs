//! Small maps made by hand, for the tests of this room.
//!
//! A function is written as its blocks, each a list of segments, each a list
//! of instruction weights; lines count up from 10 with each block.

use opcost_index::{Id, IdMap};
use opcost_key::{
    Anchor, BlockId, BlockMap, BuildFacts, CallMap, CallSiteId, Callee, Charge, CostFacts, CounterId, EdgeId,
    EdgeKind, EdgeMap, Expected, FileId, FunctionId, FunctionMap, Hash128, InstructionId, InstructionMap,
    Meter, ModuleMap, Place, PlaceId, SegmentId, SegmentMap,
};
use opcost_profile::{Ledger, Origin, Quality, World};

use crate::{CountedModule, Course, ModuleCounts, RunFacts, make_ledger, recover_module, summarize};

pub(crate) fn segment(position: usize) -> Option<SegmentId> {
    Some(SegmentId::new(position))
}

pub(crate) fn counter(position: usize) -> Meter {
    Meter::Counter(CounterId::new(position))
}

pub(crate) fn edge(from: Option<SegmentId>, to: Option<SegmentId>, kind: EdgeKind, meter: Meter) -> EdgeMap {
    EdgeMap { from, to, kind, meter }
}

/// Successor `slot` of block `block`.
pub(crate) fn branch(block: usize, slot: u32) -> EdgeKind {
    EdgeKind::Branch { block: BlockId::new(block), slot }
}

pub(crate) fn left(site: usize) -> EdgeKind {
    EdgeKind::Left(CallSiteId::new(site))
}

/// A function of these blocks and edges; every instruction has the place of
/// its block's number.
pub(crate) fn function(name: &str, blocks: &[&[&[u32]]], edges: Vec<EdgeMap>) -> FunctionMap {
    let mut made = FunctionMap {
        name: name.into(),
        is_local: false,
        home: None,
        place: Some(PlaceId::new(0)),
        shape: Hash128(blocks.len() as u128),
        body: Hash128(edges.len() as u128),
        blocks: IdMap::new(),
        segments: IdMap::new(),
        edges: IdMap::from_vec(edges),
        instructions: IdMap::new(),
        calls: Vec::new(),
        segment_counters: None,
        expected: Expected::default(),
        paths: opcost_key::PathsMap::None,
    };
    for segments in blocks {
        let block = made.blocks.push(BlockMap {
            first_segment: made.segments.next_id(),
            first_instruction: made.instructions.next_id(),
        });
        for weights in *segments {
            let first_instruction = made.instructions.next_id();
            let weight = weights.iter().map(|&weight| u64::from(weight)).sum();
            made.segments.push(SegmentMap { block, first_instruction, weight });
            for &weight in *weights {
                let place = Some(PlaceId::new(block.index()));
                made.instructions.push(InstructionMap { weight, length: None, place, text: String::new() });
            }
        }
    }
    made
}

/// A module of these functions; place `n` is line `10 + n`, the last has none.
pub(crate) fn module(name: &str, functions: Vec<FunctionMap>, counters: u32) -> ModuleMap {
    let sites = functions.iter().enumerate().flat_map(|(position, function)| {
        let edges: Vec<EdgeId> = function.edges.ids().collect();
        let left = edges.into_iter().filter(|&edge| matches!(function.edges[edge].kind, EdgeKind::Left(_)));
        left.map(move |edge| (FunctionId::new(position), edge))
    });
    ModuleMap {
        module: name.into(),
        anchor: Anchor::Optimized,
        build: BuildFacts { compiler: "clang 22.1.8".into(), ..Default::default() },
        cost: CostFacts { name: "unit/1".into(), hash: Hash128(1), charge: Charge::Instruction },
        files: IdMap::filled(1, "src.c".into()),
        places: (0..10)
            .map(|n| Place {
                file: FileId::new(0),
                line: if n == 9 { 0 } else { 10 + n },
                column: 1,
                inlined_function: None,
                inlined_at: None,
            })
            .collect(),
        call_sites: sites.collect(),
        functions: IdMap::from_vec(functions),
        counter_count: counters,
        addresses_taken: Vec::new(),
        by_code: None,
        texts: Vec::new(),
    }
}

/// Adds a call of `callee` at instruction `position`.
pub(crate) fn with_call(mut function: FunctionMap, position: usize, callee: Callee) -> FunctionMap {
    function.calls.push(CallMap { instruction: InstructionId::new(position), callee });
    function
}

/// ```text
/// enter ▶ 0 ▶ 1 ▶ 3 ▶ return     counters: enter, 0▶1
///         0 ▶ 2 ▶ 3
/// ```
pub(crate) fn diamond() -> ModuleMap {
    let edges = vec![
        edge(None, segment(0), EdgeKind::Enter, counter(0)),
        edge(segment(0), segment(1), branch(0, 0), counter(1)),
        edge(segment(0), segment(2), branch(0, 1), Meter::Derived),
        edge(segment(1), segment(3), branch(1, 0), Meter::Derived),
        edge(segment(2), segment(3), branch(2, 0), Meter::Derived),
        edge(segment(3), None, EdgeKind::Return, Meter::Derived),
    ];
    let blocks: [&[&[u32]]; 4] = [&[&[1, 1]], &[&[1, 1, 1]], &[&[5]], &[&[1]]];
    module("diamond.c", vec![function("choose", &blocks, edges)], 2)
}

/// ```text
/// enter ▶ 0 ▶ 1 ▶ 2 ▶ return     counters: 0▶1, the back edge
///             1 ▶ 1
/// ```
pub(crate) fn single_loop() -> ModuleMap {
    let edges = vec![
        edge(None, segment(0), EdgeKind::Enter, Meter::Derived),
        edge(segment(0), segment(1), branch(0, 0), counter(0)),
        edge(segment(1), segment(1), branch(1, 0), counter(1)),
        edge(segment(1), segment(2), branch(1, 1), Meter::Derived),
        edge(segment(2), None, EdgeKind::Return, Meter::Derived),
    ];
    let blocks: [&[&[u32]]; 3] = [&[&[1]], &[&[1, 1, 1]], &[&[1]]];
    module("loop.c", vec![function("repeat", &blocks, edges)], 2)
}

/// One block, cut after a call that may leave (site 0).
/// ```text
/// enter ▶ 0 ▶ fall ▶ 1 ▶ return     counters: enter, return
///         0 ▶ left
/// ```
pub(crate) fn call_left() -> ModuleMap {
    let edges = vec![
        edge(None, segment(0), EdgeKind::Enter, counter(0)),
        edge(segment(0), segment(1), EdgeKind::Fall, Meter::Derived),
        edge(segment(0), None, left(0), Meter::LeftFrames),
        edge(segment(1), None, EdgeKind::Return, counter(1)),
    ];
    let function = function("risky", &[&[&[1, 1], &[1, 1, 1]]], edges);
    module("left.c", vec![with_call(function, 1, Callee::Declared("exit".into()))], 2)
}

/// The counts of a map; `left` is (site, frames).
pub(crate) fn recovered(map: &ModuleMap, counters: &[u64], left: &[(usize, i64)]) -> ModuleCounts {
    let left = left.iter().map(|&(site, count)| (CallSiteId::new(site), count)).collect();
    recover_module(map, counters, &left).unwrap()
}

/// The ledger of one counted module, whose map has the hash 7.
pub(crate) fn ledger_of(module: CountedModule<'_>) -> Ledger {
    ledger_of_all(&[module])
}

/// The facts of a counted run.
pub(crate) fn counted_run() -> RunFacts {
    RunFacts {
        machine: "here".into(),
        command: vec!["./a".into()],
        origin: Origin::Counted,
        quality: Quality::Exact,
        world: World::Open,
        course: Course::default(),
    }
}

/// The ledger of modules, whose maps have the hashes 7, 8 and so on.
pub(crate) fn ledger_of_all(modules: &[CountedModule<'_>]) -> Ledger {
    let hashes: Vec<Hash128> = (7..).map(Hash128).take(modules.len()).collect();
    make_ledger(modules, &hashes, &summarize(modules), &counted_run()).expect("a ledger")
}
