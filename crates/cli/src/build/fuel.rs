//! One module: from bitcode to a metered object, in the child process.
//!
//! What the plan promises travels in the object, so that a program built
//! earlier still says it.

use std::path::Path;

use opcost_instrument::{FuelRequest, Library, admit, meter as plan};
use opcost_llvm::Session;
use serde::{Deserialize, Serialize};

use super::admission::ADMISSION;
use super::module::{ModuleRequest, Product, emission, name_files};
use super::phases::Stopwatch;

/// Section of an image in which each metered module says what it promises: a
/// line of JSON each. It is not loaded when the program runs.
pub(crate) const FUEL_SECTION: &str = ".opcost.fuel";

/// What a metered module promises.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Promise {
    /// The most work between two checks.
    pub(crate) overshoot: u64,
    /// Name of the weights.
    pub(crate) cost_model: String,
}

/// Meters the module that the session holds.
pub(super) fn meter(
    mut session: Session,
    request: &ModuleRequest,
    overshoot: u64,
    mut watch: Stopwatch,
) -> Result<(), String> {
    for other in request.others.iter().flatten() {
        session.link(other).map_err(|error| error.to_string())?;
    }
    let mut module = session.snapshot();
    name_files(&mut module, &request.root);
    watch.lap("snapshot");
    if let Some(allowed) = &request.allowed {
        let is_admitted = admitted(&module, allowed, &request.output)?;
        if !is_admitted || request.product == Product::Admission {
            return Ok(());
        }
        session.harden();
    }
    let instructions = module.functions.values().map(|function| function.instructions.len()).sum();
    let is_whole = request.others.is_some();
    let wanted = FuelRequest { cost: request.cost.clone(), overshoot, is_whole };
    let metered = plan(&module, &wanted).map_err(|error| error.to_string())?;
    drop(module);
    watch.lap("plan");
    session.meter(&metered.metering).map_err(|error| error.to_string())?;
    let promise = Promise { overshoot: metered.overshoot, cost_model: request.cost.facts().name };
    let mut line = serde_json::to_string(&promise).expect("plain data");
    line.push('\n');
    session.embed(FUEL_SECTION, line.as_bytes());
    watch.lap("apply");
    if request.product == Product::Object {
        session.emit(&request.output, emission(request)).map_err(|error| error.to_string())?;
    } else {
        session.write(&request.output).map_err(|error| error.to_string())?;
    }
    watch.lap("machine code");
    watch.finish(instructions, &request.output.with_extension("phases"));
    Ok(())
}

/// Looks at the module and writes down what is to be said of it, beside what
/// will be made of it. Whether nothing speaks against it.
fn admitted(module: &opcost_ir::Module, allowed: &[String], output: &Path) -> Result<bool, String> {
    let admission = admit(module, &Library::with(allowed.iter().cloned()));
    let path = output.with_extension(ADMISSION);
    let text = serde_json::to_vec(&admission).expect("plain data");
    std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(admission.objections.is_empty())
}
