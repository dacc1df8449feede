//! Which values of a function are recorded, and where are they known?
//!
//! Of a line: what its instructions compute, store and return, in the function and wherever it was inlined.
//! Without a line: what the function returns. A result is recorded directly after its instruction, a phi's
//! after all phis, an invoke's on its normal edge, an operand before the instruction that takes it. Constants
//! say nothing and are left out.

use opcost_index::Id;
use opcost_ir::{
    EditPoint, Function, Module, Opcode, PointKind, RecordEdit, RecordPoint, TailKind, Type, Value,
};
use opcost_key::{BlockId, FunctionId, InstructionId};

use super::recorded::{PointFacts, RecordedPoints, RecordedSubject};
use super::request::ValuesRequest;
use crate::spots::{BranchSpots, Counting};

/// Edits for the chosen values of one function.
pub(super) fn plan(
    module: &Module,
    id: FunctionId,
    request: &ValuesRequest,
    recorded: &mut RecordedPoints,
    edits: &mut Vec<RecordEdit>,
) {
    let function = &module.functions[id];
    let spots = BranchSpots::new(function);
    for block in function.blocks.ids() {
        for at in function.instructions_of(block) {
            for (operand, value) in recorded_operands(module, function, at, request) {
                let Some(kind) = module.type_of(function, value).and_then(|ty| kind_of(&module.types[ty]))
                else {
                    continue;
                };
                let spot = match operand {
                    Some(_) => before(function, block, at),
                    None => behind(function, &spots, block, at),
                };
                let Some(spot) = spot else { continue };
                let point = recorded.recording.points.push(RecordPoint { kind, check: None });
                let subject = RecordedSubject::Value { instruction: at, operand };
                recorded.points.push(PointFacts { function: id, subject });
                edits.push(RecordEdit::Record { spot, point, value });
            }
        }
    }
}

/// Edits for all integers of one function, and for the mantissas of its other numbers.
pub(super) fn plan_widths(
    module: &Module,
    id: FunctionId,
    request: &ValuesRequest,
    recorded: &mut RecordedPoints,
    edits: &mut Vec<RecordEdit>,
) {
    let function = &module.functions[id];
    let spots = BranchSpots::new(function);
    let mut add = |value: Value, spot: Option<EditPoint>, subject: RecordedSubject| {
        let ty = module.type_of(function, value).map(|ty| &module.types[ty]);
        let kind = match ty {
            Some(ty @ Type::Integer(_)) if request.integers => kind_of(ty),
            Some(Type::Float("float" | "double")) if request.mantissas => Some(PointKind::Mantissa),
            _ => None,
        };
        let (Some(kind), Some(spot)) = (kind, spot) else { return };
        let point = recorded.recording.points.push(RecordPoint { kind, check: None });
        recorded.points.push(PointFacts { function: id, subject });
        edits.push(RecordEdit::Record { spot, point, value });
    };
    let entry = EditPoint::Start(BlockId::new(0));
    for position in 0..function.parameters {
        add(Value::Argument(position), Some(entry), RecordedSubject::Parameter(position));
    }
    for block in function.blocks.ids() {
        for at in function.instructions_of(block) {
            let subject = RecordedSubject::Value { instruction: at, operand: None };
            add(Value::Instruction(at), behind(function, &spots, block, at), subject);
        }
    }
}

/// What is recorded of an instruction: its result, or an operand.
fn recorded_operands(
    module: &Module,
    function: &Function,
    at: InstructionId,
    request: &ValuesRequest,
) -> Vec<(Option<u32>, Value)> {
    let instruction = &function.instructions[at];
    let result = Value::Instruction(at);
    let is_wanted = match request.line {
        Some(line) => instruction.place.is_some_and(|place| {
            let place = &module.places[place];
            let written_in = place.inlined_function.as_ref().unwrap_or(&function.name);
            place.line == line && request.names(written_in)
        }),
        None if !request.names(&function.name) => return Vec::new(),
        None => instruction.opcode == Opcode::Ret || request.value.is_some(),
    };
    let is_named = |value: &Value| match &request.value {
        Some(name) => function.names.get(value).is_some_and(|known| **known == *name.trim_start_matches('%')),
        None => true,
    };
    if !is_wanted {
        return Vec::new();
    }
    let operand = match instruction.opcode {
        Opcode::Store | Opcode::Ret => function.operands_of(at).first().copied(),
        Opcode::Alloca => return Vec::new(),
        _ => None,
    };
    let taken = operand.filter(|value| matches!(value, Value::Instruction(_) | Value::Argument(_)));
    let told = match operand {
        Some(_) => taken.map(|value| (Some(0), value)),
        None => Some((None, result)),
    };
    told.into_iter().filter(|(_, value)| is_named(value)).collect()
}

fn kind_of(ty: &Type) -> Option<PointKind> {
    match ty {
        Type::Integer(1) | Type::Pointer(0) => Some(PointKind::Unsigned),
        Type::Integer(2..=64) => Some(PointKind::Signed),
        Type::Float("float" | "double" | "x86_fp80") => Some(PointKind::Float),
        _ => None,
    }
}

/// Nothing may be between a call that must become a jump and its `ret`.
fn before(function: &Function, block: BlockId, at: InstructionId) -> Option<EditPoint> {
    let is_jump = |id: InstructionId| function.call(id).is_some_and(|call| call.tail == TailKind::MustTail);
    let follows_jump = function.instructions_of(block).any(|id| id < at && is_jump(id));
    (!follows_jump).then_some(EditPoint::Before(at))
}

fn behind(
    function: &Function,
    spots: &BranchSpots<'_>,
    block: BlockId,
    at: InstructionId,
) -> Option<EditPoint> {
    match function.instructions[at].opcode {
        Opcode::Phi | Opcode::LandingPad => return Some(EditPoint::Start(block)),
        Opcode::Invoke => {
            return match spots.of_branch(block, 0) {
                Counting::At(spot) => Some(spot),
                _ => None,
            };
        }
        _ => {}
    }
    let is_jump = function.call(at).is_some_and(|call| call.tail == TailKind::MustTail);
    let mut behind = function.instructions_of(block).skip_while(|&id| id <= at);
    behind.next().filter(|_| !is_jump).map(EditPoint::Before)
}
