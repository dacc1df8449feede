//! A module whose functions are replaced while it runs, and later versions of them.
//!
//! First versions are those of a module that is sampled ([`super::sampled`]): the same map and table lead samples to
//! blocks. Before the optimiser runs, the module is written: later versions are made of that.

use std::path::Path;

use opcost_ir::{Global, Module};
use opcost_job::live::{
    FunctionWeights, KnownMemory, KnownObject, KnownValue, LiveFunction, LiveLoop, LiveValue, LiveWish,
    MadeVersion, Replaced, VersionJob,
};
use opcost_llvm::{BranchWeights, Session, VersionRequest};
use rustix::time::{ClockId, clock_gettime};

use super::prepared::emission;
use crate::error::WorkError;

/// Makes first versions of a module whose instructions are numbered.
pub(super) fn first_versions(session: &mut Session, wish: &LiveWish) -> Result<Vec<LiveFunction>, WorkError> {
    if wish.replaced == Replaced::Nothing {
        return Ok(Vec::new());
    }
    session.share(wish.number)?;
    session.write(&wish.basis)?;
    let suffix = format!(".opc{}", wish.number);
    let functions = session.add_checks(wish.replaced == Replaced::Loops)?.into_iter();
    Ok(functions.map(|one| live_function(one, &suffix)).collect())
}

fn live_function(one: opcost_llvm::LiveFunction, suffix: &str) -> LiveFunction {
    let loops = one.loops.into_iter().map(|header| LiveLoop {
        block: header.block,
        depth: header.depth,
        outer: header.outer,
        values: header
            .values
            .into_iter()
            .map(|value| LiveValue {
                is_fixed: value.is_fixed,
                offset: value.offset,
                bytes: value.bytes,
                object: value.object,
            })
            .collect(),
    });
    LiveFunction {
        name: one.symbol.strip_suffix(suffix).unwrap_or(&one.symbol).to_owned(),
        symbol: one.symbol,
        why_not: one.why_not,
        why_stays: one.why_stays,
        loops: loops.collect(),
        variables: one.variables,
    }
}

/// What a module only declares and may have an address.
pub(super) fn imports(module: &Module) -> Vec<String> {
    let functions = module.declarations.values().filter(|one| !one.is_intrinsic).map(|one| &one.name);
    let is_variable = |one: &&Global| one.is_declared && !one.is_thread_local;
    let variables = module.globals.values().filter(is_variable).map(|one| &one.name);
    functions.chain(variables).filter(|name| !name.contains(['"', '\\', '\n'])).cloned().collect()
}

/// Makes a later version.
///
/// # Errors
/// There is no such function or loop, or LLVM says no.
pub(crate) fn version(job: &VersionJob) -> Result<MadeVersion, WorkError> {
    let before = processor_seconds();
    let weights: Vec<BranchWeights> = job.weights.iter().map(branch_weights).collect();
    let values: Vec<opcost_llvm::KnownValue> =
        job.known.iter().flat_map(|known| &known.values).map(|value| known_value(*value)).collect();
    let memory: Vec<opcost_llvm::KnownMemory<'_>> =
        job.known.iter().flat_map(|known| &known.memory).map(known_memory).collect();
    let known = job.known.as_ref().map(|known| opcost_llvm::KnownActivation {
        header: known.header,
        values: &values,
        memory: &memory,
    });
    let request = VersionRequest {
        basis: Path::new(&job.basis),
        symbol: &job.symbol,
        headers: &job.headers,
        known,
        weights: &weights,
        has_entry: job.has_entry,
        is_native: job.is_native,
    };
    let mut session = Session::version(&request)?;
    if job.level > 0 {
        session.optimise(emission(&job.code), job.level)?;
    }
    session.call_by_words()?;
    session.emit(&job.output, emission(&job.code))?;
    Ok(MadeVersion { seconds: processor_seconds() - before })
}

fn known_value(value: KnownValue) -> opcost_llvm::KnownValue {
    match value {
        KnownValue::Unknown => opcost_llvm::KnownValue::Unknown,
        KnownValue::Fixed(value) => opcost_llvm::KnownValue::Fixed(value),
        KnownValue::Once(value) => opcost_llvm::KnownValue::Once(value),
    }
}

fn known_memory(one: &KnownMemory) -> opcost_llvm::KnownMemory<'_> {
    let object = match &one.object {
        KnownObject::Variable(name) => opcost_llvm::KnownObject::Variable(name),
        KnownObject::Frame(value) => opcost_llvm::KnownObject::Frame(*value),
    };
    opcost_llvm::KnownMemory { object, bytes: &one.bytes }
}

fn branch_weights(one: &FunctionWeights) -> BranchWeights {
    BranchWeights { symbol: one.symbol.clone(), entries: one.entries, branches: one.branches.clone() }
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
