//! What does a file of ELF say of a symbol?
//!
//! The forms of its tables, and a symbol as opcost uses it.

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{SectionTable, SymbolTable};

pub(crate) type Header = elf::FileHeader64<LE>;
pub(crate) type Sections<'data> = SectionTable<'data, Header>;
pub(crate) type Symbols<'data> = SymbolTable<'data, Header>;

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A variable or a constant.
    Object,
    /// A variable of each thread; its address is an offset into the thread-local block.
    ThreadLocal,
    /// A function whose code is chosen when the program starts; the address is the chooser's.
    Chosen,
    /// The file does not say.
    Untyped,
}

/// A symbol that the executable defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProgramSymbol {
    /// Where it is.
    pub address: u64,
    /// How many bytes it has, if the file says so, or else 0.
    pub size: u64,
    /// What it is.
    pub kind: SymbolKind,
}
