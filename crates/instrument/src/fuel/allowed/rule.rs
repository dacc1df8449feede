//! What can speak against metering a module?

use serde::{Deserialize, Serialize};

/// What kind of thing is objected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Assembly in a function.
    InlineAssembly,
    /// Assembly outside of the functions.
    ModuleAssembly,
    /// A function that is chosen when the program is loaded.
    Ifunc,
    /// A constructor that runs before the fuel is there, or is no function.
    Constructor,
    /// A name that the runtime or the C library owns.
    ReservedName,
    /// A function of which nothing is known, or nothing good.
    OutsideFunction,
    /// Data of which nothing is known.
    OutsideData,
    /// A call of something that is no function.
    NoFunction,
    /// An address inside a function, or one made by arithmetic.
    CodeAddress,
    /// The address of a block that does more than being branched to.
    BlockAddress,
    /// A function without frame, of assembly only.
    Naked,
    /// A coroutine that is not split.
    Coroutine,
    /// A section that is run, or that is unknown.
    Section,
    /// An attribute that makes code, or that is unknown.
    Attribute,
    /// Metadata that speaks to the linker, or is unknown.
    Metadata,
    /// An intrinsic that does more than to compute, or is unknown.
    Intrinsic,
    /// An instruction that cannot be metered.
    Instruction,
    /// A value so large that one instruction is much work.
    Size,
    /// Memory of another kind.
    AddressSpace,
    /// Machine code, which cannot be looked at.
    MachineCode,
    /// Something that machines do in their own ways, when one number is wanted.
    NotPortable,
}

/// Something that speaks against metering a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Objection {
    /// Its kind.
    pub rule: Rule,
    /// Linkage name of the function it is in.
    pub function: Option<String>,
    /// Source file.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<u32>,
    /// What is there and why it cannot be, in one line.
    pub reason: String,
    /// What to do.
    pub remedy: String,
}

/// A rule that is broken somewhere: why, and what to do.
pub(super) struct Complaint<'a> {
    pub(super) rule: Rule,
    pub(super) reason: String,
    pub(super) remedy: &'a str,
}

impl Rule {
    /// Why it is broken, and what to do.
    pub(super) fn because(self, reason: String, remedy: &str) -> Complaint<'_> {
        Complaint { rule: self, reason, remedy }
    }
}
