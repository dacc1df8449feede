//! One module: from bitcode to a metered object, in the child process.
//!
//! What the plan promises travels in the object, so that a program built
//! earlier still says it.

use opcost_instrument::{Audit, FuelRequest, Library, Told, admit, audit as find_faults, meter as plan};
use opcost_llvm::Session;
use serde::{Deserialize, Serialize};

use super::admission::ADMISSION;
use super::module::{ModuleRequest, Product, emission, name_files};
use super::phases::Stopwatch;

/// Section of an image in which each metered module says what it promises: a
/// line of JSON each. It is not loaded when the program runs.
pub(crate) const FUEL_SECTION: &str = ".opcost.fuel";
/// The same in images of Windows, which have eight letters for a name.
pub(crate) const FUEL_SECTION_WINDOWS: &str = ".opcfuel";

/// What a metered module promises.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Promise {
    /// The most work between two checks; none without checks.
    pub(crate) overshoot: Option<u64>,
    /// Name of the weights.
    pub(crate) cost_model: String,
    /// Instructions that write to memory and those among them that are asked
    /// first whether they would write to the counter, when that is wanted.
    #[serde(default)]
    pub(crate) guarded: Option<(u32, u32)>,
    /// The hash of its code, when that means the same on every machine.
    #[serde(default)]
    pub(crate) portable: Option<String>,
    /// The hash of the headers and the library that it was made with, then.
    #[serde(default)]
    pub(crate) sysroot: Option<String>,
}

/// Meters the module that the session holds.
pub(super) fn meter(
    mut session: Session,
    request: &ModuleRequest,
    mut watch: Stopwatch,
) -> Result<(), String> {
    if request.audit {
        session.tag_origins();
    }
    if request.harden && names_the_counter(&session.snapshot()) {
        return Err("it names opc_fuel, which is its counter; take it out".to_owned());
    }
    if request.plugin && session.open_plugin() == 0 {
        return Err("it has no function that a host could call; declare one extern \"C\" with at most one \
                    parameter, a pointer"
            .to_owned());
    }
    let mut module = session.snapshot();
    name_files(&mut module, &request.root);
    watch.lap("snapshot");
    if request.allowed.is_some() {
        session.harden();
    }
    let instructions = module.functions.values().map(|function| function.instructions.len()).sum();
    let is_whole = request.others.is_some();
    let wanted = FuelRequest {
        cost: request.cost.clone(),
        overshoot: request.overshoot,
        is_whole,
        ends_at_limit: !request.plugin,
        by_segment: request.by_segment,
        told: told(request),
    };
    let metered = plan(&module, &wanted).map_err(|error| error.to_string())?;
    watch.lap("plan");
    session.meter(&metered.metering).map_err(|error| error.to_string())?;
    if request.audit {
        audit(&mut session, &module, &wanted, metered.overshoot)?;
        watch.lap("audit");
    }
    drop(module);
    if request.plugin {
        let Some(overshoot) = metered.overshoot else {
            return Err("a plug-in must be stoppable; leave --unchecked".to_owned());
        };
        let closed = session.close_plugin(&request.cost.facts().name, overshoot);
        closed.map_err(|error| error.to_string())?;
    }
    let guarded = request.harden.then(|| session.guard_counter()).transpose();
    let guarded = guarded.map_err(|error| error.to_string())?.map(|it| (it.stores, it.guarded));
    let portable = request.portable.as_ref().map(|_| super::portable::code_of(request)).transpose()?;
    let promise = Promise {
        overshoot: metered.overshoot,
        cost_model: request.cost.facts().name,
        guarded,
        sysroot: portable.is_some().then(|| opcost_runtime::portable::sysroot().to_owned()),
        portable,
    };
    let mut line = serde_json::to_string(&promise).expect("plain data");
    line.push('\n');
    let mut section = FUEL_SECTION;
    if let Some(portable) = &request.portable {
        session.retarget(&portable.triple).map_err(|error| error.to_string())?;
        section = portable.section();
    }
    session.embed(section, line.as_bytes());
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

/// Whether what is left can be looked up in the registers of a program that was
/// ended. Bitcode goes through a code generation that would not write where it is,
/// and without optimisation code generation does not follow values far.
fn told(request: &ModuleRequest) -> Told {
    let is_windows = request.portable.as_ref().is_some_and(|portable| portable.is_windows());
    if request.product != Product::Object || request.wasm || is_windows {
        Told::AtChecks
    } else if request.plugin || request.level == 0 {
        Told::Both
    } else {
        Told::ByRegisters
    }
}

/// Whether the program itself, before it is metered, knows the counter by name.
fn names_the_counter(module: &opcost_ir::Module) -> bool {
    module.globals.values().any(|global| global.name == "opc_fuel")
}

/// Has the metered module checked by one who does not know the plan.
fn audit(
    session: &mut Session,
    before: &opcost_ir::Module,
    wanted: &FuelRequest,
    promised: Option<u64>,
) -> Result<(), String> {
    let (metered, origins) = session.snapshot_with_origins();
    let objections = find_faults(&Audit {
        before,
        metered: &metered,
        origins: &origins,
        cost: &wanted.cost,
        is_whole: wanted.is_whole,
        promised,
        outside: wanted.outside(),
        ends_at_limit: wanted.ends_at_limit,
    });
    let Some(first) = objections.first() else { return Ok(()) };
    Err(format!(
        "the metering is wrong, which is a defect of opcost; please report it with the source: {first} ({} objections)",
        objections.len()
    ))
}

/// Looks at a module as its maker left it and writes down what is to be said of it, beside what
/// will be made of it. Whether nothing speaks against it.
pub(super) fn admitted(
    session: &mut Session,
    request: &ModuleRequest,
    allowed: &[String],
) -> Result<bool, String> {
    let mut module = session.snapshot();
    name_files(&mut module, &request.root);
    let output = &request.output;
    let admission = admit(&module, &Library::with(allowed.iter().cloned()));
    let path = output.with_extension(ADMISSION);
    let text = serde_json::to_vec(&admission).expect("plain data");
    std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(admission.objections.is_empty())
}
