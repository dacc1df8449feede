//! From claims about loops to plain answers.

use opcost_analysis::memory::{MemoryModel, World};
use opcost_claims::{
    ClaimKind, Claims, EntryClaim, EntryForm, LoopClaim, Named, Numbers, Rest, WrittenClaim,
};
use opcost_index::Id;
use opcost_ir::Module;
use opcost_job::program::InputValues;
use opcost_key::Part;

use opcost_answer::loops::{
    AnswerKind, EntryAnswer, EntryKind, LoopAnswer, LoopAnswers, LoopFormulas, LoopNumbers, LoopRest,
    UnrolledAnswer, VectorisedAnswer,
};

use crate::error::WorkError;

/// How many known names an error lists.
const LISTED: usize = 12;

/// All loops, their formulas evaluated where names are bound.
///
/// # Errors
/// A bound name that no formula has, with the names that they have; a number that nothing of its name
/// can hold.
pub(crate) fn answer(program: &MemoryModel<'_>, inputs: &InputValues) -> Result<LoopAnswers, WorkError> {
    let claims = Claims::compute(program, &super::inputs::bindings(program, inputs));
    check(&inputs.bindings, &claims)?;
    let module = program.module;
    Ok(LoopAnswers {
        world: if program.roots.world == World::Closed { "closed" } else { "open" }.to_owned(),
        names: claims.names,
        functions: defined(module),
        loops: claims.loops.iter().map(|claim| of(module, claim)).collect(),
        numbers: claims.loops.iter().map(numbers).collect(),
        written: claims.loops.iter().map(|claim| written(module, claim)).collect(),
        code: opcost_certificate::fingerprint(module).to_string(),
    })
}

/// Whether formulas have the names that numbers were given for, and these fit them.
///
/// # Errors
/// The first that does not.
pub(super) fn check(bindings: &[(String, i128)], claims: &Claims) -> Result<(), WorkError> {
    for (name, _) in bindings {
        if !claims.names.contains(name) {
            let mut known = claims.names.clone();
            known.sort_by(|a, b| strsim::jaro_winkler(b, name).total_cmp(&strsim::jaro_winkler(a, name)));
            let more = if known.len() > LISTED { ", …" } else { "" };
            known.truncate(LISTED);
            return Err(WorkError::Usage(match known.as_slice() {
                [] => format!("no formula has a name, so '{name}' has none to give a value to"),
                known => format!("no formula has the name '{name}'; there are {}{more}", known.join(", ")),
            }));
        }
    }
    if let Some((name, value)) = claims.too_wide.first().map(|&position| &bindings[position]) {
        return Err(WorkError::Usage(format!(
            "'{name}' cannot be {value}: it has too few bits; give a number that it can hold"
        )));
    }
    Ok(())
}

fn defined(module: &Module) -> Vec<String> {
    let functions = module.functions.values().filter(|function| !function.blocks.is_empty());
    functions.map(|function| function.name.clone()).collect()
}

fn numbers(claim: &LoopClaim) -> LoopNumbers {
    let Numbers { exact, bound, total } = claim.numbers;
    LoopNumbers { exact, bound, total }
}

fn written(module: &Module, claim: &LoopClaim) -> LoopFormulas {
    let function = module.key(claim.function);
    let rest = |rest: &Rest| match rest {
        Rest::Promise(at, word) => {
            LoopRest::Promise(function.part(Part::Instruction(*at)), (*word).to_owned())
        }
        Rest::Condition(text) => LoopRest::Condition(text.clone()),
        Rest::EndsIf(text) => LoopRest::EndsIf(text.clone()),
        Rest::Progress => LoopRest::Progress,
        Rest::NotLeft(block) => LoopRest::NotLeft(function.part(Part::Block(*block))),
        Rest::Ieee => LoopRest::Ieee,
        Rest::Rule(words) => LoopRest::Rule((*words).to_owned()),
    };
    let WrittenClaim { back_edges, body_iterations, total, bound, entered, rests } = claim.written.clone();
    let rests = rests.iter().map(rest).collect();
    LoopFormulas { back_edges, body_iterations, total, bound, entered, rests }
}

fn entry(claim: &EntryClaim) -> EntryAnswer {
    let kind = match claim.kind {
        EntryForm::Always => EntryKind::Always,
        EntryForm::If => EntryKind::If,
        EntryForm::OnlyIf => EntryKind::OnlyIf,
        EntryForm::Never => EntryKind::Never,
        EntryForm::Unknown => EntryKind::Unknown,
    };
    EntryAnswer { kind, condition: claim.condition.clone() }
}

fn of(module: &Module, claim: &LoopClaim) -> LoopAnswer {
    let place = claim.location.map(|place| &module.places[place]);
    let kind = match claim.kind {
        ClaimKind::Constant => AnswerKind::Constant,
        ClaimKind::Inputs => AnswerKind::Inputs,
        ClaimKind::Formula => AnswerKind::Formula,
        ClaimKind::Bound => AnswerKind::Bound,
        ClaimKind::Unknown => AnswerKind::Unknown,
    };
    let input = |named: &Named| match named.about.as_str() {
        "" => named.name.clone(),
        about => format!("{}: {about}", named.name),
    };
    LoopAnswer {
        key: module.key(claim.function).part(Part::Loop(claim.header)),
        function: module.key(claim.function).name.into(),
        header: claim.header.index() as u32,
        label: claim.label.clone(),
        file: place.map(|place| module.files[place.file].clone()),
        line: place.map(|place| place.line),
        depth: claim.depth,
        parent: claim.parent.map(|parent| parent.index() as u32),
        form: claim.form.clone(),
        entered_if: entry(&claim.entered),
        kind,
        back_edges: claim.back_edges.clone(),
        body_iterations: claim.body_iterations.clone(),
        expression: claim.body_iterations.clone().or(claim.bound.clone()).or(claim.back_edges.clone()),
        total: claim.total.clone(),
        inputs: claim.inputs.iter().map(input).collect(),
        bound: claim.bound.clone(),
        assumes: claim.assumes.clone(),
        reason: claim.reason.clone(),
        vectorised: claim.vectorised.as_ref().map(|whole| VectorisedAnswer {
            lanes: whole.lanes,
            remainder: whole.remainder.map(|header| header.index() as u32),
            source_iterations: whole.source_iterations.clone(),
            entered_if: entry(&whole.entered),
        }),
        unrolled: claim.unrolled.as_ref().map(|whole| UnrolledAnswer {
            copies: whole.copies,
            remainder: whole.remainder.index() as u32,
            source_iterations: whole.source_iterations.clone(),
        }),
        remainder_of: claim.remainder_of.map(|header| header.index() as u32),
    }
}
