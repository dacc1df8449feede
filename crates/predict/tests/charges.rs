//! Is a plan of charges what the code needs, and does its auditor refuse one that is not?

use opcost_analysis::memory::{MemoryModel, World};
use opcost_index::{Id, IdMap};
use opcost_ir::{
    ChargeEdit, Charging, Check, CheckInput, CheckStep, EditPoint, Layout, Module, PointId, PointKind,
    RecordEdit, RecordPoint, Recording, Value, parse_module,
};
use opcost_key::{BlockId, FunctionId, InstructionId};
use opcost_library::Effects;
use opcost_predict::charges::{Chargeable, LoopPoint, charging};
use opcost_predict::charges_verified::{ChargeDefect, verify};
use opcost_predict::cut_offs;

/// Its blocks weigh 1, 11 and 21.
const GUARDED: &str = "define void @f(i32 %n) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %i1 = add nsw i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
";

fn module() -> Module {
    parse_module(GUARDED).unwrap_or_else(|error| panic!("{error}"))
}

fn point() -> PointId {
    PointId::new(0)
}

fn spot() -> EditPoint {
    EditPoint::Edge(BlockId::new(0), 0)
}

/// The loop is entered, its input is noted, it goes back and it is left.
fn recording(is_exact: bool) -> Recording {
    let steps = vec![CheckStep::Input(0), CheckStep::Constant(1), CheckStep::Subtract];
    let check = Check { is_exact, has_assumptions: false, steps };
    let (spot, point, input) = (spot(), point(), CheckInput::Value(Value::Argument(0)));
    let back = EditPoint::Edge(BlockId::new(1), 0);
    let edits = [
        RecordEdit::Enter { spot, point },
        RecordEdit::Note { spot, point, position: 0, input },
        RecordEdit::Iteration { spot: back, point, may_leave: false },
        RecordEdit::Leave { spot: EditPoint::Edge(BlockId::new(1), 1), point },
    ];
    Recording {
        points: [RecordPoint { kind: PointKind::BackEdges, check: Some(check) }].into_iter().collect(),
        edits: edits.into_iter().map(|edit| (FunctionId::new(0), edit)).collect(),
        renames: Vec::new(),
    }
}

fn plan(module: &Module, recording: &Recording) -> Charging {
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let program = MemoryModel::of(module, &layout, &effects, World::Open);
    let weights: IdMap<FunctionId, IdMap<BlockId, u64>> =
        [[1, 11, 21].into_iter().collect()].into_iter().collect();
    let loops: IdMap<PointId, LoopPoint> =
        [LoopPoint { function: FunctionId::new(0), header: BlockId::new(1) }].into_iter().collect();
    charging(&program, Chargeable { weights: &weights, recording, loops: &loops })
}

#[test]
fn a_loop_is_charged_where_it_is_entered_and_blocks_where_they_begin() {
    let module = module();
    let made = plan(&module, &recording(true));
    let of_loop = &made.charges[point()];
    assert!(of_loop.is_exact && of_loop.back_edges.is_some());
    assert_eq!((of_loop.stay, of_loop.leave), (11, 11));
    let charged: Vec<(EditPoint, u128)> = made
        .edits
        .iter()
        .filter_map(|(_, edit)| match edit {
            ChargeEdit::Charge { site, point } => Some((*site, made.charges[*point].leave)),
            ChargeEdit::Prepare(_) => None,
        })
        .collect();
    let start = |block| EditPoint::Start(BlockId::new(block));
    assert_eq!(charged, [(start(0), 1), (start(2), 21), (spot(), 11)]);
    // Nobody asks for the number of the iteration, and nothing is done where it is left.
    let is_idle = |edit: &ChargeEdit| {
        matches!(edit, ChargeEdit::Prepare(RecordEdit::Iteration { .. } | RecordEdit::Leave { .. }))
    };
    assert!(!made.edits.iter().any(|(_, edit)| is_idle(edit)));
    assert_eq!(verify(&module, &made), Ok(()));
}

#[test]
fn a_bound_is_an_estimate() {
    let made = plan(&module(), &recording(false));
    let of_loop = &made.charges[point()];
    assert!(!of_loop.is_exact);
    assert_eq!((of_loop.stay, of_loop.leave), (11 << 16, 11 << 16));
}

/// Each defect is put into a plan that is right.
#[test]
fn the_auditor_refuses_what_is_not_known_where_it_is_used() {
    let module = module();
    let right = plan(&module, &recording(true));
    let noting = |input: CheckInput| {
        let mut wrong = right.clone();
        for (_, edit) in &mut wrong.edits {
            if let ChargeEdit::Prepare(RecordEdit::Note { input: noted, .. }) = edit {
                *noted = input;
            }
        }
        verify(&module, &wrong)
    };
    let name = || "f".to_owned();
    // What the loop computes is not there where it is entered; what the entry computes is.
    let of_loop = CheckInput::Value(Value::Instruction(InstructionId::new(3)));
    assert_eq!(noting(of_loop), Err(ChargeDefect::Unknown(name())));
    assert_eq!(noting(CheckInput::Value(Value::Instruction(InstructionId::new(0)))), Ok(()));
    assert_eq!(noting(CheckInput::Held(3)), Err(ChargeDefect::EmptyCell(name())));
    assert_eq!(noting(CheckInput::Iterations(PointId::new(1))), Err(ChargeDefect::EmptyCell(name())));
    let mut bare = right.clone();
    bare.edits.retain(|(_, edit)| !matches!(edit, ChargeEdit::Prepare(RecordEdit::Note { .. })));
    assert_eq!(verify(&module, &bare), Err(ChargeDefect::NotNoted(name())));
    // The charge before the note.
    let mut early = right.clone();
    let last = early.edits.len() - 1;
    early.edits.swap(last, last - 1);
    assert_eq!(verify(&module, &early), Err(ChargeDefect::NotNoted(name())));
}

/// The table of effects knows the first; a declaration says it of the second.
const ENDING: &str = "declare void @_FortranAProgramEndStatement()
declare void @exit(i32) noreturn
define i32 @main() {
entry:
  call void @_FortranAProgramEndStatement()
  ret i32 0
}
define void @quit() {
entry:
  call void @exit(i32 1)
  unreachable
}
define i32 @goes_on() {
entry:
  call void @_FortranAProgramEndStatement()
  br label %more
more:
  ret i32 0
}
";

#[test]
fn what_stands_behind_a_call_that_never_comes_back_does_not_run() {
    let module = parse_module(ENDING).unwrap_or_else(|error| panic!("{error}"));
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let program = MemoryModel::of(&module, &layout, &effects, World::Open);
    let behind = Some(InstructionId::new(1));
    let cut: Vec<Vec<_>> =
        module.functions.ids().map(|id| cut_offs(&program, id).values().copied().collect()).collect();
    assert_eq!(cut, [vec![behind], vec![behind], vec![behind, None]]);
    // The end of `main` cuts nothing off; that of a function cuts off what its callers do.
    let weights = module.functions.values().map(|function| IdMap::filled(function.blocks.len(), 1)).collect();
    let (recording, loops) = (Recording::default(), IdMap::new());
    let made = charging(&program, Chargeable { weights: &weights, recording: &recording, loops: &loops });
    let early: Vec<usize> = made
        .charges
        .values()
        .filter(|charge| charge.is_early_end)
        .map(|charge| charge.function.index())
        .collect();
    assert_eq!(early, [1, 2]);
}

/// `main` that is called ends with its caller still at work.
#[test]
fn a_main_that_is_called_ends_early() {
    let text = "declare void @exit(i32) noreturn
define i32 @main() {
entry:
  call void @again()
  call void @exit(i32 1)
  unreachable
}
define void @again() {
entry:
  %r = call i32 @main()
  ret void
}
";
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}"));
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let program = MemoryModel::of(&module, &layout, &effects, World::Open);
    let weights = module.functions.values().map(|function| IdMap::filled(function.blocks.len(), 1)).collect();
    let (recording, loops) = (Recording::default(), IdMap::new());
    let made = charging(&program, Chargeable { weights: &weights, recording: &recording, loops: &loops });
    assert!(made.charges.values().any(|charge| charge.is_early_end));
}
