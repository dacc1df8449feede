//! How does a new version of a function get into a program that runs?
//!
//! `opcost run` replaces functions of a program while it runs. Their first versions are linked
//! by the usual linker into an executable at fixed addresses below 2 GiB. It has a reserved area
//! inside, the arena. Another process maps that area too and writes machine code of new versions
//! there. This room holds the pure part: bytes in, bytes out.
//!
//! - [`program`]: what does the executable say of itself? Symbols, slots, thread-locals, unwinding.
//! - [`link()`]: which bytes does a relocatable object become at a fixed address in the arena?
//! - [`frames`]: how does an exception find its way through code that came later?
//!
//! The way of an object: `input` reads and sorts its sections, `resolve` says what each symbol
//! means here, `layout` gives each section an address, `relocate` fills in the addresses, `unwind`
//! finds the frames, and `table` fills in what is said of the code. Whatever is not understood is
//! [`LinkRefused`] by name; then the old version goes on running. x86-64 ELF alone, small code model.

mod arena;
mod dynamic;
mod error;
pub mod frames;
mod input;
mod layout;
mod link;
mod names;
pub mod program;
mod relocate;
mod relocation;
mod resolve;
mod symbol;
mod table;
mod unwind;
mod words;

pub use arena::{Arena, ArenaError, ArenaParts, ArenaRefusal};
pub use error::{LinkRefused, LiveError};
pub use frames::{Frames, TableWrite, redirect};
pub use link::{LinkedSymbol, LinkedVersion, PlacedSection, link};
pub use program::{ExceptionHeader, LiveProgram, SymbolLookup, ThreadBlock};
pub use symbol::{ProgramSymbol, SymbolKind};
pub use unwind::FrameEntry;
