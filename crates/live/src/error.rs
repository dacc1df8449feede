//! What can be wrong with an executable, or with an object for it?
//!
//! [`LiveError`] is said of the executable and its table of frames: then `opcost run` cannot
//! start. [`LinkRefused`] is said of one object: then a function keeps its old version. Both name
//! what they mean in the words of the file, so that a user can find it there.

use thiserror::Error;

/// Why an executable cannot be used, or its table of frames cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LiveError {
    /// The file is damaged.
    #[error("the executable cannot be read: {0}")]
    Unreadable(object::read::Error),
    /// It is for another processor, or no executable.
    #[error("the file is not an ELF file for x86-64")]
    Machine,
    /// Its addresses are chosen when it is loaded, or it is no executable at all.
    #[error("the executable has no fixed address; link it with -no-pie")]
    NotFixed,
    /// It was stripped.
    #[error("the executable has no table of symbols; do not strip it")]
    NoSymbols,
    /// A name of a symbol is not UTF-8.
    #[error("symbol {index} of the executable has a name that is not UTF-8")]
    Name {
        /// Its position in the table.
        index: usize,
    },
    /// It has no table by which exceptions find frames.
    #[error("the executable has no .eh_frame_hdr; link it with --eh-frame-hdr")]
    NoFrames,
    /// Its table of frames is not of the usual form.
    #[error("the .eh_frame_hdr of the executable is not understood at byte {offset}")]
    FramesForm {
        /// Where in the table.
        offset: usize,
    },
    /// The new table of frames is not at a multiple of four, as its readers demand.
    #[error("a table of frames cannot be at {at:#x}, which is no multiple of 4")]
    FramesAlignment {
        /// Where it should be.
        at: u64,
    },
    /// An address is further than 2 GiB from the table of frames.
    #[error("{address:#x} is too far from the table of frames")]
    FramesReach {
        /// The address.
        address: u64,
    },
    /// More frames than there is room for.
    #[error("the table of frames has room for {room} more, but {needed} come")]
    FramesFull {
        /// How many would fit.
        room: usize,
        /// How many came.
        needed: usize,
    },
    /// New code is not above all code that came before.
    #[error("the frame at {start:#x} is not above the last one at {last:#x}")]
    FramesOrder {
        /// Where the new code starts.
        start: u64,
        /// Where the last code in the table starts.
        last: u64,
    },
    /// The place of the new table is not in the executable's file.
    #[error("no segment of the file holds the {size} bytes at {at:#x}")]
    NotInFile {
        /// The address.
        at: u64,
        /// How many bytes.
        size: u64,
    },
}

/// Why an object is not linked into the running program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkRefused {
    /// The file is damaged.
    #[error("the object cannot be read: {0}")]
    Unreadable(object::read::Error),
    /// It is something else.
    #[error("the file is not a relocatable ELF object for x86-64")]
    NotAnObject,
    /// A name is not UTF-8.
    #[error("{what} {index} of the object has a name that is not UTF-8")]
    Name {
        /// A symbol or a section.
        what: &'static str,
        /// Its position in its table.
        index: usize,
    },
    /// A version owns no variables, but the object has some.
    #[error("section {section} holds {size} bytes that can be written; a new version owns no variables")]
    Writable {
        /// Its name.
        section: String,
        /// Its size in bytes.
        size: u64,
    },
    /// A section that must be in memory is of a type that is not known here.
    #[error("section {section} has the unknown type {kind:#x}")]
    SectionType {
        /// Its name.
        section: String,
        /// The number of the type.
        kind: u32,
    },
    /// An alignment is not a power of two.
    #[error("section {section} has the impossible alignment {align}")]
    Alignment {
        /// Its name.
        section: String,
        /// What it asks for.
        align: u64,
    },
    /// There is too little room.
    #[error("the object needs more than the {room} bytes that are left")]
    Room {
        /// What is left.
        room: u64,
    },
    /// A variable that any of several objects may own.
    #[error("{symbol} is a common symbol; compile with -fno-common")]
    Common {
        /// Its name.
        symbol: String,
    },
    /// A function whose code is chosen when the program starts.
    #[error("{symbol} is chosen when the program starts (IFUNC), and no slot holds the choice")]
    Chosen {
        /// Its name.
        symbol: String,
    },
    /// Nobody defines it.
    #[error("the program does not define {symbol}")]
    Missing {
        /// Its name.
        symbol: String,
    },
    /// Several local symbols, or several versions of a symbol, have one name.
    #[error("the program has several symbols of the name {symbol}")]
    Ambiguous {
        /// The name.
        symbol: String,
    },
    /// A relocation of a kind that is not known here.
    #[error("{section}+{offset:#x} has relocation {name} ({kind}), which is not supported")]
    Relocation {
        /// The section that it changes.
        section: String,
        /// Where in it.
        offset: u64,
        /// The number of the kind.
        kind: u32,
        /// What the ABI calls it, if it is one of the known refused ones.
        name: &'static str,
    },
    /// A relocation against a section whose relocations are not of the form RELA.
    #[error("section {section} has relocations of the form {form}, which is not supported")]
    RelocationForm {
        /// The section.
        section: String,
        /// REL or CREL.
        form: &'static str,
    },
    /// A relocation is outside of what it changes.
    #[error("{section}+{offset:#x} has a relocation outside of the section")]
    Outside {
        /// The section.
        section: String,
        /// Where.
        offset: u64,
    },
    /// A value does not fit.
    #[error("{section}+{offset:#x}: the value {value:#x} for {symbol} does not fit {name}")]
    Overflow {
        /// The section.
        section: String,
        /// Where in it.
        offset: u64,
        /// The symbol.
        symbol: String,
        /// The relocation.
        name: &'static str,
        /// The value, exactly.
        value: i128,
    },
    /// Code needs the address of something that is known only when the program has started.
    #[error("{section}+{offset:#x} needs the address of {symbol}, which only a slot of the program holds")]
    OnlySlot {
        /// The section.
        section: String,
        /// Where in it.
        offset: u64,
        /// The symbol.
        symbol: String,
    },
    /// A thread-local variable is used as an ordinary one, or the reverse.
    #[error("{section}+{offset:#x} and the program disagree on whether {symbol} is thread-local")]
    ThreadLocal {
        /// The section.
        section: String,
        /// Where in it.
        offset: u64,
        /// The symbol.
        symbol: String,
    },
    /// Something refers to what is not in the image.
    #[error("{symbol} is in section {section}, which has no place in a new version")]
    NotPlaced {
        /// The symbol.
        symbol: String,
        /// The section.
        section: String,
    },
    /// A function reaches beyond its section.
    #[error("function {symbol} reaches beyond its section")]
    Function {
        /// Its name.
        symbol: String,
    },
    /// Frames that are not understood.
    #[error("{section}+{offset:#x}: the description of a frame is not understood")]
    FrameForm {
        /// The section.
        section: String,
        /// Where in it.
        offset: usize,
    },
}

impl From<object::read::Error> for LiveError {
    fn from(error: object::read::Error) -> Self {
        Self::Unreadable(error)
    }
}

impl From<object::read::Error> for LinkRefused {
    fn from(error: object::read::Error) -> Self {
        Self::Unreadable(error)
    }
}
