//! Where in the source does an instruction come from?
//!
//! Debug locations are interned by their metadata pointer; the chain of
//! inlined-at is followed once per distinct location. Cost: one hash look-up
//! per instruction.

use llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDILocationGetColumn, LLVMDILocationGetInlinedAt,
    LLVMDILocationGetLine, LLVMDILocationGetScope, LLVMDIScopeGetFile, LLVMDISubprogramGetLine,
    LLVMGetSubprogram, LLVMInstructionGetDebugLoc,
};
use llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};
use opcost_index::IdMap;
use opcost_key::{FileId, Place, PlaceId};
use rustc_hash::FxHashMap;

use crate::ffi;

/// Files and places of a module, while they are collected.
#[derive(Default)]
pub(crate) struct Places {
    pub(crate) files: IdMap<FileId, String>,
    /// MD5 of files as they were compiled, where the module says one and no other.
    pub(crate) checksums: IdMap<FileId, Option<Box<str>>>,
    pub(crate) places: IdMap<PlaceId, Place>,
    file_ids: FxHashMap<LLVMMetadataRef, FileId>,
    file_names: FxHashMap<String, FileId>,
    place_ids: FxHashMap<LLVMMetadataRef, PlaceId>,
}

impl Places {
    /// The place of an instruction, if its module has debug locations.
    pub(crate) fn of_instruction(&mut self, instruction: LLVMValueRef) -> Option<PlaceId> {
        // SAFETY: the instruction is alive.
        let location = unsafe { LLVMInstructionGetDebugLoc(instruction) };
        (!location.is_null()).then(|| self.of_location(location))
    }

    /// Where a function is written.
    pub(crate) fn of_function(&mut self, function: LLVMValueRef) -> Option<PlaceId> {
        // SAFETY: the function is alive; a missing subprogram is null.
        let subprogram = unsafe { LLVMGetSubprogram(function) };
        if subprogram.is_null() {
            return None;
        }
        let file = self.file_of_scope(subprogram)?;
        // SAFETY: a subprogram, as just checked.
        let line = unsafe { LLVMDISubprogramGetLine(subprogram) };
        Some(self.places.push(Place { file, line, column: 0, inlined_function: None, inlined_at: None }))
    }

    /// Where a variable is written, if its module says so of data.
    pub(crate) fn of_global(&mut self, global: LLVMValueRef) -> Option<PlaceId> {
        let mut line = 0;
        // SAFETY: the global is alive; a missing place is null.
        let file = unsafe { ffi::opcost_global_place(global, &mut line) };
        if file.is_null() {
            return None;
        }
        let file = self.file_of_scope(file)?;
        Some(self.places.push(Place { file, line, column: 0, inlined_function: None, inlined_at: None }))
    }

    fn of_location(&mut self, location: LLVMMetadataRef) -> PlaceId {
        if let Some(&known) = self.place_ids.get(&location) {
            return known;
        }
        // SAFETY: `location` is a debug location of a live module.
        let (line, column, scope, inlined_at) = unsafe {
            (
                LLVMDILocationGetLine(location),
                LLVMDILocationGetColumn(location),
                LLVMDILocationGetScope(location),
                LLVMDILocationGetInlinedAt(location),
            )
        };
        let inlined_at = (!inlined_at.is_null()).then(|| self.of_location(inlined_at));
        let inlined_function = inlined_at.map(|_| function_of_scope(scope));
        let file =
            self.file_of_scope(scope).unwrap_or_else(|| self.intern_file("<unknown>".to_owned(), None));
        let id = self.places.push(Place { file, line, column, inlined_function, inlined_at });
        self.place_ids.insert(location, id);
        id
    }

    fn file_of_scope(&mut self, scope: LLVMMetadataRef) -> Option<FileId> {
        // SAFETY: `scope` is a scope of a live module.
        let file = unsafe { LLVMDIScopeGetFile(scope) };
        if file.is_null() {
            return None;
        }
        if let Some(&known) = self.file_ids.get(&file) {
            return Some(known);
        }
        let (mut name_length, mut directory_length) = (0, 0);
        // SAFETY: `file` is a file node; the texts live as long as the module.
        let (name, directory) = unsafe {
            let name = LLVMDIFileGetFilename(file, &mut name_length);
            let directory = LLVMDIFileGetDirectory(file, &mut directory_length);
            (ffi::borrowed(name, name_length as usize), ffi::borrowed(directory, directory_length as usize))
        };
        let path =
            if name.starts_with('/') || directory.is_empty() { name } else { format!("{directory}/{name}") };
        let id = self.intern_file(path, md5_of(file));
        self.file_ids.insert(file, id);
        Some(id)
    }

    /// A file by its path. Modules that were linked may have compiled it twice, with other contents
    /// between: then nothing is known of these.
    fn intern_file(&mut self, path: String, checksum: Option<Box<str>>) -> FileId {
        match self.file_names.get(&path) {
            Some(&known) => {
                if self.checksums[known] != checksum {
                    self.checksums[known] = None;
                }
                known
            }
            None => {
                let id = self.files.push(path.clone());
                self.checksums.push(checksum);
                self.file_names.insert(path, id);
                id
            }
        }
    }
}

/// The MD5 of a file as it was compiled, where the module says it.
fn md5_of(file: LLVMMetadataRef) -> Option<Box<str>> {
    let mut length = 0;
    // SAFETY: a file node of a live module.
    let text = unsafe { ffi::opcost_file_md5(file, &mut length) };
    // SAFETY: as LLVM gave it; the text is copied at once.
    (!text.is_null()).then(|| unsafe { ffi::borrowed(text, length) }.into())
}

fn function_of_scope(scope: LLVMMetadataRef) -> String {
    let mut length = 0;
    // SAFETY: the scope of a location is a local scope; the name lives on.
    unsafe {
        let name = ffi::opcost_scope_function(scope, &mut length);
        ffi::borrowed(name, length)
    }
}
