//! One module: from bitcode to a metered object.
//!
//! What the plan promises travels in the object, so that a program built
//! earlier still says it.

use opcost_answer::fuel::{FUEL_SECTION, Promise};
use opcost_instrument::{
    Admission, Audit, FaultBalanceRule, FuelRequest, Library, OwnInCalls, admit, audit as find_faults,
    meter as plan,
};
use opcost_job::module::{MeteredHost, MeteringJob, ModuleJob, ModuleReply, Phases, Product};
use opcost_llvm::Session;

use super::earlier::weigh_by_earlier_run;
use super::prepared::emission;
use super::stopwatch::Stopwatch;
use crate::error::WorkError;
use crate::names::name_files;

/// Meters the module that the session holds. `reply` says what was found when it was made portable, if it was.
pub(crate) fn meter(
    mut session: Session,
    job: &ModuleJob,
    metering: &MeteringJob,
    reply: &mut ModuleReply,
    mut watch: Stopwatch,
) -> Result<Phases, WorkError> {
    let is_plugin = matches!(metering.host, MeteredHost::Plugin);
    if metering.audit {
        session.tag_origins();
    }
    if metering.harden && names_the_counter(&session.snapshot()) {
        return Err(WorkError::Refused("it names opc_fuel, which is its counter; take it out".to_owned()));
    }
    if is_plugin && session.open_plugin() == 0 {
        return Err(WorkError::Refused(
            "it has no function that a host could call; declare one extern \"C\" with at most one parameter, a \
             pointer"
                .to_owned(),
        ));
    }
    let mut module = session.snapshot();
    name_files(&mut module, &job.root);
    reply.weighed = weigh_by_earlier_run(&mut module, job.earlier.as_ref())?;
    watch.lap("snapshot");
    if metering.allowed.is_some() {
        session.harden();
    }
    let instructions = module.functions.values().map(|function| function.instructions.len()).sum();
    let is_whole = job.others.is_some();
    let wanted = FuelRequest {
        cost: job.cost.clone(),
        overshoot: metering.overshoot,
        is_whole,
        ends_at_limit: !is_plugin,
        by_segment: metering.by_segment,
        fault_balance: reported(job, metering),
    };
    let metered = plan(&module, &wanted)?;
    watch.lap("plan");
    session.meter(&metered.metering)?;
    if metering.audit {
        audit(&mut session, &module, &wanted, metered.overshoot)?;
        watch.lap("audit");
    }
    drop(module);
    if is_plugin {
        let Some(overshoot) = metered.overshoot else {
            return Err(WorkError::Refused("a plug-in must be stoppable; leave --unchecked".to_owned()));
        };
        let closed = session.close_plugin(&job.cost.facts().name, overshoot);
        closed?;
    }
    let guarded = metering.harden.then(|| session.guard_counter()).transpose();
    let guarded = guarded?.map(|it| (it.stores, it.guarded));
    // The hash of what means the same on every machine, if it does.
    let code = reply.portability.as_ref().map(|made| made.admission.hash.clone());
    let promise = Promise {
        overshoot: metered.overshoot,
        cost_model: job.cost.facts().name,
        guarded,
        sysroot: code.is_some().then(|| opcost_runtime::portable::sysroot().to_owned()),
        portable: code,
    };
    let mut line = serde_json::to_string(&promise).expect("plain data");
    line.push('\n');
    let mut section = FUEL_SECTION;
    if let MeteredHost::Portable(wish) = &metering.host {
        session.retarget(&wish.triple)?;
        section = wish.section();
    }
    session.embed(section, line.as_bytes());
    watch.lap("apply");
    if job.product == Product::Object {
        session.emit(&job.output, emission(&job.code))?;
    } else {
        session.write(&job.output)?;
    }
    watch.lap("machine code");
    Ok(watch.finish(instructions))
}

/// Whether what is left can be looked up in the registers of a program that was
/// ended. Bitcode goes through a code generation that would not write where it is,
/// and without optimisation code generation does not follow values far.
fn reported(job: &ModuleJob, metering: &MeteringJob) -> FaultBalanceRule {
    let is_windows = matches!(&metering.host, MeteredHost::Portable(wish) if wish.is_windows());
    if job.product != Product::Object || matches!(metering.host, MeteredHost::Wasm) || is_windows {
        FaultBalanceRule::AtChecks
    } else if matches!(metering.host, MeteredHost::Plugin) || job.code.level == 0 {
        FaultBalanceRule::Both
    } else {
        FaultBalanceRule::ByRegisters
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
) -> Result<(), WorkError> {
    let (metered, origins) = session.snapshot_with_origins();
    let objections = find_faults(&Audit {
        before,
        metered: &metered,
        origins: &origins,
        cost: &wanted.cost,
        is_whole: wanted.is_whole,
        own_in_calls: OwnInCalls::of(before, wanted.is_whole),
        promised,
        outside: wanted.outside(),
        ends_at_limit: wanted.ends_at_limit,
    });
    let Some(first) = objections.first() else { return Ok(()) };
    Err(WorkError::Refused(format!(
        "the metering is wrong, which is a defect of opcost; please report it with the source: {first} ({} objections)",
        objections.len()
    )))
}

/// Looks at a module as its maker left it: what is to be said of it.
pub(crate) fn admitted(session: &mut Session, job: &ModuleJob, allowed: &[String]) -> Admission {
    let mut module = session.snapshot();
    name_files(&mut module, &job.root);
    admit(&module, &Library::with(allowed.iter().cloned()))
}
