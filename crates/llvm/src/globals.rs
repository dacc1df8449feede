//! What does a module hold beside its functions? Read once, behind them.
//!
//! What initialisers lead to is asked of LLVM (`shim/globals.cpp`), which walks
//! over each constant of a global once. Cost: linear in globals and constants.

use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use opcost_index::Id;
use opcost_ir::{Global, GlobalId, GlobalKind, Initializer, Linkage, Module};

use crate::facts::{linkage, name_of};
use crate::reader::Reader;
use crate::{facts_ffi, ffi};

impl Reader {
    /// Gives data and second names their ids before constants refer to them.
    pub(crate) fn number_globals(&mut self, module: LLVMModuleRef) {
        for (position, (global, _)) in globals_of(module).into_iter().enumerate() {
            self.interned.data.insert(global, GlobalId::new(position));
        }
    }

    /// Data, second names, initialisers and the names of metadata.
    pub(crate) fn beside_functions(&mut self, handle: LLVMModuleRef, module: &mut Module) {
        for (global, kind) in globals_of(handle) {
            let mut read = self.global(global, kind);
            if self.is_in_detail {
                read.contents = self.contents(global);
                self.name_data(global, &mut read);
            }
            module.globals.push(read);
        }
        for at_end in [false, true] {
            self.initializers(handle, at_end, module);
        }
        // SAFETY: the module is alive; the text is ours.
        let names = ffi::take_message(unsafe { ffi::opcost_assembly_names(handle) });
        module.assembly_names = names.iter().flat_map(|text| text.lines()).map(Into::into).collect();
        let (mut position, mut length) = (0, 0);
        loop {
            // SAFETY: the name is copied at once; null ends the list.
            let name = unsafe { ffi::opcost_metadata_name(handle, position, &mut length) };
            if name.is_null() {
                break;
            }
            // SAFETY: as LLVM gave it.
            module.metadata.push(unsafe { ffi::borrowed(name, length) }.into());
            position += 1;
        }
    }

    fn global(&mut self, handle: LLVMValueRef, kind: GlobalKind) -> Global {
        // SAFETY: a live global; declarations have no initialiser.
        let (facts, is_declared) =
            unsafe { (ffi::opcost_global_facts(handle), LLVMIsDeclaration(handle) != 0) };
        // SAFETY: as above.
        let is_common = unsafe { LLVMGetLinkage(handle) } == LLVMLinkage::LLVMCommonLinkage;
        // SAFETY: as above; the text is ours.
        let implicit = ffi::take_message(unsafe { ffi::opcost_implicit_section(handle) });
        // SAFETY: as above.
        let (more, ty) = unsafe { (facts_ffi::opcost_data_facts(handle), LLVMGlobalGetValueType(handle)) };
        Global {
            name: name_of(handle),
            kind,
            linkage: match linkage(handle) {
                _ if is_declared => Linkage::Elsewhere,
                _ if is_common => Linkage::Exact,
                linkage => linkage,
            },
            section: section_of(handle).or(implicit.map(Into::into)),
            place: self.places.of_global(handle),
            leads_into_code: facts & 1 != 0,
            gives_away_blocks: facts & 2 != 0,
            ty: self.interned.ty(ty),
            is_constant: more & 1 != 0,
            is_thread_local: more & 2 != 0,
            is_declared,
            is_given_away: more & 4 != 0,
            contents: None,
            source_name: None,
            members: Vec::new(),
        }
    }

    fn initializers(&mut self, handle: LLVMModuleRef, at_end: bool, module: &mut Module) {
        // SAFETY: the module is alive, here and below.
        let count = unsafe { ffi::opcost_initializer_count(handle, at_end) };
        for position in 0..count {
            let mut priority = 0;
            // SAFETY: below the count.
            let function = unsafe { ffi::opcost_initializer(handle, at_end, position, &mut priority) };
            let function = self.globals.get(&function).copied();
            module.initializers.push(Initializer { priority, function, at_end });
        }
    }
}

/// Data, second names and functions chosen at the start, in module order.
fn globals_of(module: LLVMModuleRef) -> Vec<(LLVMValueRef, GlobalKind)> {
    type Step = unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef;
    // SAFETY: the module is alive.
    let firsts = unsafe {
        [LLVMGetFirstGlobal(module), LLVMGetFirstGlobalAlias(module), LLVMGetFirstGlobalIFunc(module)]
    };
    let kinds = [GlobalKind::Variable, GlobalKind::Alias, GlobalKind::Resolver];
    let steps: [Step; 3] = [LLVMGetNextGlobal, LLVMGetNextGlobalAlias, LLVMGetNextGlobalIFunc];
    let mut all = Vec::new();
    for ((first, kind), step) in firsts.into_iter().zip(kinds).zip(steps) {
        let mut global = first;
        while !global.is_null() {
            all.push((global, kind));
            // SAFETY: a global of the kind that the step goes over.
            global = unsafe { step(global) };
        }
    }
    all
}

/// The section that a global asks for.
pub(crate) fn section_of(handle: LLVMValueRef) -> Option<Box<str>> {
    // SAFETY: a live global; the name is null or terminated, and copied.
    unsafe {
        let name = LLVMGetSection(handle);
        let is_named = !name.is_null() && *name != 0;
        is_named.then(|| std::ffi::CStr::from_ptr(name).to_string_lossy().into())
    }
}

/// Attributes of a function that are texts, and its other marks.
pub(crate) fn marks_of(function: LLVMValueRef) -> Vec<Box<str>> {
    let mut marks: Vec<Box<str>> = Vec::new();
    let mut length = 0;
    loop {
        // SAFETY: a live function; the name is copied at once, null ends the list.
        let name = unsafe { ffi::opcost_text_attribute(function, marks.len() as u32, &mut length) };
        if name.is_null() {
            break;
        }
        // SAFETY: as LLVM gave it.
        marks.push(unsafe { ffi::borrowed(name, length) }.into());
    }
    // SAFETY: a live function.
    let extras = unsafe { ffi::opcost_function_extras(function) };
    let words = [(1, "prefix"), (2, "prologue"), (4, "gc"), (8, "dllexport")];
    marks.extend(words.into_iter().filter(|(bit, _)| extras & bit != 0).map(|(_, word)| word.into()));
    marks.extend(is_of_function(function).then(|| "personality".into()));
    marks
}

/// Whether a function has it as its personality, or in the data before its code. The unwinder may
/// call it then, and so may anyone who reads the data.
fn is_of_function(function: LLVMValueRef) -> bool {
    // SAFETY: a live function, and its users.
    unsafe {
        let mut one = LLVMGetFirstUse(function);
        while !one.is_null() {
            if !LLVMIsAFunction(LLVMGetUser(one)).is_null() {
                return true;
            }
            one = LLVMGetNextUse(one);
        }
    }
    false
}
