//! A module as it is, with its map and a table of its machine code beside it.
//!
//! Nothing is added to what runs: the code is byte for byte that of a build
//! without opcost. Input: a module, and the optimiser's level if it is to run behind
//! the anchor. Output: an object whose sections that are not loaded tell which code
//! stands for which instruction and block, and how often.

use std::path::PathBuf;

use opcost_instrument::{Bodies, survey};
use opcost_job::module::{LiveWish, ModuleJob, ModulePurpose, ModuleReply, Product, Replaced};
use opcost_key::Hash128;
use opcost_key::live::ReplaceableFunction;
use opcost_llvm::{Emission, Session};
use opcost_profile::formats::map::write_map;

use super::live;
use super::prepared::{emission, plan_request, write_map_file};
use super::stopwatch::Stopwatch;
use super::texts::{sources_of, texts_of};
use crate::error::WorkError;

/// Instructions of a module whose first code has to be there as soon as it can.
const LARGE: usize = 100_000;

/// Writes the object.
pub(crate) fn table_code(
    mut session: Session,
    job: &ModuleJob,
    mut watch: Stopwatch,
) -> Result<ModuleReply, WorkError> {
    if job.product != Product::Object {
        return Err(WorkError::Refused(
            "what is sampled becomes machine code: --emit exe, obj or shared".to_owned(),
        ));
    }
    let (optimise, live) = purpose(job);
    if live.is_some_and(|wish| wish.replaced == Replaced::Loops) {
        session.simplify(emission(&job.code))?;
        watch.lap("simplified");
    }
    let mut module = session.snapshot();
    watch.lap("snapshot");
    let instructions = module.functions.values().map(|function| function.instructions.len()).sum();
    let imports = live.map_or_else(Vec::new, |_| live::imports(&module));
    // Of the module as it is now; LLVM's goes on meanwhile.
    let mapped = std::thread::scope(|scope| {
        let mapped = scope.spawn(|| map(&mut module, job, optimise.is_some()));
        let functions = first_code(&mut session, job, &mut watch);
        let mapped = mapped.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        mapped.and_then(|mapped| Ok((mapped, functions?)))
    });
    let (Mapped { sources, block_of, hash }, functions) = mapped?;
    watch.lap("map");
    session.embed_map(&job.map)?;
    // Of a large module the first output waits for every millisecond of this.
    let allocate_registers = live.is_some() && instructions <= LARGE;
    let how = Emission { allocate_registers, ..emission(&job.code) };
    session.emit_sampled(&job.output, how, hash, &block_of)?;
    watch.lap("machine code");
    Ok(ModuleReply {
        phases: Some(watch.finish(instructions)),
        sources,
        functions,
        imports,
        ..ModuleReply::default()
    })
}

/// What is known of a module in addition to its code.
struct Mapped {
    sources: Vec<PathBuf>,
    /// For each instruction its block, if the optimiser runs.
    block_of: Vec<u32>,
    hash: Hash128,
}

/// Writes the map of a module.
fn map(module: &mut opcost_ir::Module, job: &ModuleJob, is_optimised: bool) -> Result<Mapped, WorkError> {
    let wanted = plan_request(module, job);
    let mut map = survey(module, &wanted, Bodies::Own)?;
    map.texts = texts_of(module, job);
    let (bytes, hash) = write_map(&map);
    write_map_file(job, &bytes)?;
    let block_of = if is_optimised { blocks_of(module) } else { Vec::new() };
    Ok(Mapped { sources: sources_of(module, job), block_of, hash })
}

/// Numbers instructions, and has the optimiser run if it is to. Functions that can be replaced.
fn first_code(
    session: &mut Session,
    job: &ModuleJob,
    watch: &mut Stopwatch,
) -> Result<Vec<ReplaceableFunction>, WorkError> {
    let (level, live) = purpose(job);
    let Some(level) = level else {
        session.identify_mapped(false);
        return Ok(Vec::new());
    };
    let mut functions = Vec::new();
    // Without the numbers of instructions, which later versions need not carry.
    if let Some(wish) = live {
        live::write_basis(session, wish)?;
        watch.lap("basis");
    }
    session.identify_mapped(true);
    if let Some(wish) = live {
        functions = live::first_versions(session, wish)?;
        watch.lap("words and checks");
    }
    session.optimise(emission(&job.code), level)?;
    if let Some(wish) = live.filter(|wish| wish.replaced >= Replaced::Entries) {
        session.add_words(wish.number)?;
    }
    watch.lap("optimiser");
    Ok(functions)
}

/// The level of the optimiser, if it runs, and what is replaced.
fn purpose(job: &ModuleJob) -> (Option<u8>, Option<&LiveWish>) {
    match &job.purpose {
        ModulePurpose::Sample { optimise } => (*optimise, None),
        ModulePurpose::Live(wish) => (Some(wish.level), Some(wish)),
        other => unreachable!("{other:?} has no table"),
    }
}

/// For each instruction of the map its block, numbered through the map.
fn blocks_of(module: &opcost_ir::Module) -> Vec<u32> {
    let functions = module.functions.values().filter(|function| Bodies::Own.has(function));
    let blocks = functions.flat_map(|function| function.blocks.values());
    let each = blocks.zip(0u32..).map(|(block, number)| (block.instructions.len(), number));
    each.flat_map(|(instructions, number)| std::iter::repeat_n(number, instructions)).collect()
}
