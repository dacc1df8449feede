//! Does a recording tell of every loop what it does? Text in, edits and equal
//! turns out, without LLVM.
//!
//! A walk goes through a function at random and carries out the edits as it
//! meets them. Beside it a referee follows the blocks by the definition of a
//! natural loop alone. At every step both must agree: a loop is entered once on
//! each entry, turned once on each back edge, left once on each exit, and never
//! told of otherwise.

#[path = "plans/random.rs"]
mod random;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use opcost_index::{AdjacencyGraph, Graph, Id, reachable_from};
use opcost_instrument::{
    ClaimStep, Claimed, Moment, RecordedPoints, RecordedSubject, TripClaim, TripClaims, ValuesRequest,
    evaluate, record,
};
use opcost_ir::{
    CheckInput, EditPoint, Flow, Function, Module, Opcode, PointId, RecordEdit, Value, parse_module,
};
use opcost_key::{BlockId, FunctionId, InstructionId};
use proptest::prelude::*;

fn turns() -> ValuesRequest {
    ValuesRequest { turns: true, ..ValuesRequest::default() }
}

fn recorded(text: &str, claims: &TripClaims) -> (Module, RecordedPoints) {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let recorded = record(&module, &turns(), claims).unwrap_or_else(|error| panic!("{error}\n{text}"));
    (module, recorded)
}

/// By definition: of each header the blocks that reach one of its latches without passing it.
fn naive_loops(function: &Function) -> BTreeMap<BlockId, BTreeSet<BlockId>> {
    let entry = BlockId::new(0);
    let reachable = reachable_from(function, entry);
    let without = |gone: BlockId| {
        let mut graph = AdjacencyGraph::new(function.blocks.len());
        for from in function.blocks.ids().filter(|&from| from != gone) {
            function.successors(from).filter(|&to| to != gone).for_each(|to| graph.add_edge(from, to));
        }
        graph
    };
    let mut loops: BTreeMap<BlockId, BTreeSet<BlockId>> = BTreeMap::new();
    for header in function.blocks.ids().filter(|&block| reachable.contains(block)) {
        let graph = without(header);
        let around = reachable_from(&graph, entry);
        let dominated = |block: BlockId| block == header || header == entry || !around.contains(block);
        for latch in function.blocks.ids().filter(|&block| reachable.contains(block) && dominated(block)) {
            if !function.successors(latch).any(|to| to == header) {
                continue;
            }
            let body = function.blocks.ids().filter(|&block| {
                reachable.contains(block)
                    && (block == latch || reachable_from(&graph, block).contains(latch))
                    && block != header
            });
            loops.entry(header).or_default().extend(body.chain([header]));
        }
    }
    loops
}

/// What a walk knows of a loop that is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Open {
    turns: u64,
}

struct Walk<'a> {
    function: &'a Function,
    edits: Vec<&'a RecordEdit>,
    headers: HashMap<PointId, BlockId>,
    naive: &'a BTreeMap<BlockId, BTreeSet<BlockId>>,
    told: BTreeMap<BlockId, Open>,
    truth: BTreeMap<BlockId, Open>,
    /// Turns of complete activations, in order.
    told_complete: Vec<(BlockId, u64)>,
    true_complete: Vec<(BlockId, u64)>,
}

impl Walk<'_> {
    fn at(&mut self, spot: EditPoint) {
        for edit in self.edits.clone().into_iter().filter(|edit| edit.spot() == spot) {
            match *edit {
                RecordEdit::Enter { point, .. } => {
                    let before = self.told.insert(self.headers[&point], Open::default());
                    assert_eq!(before, None, "entered twice: {edit:?}");
                }
                RecordEdit::Iteration { point, .. } => {
                    self.told.get_mut(&self.headers[&point]).expect("turned while open").turns += 1;
                }
                RecordEdit::Leave { point, .. } => {
                    let header = self.headers[&point];
                    let open = self.told.remove(&header).expect("left while open");
                    self.told_complete.push((header, open.turns));
                }
                RecordEdit::Note { point, .. } => assert!(self.told.contains_key(&self.headers[&point])),
                RecordEdit::Record { .. } | RecordEdit::Hold { .. } => {}
            }
        }
    }

    /// The referee follows an edge.
    fn truly(&mut self, from: BlockId, to: BlockId, recorded: &BTreeSet<BlockId>, unwinds: bool) {
        let left: Vec<BlockId> =
            self.truth.keys().copied().filter(|header| !self.naive[header].contains(&to)).collect();
        // Inner loops are left first: they have fewer blocks.
        let mut left = left;
        left.sort_by_key(|header| self.naive[header].len());
        for header in left {
            let open = self.truth.remove(&header).expect("open");
            if unwinds {
                // An exception: partial, and nobody says so.
                self.told.remove(&header);
            } else {
                self.true_complete.push((header, open.turns));
            }
        }
        if recorded.contains(&to) {
            match self.truth.get_mut(&to) {
                Some(open) if self.naive[&to].contains(&from) => open.turns += 1,
                _ => _ = self.truth.insert(to, Open::default()),
            }
        }
    }

    /// Loops left by an edge to what never comes back, though they have exits that do.
    fn desert(&mut self, to: BlockId) {
        let comes_back = |block: BlockId| {
            let reached = reachable_from(self.function, block);
            let ends = reached.iter().filter(|&at| self.function.blocks[at].successors.is_empty());
            let opcodes = ends.map(|at| self.function.instructions[self.function.terminator_of(at)].opcode);
            let opcodes: Vec<Opcode> = opcodes.collect();
            opcodes.is_empty() || opcodes.iter().any(|opcode| *opcode != Opcode::Unreachable)
        };
        let deserted: Vec<BlockId> = self
            .truth
            .keys()
            .copied()
            .filter(|header| {
                let members = &self.naive[header];
                let mut exits = members
                    .iter()
                    .flat_map(|&from| self.function.successors(from))
                    .filter(|to| !members.contains(to));
                !members.contains(&to) && !comes_back(to) && exits.any(comes_back)
            })
            .collect();
        for header in deserted {
            self.truth.remove(&header);
            self.told.remove(&header);
        }
    }

    fn run(&mut self, choices: &[u8], recorded: &BTreeSet<BlockId>) {
        let mut block = BlockId::new(0);
        for &choice in choices {
            let function = self.function;
            self.at(EditPoint::Start(block));
            for instruction in function.instructions_of(block) {
                self.at(EditPoint::Before(instruction));
            }
            let facts = &function.blocks[block];
            if facts.successors.is_empty() {
                return;
            }
            let slot = usize::from(choice) % facts.successors.len();
            let to = facts.successors[slot];
            self.at(EditPoint::Edge(block, slot as u32));
            // What stands at the start of the target belongs to the edge, too:
            // it is compared one step late, behind it.
            let unwinds = facts.flow == Flow::Invoke && slot == 1;
            self.desert(to);
            self.truly(block, to, recorded, unwinds);
            block = to;
        }
    }
}

fn walks_agree(module: &Module, made: &RecordedPoints, choices: &[u8]) {
    for (id, function) in module.functions.iter().filter(|(_, function)| !function.blocks.is_empty()) {
        let naive = naive_loops(function);
        let points = made.points.iter().filter(|(_, facts)| facts.function == id);
        let headers: HashMap<PointId, BlockId> = points
            .filter_map(|(point, facts)| match facts.subject {
                RecordedSubject::Loop { header, .. } => Some((point, header)),
                RecordedSubject::Value { .. } | RecordedSubject::Parameter(_) => None,
            })
            .collect();
        let recorded: BTreeSet<BlockId> = headers.values().copied().collect();
        let refused: BTreeSet<BlockId> = made
            .refused
            .iter()
            .filter(|refused| refused.function == id)
            .map(|refused| refused.header)
            .collect();
        assert_eq!(
            recorded.union(&refused).copied().collect::<Vec<_>>(),
            naive.keys().copied().collect::<Vec<_>>()
        );
        let edits = made.recording.edits.iter().filter(|(of, _)| *of == id).map(|(_, edit)| edit).collect();
        let mut walk = Walk {
            function,
            edits,
            headers,
            naive: &naive,
            told: BTreeMap::new(),
            truth: BTreeMap::new(),
            told_complete: Vec::new(),
            true_complete: Vec::new(),
        };
        walk.run(choices, &recorded);
        // The last edge may end in a block whose start was not walked any more.
        let told = &walk.told_complete;
        assert!(walk.true_complete.starts_with(told), "{told:?} of {:?}", walk.true_complete);
        assert!(walk.true_complete.len() - told.len() <= naive.len());
    }
}

const NEST: &str = "\
define void @f(i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %j1 = add i32 %j, 1
  %more = icmp ne i32 %j1, %n
  br i1 %more, label %inner, label %latch
latch:
  %i1 = add i32 %i, 1
  %again = icmp ne i32 %i1, 7
  br i1 %again, label %outer, label %done
done:
  ret void
}
";

#[test]
fn on_one_edge_the_inner_loop_is_left_before_the_outer_one_turns() {
    let text = "\
define void @f(i1 %c) {
entry:
  br label %outer
outer:
  br label %inner
inner:
  br i1 %c, label %inner, label %outer
}
";
    let (_, made) = recorded(text, &TripClaims::default());
    let on_edge: Vec<&RecordEdit> = made
        .recording
        .edits
        .iter()
        .map(|(_, edit)| edit)
        .filter(|edit| edit.spot() == EditPoint::Edge(BlockId::new(2), 1))
        .collect();
    let (outer, inner) = (PointId::new(0), PointId::new(1));
    assert!(
        matches!(on_edge[..], [RecordEdit::Leave { point: left, .. }, RecordEdit::Iteration { point: turned, .. }] if *left == inner && *turned == outer),
        "{on_edge:?}"
    );
}

/// Claims of all kinds are compiled, their inputs noted where the loop is entered.
#[test]
fn a_claim_on_a_triangle_needs_the_turn_of_the_loop_around() {
    let module = parse_module(NEST).expect("a module");
    let claim = |program: Vec<ClaimStep>| TripClaims {
        list: vec![TripClaim {
            function: FunctionId::new(0),
            loop_header: BlockId::new(2),
            what: Claimed::BackEdges,
            program: Ok(program),
            assumes: Vec::new(),
            text: String::new(),
        }],
    };
    let steps = vec![
        ClaimStep::Value(Value::Argument(0)),
        ClaimStep::Wrap { bits: 32, signed: true },
        ClaimStep::Turn(BlockId::new(1)),
        ClaimStep::Sub,
    ];
    let made = record(&module, &turns(), &claim(steps)).expect("recorded");
    let notes: Vec<CheckInput> = made
        .recording
        .edits
        .iter()
        .filter_map(|(_, edit)| match edit {
            RecordEdit::Note { input, .. } => Some(*input),
            _ => None,
        })
        .collect();
    assert_eq!(notes, [CheckInput::Value(Value::Argument(0)), CheckInput::Iterations(PointId::new(0))]);
    let check = made.recording.points[PointId::new(1)].check.as_ref().expect("a check");
    assert_eq!(evaluate(&check.steps, &[Some(u64::from(-5_i32 as u32)), Some(3)]), Ok(-8));
    // A value of the loop itself is not known where it is entered.
    let inside = vec![ClaimStep::Value(Value::Instruction(InstructionId::new(3)))];
    let made = record(&module, &turns(), &claim(inside)).expect("recorded");
    assert_eq!(made.recording.points[PointId::new(1)].check, None);
    let RecordedSubject::Loop { claim: Some(facts), .. } = &made.points[PointId::new(1)].subject else {
        panic!()
    };
    assert!(facts.check.as_ref().unwrap_err().to_string().contains("not known"), "{facts:?}");
}

#[test]
fn the_values_of_a_line_are_told_behind_their_instructions() {
    let request =
        ValuesRequest { function: Some("f".into()), value: Some("%i1".into()), ..ValuesRequest::default() };
    let module = parse_module(NEST).expect("a module");
    let made = record(&module, &request, &TripClaims::default()).expect("recorded");
    let [(_, RecordEdit::Record { spot: EditPoint::Before(at), value: Value::Instruction(value), .. })] =
        made.recording.edits[..]
    else {
        panic!("{:?}", made.recording.edits)
    };
    assert_eq!(at.index(), value.index() + 1);
}

#[test]
fn loops_of_indirect_branches_are_refused_with_a_reason() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/indirectbr.ir"))
        .expect("the case");
    let (_, made) = recorded(&text, &TripClaims::default());
    assert!(made.refused.iter().all(|refused| refused.reason.contains("nothing can be inserted")));
    assert!(made.refused.len() + made.irreducible.len() > 0);
}

#[test]
fn every_case_tells_its_loops_rightly() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases")).expect("the cases") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a case is a text");
        let (module, made) = recorded(&text, &TripClaims::default());
        for seed in 0..200_u32 {
            let choices: Vec<u8> = (0..60)
                .map(|step| (seed.wrapping_mul(2_654_435_761) >> (step % 27)) as u8 ^ step as u8)
                .collect();
            walks_agree(&module, &made, &choices);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_modules_tell_their_loops_rightly(bytes in proptest::collection::vec(any::<u8>(), 0..160), choices in proptest::collection::vec(any::<u8>(), 0..120)) {
        let text = random::module(&bytes);
        let module = parse_module(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        if let Ok(made) = record(&module, &turns(), &TripClaims::default()) {
            walks_agree(&module, &made, &choices);
        }
    }
}

/// Data, a pointer that comes from outside, and a loop that reads both.
const MEMORY: &str = r#"
data_layout "e-m:e-i64:64-i128:128-n8:16:32:64-S128"
global internal @count type i32 = { 0: i32 0 }
declare @any
define void @f(ptr %p, i1 %c) {
entry:
  %far = getelementptr i32, ptr @count, i64 1
  br i1 %c, label %some, label %pre
some:
  %own = add i32 1, 2
  call void @any()
  br label %pre
pre:
  %start = phi i32 [ 0, %entry ], [ 7, %some ]
  br label %head
head:
  %i = phi i32 [ %start, %pre ], [ %i1, %head ]
  %near = load i32, ptr @count
  %late = load i32, ptr %p
  %over = load i32, ptr %far
  %i1 = add i32 %i, 1
  %more = icmp ne i32 %i1, %near
  br i1 %more, label %head, label %done
done:
  ret void
}
"#;

/// What one step of a claim on the loop of `MEMORY` makes: edits that keep and note, or a refusal.
fn asked(step: impl Fn(&dyn Fn(&str) -> InstructionId) -> ClaimStep) -> Result<Vec<RecordEdit>, String> {
    let module = parse_module(MEMORY).unwrap_or_else(|error| panic!("{error}"));
    let function = &module.functions[FunctionId::new(0)];
    let named = |name: &str| {
        let mut names = function.names.iter().filter(|(_, known)| &***known == name);
        match names.next() {
            Some((Value::Instruction(id), _)) => *id,
            _ => panic!("no %{name}"),
        }
    };
    let claims = TripClaims {
        list: vec![TripClaim {
            function: FunctionId::new(0),
            loop_header: function.block_of(named("near")),
            what: Claimed::BackEdges,
            program: Ok(vec![step(&named)]),
            assumes: Vec::new(),
            text: String::new(),
        }],
    };
    let made = record(&module, &turns(), &claims).expect("recorded");
    let RecordedSubject::Loop { claim: Some(facts), .. } = &made.points[PointId::new(0)].subject else {
        panic!()
    };
    facts.check.clone().map_err(|why| why.to_string())?;
    let is_input = |edit: &RecordEdit| matches!(edit, RecordEdit::Hold { .. } | RecordEdit::Note { .. });
    Ok(made.recording.edits.iter().map(|(_, edit)| *edit).filter(is_input).collect())
}

#[test]
fn what_is_gone_at_the_entry_is_kept_where_it_is_known() {
    let edits = asked(|named| ClaimStep::Value(Value::Instruction(named("own")))).expect("it is kept");
    let [RecordEdit::Hold { spot: EditPoint::Before(_), cell: 0, input: Some(CheckInput::Value(_)) }, note] =
        edits[..]
    else {
        panic!("{edits:?}")
    };
    assert!(matches!(note, RecordEdit::Note { input: CheckInput::Held(0), .. }), "{note:?}");
    // A load's value is no more once the moment comes again.
    let since = |named: &dyn Fn(&str) -> InstructionId| ClaimStep::ReadSince {
        load: named("own"),
        moment: Moment::Start,
    };
    let edits = asked(since).expect("it is kept");
    let inputs: Vec<bool> = edits
        .iter()
        .filter_map(|edit| match edit {
            RecordEdit::Hold { input, .. } => Some(input.is_some()),
            _ => None,
        })
        .collect();
    assert_eq!(inputs, [false, true], "{edits:?}");
    let edits = asked(|named| ClaimStep::Entering(named("i"))).expect("a phi");
    assert!(matches!(edits[..], [RecordEdit::Note { input: CheckInput::Value(_), .. }]), "{edits:?}");
}

/// Wrong claims are refused: those of values of the loop, and of memory that
/// perhaps cannot be read.
#[test]
fn what_cannot_be_known_is_refused_and_so_is_what_might_trap() {
    let head = BlockId::new(3);
    let reread = |name: &'static str, moment: Moment| {
        asked(move |named| ClaimStep::Reread { load: named(name), moment })
    };
    for moment in [Moment::Start, Moment::Entry(head), Moment::Block(BlockId::new(1))] {
        assert!(reread("near", moment).is_ok(), "{moment:?}");
        assert!(reread("over", moment).is_err(), "behind the end of the data: {moment:?}");
        // Whether the pointer may be read is only certain where the loop reads it.
        assert_eq!(reread("late", moment).is_ok(), moment == Moment::Entry(head), "{moment:?}");
    }
    assert!(reread("near", Moment::Block(head)).is_err(), "a moment of the loop itself");
    assert!(reread("own", Moment::Entry(head)).is_err(), "no load");
    assert!(asked(|named| ClaimStep::Value(Value::Instruction(named("i1")))).is_err());
    assert!(asked(|named| ClaimStep::Entering(named("own"))).is_err());
    assert!(asked(|named| ClaimStep::ReadSince { load: named("near"), moment: Moment::Start }).is_err());
}
