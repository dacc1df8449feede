//! One module: from bitcode to an object that is counted, metered, recorded, sampled or predicted.
//!
//! Bitcode that is counted already goes straight to machine code.

use opcost_instrument::{CostModel, Portability, plan};
use opcost_job::module::{MeteredHost, MeteringJob, ModuleJob, ModulePurpose, ModuleReply, Product};
use opcost_llvm::{Kept, Session};
use opcost_profile::formats::map::{read_maps, write_map};

use super::earlier::weigh_by_earlier_run;
use super::prepared::{emission, plan_request, write_map_file};
use super::stopwatch::Stopwatch;
use super::texts::{sources_of, texts_of};
use super::{charge, counted_live, meter, portable, sampled, values};
use crate::error::WorkError;
use crate::modules::Modules;
use crate::read::maker_of_build;

/// Builds the module.
///
/// # Errors
/// It is not as its purpose needs it, or LLVM says no.
pub(crate) fn build(job: &ModuleJob, modules: &mut Modules) -> Result<ModuleReply, WorkError> {
    let mut watch = Stopwatch::start();
    let mut session = modules.module(&job.bitcode, maker_of_build(job))?;
    watch.lap("read");
    let mut reply = ModuleReply::default();
    if job.product == Product::Anchor && portable_wish(job).is_none() {
        session.write(&job.output)?;
        return Ok(reply);
    }
    let kept = session.kept()?;
    if kept.is_none() && !complete(&mut session, job, &mut reply)? {
        return Ok(reply);
    }
    reply.reads_files = session.assembly_reads_files();
    if job.product == Product::Anchor {
        session.write(&job.output)?;
        return Ok(reply);
    }
    let counted = |what: &str| WorkError::Refused(format!("it is counted already; {what}"));
    reply.phases = match (&job.purpose, kept) {
        (ModulePurpose::Meter(_), Some(_)) => return Err(counted("meter its sources")),
        (
            ModulePurpose::Values(_)
            | ModulePurpose::Predict { .. }
            | ModulePurpose::Sample { .. }
            | ModulePurpose::Live(_),
            Some(_),
        ) => {
            return Err(counted("give its sources"));
        }
        (ModulePurpose::Count { .. }, Some(kept)) => {
            generate(session, kept, job)?;
            None
        }
        (ModulePurpose::Meter(metering), None) => {
            Some(meter::meter(session, job, metering, &mut reply, watch)?)
        }
        (ModulePurpose::Values(wish), None) => values::record_values(session, job, wish, watch)?,
        (ModulePurpose::Predict { runtime }, None) => {
            charge::charge(session, job, runtime.as_deref(), watch)?
        }
        (ModulePurpose::Live(wish), None) if wish.is_counted => {
            let made = counted_live::counted_code(session, job, wish, watch)?;
            return Ok(ModuleReply { reads_files: reply.reads_files, ..made });
        }
        (ModulePurpose::Sample { .. } | ModulePurpose::Live(_), None) => {
            let made = sampled::table_code(session, job, watch)?;
            return Ok(ModuleReply { reads_files: reply.reads_files, ..made });
        }
        (ModulePurpose::Count { .. }, None) => {
            let made = count(session, job, watch)?;
            return Ok(ModuleReply { reads_files: reply.reads_files, ..made });
        }
    };
    Ok(reply)
}

/// Counts a module that is not counted yet.
fn count(mut session: Session, job: &ModuleJob, mut watch: Stopwatch) -> Result<ModuleReply, WorkError> {
    let mut module = session.snapshot();
    watch.lap("snapshot");
    let instructions = module.functions.values().map(|function| function.instructions.len()).sum();
    let wanted = plan_request(&mut module, job);
    let mut made = plan(&module, &wanted)?;
    let weighed = weigh_by_earlier_run(&mut module, job.earlier.as_ref())?;
    if weighed > 0 {
        let by_run = plan(&module, &wanted)?;
        if by_run.map != made.map {
            let (_, by_code) = write_map(&made.map);
            made = by_run;
            made.map.by_code = Some(by_code);
        }
    }
    made.map.texts = texts_of(&module, job);
    let sources = sources_of(&module, job);
    drop(module);
    watch.lap("plan");
    let (bytes, hash) = write_map(&made.map);
    write_map_file(job, &bytes)?;
    watch.lap("map");
    session.apply(&made.plan, hash)?;
    watch.lap("apply");
    if job.product == Product::Counted {
        session.write_counted(&job.output, &bytes, &made.plan, hash)?;
        return Ok(ModuleReply { sources, weighed, ..ModuleReply::default() });
    }
    session.embed_map(&job.map)?;
    watch.lap("embed");
    session.emit_counted(&job.output, emission(&job.code), &made.plan, hash)?;
    watch.lap("machine code");
    Ok(ModuleReply {
        counts_by_thread: made.plan.per_thread,
        phases: Some(watch.finish(instructions)),
        sources,
        weighed,
        ..ModuleReply::default()
    })
}

/// The wish for one number on every machine, if there is one.
fn portable_wish(job: &ModuleJob) -> Option<&opcost_job::module::PortableWish> {
    match &job.purpose {
        ModulePurpose::Meter(MeteringJob { host: MeteredHost::Portable(wish), .. }) => Some(wish),
        _ => None,
    }
}

/// Links what belongs to the module before anything is decided about it, and
/// asks whether it may be metered if that is wanted. Whether to go on.
fn complete(session: &mut Session, job: &ModuleJob, reply: &mut ModuleReply) -> Result<bool, WorkError> {
    for other in job.others.iter().flatten() {
        session.link(other)?;
    }
    check_target(&session.target(), job)?;
    if let ModulePurpose::Meter(metering) = &job.purpose {
        // Before anything of ours is in it.
        if let Some(allowed) = &metering.allowed {
            let admission = meter::admitted(session, job, allowed);
            let is_admitted = admission.objections.is_empty();
            reply.admission = Some(admission);
            if !is_admitted || job.product == Product::Admission {
                return Ok(false);
            }
        }
        match &metering.host {
            MeteredHost::Plugin => session.admit_plugin()?,
            MeteredHost::Portable(wish) => {
                let made = portable::complete(session, job, wish)?;
                let is_admitted = made.admission.objections.is_empty();
                reply.portability = Some(Portability::clone(&made));
                return Ok(is_admitted && job.product != Product::Admission);
            }
            MeteredHost::Program | MeteredHost::Wasm => {}
        }
    }
    let Some(library) = &job.library else { return Ok(true) };
    // The anchor of a portable program has its own library and its weights already.
    if session.defines(opcost_runtime::portable::START) {
        return Ok(true);
    }
    use opcost_runtime::library::{ALL, PREFIX};
    let charged: Vec<&str> = match &job.cost {
        CostModel::Table(table) => {
            table.calls.keys().chain(table.lengths.keys()).map(String::as_str).collect()
        }
        CostModel::Unit | CostModel::BlockSize => Vec::new(),
    };
    session.use_library(&ALL.concat(), &charged, PREFIX, library)?;
    Ok(true)
}

/// Whether the module is for the machine that is wanted.
fn check_target(triple: &str, job: &ModuleJob) -> Result<(), WorkError> {
    let ModulePurpose::Meter(metering) = &job.purpose else { return Ok(()) };
    match (triple.starts_with("wasm32"), matches!(metering.host, MeteredHost::Wasm)) {
        (true, false) => {
            Err(WorkError::Refused("it is for WebAssembly; give --machine wasm32-wasi".to_owned()))
        }
        (false, true) => Err(WorkError::Refused(format!(
            "it is for {triple}, and WebAssembly has an IR of its own; give its sources, or bitcode for wasm32-wasi"
        ))),
        _ => Ok(()),
    }
}

/// Machine code of a module that was counted and written as bitcode.
fn generate(session: Session, kept: Kept, job: &ModuleJob) -> Result<(), WorkError> {
    let maps = read_maps(&kept.map)?;
    let cost = job.cost.facts();
    if let Some((_, map)) = maps.first()
        && job.cost != CostModel::Unit
        && map.cost != cost
    {
        return Err(WorkError::Refused(format!(
            "it was counted with cost model {}, not {}; count it again from its sources",
            map.cost.name, cost.name
        )));
    }
    if job.product == Product::Counted {
        return Err(WorkError::Refused("it is counted already".to_owned()));
    }
    write_map_file(job, &kept.map)?;
    session.embed_map(&job.map)?;
    Ok(session.emit_kept(&job.output, emission(&job.code), kept)?)
}
