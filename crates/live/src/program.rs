//! What does a linked executable say of itself that later code must know?
//!
//! Read is the executable's file, never its memory: it has fixed addresses, so both agree.
//! Addresses of symbols come from `.symtab`, and from `.dynsym` for copies of variables of
//! libraries and for entries of the PLT that stand for functions. Names with `@` in `.symtab` are
//! left to `.dynsym`, which has them without version.
//!
//! A local name that stands for two addresses is ambiguous, and it is never chosen from.
//! A global name wins over local ones. A hidden global is local in a linked file, but still
//! one of its kind; it counts as global here. A function of the type IFUNC has no address: it has
//! a slot where the program notes what was chosen, or nothing.
//!
//! Thread-locals follow variant II of the ABI: the block of the executable ends at the thread
//! pointer, rounded up to its alignment. Input: the bytes of the file, at a multiple of eight in
//! memory. Cost: one pass over symbols and relocations. Limits: x86-64, not PIE, not stripped.

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, Sym};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dynamic::{Cells, Slots};
use crate::error::LiveError;
use crate::symbol::{Header, ProgramSymbol, SymbolKind, Symbols};

/// What a name means in the executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolLookup {
    /// One symbol that all parts of the program mean by this name.
    Shared(ProgramSymbol),
    /// One symbol of this name, which was local to its object.
    Local(ProgramSymbol),
    /// Several.
    Ambiguous,
    /// None.
    Nothing,
}

/// The executable's `.eh_frame_hdr`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExceptionHeader {
    /// Where it is.
    pub address: u64,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// The executable's part of the thread-local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadBlock {
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment; a power of two.
    pub align: u64,
    /// Where its first content is in the file's addresses.
    pub address: u64,
}

/// The facts of an executable at fixed addresses.
#[derive(Clone, Debug)]
pub struct LiveProgram {
    symbols: FxHashMap<String, SymbolLookup>,
    slots: Slots,
    unowned: FxHashSet<String>,
    threads: Option<ThreadBlock>,
    exceptions: Option<ExceptionHeader>,
}

impl LiveProgram {
    /// Reads the bytes of an executable's file.
    pub fn read(bytes: &[u8]) -> Result<Self, LiveError> {
        let header = Header::parse(bytes).map_err(|_| LiveError::Machine)?;
        let endian = header.endian().map_err(|_| LiveError::Machine)?;
        if header.e_machine(endian) != elf::EM_X86_64 {
            return Err(LiveError::Machine);
        }
        if header.e_type(endian) != elf::ET_EXEC {
            return Err(LiveError::NotFixed);
        }
        let segments = header.program_headers(endian, bytes)?;
        let sections = header.sections(endian, bytes)?;
        let table = sections.symbols(endian, bytes, elf::SHT_SYMTAB)?;
        if table.is_empty() {
            return Err(LiveError::NoSymbols);
        }
        let dynamic = sections.symbols(endian, bytes, elf::SHT_DYNSYM)?;
        let mut symbols = FxHashMap::default();
        let mut cells = Cells::protected(segments);
        note_symbols(&mut symbols, &mut cells, &table)?;
        note_dynamic(&mut symbols, &dynamic)?;
        let unowned = unowned(&dynamic)?;
        let slots = Slots::read(bytes, &sections, &dynamic, &cells)?;
        let (threads, exceptions) = (thread_block(segments), exception_header(segments, bytes)?);
        Ok(Self { symbols, slots, unowned, threads, exceptions })
    }

    /// What `name` means.
    pub fn find(&self, name: &str) -> SymbolLookup {
        self.symbols.get(name).copied().unwrap_or(SymbolLookup::Nothing)
    }

    /// Where the program keeps the address of the dynamic symbol `name` once it has started.
    /// `None` also if libraries have several versions of the name.
    pub fn slot(&self, name: &str) -> Option<u64> {
        self.slots.address(name)
    }

    /// Whether `name` is weak and neither the program nor a library had it when the program was
    /// linked. Then its address is 0 wherever the linker wrote it into code.
    pub fn is_unowned(&self, name: &str) -> bool {
        self.unowned.contains(name)
    }

    /// Where the program keeps the offset of a library's thread-local variable from the thread
    /// pointer.
    pub fn thread_slot(&self, name: &str) -> Option<u64> {
        self.slots.thread(name)
    }

    /// Where the program keeps the function that `chooser` chose. It is the address of a symbol
    /// of the kind [`SymbolKind::Chosen`].
    pub fn chosen_slot(&self, chooser: u64) -> Option<u64> {
        self.slots.chosen(chooser)
    }

    /// The offset from the thread pointer of what is `offset` bytes into the executable's
    /// thread-local block; `None` if it has no such block.
    pub fn thread_offset(&self, offset: u64) -> Option<i64> {
        let block = self.threads?;
        // What the loader leaves free so that the end is the thread pointer and the start aligned.
        let free = block.address.wrapping_add(block.size).wrapping_neg() & (block.align - 1);
        Some(offset.wrapping_sub(block.size).wrapping_sub(free) as i64)
    }

    /// The executable's thread-local block, if it has one.
    pub fn thread_block(&self) -> Option<ThreadBlock> {
        self.threads
    }

    /// The executable's `.eh_frame_hdr`, if it has one.
    pub fn exception_header(&self) -> Option<&ExceptionHeader> {
        self.exceptions.as_ref()
    }
}

/// The name of a symbol as text.
fn name_of<'data>(
    table: &Symbols<'data>,
    index: usize,
    symbol: &elf::Sym64<LE>,
) -> Result<&'data str, LiveError> {
    std::str::from_utf8(table.symbol_name(LE, symbol)?).map_err(|_| LiveError::Name { index })
}

fn kind_of(symbol: &elf::Sym64<LE>) -> SymbolKind {
    match symbol.st_type() {
        elf::STT_FUNC => SymbolKind::Function,
        elf::STT_OBJECT => SymbolKind::Object,
        elf::STT_TLS => SymbolKind::ThreadLocal,
        elf::STT_GNU_IFUNC => SymbolKind::Chosen,
        _ => SymbolKind::Untyped,
    }
}

fn described(symbol: &elf::Sym64<LE>) -> ProgramSymbol {
    ProgramSymbol { address: symbol.st_value(LE), size: symbol.st_size(LE), kind: kind_of(symbol) }
}

/// Notes what `.symtab` defines, and which data have names.
fn note_symbols(
    symbols: &mut FxHashMap<String, SymbolLookup>,
    cells: &mut Cells,
    table: &Symbols<'_>,
) -> Result<(), LiveError> {
    for (index, symbol) in table.enumerate() {
        if matches!(symbol.st_type(), elf::STT_SECTION | elf::STT_FILE) || symbol.is_undefined(LE) {
            continue;
        }
        let name = name_of(table, index.0, symbol)?;
        let found = described(symbol);
        if found.kind != SymbolKind::ThreadLocal {
            cells.note(name, &found);
        }
        if name.is_empty() || name.contains('@') {
            continue;
        }
        let hidden = matches!(symbol.st_visibility(), elf::STV_HIDDEN | elf::STV_INTERNAL);
        let shared = symbol.st_bind() != elf::STB_LOCAL || hidden;
        note(symbols, name, if shared { SymbolLookup::Shared(found) } else { SymbolLookup::Local(found) });
    }
    Ok(())
}

/// Notes what `.dynsym` gives an address. These are copies of variables, and entries of the PLT that are
/// a function's address for the whole program.
fn note_dynamic(symbols: &mut FxHashMap<String, SymbolLookup>, table: &Symbols<'_>) -> Result<(), LiveError> {
    for (index, symbol) in table.enumerate() {
        let stands_for = symbol.st_type() == elf::STT_FUNC && symbol.st_value(LE) != 0;
        if symbol.is_local() || (symbol.is_undefined(LE) && !stands_for) {
            continue;
        }
        let name = name_of(table, index.0, symbol)?;
        note(symbols, name, SymbolLookup::Shared(described(symbol)));
    }
    Ok(())
}

/// Weak names that nobody defined. A library that did would have given their type.
fn unowned(table: &Symbols<'_>) -> Result<FxHashSet<String>, LiveError> {
    let mut names = FxHashSet::default();
    for (index, symbol) in table.enumerate() {
        let untyped = symbol.st_type() == elf::STT_NOTYPE && symbol.st_value(LE) == 0;
        if symbol.is_undefined(LE) && symbol.is_weak() && untyped {
            names.insert(name_of(table, index.0, symbol)?.to_owned());
        }
    }
    Ok(names)
}

/// Adds one meaning of a name to those that are known.
fn note(symbols: &mut FxHashMap<String, SymbolLookup>, name: &str, new: SymbolLookup) {
    let known = symbols.get(name).copied().unwrap_or(SymbolLookup::Nothing);
    let meaning = match (known, new) {
        (SymbolLookup::Nothing, new) => new,
        (SymbolLookup::Shared(old), SymbolLookup::Shared(new))
        | (SymbolLookup::Local(old), SymbolLookup::Local(new))
            if same(&old, &new) =>
        {
            return;
        }
        (SymbolLookup::Local(_) | SymbolLookup::Ambiguous, SymbolLookup::Shared(_)) => new,
        (SymbolLookup::Shared(_), SymbolLookup::Local(_)) => return,
        _ => SymbolLookup::Ambiguous,
    };
    symbols.insert(name.to_owned(), meaning);
}

fn same(old: &ProgramSymbol, new: &ProgramSymbol) -> bool {
    let threads = |symbol: &ProgramSymbol| symbol.kind == SymbolKind::ThreadLocal;
    old.address == new.address && threads(old) == threads(new)
}

fn thread_block(segments: &[elf::ProgramHeader64<LE>]) -> Option<ThreadBlock> {
    let segment = segments.iter().find(|segment| segment.p_type(LE) == elf::PT_TLS)?;
    let align = segment.p_align(LE).max(1);
    // A linker writes powers of two. For anything else no offset could be right.
    let block = ThreadBlock { size: segment.p_memsz(LE), align, address: segment.p_vaddr(LE) };
    align.is_power_of_two().then_some(block)
}

fn exception_header(
    segments: &[elf::ProgramHeader64<LE>],
    bytes: &[u8],
) -> Result<Option<ExceptionHeader>, LiveError> {
    let Some(segment) = segments.iter().find(|segment| segment.p_type(LE) == elf::PT_GNU_EH_FRAME) else {
        return Ok(None);
    };
    let data = segment.data(LE, bytes).map_err(|()| LiveError::FramesForm { offset: 0 })?;
    Ok(Some(ExceptionHeader { address: segment.p_vaddr(LE), bytes: data.to_vec() }))
}
