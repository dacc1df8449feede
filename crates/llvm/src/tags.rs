//! Under which types are accesses made? Alias tags, while they are collected.
//!
//! Tags are interned by their metadata node. Cost: one call into the shim for each
//! access and each tag.

use llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};
use opcost_index::IdMap;
use opcost_ir::{Tag, TagId, TagTypeId};
use rustc_hash::FxHashMap;

use crate::{facts_ffi, ffi};

/// Tags of a module, while they are collected.
#[derive(Default)]
pub(crate) struct Tags {
    pub(crate) tags: IdMap<TagId, Tag>,
    pub(crate) types: IdMap<TagTypeId, Box<str>>,
    tag_ids: FxHashMap<LLVMMetadataRef, Option<TagId>>,
    type_ids: FxHashMap<LLVMMetadataRef, TagTypeId>,
}

/// Longest way of a tag from its base type to the root.
const LONGEST_WAY: usize = 256;

impl Tags {
    /// The tag of an access; `None` if it has none, or one that is not kept.
    pub(crate) fn of_instruction(&mut self, instruction: LLVMValueRef) -> Option<TagId> {
        // SAFETY: an instruction of the live module.
        let node = unsafe { facts_ffi::opcost_tag(instruction) };
        if node.is_null() {
            return None;
        }
        if let Some(&known) = self.tag_ids.get(&node) {
            return known;
        }
        let tag = self.read(node).map(|tag| self.tags.push(tag));
        self.tag_ids.insert(node, tag);
        tag
    }

    fn read(&mut self, node: LLVMMetadataRef) -> Option<Tag> {
        let mut steps = [facts_ffi::RawStep { ty: std::ptr::null_mut(), offset: 0 }; LONGEST_WAY];
        let (mut access, mut is_constant) = (0, false);
        // SAFETY: a node of the live module; room for as many steps as said.
        let count = unsafe {
            let room = steps.len() as u32;
            facts_ffi::opcost_tag_steps(node, steps.as_mut_ptr(), room, &mut access, &mut is_constant)
        };
        let steps: Vec<_> =
            steps[..count as usize].iter().map(|step| (self.ty(step.ty), step.offset)).collect();
        (!steps.is_empty()).then_some(Tag { steps, access, is_constant })
    }

    fn ty(&mut self, node: LLVMMetadataRef) -> TagTypeId {
        *self.type_ids.entry(node).or_insert_with(|| {
            let mut length = 0;
            // SAFETY: a node of the live module; the name is copied at once.
            let name = unsafe { ffi::borrowed(facts_ffi::opcost_tag_type_name(node, &mut length), length) };
            self.types.push(name.into())
        })
    }
}
