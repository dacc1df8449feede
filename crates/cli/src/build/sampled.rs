//! A module as it is, with its map and a table of its machine code beside it.
//!
//! Nothing is added to what runs: the code is byte for byte that of a build
//! without opcost. Input: a module, and the optimiser's level if it is to run behind
//! the anchor. Output: an object whose sections that are not loaded tell which code
//! stands for which instruction and block, and how often.

use opcost_instrument::{Bodies, survey};
use opcost_llvm::Session;
use opcost_profile::formats::map::write_map;

use super::module::{ModuleRequest, Product, emission, wanted, write_map_file};
use super::phases::Stopwatch;

/// Writes the object.
pub(super) fn table_code(
    mut session: Session,
    request: &ModuleRequest,
    mut watch: Stopwatch,
) -> Result<(), String> {
    if request.product != Product::Object {
        return Err("what is sampled becomes machine code: --emit exe, obj or shared".to_owned());
    }
    let mut module = session.snapshot();
    watch.lap("snapshot");
    let instructions = module.functions.values().map(|function| function.instructions.len()).sum();
    let wanted = wanted(&mut module, request);
    let map = survey(&module, &wanted, Bodies::Own).map_err(|error| error.to_string())?;
    let block_of = request.optimise.map_or_else(Vec::new, |_| blocks_of(&module));
    drop(module);
    let (bytes, hash) = write_map(&map);
    write_map_file(request, &bytes)?;
    watch.lap("map");
    session.embed_map(&request.map).map_err(|error| error.to_string())?;
    match request.optimise {
        None => session.identify(),
        Some(level) => {
            session.identify_for_copies();
            session.optimise(emission(request), level).map_err(|error| error.to_string())?;
            watch.lap("optimiser");
        }
    }
    let written = session.emit_sampled(&request.output, emission(request), hash, &block_of);
    written.map_err(|error| error.to_string())?;
    watch.lap("machine code");
    watch.finish(instructions, &request.output.with_extension("phases"));
    Ok(())
}

/// For each instruction of the module its block, numbered through the module.
fn blocks_of(module: &opcost_ir::Module) -> Vec<u32> {
    let blocks = module.functions.values().flat_map(|function| function.blocks.values());
    let each = blocks.zip(0u32..).map(|(block, number)| (block.instructions.len(), number));
    each.flat_map(|(instructions, number)| std::iter::repeat_n(number, instructions)).collect()
}
