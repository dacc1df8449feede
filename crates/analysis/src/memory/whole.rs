//! All that is known of a module's memory, computed once.
//!
//! The parts in the order in which they rest on each other; everything that
//! asks of memory asks through this. Cost: the sum of the parts.

use opcost_ir::{GlobalId, Layout, Linkage, Module};
use opcost_key::FunctionId;

use super::addresses::{Addresses, ObjectId, ObjectKind};
use super::calls::CallGraph;
use super::external::Externals;
use super::summaries::{Own, Summaries};
use super::world::{Roots, World};
use opcost_library::Effects;

/// What is known of a module's memory.
#[derive(Clone, Debug)]
pub struct MemoryModel<'a> {
    /// The module.
    pub module: &'a Module,
    /// Sizes of its types.
    pub layout: &'a Layout,
    /// Effects of the functions that it declares.
    pub externals: Externals<'a>,
    /// Where execution comes in.
    pub roots: Roots,
    /// Where pointers point.
    pub addresses: Addresses,
    /// Who calls whom.
    pub calls: CallGraph,
    /// What functions read and write.
    pub summaries: Summaries,
}

impl<'a> MemoryModel<'a> {
    /// Everything, in order.
    pub fn of(module: &'a Module, layout: &'a Layout, effects: &'a Effects, world: World) -> MemoryModel<'a> {
        let externals = Externals::new(module, effects);
        let roots = Roots::of(module, world);
        let addresses = Addresses::compute(module, layout, &externals, &roots);
        let calls = CallGraph::compute(module, &addresses, &externals, &roots);
        let summaries = Summaries::compute(module, layout, &addresses, &externals, &calls);
        MemoryModel { module, layout, externals, roots, addresses, calls, summaries }
    }

    /// Bytes that a table's extent is at a call with these arguments; `u64::MAX` if nobody says.
    pub fn extent(&self, arguments: &[opcost_ir::Value], extent: opcost_library::effect::Extent) -> u64 {
        self.own().extent(arguments, extent)
    }

    pub(super) fn own(&self) -> Own<'_> {
        let MemoryModel { module, layout, addresses, externals, .. } = self;
        Own { module, layout, addresses, externals }
    }

    /// Whether the object is one piece of memory at a time. A store to it is then a store to it,
    /// and not to another of the same name.
    pub fn is_single(&self, object: ObjectId) -> bool {
        match self.addresses.objects().kind(object) {
            ObjectKind::Global(global) => !self.module.globals[global].is_thread_local,
            ObjectKind::Alloca(function, at) => self.is_made_once(function, at),
            ObjectKind::Copy(function, _) => !self.calls.is_recursive(function),
            ObjectKind::Fresh(function, at) => {
                self.calls.runs_once(function, self.module.functions[function].block_of(at))
            }
            _ => false,
        }
    }

    /// Whether an alloca is made once in each activation, of which there is one.
    fn is_made_once(&self, function: FunctionId, at: opcost_key::InstructionId) -> bool {
        let block = self.module.functions[function].block_of(at);
        !self.calls.is_recursive(function) && !self.calls.is_on_cycle(function, block)
    }

    /// Whether what the module says of data is what is there when the program begins,
    /// and not another definition of that name.
    pub fn is_final_data(&self, global: GlobalId) -> bool {
        let is_own = !self.externals.outside.globals.contains(global);
        self.module.globals[global].linkage != Linkage::Replaceable
            || self.roots.world == World::Closed && is_own
    }

    /// Whether the body of a function that is here is the one that runs.
    pub fn is_final_body(&self, function: FunctionId) -> bool {
        let is_own = !self.externals.outside.functions.contains(function);
        let is_exact = matches!(self.module.functions[function].linkage, Linkage::Local | Linkage::Exact);
        is_exact || self.roots.world == World::Closed && is_own
    }

    /// Whether nothing ever writes to the object.
    pub fn is_constant(&self, object: ObjectId) -> bool {
        match self.addresses.objects().kind(object) {
            ObjectKind::Global(global) => self.module.globals[global].is_constant,
            _ => false,
        }
    }
}
