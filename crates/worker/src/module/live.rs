//! A module whose functions are replaced while it runs, and later versions of them.
//!
//! First versions are those of a module that is sampled ([`super::sampled`]): the same map and table lead samples to
//! blocks. Before the optimiser runs, the module is written: later versions are made of that.

use opcost_ir::{Global, Module};
use opcost_job::live::{MadeVersion, VersionJob};
use opcost_job::module::{LiveWish, Replaced};
use opcost_key::Hash128;
use opcost_key::live::ReplaceableFunction;
use opcost_llvm::{Session, VersionModule};
use rustix::time::{ClockId, clock_gettime};

use super::prepared::emission;
use crate::error::WorkError;
use crate::modules::Modules;

/// Writes the module of which later versions are made.
pub(super) fn write_basis(session: &mut Session, wish: &LiveWish) -> Result<(), WorkError> {
    if wish.replaced != Replaced::Nothing {
        session.share(wish.number);
        session.write(&wish.basis)?;
    }
    Ok(())
}

/// Makes first versions of a module whose instructions are numbered.
pub(super) fn first_versions(
    session: &mut Session,
    wish: &LiveWish,
) -> Result<Vec<ReplaceableFunction>, WorkError> {
    if wish.replaced == Replaced::Nothing {
        return Ok(Vec::new());
    }
    let mut functions = session.add_checks(wish.replaced == Replaced::Loops)?;
    let suffix = format!(".opc{}", wish.number);
    for one in &mut functions {
        if let Some(name) = one.symbol.strip_suffix(&suffix) {
            name.clone_into(&mut one.name);
        }
    }
    Ok(functions)
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
pub(crate) fn version(job: &VersionJob, modules: &mut Modules) -> Result<MadeVersion, WorkError> {
    let before = processor_seconds();
    let VersionModule { mut session, block_of } = modules.basis(&job.basis)?.version(&job.plan)?;
    if job.level > 0 {
        session.optimise_version(emission(&job.code), job.level)?;
    }
    session.call_by_words()?;
    // Who requested it has the map, and knows whose version it is.
    session.emit_sampled(&job.output, emission(&job.code), Hash128::default(), &block_of)?;
    Ok(MadeVersion { seconds: processor_seconds() - before })
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
