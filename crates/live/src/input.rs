//! Which parts of a relocatable object go into a new version, and as what?
//!
//! Each section gets a role. Code and constants are placed, and so are the tables by which
//! exceptions find their way. What is not in memory (debugging, notes) is ignored. A section
//! that can be written is refused if it holds anything, because a version owns no variables.
//! What the loader protects (`.data.rel.ro`) is constant.
//!
//! One kind of writable section is none in truth: the pointers that compilers make for
//! exceptions in position-independent code (`DW.ref.…` and stubs without a name in `.data`). A
//! section is such a table if each word of it is one address, its names begin with `DW.ref.`,
//! and only the tables of exceptions refer to it. Then nobody writes it.
//!
//! A COMDAT group without code is left out if the program defines what it is about: one variable
//! has one address. Groups with code stay, since they may be the new version itself.
//! Input: the bytes of the object, at a multiple of eight in memory. Cost: linear.

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{FileHeader, Rela, SectionHeader, Sym};

use crate::error::LinkRefused;
use crate::program::{LiveProgram, SymbolLookup};
use crate::relocation::{Field, Meaning, form};
use crate::symbol::{Header, Sections, Symbols};

/// The section that describes code. That of a linked program has the same name
/// (`opcost_profile::formats::code::CODE_SECTION`).
pub(crate) const TABLE: &str = ".debug_opcost_code";

/// What a section is in a new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Machine code.
    Code,
    /// Data that nobody writes.
    Constant,
    /// Addresses for the tables of exceptions.
    Pointers,
    /// `.eh_frame`.
    Frames,
    /// `.gcc_except_table`.
    Handlers,
    /// What is said of the code, for who samples it.
    Table,
    /// The program has it already.
    Replaced,
    /// Not in memory.
    Absent,
}

impl Role {
    /// Whether the section is part of the image.
    pub(crate) fn is_placed(self) -> bool {
        !matches!(self, Self::Table | Self::Replaced | Self::Absent)
    }

    /// Whether its bytes are read.
    fn is_read(self) -> bool {
        self.is_placed() || self == Self::Table
    }

    /// Whether only the unwinder reads the section.
    pub(crate) fn is_for_exceptions(self) -> bool {
        matches!(self, Self::Frames | Self::Handlers)
    }
}

/// A relocation of a section.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    pub(crate) offset: u64,
    pub(crate) kind: u32,
    pub(crate) symbol: usize,
    pub(crate) addend: i64,
}

/// A section of an object.
#[derive(Debug)]
pub(crate) struct Section<'data> {
    pub(crate) name: &'data str,
    pub(crate) role: Role,
    /// Empty for a section of zeros.
    pub(crate) data: &'data [u8],
    pub(crate) size: u64,
    pub(crate) align: u64,
    pub(crate) relocations: Vec<Relocation>,
    /// Whether it is part of a COMDAT group.
    pub(crate) shared: bool,
    writable: bool,
}

/// Where an object says that a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Undefined,
    Absolute,
    Section(usize),
}

/// A symbol of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbol<'data> {
    pub(crate) name: &'data str,
    pub(crate) location: Location,
    pub(crate) value: u64,
    pub(crate) size: u64,
    pub(crate) binding: u8,
    pub(crate) kind: u8,
}

/// A relocatable object, sorted.
#[derive(Debug)]
pub(crate) struct Input<'data> {
    pub(crate) sections: Vec<Section<'data>>,
    pub(crate) symbols: Vec<Symbol<'data>>,
}

impl<'data> Input<'data> {
    /// Reads an object for `program`.
    pub(crate) fn read(bytes: &'data [u8], program: &LiveProgram) -> Result<Self, LinkRefused> {
        let header = Header::parse(bytes).map_err(|_| LinkRefused::NotAnObject)?;
        let endian = header.endian().map_err(|_| LinkRefused::NotAnObject)?;
        if header.e_machine(endian) != elf::EM_X86_64 || header.e_type(endian) != elf::ET_REL {
            return Err(LinkRefused::NotAnObject);
        }
        let table = header.sections(endian, bytes)?;
        let symbols = table.symbols(endian, bytes, elf::SHT_SYMTAB)?;
        let mut input = Self { sections: Vec::new(), symbols: read_symbols(&symbols)? };
        for (index, section) in table.enumerate() {
            input.sections.push(read_section(bytes, &table, index.0, section)?);
        }
        input.read_relocations(bytes, &table)?;
        input.read_groups(bytes, &table, program)?;
        input.sort_writable()?;
        Ok(input)
    }

    /// The section with number `index`.
    fn section_mut(&mut self, index: usize) -> Result<&mut Section<'data>, LinkRefused> {
        self.sections.get_mut(index).ok_or(LinkRefused::NotAnObject)
    }

    fn read_relocations(&mut self, bytes: &'data [u8], table: &Sections<'data>) -> Result<(), LinkRefused> {
        for section in table.iter() {
            let Some(form) = relocation_form(section.sh_type(LE)) else { continue };
            let target = self.section_mut(section.sh_info(LE) as usize)?;
            if !target.role.is_read() {
                continue;
            }
            let Some((relocations, _)) = section.rela(LE, bytes)? else {
                return Err(LinkRefused::RelocationForm { section: target.name.to_owned(), form });
            };
            target.relocations.extend(relocations.iter().map(|relocation| Relocation {
                offset: relocation.r_offset(LE),
                kind: relocation.r_type(LE, false),
                symbol: relocation.r_sym(LE, false) as usize,
                addend: relocation.r_addend(LE),
            }));
        }
        Ok(())
    }

    fn read_groups(
        &mut self,
        bytes: &'data [u8],
        table: &Sections<'data>,
        program: &LiveProgram,
    ) -> Result<(), LinkRefused> {
        for section in table.iter() {
            let Some((flags, members)) = section.group(LE, bytes)? else { continue };
            if flags & elf::GRP_COMDAT == 0 {
                continue;
            }
            let about = self.symbols.get(section.sh_info(LE) as usize).ok_or(LinkRefused::NotAnObject)?.name;
            let known = matches!(program.find(about), SymbolLookup::Shared(_));
            let mut has_code = false;
            for member in members {
                let member = self.section_mut(member.get(LE) as usize)?;
                member.shared = true;
                has_code |= member.role == Role::Code;
            }
            if known && !has_code {
                self.leave_out(members)?;
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, members: &[object::U32Bytes<LE>]) -> Result<(), LinkRefused> {
        for member in members {
            let member = self.section_mut(member.get(LE) as usize)?;
            if member.role.is_placed() {
                member.role = Role::Replaced;
            }
        }
        Ok(())
    }

    /// Decides what each section that can be written is, or refuses it.
    fn sort_writable(&mut self) -> Result<(), LinkRefused> {
        for index in 0..self.sections.len() {
            let section = &self.sections[index];
            if !section.writable || !section.role.is_placed() {
                continue;
            }
            let role = if section.size == 0 {
                Role::Absent
            } else if self.is_table_of_pointers(index) {
                Role::Pointers
            } else {
                return Err(LinkRefused::Writable { section: section.name.to_owned(), size: section.size });
            };
            self.sections[index].role = role;
        }
        Ok(())
    }

    /// Whether section `index` holds nothing but addresses, for the tables of exceptions alone.
    fn is_table_of_pointers(&self, index: usize) -> bool {
        let section = &self.sections[index];
        let mut offsets: Vec<u64> = section.relocations.iter().map(|relocation| relocation.offset).collect();
        offsets.sort_unstable();
        let is_address = |relocation: &Relocation| {
            let is_wide =
                |form: crate::relocation::Form| (form.meaning, form.field) == (Meaning::Address, Field::Wide);
            relocation.addend == 0 && form(relocation.kind).is_ok_and(is_wide)
        };
        let is_in = |symbol: &Symbol<'_>| symbol.location == Location::Section(index);
        section.name.starts_with(".data")
            && section.size == section.data.len() as u64
            && section.size == 8 * offsets.len() as u64
            && (0..).step_by(8).zip(&offsets).all(|(expected, &offset): (u64, _)| expected == offset)
            && section.relocations.iter().all(is_address)
            && (self.symbols.iter().filter(|symbol| is_in(symbol)))
                .all(|symbol| symbol.kind == elf::STT_SECTION || symbol.name.starts_with("DW.ref."))
            && self
                .sections
                .iter()
                .filter(|user| user.role.is_placed() && !user.role.is_for_exceptions())
                .all(|user| {
                    let mut used = user.relocations.iter().filter_map(|used| self.symbols.get(used.symbol));
                    !used.any(is_in)
                })
    }
}

/// The name of a form of relocations, if `kind` is the type of a section of them.
fn relocation_form(kind: u32) -> Option<&'static str> {
    match kind {
        elf::SHT_RELA => Some("RELA"),
        elf::SHT_REL => Some("REL"),
        elf::SHT_CREL => Some("CREL"),
        _ => None,
    }
}

fn read_symbols<'data>(table: &Symbols<'data>) -> Result<Vec<Symbol<'data>>, LinkRefused> {
    let mut symbols = Vec::with_capacity(table.len());
    for (index, symbol) in table.enumerate() {
        let name = std::str::from_utf8(table.symbol_name(LE, symbol)?)
            .map_err(|_| LinkRefused::Name { what: "symbol", index: index.0 })?;
        let location = match symbol.st_shndx(LE) {
            elf::SHN_UNDEF => Location::Undefined,
            elf::SHN_ABS => Location::Absolute,
            elf::SHN_COMMON => return Err(LinkRefused::Common { symbol: name.to_owned() }),
            _ => table
                .symbol_section(LE, symbol, index)?
                .map_or(Location::Undefined, |section| Location::Section(section.0)),
        };
        if location != Location::Undefined && symbol.st_type() == elf::STT_GNU_IFUNC {
            return Err(LinkRefused::Chosen { symbol: name.to_owned() });
        }
        let (value, size) = (symbol.st_value(LE), symbol.st_size(LE));
        symbols.push(Symbol {
            name,
            location,
            value,
            size,
            binding: symbol.st_bind(),
            kind: symbol.st_type(),
        });
    }
    Ok(symbols)
}

fn read_section<'data>(
    bytes: &'data [u8],
    table: &Sections<'data>,
    index: usize,
    section: &'data elf::SectionHeader64<LE>,
) -> Result<Section<'data>, LinkRefused> {
    let name = std::str::from_utf8(table.section_name(LE, section)?)
        .map_err(|_| LinkRefused::Name { what: "section", index })?;
    let flags = section.sh_flags(LE);
    let has = |flag: u32| flags & u64::from(flag) != 0;
    let size = section.sh_size(LE);
    let relro = name == ".data.rel.ro" || name.starts_with(".data.rel.ro.");
    let writable = has(elf::SHF_TLS) || (has(elf::SHF_WRITE) && !relro);
    let role = role_of(name, section)?;
    // What does not need a place is not looked at.
    let data = if role.is_read() { section.data(LE, bytes)? } else { &[] };
    let align = section.sh_addralign(LE).max(1);
    if role.is_placed() && !align.is_power_of_two() {
        return Err(LinkRefused::Alignment { section: name.to_owned(), align });
    }
    Ok(Section { name, role, data, size, align, relocations: Vec::new(), shared: false, writable })
}

/// The role of a section by its type, flags and name. What can be written is sorted later.
fn role_of(name: &str, section: &elf::SectionHeader64<LE>) -> Result<Role, LinkRefused> {
    let flags = section.sh_flags(LE);
    let has = |flag: u32| flags & u64::from(flag) != 0;
    let kind = section.sh_type(LE);
    if name == TABLE && kind == elf::SHT_PROGBITS && !has(elf::SHF_ALLOC) {
        return Ok(Role::Table);
    }
    if !has(elf::SHF_ALLOC) || kind == elf::SHT_NOTE {
        return Ok(Role::Absent);
    }
    match kind {
        // Said as what it is: functions that run before main are state too.
        elf::SHT_INIT_ARRAY | elf::SHT_FINI_ARRAY | elf::SHT_PREINIT_ARRAY => Ok(Role::Constant),
        elf::SHT_X86_64_UNWIND => Ok(Role::Frames),
        elf::SHT_PROGBITS | elf::SHT_NOBITS if !has(elf::SHF_COMPRESSED) => Ok(match name {
            ".eh_frame" => Role::Frames,
            _ if has(elf::SHF_EXECINSTR) => Role::Code,
            _ if name == ".gcc_except_table" || name.starts_with(".gcc_except_table.") => Role::Handlers,
            _ => Role::Constant,
        }),
        _ => Err(LinkRefused::SectionType { section: name.to_owned(), kind }),
    }
}
