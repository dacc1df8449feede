//! What has been read of a module so far?
//!
//! Ids of what was met, and tables that fill while it is read. Each other file
//! reads a part with it.

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef, LLVMValueRef};
use opcost_ir::Value;
use opcost_key::BlockId;
use rustc_hash::FxHashMap;

use crate::operands::Interned;
use crate::places::Places;
use crate::tags::Tags;

/// A module that is being read.
pub(crate) struct Reader {
    pub(crate) is_in_detail: bool,
    pub(crate) interned: Interned,
    pub(crate) places: Places,
    pub(crate) tags: Tags,
    pub(crate) globals: FxHashMap<LLVMValueRef, Value>,
    pub(crate) locals: FxHashMap<LLVMValueRef, Value>,
    pub(crate) block_ids: FxHashMap<LLVMBasicBlockRef, BlockId>,
}

impl Reader {
    pub(crate) fn new(module: LLVMModuleRef, is_in_detail: bool) -> Self {
        Self {
            is_in_detail,
            interned: Interned::new(module),
            places: Places::default(),
            tags: Tags::default(),
            globals: FxHashMap::default(),
            locals: FxHashMap::default(),
            block_ids: FxHashMap::default(),
        }
    }

    /// The value that a handle represents in the function at hand.
    pub(crate) fn value(&mut self, handle: LLVMValueRef) -> Value {
        if let Some(&local) = self.locals.get(&handle) {
            return local;
        }
        if let Some(&global) = self.globals.get(&handle) {
            return global;
        }
        Value::Constant(self.interned.constant(handle))
    }
}
