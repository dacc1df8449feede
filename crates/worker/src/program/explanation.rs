//! What decides what stands in a line, or in a function?
//!
//! In a line: the values that its instructions use to store, to return, to
//! call and to branch, and the loops that begin there, by what their exits
//! compare. Of a function: its loops and results. Each is resolved, and told as
//! an expression, its inputs, its blockers and its graph.

use std::collections::BTreeSet;

use opcost_analysis::dependence::binding::ModuleMemory;
use opcost_analysis::dependence::graph::NodeKind;
use opcost_analysis::dependence::{LinkCertainty, Resolution, ResolutionQuality, Resolver, Use};
use opcost_analysis::memory::{MemoryModel, World, Writers};
use opcost_answer::loops::LoopAnswer;
use opcost_claims::{Bindings, Claims};
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::Id;
use opcost_ir::{Function, FunctionText, Module, Opcode, Type, Value};
use opcost_key::{BlockId, FunctionId, InstructionId, Part, Place};

use opcost_answer::dependence::{DependenceEdge, DependenceNode, ExplainAnswers, ExplainDocument, Explained};
use opcost_answer::names::{is_called, near_functions, no_function, short_name};
use opcost_job::program::{ExplainSubject, LineLocation};

use crate::error::WorkError;
use crate::file::{selected_file, without_code};

/// More than these are not explained at once.
const MOST: usize = 24;

/// Something to explain.
struct Thing {
    function: FunctionId,
    at: InstructionId,
    value: Value,
    what: String,
    /// The loop that it ends.
    header: Option<BlockId>,
}

/// What was asked about, explained.
///
/// # Errors
/// Nothing is there; what is there instead.
pub(crate) fn answer(
    program: &MemoryModel<'_>,
    wanted: &ExplainSubject,
) -> Result<ExplainAnswers, WorkError> {
    let module = program.module;
    let things = match wanted {
        ExplainSubject::Line(LineLocation { file, line, column }) => {
            in_line(module, &selected_file(module, file)?, *line, *column)?
        }
        ExplainSubject::Function { name } => in_function(module, name)?,
    };
    let writers = Writers::compute(program);
    let memory = ModuleMemory::new(program, &writers);
    let resolver = Resolver::new(module, &memory);
    let with_loops: BTreeSet<FunctionId> =
        things.iter().filter(|thing| thing.header.is_some()).map(|thing| thing.function).collect();
    let claims = Claims::of_functions(program, &Bindings::default(), |id| with_loops.contains(&id));
    let explain = |thing: &Thing| {
        let asked = Use { function: thing.function, value: thing.value, calls: &[] };
        let key = thing.header.map(|header| module.key(thing.function).part(Part::Loop(header)));
        let is_its = |claim: &&LoopAnswer| Some(&claim.key) == key.as_ref();
        let iterations = claims.loops.iter().find(is_its).and_then(iterations);
        Explained { iterations, ..explained(module, thing, &resolver.resolve(&asked)) }
    };
    Ok(ExplainAnswers {
        schema: ExplainDocument,
        world: if program.roots.world == World::Closed { "closed" } else { "open" }.to_owned(),
        things: things.iter().take(MOST).map(explain).collect(),
    })
}

/// How often the body of a loop runs, or that of the loop of the source that it
/// is a part of.
fn iterations(claim: &LoopAnswer) -> Option<String> {
    let vectorised = claim.vectorised.as_ref().and_then(|whole| whole.source_iterations.clone());
    let unrolled = || claim.unrolled.as_ref().and_then(|whole| whole.source_iterations.clone());
    let source = vectorised.or_else(unrolled);
    let least = || claim.bound.as_ref().map(|bound| format!("at most {bound}"));
    source.or_else(|| claim.body_iterations.clone()).or_else(least)
}

fn explained(module: &Module, thing: &Thing, answer: &Resolution<'_, '_>) -> Explained {
    let function = &module.functions[thing.function];
    let place = function.instructions[thing.at].place.map(|place| &module.places[place]);
    let (nodes, edges) = answer.graph();
    let expression = answer.expression();
    let mut lines: Vec<String> =
        expression.terms.iter().map(|(name, text)| format!("{name} = {text}")).collect();
    lines.push(expression.text);
    if answer.is_cut() {
        lines.push("… (it goes on; this is as deep as is looked)".to_owned());
    }
    Explained {
        what: thing.what.clone(),
        function: module.key(thing.function).name.into(),
        file: place.map(|place| module.files[place.file].clone()),
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
        text: FunctionText::new(module, function).instruction(thing.at),
        iterations: None,
        expression: lines.join("\n"),
        quality: match answer.quality() {
            ResolutionQuality::Exact => "definite".to_owned(),
            ResolutionQuality::Assuming(words) => format!("definite, assuming {}", words.join(", ")),
            ResolutionQuality::Possible => "possible".to_owned(),
            ResolutionQuality::Unknown => "outside".to_owned(),
        },
        inputs: answer.inputs(),
        blockers: answer.blockers(),
        nodes: nodes
            .iter()
            .map(|node| DependenceNode { label: node.label.clone(), kind: kind(node.kind) })
            .collect(),
        edges: edges
            .iter()
            .map(|edge| DependenceEdge {
                from: edge.from as u32,
                to: edge.to as u32,
                argument: edge.argument.clone(),
                quality: certainty(edge.certainty),
            })
            .collect(),
    }
}

fn kind(kind: NodeKind) -> String {
    match kind {
        NodeKind::Operation => "operation",
        NodeKind::Constant => "constant",
        NodeKind::Input => "input",
        NodeKind::Alternatives => "alternatives",
        NodeKind::Again => "again",
        NodeKind::Unknown => "unknown",
    }
    .to_owned()
}

fn certainty(certainty: LinkCertainty) -> String {
    match certainty {
        LinkCertainty::Definite => "definite",
        LinkCertainty::Possible => "possible",
        LinkCertainty::Outside => "outside",
    }
    .to_owned()
}

/// Whether a place is what a user means by `file`: its end, or all of it.
pub(crate) fn is_file(known: &str, file: &str) -> bool {
    let tidy = file.trim_start_matches("./");
    known == tidy || known.ends_with(&format!("/{tidy}")) || tidy.ends_with(&format!("/{known}"))
}

fn in_line(module: &Module, file: &str, line: u32, column: Option<u32>) -> Result<Vec<Thing>, WorkError> {
    let mut things = Vec::new();
    let mut lines = BTreeSet::new();
    let is_meant = |place: &Place| place.line == line && column.is_none_or(|column| place.column == column);
    for (id, function) in module.functions.iter() {
        let mut is_here = false;
        for (at, instruction) in function.instructions.iter() {
            let Some(place) = instruction.place.map(|place| &module.places[place]) else { continue };
            if place.line == 0 || !is_file(&module.files[place.file], file) {
                continue;
            }
            lines.insert(place.line);
            is_here |= is_meant(place);
            if is_meant(place) {
                things.extend(of_instruction(module, id, at));
            }
        }
        if is_here {
            let here = |at: InstructionId| {
                let place = function.instructions[at].place.map(|place| &module.places[place]);
                place.is_some_and(|place| is_meant(place) && is_file(&module.files[place.file], file))
            };
            let loops = loops(function, id, here);
            things.retain(|thing| !loops.iter().any(|of| of.function == id && of.value == thing.value));
            things.splice(0..0, loops);
        }
    }
    if things.is_empty() { Err(WorkError::Usage(nothing(module, file, line, &lines))) } else { Ok(things) }
}

fn nothing(module: &Module, file: &str, line: u32, lines: &BTreeSet<u32>) -> String {
    let Some(near) = lines.iter().min_by_key(|near| near.abs_diff(line)) else {
        return without_code(module, file);
    };
    if *near == line {
        let behind = lines.range(line + 1..).next();
        let next = behind.map_or(String::new(), |next| format!("; the next line with code is {next}"));
        return format!("{file}:{line} has no value to explain, and no loop begins there{next}");
    }
    format!("{file}:{line} has no code; the nearest line that has is {file}:{near}")
}

/// Functions of this name, as the linker or the source has it.
pub(crate) fn named(module: &Module, name: &str) -> Vec<FunctionId> {
    let is_meant = |function: &Function| {
        is_called(&function.name, name) || function.source_name.as_deref() == Some(name)
    };
    module.functions.iter().filter(|(_, function)| is_meant(function)).map(|(id, _)| id).collect()
}

fn in_function(module: &Module, name: &str) -> Result<Vec<Thing>, WorkError> {
    let found = named(module, name);
    if found.is_empty() {
        let names = module.functions.values().map(|function| &*function.name);
        return Err(WorkError::Usage(no_function(name, &near_functions(names, name, 0.0))));
    }
    let mut things = Vec::new();
    for id in found {
        let function = &module.functions[id];
        things.extend(loops(function, id, |_| true));
        let returns =
            function.instructions.iter().filter(|(_, instruction)| instruction.opcode == Opcode::Ret);
        for (at, _) in returns {
            things.extend(of_instruction(module, id, at));
        }
    }
    if things.is_empty() {
        Err(WorkError::Refused(format!("{name} has no loop and no result")))
    } else {
        Ok(things)
    }
}

/// What the exits of loops compare, of loops whose header or latch is selected.
fn loops(function: &Function, id: FunctionId, is_meant: impl Fn(InstructionId) -> bool) -> Vec<Thing> {
    let dominators = Dominators::compute(function, BlockId::new(0));
    let forest = LoopForest::compute(function, &dominators);
    let mut things = Vec::new();
    for natural in forest.loops.values() {
        let latches = natural.back_edges.iter().map(|edge| edge.from);
        let mut marks = latches.chain([natural.header]).map(|block| function.terminator_of(block));
        if !marks.any(&is_meant) {
            continue;
        }
        let exits: BTreeSet<BlockId> = natural.exits.iter().map(|edge| edge.from).collect();
        for block in exits {
            let at = function.terminator_of(block);
            if let Some(&test @ Value::Instruction(_)) = function.operands_of(at).first() {
                let (what, header) = ("what ends the loop".to_owned(), Some(natural.header));
                things.push(Thing { function: id, at, value: test, what, header });
            }
        }
    }
    things
}

/// What an instruction stores, returns, calls with or computes for the source.
fn of_instruction(module: &Module, id: FunctionId, at: InstructionId) -> Vec<Thing> {
    let function = &module.functions[id];
    let operands = function.operands_of(at);
    let thing = |value: Value, what: String| Thing { function: id, at, value, what, header: None };
    let name_of = |value: Value| function.source_names.get(&value).map(|name| name.to_string());
    let is_changing = |value: &Value| matches!(value, Value::Instruction(_) | Value::Argument(_));
    match function.instructions[at].opcode {
        Opcode::Store if is_changing(&operands[0]) => {
            let to = name_of(operands[1]).map_or("what is stored".to_owned(), |name| format!("{name} ="));
            vec![thing(operands[0], to)]
        }
        Opcode::Ret => operands
            .first()
            .filter(|value| is_changing(value))
            .map_or(Vec::new(), |value| vec![thing(*value, "the result".to_owned())]),
        Opcode::Br | Opcode::Switch => match operands.first() {
            Some(test @ Value::Instruction(_)) => vec![thing(*test, "where it branches".to_owned())],
            _ => Vec::new(),
        },
        Opcode::Call | Opcode::Invoke => of_call(module, function, at, &thing),
        _ => match name_of(Value::Instruction(at)) {
            Some(name) if module.types[function.instructions[at].ty] != Type::Void => {
                vec![thing(Value::Instruction(at), format!("{name} ="))]
            }
            _ => Vec::new(),
        },
    }
}

/// The arguments of a call of something with a name.
fn of_call(
    module: &Module,
    function: &Function,
    at: InstructionId,
    thing: &dyn Fn(Value, String) -> Thing,
) -> Vec<Thing> {
    let Some(call) = function.call(at) else { return Vec::new() };
    if module.intrinsic_name(call.callee).is_some() {
        return Vec::new();
    }
    let callee = module.callee_name(call.callee).map_or("the call".to_owned(), short_name);
    let operands = function.operands_of(at);
    let arguments = operands
        .iter()
        .enumerate()
        .filter(|(_, value)| matches!(value, Value::Instruction(_) | Value::Argument(_)));
    arguments
        .take_while(|(position, _)| position + 1 < operands.len())
        .map(|(position, &value)| thing(value, format!("argument {} of {callee}", position + 1)))
        .collect()
}
