//! Which file does a question mean, and what is said where no code comes from it?
//!
//! A module that was compiled already (`prog.bc`, `prog.ll`) has no lines of its own: its lines
//! are those of its sources. Where it has one source, a question about `prog.ll:3` means line 3 of
//! that source. Where it has several, the question has to name one.
//!
//! Input: the module and the file by the user's word. Output: the file by the name that the
//! module has for it, or why there is none and what to ask. Cost: one pass over the module.

use std::collections::BTreeSet;
use std::path::Path;

use opcost_ir::Module;
use opcost_life::sources_of;

use crate::error::WorkError;
use crate::names::listed;

/// Whether a file is a module, whose lines are those of its sources.
pub(crate) fn is_module(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|extension| extension == "bc" || extension == "ll")
}

/// The source whose lines are selected.
///
/// # Errors
/// The file is a module without lines, or of several sources.
pub(crate) fn selected_file(module: &Module, file: &str) -> Result<String, WorkError> {
    if !is_module(file) {
        return Ok(file.to_owned());
    }
    let mut sources = sources_of(module, file);
    match sources.len() {
        0 => Err(WorkError::Usage(without_code(module, file))),
        1 => Ok(sources.remove(0)),
        _ => Err(WorkError::Usage(format!(
            "{file} comes from several sources: {}; ask for a line of one of them, or by --function",
            listed(sources)
        ))),
    }
}

/// What is said of a file that no instruction comes from.
pub(crate) fn without_code(module: &Module, file: &str) -> String {
    if module.functions.values().all(|function| function.blocks.is_empty()) {
        return format!(
            "no code comes from {file}: it defines no function, or only inline ones that nothing uses"
        );
    }
    let places = module.functions.values().flat_map(|function| function.instructions.values());
    let files: BTreeSet<&str> = places
        .filter_map(|instruction| instruction.place)
        .map(|place| &*module.files[module.places[place].file])
        .collect();
    if files.is_empty() {
        let ask = "or ask by --function";
        return format!("{file} says nothing of lines; compile it with -gline-tables-only, {ask}");
    }
    format!(
        "no code comes from {file}; the code comes from {}; ask for a line there, or by --function",
        listed(files.into_iter().map(str::to_owned).collect())
    )
}
