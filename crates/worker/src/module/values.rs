//! One module: from bitcode to an object that records values.
//!
//! The list of points travels in the object, in a section that is not loaded,
//! and its hash in what the program records, so that a file of another build is
//! known for one. What is claimed of loops, the room `claims` tells.

use opcost_answer::points::{ClaimText, Meaning, PointList, PointText, RefusedText, VALUES_SECTION};
use opcost_instrument::{
    ClaimStep, Claimed, PointFacts, RecordedPoints, RecordedSubject, TripClaim, TripClaims, record,
};
use opcost_ir::{CheckStep, Function, FunctionText, Module, PointKind, Value};
use opcost_job::module::{ModuleJob, Phases, Product, ValuesWish};
use opcost_key::{Hash128, Hasher128, InstructionId, Key, Part};
use opcost_llvm::Session;

use super::prepared::emission;
use super::stopwatch::Stopwatch;
use crate::error::WorkError;
use crate::names::name_files;

/// Has the module that the session holds record what is wanted.
pub(crate) fn record_values(
    mut session: Session,
    job: &ModuleJob,
    wish: &ValuesWish,
    mut watch: Stopwatch,
) -> Result<Option<Phases>, WorkError> {
    let mut module = session.snapshot_in_detail();
    name_files(&mut module, &job.root);
    watch.lap("snapshot");
    let instructions = module.functions.values().map(|function| function.instructions.len()).sum();
    let mut claimed = if wish.verify { opcost_claims::check::claims(&module) } else { TripClaims::default() };
    if wish.lie {
        claimed.list.iter_mut().for_each(lie);
    }
    watch.lap("claims");
    let recorded = record(&module, &wish.request, &claimed)?;
    let (line, hash) = list(&module, &job.module, &recorded);
    drop(module);
    watch.lap("plan");
    session.record_values(&recorded.recording, hash)?;
    watch.lap("apply");
    if job.product == Product::Counted {
        session.write(&job.output)?;
        return Ok(None);
    }
    session.embed(VALUES_SECTION, line.as_bytes());
    session.emit(&job.output, emission(&job.code))?;
    watch.lap("machine code");
    Ok(Some(watch.finish(instructions)))
}

fn lie(claim: &mut TripClaim) {
    let Ok(program) = &mut claim.program else { return };
    match claim.what {
        Claimed::BackEdges => program.extend([ClaimStep::Constant(1), ClaimStep::Add]),
        Claimed::Bound => *program = vec![ClaimStep::Constant(-1)],
    }
}

/// The list of points as a line of JSON, and its hash.
fn list(module: &Module, name: &str, recorded: &RecordedPoints) -> (String, Hash128) {
    let points = recorded.points.iter();
    let points: Vec<PointText> =
        points.map(|(id, facts)| point(module, facts, recorded.recording.points[id].kind)).collect();
    let refused = recorded.refused.iter().map(|refused| (refused.function, refused.header, refused.reason));
    let cycle = "it is a cycle with several entries, which has no iterations";
    let cycles = recorded.irreducible.iter().map(|&(function, block)| (function, block, cycle));
    let refused = refused.chain(cycles).map(|(function, header, reason)| {
        let own = &module.functions[function];
        let (file, line) = location(module, own, own.terminator_of(header));
        let text = FunctionText::new(module, own).block(header);
        let key = Some(module.key(function).part(Part::Loop(header)));
        RefusedText { function: own.name.clone(), file, line, text, reason: reason.to_owned(), key }
    });
    let mut list =
        PointList { hash: String::new(), module: name.to_owned(), points, refused: refused.collect() };
    let text = serde_json::to_string(&list).expect("plain data");
    let hash = Hasher128::new().text(&text).finish();
    list.hash = hash.to_string();
    (serde_json::to_string(&list).expect("plain data") + "\n", hash)
}

fn point(module: &Module, facts: &PointFacts, kind: PointKind) -> PointText {
    let function = &module.functions[facts.function];
    let texts = FunctionText::new(module, function);
    let (placed_by, text, parent, depth, claim) = match &facts.subject {
        RecordedSubject::Loop { header, parent, depth, placed_by, claim } => {
            let parent = parent.map(|parent| texts.block(parent));
            (Some(*placed_by), texts.block(*header), parent, *depth, claim.as_ref())
        }
        RecordedSubject::Value { instruction, operand } => {
            let text = texts.instruction(*instruction);
            let text = if operand.is_some() { format!("operand of {text}") } else { text };
            (Some(*instruction), text, None, 0, None)
        }
        RecordedSubject::Parameter(position) => {
            let value = Value::Argument(*position);
            (None, texts.value(value), None, 0, None)
        }
    };
    let (file, line) = location_or(module, function, placed_by);
    PointText {
        key: key_of(module, facts),
        function: function.name.clone(),
        file,
        line,
        kind: match kind {
            PointKind::BackEdges => Meaning::BackEdges,
            PointKind::Unsigned | PointKind::Mantissa => Meaning::Unsigned,
            PointKind::Signed => Meaning::Signed,
            PointKind::Float => Meaning::Float,
        },
        text,
        parent,
        depth,
        claim: claim.map(|claim| ClaimText {
            is_exact: claim.what == Claimed::BackEdges,
            text: claim.text.clone(),
            assumes: claim.assumes.clone(),
            unchecked: claim.check.as_ref().err().map(ToString::to_string),
            steps: claim.check.iter().flatten().copied().map(encoded).collect(),
        }),
    }
}

fn encoded(step: CheckStep) -> (u32, u32, String) {
    let (operation, argument, constant) = step.encode();
    (operation, argument, constant.to_string())
}

/// The key of what is recorded. What is stored or returned goes by the instruction that does it:
/// such an instruction has no result that could be selected.
fn key_of(module: &Module, facts: &PointFacts) -> Key {
    let function = module.key(facts.function);
    match facts.subject {
        RecordedSubject::Loop { header, .. } => function.part(Part::Loop(header)),
        RecordedSubject::Value { instruction, operand: _ } => function.part(Part::Instruction(instruction)),
        RecordedSubject::Parameter(position) => function.part(Part::Parameter(position)),
    }
}

/// File and line of an instruction; of its function if it has none.
fn location(module: &Module, function: &Function, at: InstructionId) -> (Option<String>, u32) {
    location_or(module, function, Some(at))
}

fn location_or(module: &Module, function: &Function, at: Option<InstructionId>) -> (Option<String>, u32) {
    let own =
        at.and_then(|at| function.instructions[at].place).filter(|place| module.places[*place].line > 0);
    match own.or(function.place) {
        Some(place) => {
            let place = &module.places[place];
            (Some(module.files[place.file].clone()), place.line)
        }
        None => (None, 0),
    }
}

#[cfg(test)]
mod tests {
    use opcost_ir::{CheckStep, IntegerComparison};

    /// What `CheckStep::encode` says and what the runtime reads are the same numbers.
    #[test]
    fn the_runtime_knows_every_step_by_its_number() {
        let steps = [
            ("CONSTANT", CheckStep::Constant(0)),
            ("INPUT", CheckStep::Input(0)),
            ("ADD", CheckStep::Add),
            ("SUBTRACT", CheckStep::Subtract),
            ("MULTIPLY", CheckStep::Multiply),
            ("DIVIDE_DOWN", CheckStep::DivideDown),
            ("DIVIDE_UP", CheckStep::DivideUp),
            ("REMAINDER", CheckStep::Remainder),
            ("MINIMUM", CheckStep::Minimum),
            ("MAXIMUM", CheckStep::Maximum),
            ("WRAP", CheckStep::Wrap { bits: 1, is_signed: false }),
            ("SELECT", CheckStep::Select(IntegerComparison::Equal)),
            ("DIVIDE_TOWARDS_ZERO", CheckStep::DivideTowardsZero),
            ("POWER", CheckStep::Power { base: 2, is_capped: false }),
            ("CEIL_LOG", CheckStep::CeilLog(2)),
            ("CEIL_ROOT", CheckStep::CeilRoot),
            ("SUM", CheckStep::Sum { index: 0, length: 2 }),
            ("SUM_END", CheckStep::SumEnd),
            ("INDEX", CheckStep::Index(0)),
        ];
        for (name, step) in steps {
            let line = format!("    OPC_STEP_{name} = {},\n", step.encode().0);
            assert!(opcost_runtime::values::HEADER.contains(&line), "{line}");
        }
        for (name, most) in [
            ("STACK", opcost_ir::MOST_DEPTH),
            ("SUMS", opcost_ir::MOST_SUMS),
            ("TERMS", opcost_ir::MOST_TERMS as usize),
        ] {
            let line = format!("OPC_CHECK_{name} = {most} }}");
            assert!(opcost_runtime::values::HEADER.contains(&line), "{line}");
        }
        assert_eq!(opcost_profile::opcval::layout::INPUTS, opcost_ir::MOST_INPUTS);
    }
}
