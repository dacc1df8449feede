//! From claims about loops to plain answers.

use opcost_analysis::memory::{MemoryModel, World};
use opcost_answer::loops::LoopAnswers;
use opcost_claims::Claims;
use opcost_ir::Module;
use opcost_job::program::InputValues;

use crate::error::WorkError;

/// How many known names an error lists.
const LISTED: usize = 12;

/// All loops, their formulas evaluated where names are bound.
///
/// # Errors
/// A bound name that no formula has, with the names that they have; a number that nothing of its name
/// can hold.
pub(crate) fn answer(program: &MemoryModel<'_>, inputs: &InputValues) -> Result<LoopAnswers, WorkError> {
    let claims = Claims::compute(program, &super::inputs::bindings(inputs));
    check(&inputs.bindings, &claims)?;
    let module = program.module;
    Ok(LoopAnswers {
        world: if program.roots.world == World::Closed { "closed" } else { "open" }.to_owned(),
        names: claims.names,
        functions: defined(module),
        loops: claims.loops,
        numbers: claims.numbers,
        written: claims.written,
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
