//! How are source files named, below the root of the build, and how are many names told?

use std::path::Path;

use opcost_answer::names::{relative, tidy};
use opcost_ir::Module;

/// Source files get their names below the root.
pub(crate) fn name_files(module: &mut Module, root: &Path) {
    let working = std::env::current_dir().unwrap_or_default();
    for file in module.files.values_mut() {
        *file = relative(&tidy(&working.join(file.as_str())), root);
    }
}

/// Names that an error lists, at most.
const LISTED: usize = 12;

/// The first names of many, and how many there are after them.
pub(crate) fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", names.join(", "))
}
