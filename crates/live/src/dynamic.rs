//! Where does an executable keep addresses that only the loader knows?
//!
//! The loader fills a slot for each dynamic relocation. A slot is of use to later code if it
//! holds the address of a symbol, and nothing else, from the start of the program to its end:
//!
//! - `GLOB_DAT`: an entry of the GOT.
//! - `JUMP_SLOT`: the same for calls, if everything is bound at the start.
//! - `R_X86_64_64` without addend: a pointer in data. It counts only where nobody writes: what
//!   is protected after the start (RELRO), or a pointer without a name of its own or named
//!   `DW.ref.`, which compilers make for exceptions. The slot of last resort.
//! - `TPOFF64`: the offset of a library's thread-local variable.
//! - `IRELATIVE`: what a chooser chose; its addend is the chooser.
//!
//! Two symbols of one name, which are two versions of it, make the name ambiguous. Cost: one pass
//! over the relocations.

use std::collections::BTreeMap;
use std::ops::Range;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{Dyn, ProgramHeader, Rela, SectionHeader};
use rustc_hash::FxHashMap;

use crate::error::LiveError;
use crate::symbol::{ProgramSymbol, Sections, SymbolKind, Symbols};

/// Which places of the program's data keep what the loader wrote.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    protected: Vec<Range<u64>>,
    /// Ends of named data by their starts.
    variables: BTreeMap<u64, u64>,
}

impl Cells {
    /// Knows what is protected once the program has started.
    pub(crate) fn protected(segments: &[elf::ProgramHeader64<LE>]) -> Self {
        let relro = segments.iter().filter(|segment| segment.p_type(LE) == elf::PT_GNU_RELRO);
        let range = |segment: &elf::ProgramHeader64<LE>| {
            segment.p_vaddr(LE)..segment.p_vaddr(LE).saturating_add(segment.p_memsz(LE))
        };
        Self { protected: relro.map(range).collect(), variables: BTreeMap::new() }
    }

    /// Notes that `symbol` has a name, so that somebody may write it.
    pub(crate) fn note(&mut self, name: &str, symbol: &ProgramSymbol) {
        if symbol.kind != SymbolKind::Function && !name.starts_with("DW.ref.") {
            let end = symbol.address.saturating_add(symbol.size.max(1));
            let known = self.variables.entry(symbol.address).or_insert(end);
            *known = end.max(*known);
        }
    }

    /// Whether nobody writes at `address` after the start.
    fn is_constant(&self, address: u64) -> bool {
        let named = || self.variables.range(..=address).next_back().is_some_and(|(_, &end)| address < end);
        self.protected.iter().any(|range| range.contains(&address)) || !named()
    }
}

/// A slot, and how good its kind is; 0 is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    address: u64,
    rank: u8,
    symbol: usize,
    ambiguous: bool,
}

/// The slots of an executable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    addresses: FxHashMap<String, Slot>,
    threads: FxHashMap<String, Slot>,
    chosen: FxHashMap<u64, u64>,
}

impl Slots {
    /// Reads the dynamic relocations of an executable.
    pub(crate) fn read(
        bytes: &[u8],
        sections: &Sections<'_>,
        symbols: &Symbols<'_>,
        cells: &Cells,
    ) -> Result<Self, LiveError> {
        let mut slots = Self::default();
        let bound = is_bound_at_start(bytes, sections)?;
        for section in sections.iter().filter(|section| section.sh_flags(LE) & u64::from(elf::SHF_ALLOC) != 0)
        {
            let Some((relocations, _)) = section.rela(LE, bytes)? else { continue };
            for relocation in relocations {
                slots.note(relocation, symbols, cells, bound)?;
            }
        }
        Ok(slots)
    }

    fn note(
        &mut self,
        relocation: &elf::Rela64<LE>,
        symbols: &Symbols<'_>,
        cells: &Cells,
        bound: bool,
    ) -> Result<(), LiveError> {
        let (address, addend) = (relocation.r_offset(LE), relocation.r_addend(LE));
        let rank = match relocation.r_type(LE, false) {
            elf::R_X86_64_IRELATIVE => {
                self.chosen.insert(addend as u64, address);
                return Ok(());
            }
            elf::R_X86_64_GLOB_DAT | elf::R_X86_64_TPOFF64 => 0,
            elf::R_X86_64_JUMP_SLOT if bound => 1,
            elf::R_X86_64_64 if cells.is_constant(address) => 2,
            _ => return Ok(()),
        };
        let number = relocation.r_sym(LE, false) as usize;
        if number == 0 || (addend != 0 && rank != 1) {
            return Ok(());
        }
        let symbol = symbols.symbol(object::SymbolIndex(number))?;
        let name = symbols.symbol_name(LE, symbol)?;
        let name = std::str::from_utf8(name).map_err(|_| LiveError::Name { index: number })?;
        let threads = relocation.r_type(LE, false) == elf::R_X86_64_TPOFF64;
        let slots = if threads { &mut self.threads } else { &mut self.addresses };
        let new = Slot { address, rank, symbol: number, ambiguous: false };
        let slot = slots.entry(name.to_owned()).or_insert(new);
        let ambiguous = slot.ambiguous || slot.symbol != number;
        if rank < slot.rank {
            *slot = new;
        }
        slot.ambiguous = ambiguous;
        Ok(())
    }

    /// The slot with the address of the symbol `name`.
    pub(crate) fn address(&self, name: &str) -> Option<u64> {
        self.addresses.get(name).filter(|slot| !slot.ambiguous).map(|slot| slot.address)
    }

    /// The slot with the offset of the thread-local variable `name`.
    pub(crate) fn thread(&self, name: &str) -> Option<u64> {
        self.threads.get(name).filter(|slot| !slot.ambiguous).map(|slot| slot.address)
    }

    /// The slot with what the function at `chooser` chose.
    pub(crate) fn chosen(&self, chooser: u64) -> Option<u64> {
        self.chosen.get(&chooser).copied()
    }
}

/// Whether the loader binds all functions before the program starts.
fn is_bound_at_start(bytes: &[u8], sections: &Sections<'_>) -> Result<bool, LiveError> {
    let Some((entries, _)) = sections.dynamic(LE, bytes)? else { return Ok(false) };
    Ok(entries.iter().any(|entry| {
        let value = entry.d_val(LE);
        match u32::try_from(entry.d_tag(LE)) {
            Ok(elf::DT_BIND_NOW) => true,
            Ok(elf::DT_FLAGS) => value & u64::from(elf::DF_BIND_NOW) != 0,
            Ok(elf::DT_FLAGS_1) => value & u64::from(elf::DF_1_NOW) != 0,
            _ => false,
        }
    }))
}
