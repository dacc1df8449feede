//! Small ledgers made by hand, for the tests of this room.

use std::sync::Arc;

use opcost_key::{Anchor, BuildFacts, Charge, CostFacts, Hash128};

use crate::{
    About, Called, Column, Fact, FunctionFacts, Ledger, LineTexts, ModuleFacts, Origin, ProcessEnding,
    Quality, SourcePlace, Subject, Way, World,
};

pub(crate) fn about() -> About {
    let build = BuildFacts {
        compiler: "clang 22.1.8".into(),
        flags: vec!["-O2".into()],
        target: "x86_64-linux-gnu".into(),
        ..Default::default()
    };
    About {
        modules: vec![ModuleFacts {
            module: "a.c".into(),
            map: Hash128(7),
            anchor: Anchor::Optimized,
            build,
        }],
        code: Vec::new(),
        cost: CostFacts { name: "unit/1".into(), hash: Hash128(u128::MAX), charge: Charge::Instruction },
        machines: vec!["x86-64, 2 cores".into()],
        commands: vec![vec!["./a".into(), "--name=\"ü\"".into()]],
        runs: 1,
        texts: LineTexts::default(),
    }
}

pub(crate) fn function(name: &str, shape: u128, body: u128) -> Arc<FunctionFacts> {
    Arc::new(FunctionFacts {
        name: name.into(),
        module: "a.c".into(),
        is_local: name.starts_with("local"),
        shape: Hash128(shape),
        body: Hash128(body),
        home: None,
    })
}

pub(crate) fn place(line: u32) -> SourcePlace {
    SourcePlace { file: "a.c".into(), line }
}

pub(crate) fn fact(subject: Subject, column: Column, value: u64) -> Fact {
    let (origin, quality, world) = (Origin::Counted, Quality::Exact, World::Open);
    Fact { subject, column, value: Some(value), origin, quality, world }
}

/// The facts of a function with one block per count.
pub(crate) fn facts_of(function: &Arc<FunctionFacts>, calls: u64, work: u64, blocks: &[u64]) -> Vec<Fact> {
    let subject = Subject::Function { function: function.clone(), place: Some(place(1)) };
    let mut facts =
        vec![fact(subject.clone(), Column::Calls, calls), fact(subject, Column::Instructions, work)];
    for (block, &count) in blocks.iter().enumerate() {
        let (block, place) = (block as u32, None);
        facts.push(fact(Subject::Block { function: function.clone(), block, place }, Column::Count, count));
    }
    let (from, slot, way) = (None, None, Way::Enter);
    let enter =
        Subject::Edge { function: function.clone(), edge: 0, edge_kind: way, from, to: Some(0), slot };
    facts.push(fact(enter, Column::Count, calls));
    facts
}

/// Functions with calls and blocks.
pub(crate) fn ledger_of_blocks(functions: &[(&str, u64, &[u64])]) -> Ledger {
    let facts = functions.iter().flat_map(|&(name, calls, blocks)| {
        facts_of(&function(name, blocks.len() as u128, 1), calls, blocks.iter().sum(), blocks)
    });
    ledger(facts.collect())
}

pub(crate) fn line(number: u32, work: u64) -> Fact {
    fact(Subject::Line(place(number)), Column::Instructions, work)
}

pub(crate) fn program(work: u64) -> Fact {
    fact(Subject::Program, Column::Instructions, work)
}

pub(crate) fn ledger(facts: Vec<Fact>) -> Ledger {
    Ledger::new(about(), facts).unwrap()
}

/// Two functions, three lines, every kind of subject, numbers of every size.
pub(crate) fn sample() -> Ledger {
    let (main, helper) = (function("main", 1, 2), function("local_helper", 3, u128::MAX));
    let mut facts = facts_of(&main, 1, 100, &[1, 10, 1]);
    let path = Subject::Path { function: main.clone(), path: 3, edges: [0, 2, 70_000].into() };
    facts.extend(facts_of(&helper, u64::MAX, u64::MAX - 5, &[u64::MAX]));
    facts.extend([line(1, 60), line(2, 40), line(9, u64::MAX - 5), program(u64::MAX)]);
    facts[0].quality = Quality::ExactUnder("no signal handler jumps out".into());
    facts[1].world = World::Closed;
    facts[2].quality = Quality::LowerBound;
    facts[3].origin = Origin::Repaired;
    facts[4].quality = Quality::Unknown("the process was killed".into());
    facts[4].value = None;
    facts.push(fact(path, Column::Count, 6));
    let pointers = |place| Subject::Pointers { function: helper.clone(), place };
    facts.extend([pointers(Some(place(9))), pointers(None)].map(|at| fact(at, Column::Calls, 2)));
    let called = [
        Called::External("puts".into()),
        Called::Memory("memcpy".into()),
        Called::Assembly,
        Called::Internal,
    ];
    facts.extend(called.map(|called| fact(Subject::Called(called), Column::Calls, 5)));
    facts.extend(
        [ProcessEnding::Exited(3), ProcessEnding::Killed(11)]
            .map(|end| fact(Subject::Ending(end), Column::Runs, 1)),
    );
    facts.push(fact(Subject::Line(place(1)), Column::Count, 30));
    facts.push(fact(Subject::Doubt(0, "it was killed".into()), Column::Runs, 1));
    let inlined = Subject::FunctionLine { function: main.clone(), place: place(9) };
    facts.extend([Column::Instructions, Column::Count].map(|column| fact(inlined.clone(), column, 7)));
    facts.push(fact(Subject::Program, Column::Processes, 1));
    facts.push(fact(Subject::Program, Column::HeldFixed, 1));
    ledger(facts)
}
