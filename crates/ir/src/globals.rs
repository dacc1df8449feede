//! What does a module hold beside its functions? Data, other names, and what
//! runs before and behind `main`.
//!
//! Counting needs none of it. Whoever must know whether a module can do
//! anything that its functions do not show does: a second name may lead into the
//! middle of a function, a section may be run at the start, a table may hand
//! out the addresses of blocks. Of what initialisers hold these are told by two
//! words; all of it is copied only by a snapshot in detail.

use opcost_key::PlaceId;

use crate::contents::Contents;
use crate::linkage::Linkage;
use crate::types::TypeId;
use crate::value::Value;

/// A variable, a second name or an `ifunc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Linkage name.
    pub name: String,
    /// What it is.
    pub kind: GlobalKind,
    /// How others see it; [`Linkage::Elsewhere`] where it is only declared.
    pub linkage: Linkage,
    /// The section it asks for.
    pub section: Option<Box<str>>,
    /// Where it is written, if the module says so of data.
    pub place: Option<PlaceId>,
    /// What it leads to is an address inside a function, or is made of one by
    /// arithmetic.
    pub leads_into_code: bool,
    /// It holds addresses of blocks, and not only to branch to them: others can
    /// see or change it, or its values go elsewhere.
    pub gives_away_blocks: bool,
    /// Type of what is there.
    pub ty: TypeId,
    /// Nothing writes to it while the program runs.
    pub is_constant: bool,
    /// Every thread has its own.
    pub is_thread_local: bool,
    /// Another module defines it.
    pub is_declared: bool,
    /// Others decide what it holds: at first (`externally_initialized`, `appending`), or later
    /// (`dllexport`).
    pub is_given_away: bool,
    /// What it holds at the start. It is `None` for what is declared or is no data, and in a
    /// snapshot without detail. It is also `None` for what others fill before the start, or perhaps
    /// another module (COMMON).
    pub contents: Option<Contents>,
    /// Its name in the source, in a snapshot in detail.
    pub source_name: Option<Box<str>>,
    /// Variables of the source that share it (of a COMMON block), ascending by
    /// byte offset, in a snapshot in detail.
    pub members: Vec<(u64, Box<str>)>,
}

/// What a global is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalKind {
    /// Data.
    Variable,
    /// A second name of something else.
    Alias,
    /// A function that is chosen when the program is loaded.
    Resolver,
}

/// An entry of `llvm.global_ctors` or `llvm.global_dtors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Initializer {
    /// Lower ones run earlier, at the end later.
    pub priority: u32,
    /// What runs; `None` if that is no function.
    pub function: Option<Value>,
    /// Whether it runs at the end.
    pub at_end: bool,
}
