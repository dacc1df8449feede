//! How are source files named: below the root of the build?

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
