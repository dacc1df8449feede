//! Do the counts that the plan recovers equal what the walk did?

use opcost_instrument::{CostModel, InstrumentRequest, Instrumented, PlanError, plan, weigh_as_run};
use opcost_ir::{Module, print_module};
use opcost_key::{
    Anchor, BuildFacts, EdgeKind, EdgeMap, FunctionMap, InstructionId, ModuleMap, Placement, SegmentId,
};
use opcost_recover::{CountedModule, ModuleCounts, branches_of_run, recover_module};

use crate::dice::TooLong;
use crate::walk::{Books, Truth, Walk, Way};

/// The plan for a module, with chords or otherwise.
pub(crate) fn planned(
    module: &Module,
    cost: CostModel,
    placement: Placement,
) -> Result<Instrumented, PlanError> {
    let request = InstrumentRequest {
        module: "case".into(),
        anchor: Anchor::File,
        build: BuildFacts::default(),
        cost,
        placement,
        per_thread: false,
        wrapped: &["exit"],
    };
    plan(module, &request)
}

/// Walks through every function of the module and compares. Whether any walk
/// came to an end.
pub(crate) fn walks_agree(module: &Module, made: &Instrumented, seed: u64) -> bool {
    let mut has_ended = false;
    for (id, function) in module.functions.iter() {
        if made.map.functions[id].segments.is_empty() || function.is_naked {
            continue;
        }
        let mut walk = Walk::new(module, &made.plan, seed);
        let outcome = (0..3).try_for_each(|_| walk.start(id));
        if let Err(TooLong) = outcome {
            continue;
        }
        has_ended = true;
        agree(module, made, &walk.books);
    }
    has_ended
}

/// Walks once with counters where the code says, once where that walk says, and compares both with what
/// was done. How often each way counted; none if the walk is too long.
pub(crate) fn counted_by_code_and_by_run(module: &Module, seed: u64) -> Option<[u64; 2]> {
    let by_code = planned(module, CostModel::Unit, Placement::Chords).ok()?;
    let books = walked(module, &by_code, seed)?;
    let mut weighed = module.clone();
    let branches =
        branches_of_run(&[CountedModule { map: &by_code.map, counts: &agree(module, &by_code, &books) }]);
    let known = weigh_as_run(&mut weighed, &branches);
    assert_eq!(known == 0, branches.is_empty(), "a module has the shapes of its own run");
    let by_run =
        planned(&weighed, CostModel::Unit, Placement::Chords).expect("weights change no right to count");
    let again = walked(module, &by_run, seed).expect("counters do not make a walk longer");
    agree(module, &by_run, &again);
    Some([books, again].map(|books| books.counters.iter().sum()))
}

/// Walks three times through each function that is counted.
fn walked(module: &Module, made: &Instrumented, seed: u64) -> Option<Books> {
    let mut walk = Walk::new(module, &made.plan, seed);
    for (id, function) in module.functions.iter() {
        if !made.map.functions[id].segments.is_empty() && !function.is_naked {
            (0..3).try_for_each(|_| walk.start(id)).ok()?;
        }
    }
    Some(walk.books)
}

fn agree(module: &Module, made: &Instrumented, books: &Books) -> ModuleCounts {
    let mut left = books.left.clone();
    // Notes at jumps and at calls that are metered otherwise are dropped.
    left.retain(|&site, _| {
        let (function, edge) = made.map.call_sites[site];
        made.map.functions[function].edges[edge].kind == EdgeKind::Left(site)
    });
    let counts = match recover_module(&made.map, &books.counters, &left) {
        Ok(counts) => counts,
        Err(error) => panic!("{error}\n{:#?}\n{}", made.plan.edits, print_module(module)),
    };
    let differing = differences(&made.map, &counts, books);
    assert!(
        differing.is_empty(),
        "{}\n{:#?}\n{}",
        differing.join("\n"),
        made.plan.edits,
        print_module(module)
    );
    counts
}

fn differences(map: &ModuleMap, counts: &ModuleCounts, books: &Books) -> Vec<String> {
    let mut differing = Vec::new();
    for (id, function) in map.functions.iter().filter(|(_, function)| !function.segments.is_empty()) {
        let truth = &books.truth[id];
        let found = &counts.functions[id];
        for instruction in function.instructions.ids() {
            let counted = found.instruction(function, instruction);
            let real = truth.instructions.get(&instruction).copied().unwrap_or(0);
            if counted != real {
                differing.push(format!("{} {instruction}: counted {counted}, ran {real}", function.name));
            }
        }
        let lengths: Vec<_> = found.lengths.iter().filter(|(_, units)| **units > 0).collect();
        let real: Vec<_> = truth.lengths.iter().filter(|(_, units)| **units > 0).collect();
        if lengths != real {
            differing.push(format!("{}: lengths {lengths:?}, really {real:?}", function.name));
        }
        let Some(edges) = &found.edges else { continue };
        for (edge, known) in function.edges.iter() {
            let real = taken(function, known, truth);
            if edges[edge] != real {
                let counted = edges[edge];
                differing
                    .push(format!("{} {edge} {known:?}: counted {counted}, taken {real}", function.name));
            }
        }
    }
    differing
}

/// How often the walk took an edge.
fn taken(function: &FunctionMap, edge: &EdgeMap, truth: &Truth) -> i64 {
    let last = |segment: Option<SegmentId>| {
        let instructions = function.instructions_of(segment.expect("the edge comes from a segment"));
        instructions.last().expect("a segment has instructions")
    };
    let way = match edge.kind {
        EdgeKind::Enter => Way::Enter,
        EdgeKind::Branch { block, slot } => Way::Branch(block, slot),
        EdgeKind::Fall => Way::Fall(last(edge.from)),
        EdgeKind::Return => {
            Way::Return(function.segments[edge.from.expect("a return comes from a segment")].block)
        }
        EdgeKind::Left(_) => Way::Left(last(edge.from)),
        EdgeKind::Again => {
            let first = function.segments[edge.to.expect("it leads to a segment")].first_instruction;
            Way::Again(before(first))
        }
    };
    truth.ways.get(&way).copied().unwrap_or(0)
}

fn before(instruction: InstructionId) -> InstructionId {
    use opcost_index::Id;
    InstructionId::new(instruction.index() - 1)
}
