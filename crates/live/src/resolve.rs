//! What does a symbol of an object mean in the running program?
//!
//! The rules of a linker, except that the program is there already. What the object defines is
//! its own. A weak symbol, or one of a COMDAT group, is the program's if the program has it:
//! a variable has one address, and so has a function whose address is compared. What the object
//! does not define is the program's symbol, or else what a slot of the program holds.
//! A weak symbol that nobody defines is 0.
//!
//! A function whose code is chosen at the start (IFUNC) is what its slot holds; its own address
//! would be the chooser's. Cost: one look at a table for each symbol.

use object::elf;

use crate::error::LinkRefused;
use crate::input::{Input, Location, Role, Symbol};
use crate::program::{LiveProgram, SymbolLookup};
use crate::symbol::SymbolKind;

/// What a symbol means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// A place in a section of the object.
    Placed {
        /// The section.
        section: usize,
        /// Where in it.
        offset: u64,
    },
    /// A known address.
    At(u64),
    /// An address that only this slot of the program holds.
    Slot(u64),
    /// A known offset from the thread pointer.
    Thread(i64),
    /// An offset from the thread pointer that only this slot of the program holds.
    ThreadSlot(u64),
}

/// What symbol `number` of `input` means in `program`.
pub(crate) fn resolve(
    input: &Input<'_>,
    program: &LiveProgram,
    number: usize,
) -> Result<Target, LinkRefused> {
    // By the ABI, relocations without a symbol mean the address 0.
    if number == 0 {
        return Ok(Target::At(0));
    }
    let symbol = input.symbols.get(number).ok_or(LinkRefused::NotAnObject)?;
    match symbol.location {
        Location::Undefined => undefined(symbol, program),
        Location::Absolute => Ok(Target::At(symbol.value)),
        Location::Section(section) => defined(input, program, symbol, section),
    }
}

fn defined(
    input: &Input<'_>,
    program: &LiveProgram,
    symbol: &Symbol<'_>,
    index: usize,
) -> Result<Target, LinkRefused> {
    let section = input.sections.get(index).ok_or(LinkRefused::NotAnObject)?;
    let one_of_several =
        symbol.binding != elf::STB_LOCAL && (section.shared || symbol.binding != elf::STB_GLOBAL);
    if one_of_several && let SymbolLookup::Shared(found) = program.find(symbol.name) {
        return of_program(symbol, program, &found);
    }
    match section.role {
        Role::Replaced | Role::Absent => {
            let (symbol, section) = (input.label(symbol), section.name.to_owned());
            Err(LinkRefused::NotPlaced { symbol, section })
        }
        _ => Ok(Target::Placed { section: index, offset: symbol.value }),
    }
}

fn undefined(symbol: &Symbol<'_>, program: &LiveProgram) -> Result<Target, LinkRefused> {
    let name = symbol.name;
    match program.find(name) {
        SymbolLookup::Shared(found) | SymbolLookup::Local(found) => {
            return of_program(symbol, program, &found);
        }
        SymbolLookup::Ambiguous => return Err(LinkRefused::Ambiguous { symbol: name.to_owned() }),
        SymbolLookup::Nothing => {}
    }
    let slot = program.slot(name).map(Target::Slot);
    let slot = slot.or_else(|| program.thread_slot(name).map(Target::ThreadSlot));
    match slot {
        Some(slot) => Ok(slot),
        None if symbol.binding == elf::STB_WEAK => Ok(Target::At(0)),
        None => Err(LinkRefused::Missing { symbol: name.to_owned() }),
    }
}

/// What the program's symbol `found` is to an object that calls it `symbol`.
fn of_program(
    symbol: &Symbol<'_>,
    program: &LiveProgram,
    found: &crate::symbol::ProgramSymbol,
) -> Result<Target, LinkRefused> {
    let missing = || LinkRefused::Missing { symbol: symbol.name.to_owned() };
    match found.kind {
        SymbolKind::ThreadLocal => {
            program.thread_offset(found.address).map(Target::Thread).ok_or_else(missing)
        }
        SymbolKind::Chosen => program
            .chosen_slot(found.address)
            .map(Target::Slot)
            .ok_or_else(|| LinkRefused::Chosen { symbol: symbol.name.to_owned() }),
        _ => Ok(Target::At(found.address)),
    }
}

impl Input<'_> {
    /// What a refusal calls `symbol`.
    pub(crate) fn label(&self, symbol: &Symbol<'_>) -> String {
        match symbol.location {
            Location::Section(section) if symbol.name.is_empty() => {
                self.sections.get(section).map_or("", |section| section.name).to_owned()
            }
            _ => symbol.name.to_owned(),
        }
    }
}
