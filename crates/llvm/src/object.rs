//! What code is in an object file, and what is a linker to fill in?
//!
//! ELF, COFF and Mach-O, read by LLVM, so that relocations have their formats'
//! own names. A name without a size (COFF, Mach-O) lasts until the next one.
//! Cost: linear in code, names and relocations.

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;

use crate::code_ffi::{self, RawCodeSink};
use crate::ffi;
use crate::session::{LlvmError, c_path};

/// A field that the linker fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRelocation {
    /// From the section's first byte.
    pub offset: u64,
    /// `R_X86_64_PLT32`
    pub kind: String,
    /// A symbol, or a section.
    pub symbol: String,
    /// What is added, if the table says so; COFF and Mach-O have it in the bytes.
    pub addend: Option<i64>,
}

/// A name in a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectSymbol {
    /// As the object has it.
    pub name: String,
    /// Its first byte.
    pub from: u64,
    /// The byte after its last.
    pub to: u64,
}

/// A section of code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeSection {
    /// `.text`
    pub name: String,
    /// All of it.
    pub bytes: Vec<u8>,
    /// By place.
    pub symbols: Vec<ObjectSymbol>,
    /// By place.
    pub relocations: Vec<ObjectRelocation>,
}

/// The code of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectCode {
    /// The machine, as LLVM names it by what the file says.
    pub triple: String,
    /// Features that the file says its code uses, as LLVM writes them.
    pub features: String,
    /// In the order of the file.
    pub sections: Vec<CodeSection>,
}

impl ObjectCode {
    /// Reads an object.
    ///
    /// # Errors
    /// It is no object, or breaks its format's rules; in LLVM's words.
    pub fn read(path: &Path) -> Result<ObjectCode, LlvmError> {
        let text = c_path(path)?;
        let mut code = ObjectCode::default();
        let sink = RawCodeSink {
            context: (&raw mut code).cast(),
            section: on_section,
            symbol: on_symbol,
            relocation: on_relocation,
            features: on_features,
        };
        // SAFETY: the path is terminated; the sink's context is the code.
        match ffi::take_message(unsafe { code_ffi::opcost_object_read(text.as_ptr(), &sink) }) {
            Some(message) => Err(LlvmError::Unreadable(message)),
            None => {
                code.sections.iter_mut().for_each(CodeSection::tidy);
                Ok(code)
            }
        }
    }

    /// The section and place of a function, by its linkage name.
    pub fn function(&self, name: &str) -> Option<(&CodeSection, &ObjectSymbol)> {
        self.sections.iter().find_map(|section| {
            // Mach-O and 32-bit COFF put a sign before every name.
            let is_it = |symbol: &&ObjectSymbol| {
                symbol.name == name || symbol.name.strip_prefix('_').is_some_and(|rest| rest == name)
            };
            let exact = section.symbols.iter().find(|symbol| symbol.name == name);
            Some((section, exact.or_else(|| section.symbols.iter().find(is_it))?))
        })
    }
}

impl CodeSection {
    /// Puts all in order and ends names without a size.
    fn tidy(&mut self) {
        self.symbols.sort_by_key(|symbol| symbol.from);
        self.relocations.sort_by_key(|relocation| relocation.offset);
        let starts: Vec<u64> = self.symbols.iter().map(|symbol| symbol.from).collect();
        for symbol in &mut self.symbols {
            if symbol.to == symbol.from {
                let next = starts.iter().find(|&&start| start > symbol.from);
                symbol.to = next.copied().unwrap_or(self.bytes.len() as u64);
            }
        }
    }
}

fn text(words: *const c_char) -> String {
    // SAFETY: the shim's texts are terminated and live as long as the call.
    unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned()
}

fn code<'a>(context: *mut c_void) -> &'a mut ObjectCode {
    // SAFETY: the context is the code of `read`, which waits; nobody else has it.
    unsafe { &mut *context.cast() }
}

extern "C" fn on_section(context: *mut c_void, name: *const c_char, bytes: *const u8, count: usize) {
    // SAFETY: so many bytes lie there; there are no sections without.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, count) }.to_vec();
    code(context).sections.push(CodeSection { name: text(name), bytes, ..CodeSection::default() });
}

extern "C" fn on_symbol(context: *mut c_void, name: *const c_char, offset: u64, size: u64) {
    if let Some(section) = code(context).sections.last_mut() {
        section.symbols.push(ObjectSymbol { name: text(name), from: offset, to: offset + size });
    }
}

extern "C" fn on_relocation(
    context: *mut c_void,
    offset: u64,
    kind: *const c_char,
    symbol: *const c_char,
    addend: i64,
    has_addend: u8,
) {
    if let Some(section) = code(context).sections.last_mut() {
        section.relocations.push(ObjectRelocation {
            offset,
            kind: text(kind),
            symbol: text(symbol),
            addend: (has_addend != 0).then_some(addend),
        });
    }
}

extern "C" fn on_features(context: *mut c_void, triple: *const c_char, features: *const c_char) {
    let code = code(context);
    (code.triple, code.features) = (text(triple), text(features));
}
