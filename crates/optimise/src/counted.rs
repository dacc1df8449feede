//! What does every transform begin with?

use opcost_ir::Module;
use opcost_key::{FunctionId, ModuleMap};
use opcost_recover::{FunctionCounts, Matched};

/// A module, and the counts of a run that were laid on it.
#[derive(Clone, Copy)]
pub struct ProfiledModule<'a> {
    /// Its snapshot.
    pub module: &'a Module,
    /// Its map.
    pub map: &'a ModuleMap,
    /// Of each function its counts, or why there are none.
    pub counts: &'a Matched,
}

impl<'a> ProfiledModule<'a> {
    /// Functions whose counts are known.
    pub fn functions(self) -> impl Iterator<Item = (FunctionId, &'a FunctionCounts)> {
        self.counts.functions.iter().filter_map(|(id, counts)| Some((id, counts.as_ref().ok()?)))
    }
}
