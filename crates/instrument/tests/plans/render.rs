//! A plan as lines that people can check.

use std::fmt::Write;

use opcost_instrument::Instrumented;
use opcost_ir::{Edit, EditPoint, Function, FunctionText, Module};
use opcost_key::{BlockId, EdgeKind, InstructionId};

/// One line for each function, segment and edit, each behind `; expect `.
pub(crate) fn plan(module: &Module, made: &Instrumented) -> String {
    let mut out = String::new();
    for (id, function) in module.functions.iter() {
        let map = &made.map.functions[id];
        let text = FunctionText::new(module, function);
        let counts = format!("{} segments, {} edges", map.segments.len(), map.edges.len());
        line(&mut out, format!("@{}: {counts}", function.name));
        for segment in map.segments.values() {
            let first = at(function, &text, segment.first_instruction);
            line(&mut out, format!("  segment from {first}, weight {}", segment.weight));
        }
        for edge in map.edges.values() {
            if let (EdgeKind::Left(_), Some(segment)) = (edge.kind, edge.from)
                && let Some(call) = map.instructions_of(segment).last()
            {
                line(&mut out, format!("  may leave at {}", at(function, &text, call)));
            }
        }
        for (_, edit) in made.plan.edits.iter().filter(|(of, _)| *of == id) {
            line(&mut out, format!("  {}", edit_text(function, &text, edit)));
        }
    }
    for (declaration, name) in &made.plan.renames {
        line(&mut out, format!("@{} becomes @{name}", module.declarations[*declaration].name));
    }
    out
}

fn line(out: &mut String, text: String) {
    writeln!(out, "; expect {text}").expect("writing to a string");
}

fn at(function: &Function, text: &FunctionText<'_>, id: InstructionId) -> String {
    format!("'{}' in {}", text.instruction(id), text.block(function.block_of(id)))
}

fn edge(function: &Function, text: &FunctionText<'_>, block: BlockId, slot: u32) -> String {
    let target = function.blocks[block].successors[slot as usize];
    format!("{} -> {} (slot {slot})", text.block(block), text.block(target))
}

fn spot_text(function: &Function, text: &FunctionText<'_>, spot: EditPoint) -> String {
    match spot {
        EditPoint::Start(block) => format!("at the start of {}", text.block(block)),
        EditPoint::Before(instruction) => format!("before {}", at(function, text, instruction)),
        EditPoint::Edge(block, slot) => format!("on {}", edge(function, text, block, slot)),
    }
}

fn edit_text(function: &Function, text: &FunctionText<'_>, edit: &Edit) -> String {
    let spot = |spot: &EditPoint| spot_text(function, text, *spot);
    match edit {
        Edit::Count { spot: where_, counter } => format!("{counter} {}", spot(where_)),
        Edit::CountInRegister { spot: where_, register } => format!("{register} {}", spot(where_)),
        Edit::Clear { spot: where_, register } => format!("{register} cleared {}", spot(where_)),
        Edit::Flush { spot: where_, register, counter } => {
            format!("{register} flushed to {counter} {}", spot(where_))
        }
        Edit::CountIterations { exit: where_, phi, next, is_next, bound, step, counter, .. } => {
            let value = at(function, text, if *is_next { *next } else { *phi });
            let end =
                bound.map(|(test, side)| format!(", met by side {side} of {},", at(function, text, test)));
            let end = end.unwrap_or_default();
            format!("{counter} by {value}{end} in steps of {step} {}", spot(where_))
        }
        Edit::CountByPredecessor { target, sources } => {
            let sources: Vec<String> = sources
                .iter()
                .map(|(block, counter)| format!("{counter} from {}", text.block(*block)))
                .collect();
            format!("{} into {}", sources.join(", "), text.block(*target))
        }
        Edit::CountAgain { call, counter } => format!("{counter} again behind {}", at(function, text, *call)),
        Edit::PreserveFrame { call } => format!("frame kept at {}", at(function, text, *call)),
        Edit::BeginPath { spot: where_, value } => format!("path begins at {value} {}", spot(where_)),
        Edit::AddToPath { spot: where_, value } => format!("path by {value} {}", spot(where_)),
        Edit::CountPath { spot: where_, value, first } => {
            format!("path by {value} counted from {first} {}", spot(where_))
        }
        Edit::AddLength { instruction, length, counter } => {
            format!("{counter} by {length:?} before {}", at(function, text, *instruction))
        }
        Edit::ReturnHere { block } => format!("returns in {}", text.block(*block)),
    }
}
