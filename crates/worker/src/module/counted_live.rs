//! A module that is counted, and whose functions are replaced while it runs.
//!
//! It is the referee of replacement: whatever of it is replaced, each block must have run as often as `opcost count`
//! says. So counters are put in first, at the anchor, and what is replaced is made of the counted module. First code
//! and all versions add to the same counters, since what is local to a module has one name in the whole program.
//!
//! Input: a module at its anchor. Output: an object with words and checks, the map, and a table of calls, as
//! [`super::build`] makes it of a counted module. It is the referee's code: each segment has a counter of its own.
//! Limit: there is no table of code, so samples are nobody's, and `opcost run --stress` alone makes such code.

use opcost_instrument::plan;
use opcost_job::module::{LiveWish, ModuleJob, ModuleReply, Product, Replaced};
use opcost_llvm::Session;
use opcost_profile::formats::map::write_map;

use super::live;
use super::prepared::{emission, plan_request, write_map_file};
use super::stopwatch::Stopwatch;
use super::texts::{sources_of, texts_of};
use crate::error::WorkError;

/// Writes the object.
///
/// # Errors
/// The module cannot be counted, or LLVM says no.
pub(crate) fn counted_code(
    mut session: Session,
    job: &ModuleJob,
    wish: &LiveWish,
    mut watch: Stopwatch,
) -> Result<ModuleReply, WorkError> {
    if job.product != Product::Object {
        return Err(WorkError::Refused("what is replaced while it runs becomes machine code".to_owned()));
    }
    let mut module = session.snapshot();
    watch.lap("snapshot");
    let instructions = module.functions.values().map(|function| function.instructions.len()).sum();
    let imports = live::imports(&module);
    let wanted = plan_request(&mut module, job);
    let mut made = plan(&module, &wanted)?;
    made.map.texts = texts_of(&module, job);
    let sources = sources_of(&module, job);
    drop(module);
    let (bytes, hash) = write_map(&made.map);
    write_map_file(job, &bytes)?;
    watch.lap("plan and map");
    session.apply(&made.plan, hash)?;
    watch.lap("apply");
    // Later versions are made of what counts.
    live::write_basis(&mut session, wish)?;
    watch.lap("basis");
    let functions = live::first_versions(&mut session, wish)?;
    session.optimise(emission(&job.code), wish.level)?;
    if wish.replaced != Replaced::Nothing {
        session.add_words(wish.number)?;
    }
    watch.lap("words and checks");
    session.embed_map(&job.map)?;
    session.emit_counted(&job.output, emission(&job.code), &made.plan, hash)?;
    watch.lap("machine code");
    Ok(ModuleReply {
        counts_by_thread: made.plan.per_thread,
        phases: Some(watch.finish(instructions)),
        sources,
        functions,
        imports,
        ..ModuleReply::default()
    })
}
