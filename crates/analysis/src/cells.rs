//! What does a load read? The question that recurrences ask of memory.
//!
//! A counter may live in memory: a local at -O0, a global, a COMMON block, a field. Anyone who solves recurrences wants to go round
//! such a cell as it goes round a phi. This file says only the question; `memory` answers it, [`NoCells`] knows nothing.
use opcost_ir::Value;
use opcost_key::{BlockId, InstructionId};

opcost_index::define_id!(
    /// A version of one cell of memory: what it holds between two changes.
    pub struct CellVersion, "m"
);

/// Where a version comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellDefinition<'a> {
    /// A store of this value, of the loaded type, to exactly this cell.
    Stored {
        /// The store.
        store: InstructionId,
        /// What it wrote.
        value: Value,
    },
    /// Versions meet at the head of a block: one for each predecessor.
    Merge {
        /// The block.
        block: BlockId,
        /// The version at the end of each predecessor.
        incoming: &'a [(BlockId, CellVersion)],
    },
    /// What the cell held when the function was entered.
    Entry,
    /// Changed, or perhaps changed, by this instruction in a way that is not followed.
    Changed(InstructionId),
    /// Never written before: a fresh alloca.
    Undefined,
}

/// Which version of its cell each load reads.
pub trait Cells {
    /// None: not followed (volatile, atomic, an address that is not understood).
    fn read_by(&self, load: InstructionId) -> Option<CellVersion>;
    /// Where the version comes from.
    fn definition(&self, version: CellVersion) -> CellDefinition<'_>;
    /// Loads that read this very version, in order: all of them read the same value.
    fn readers_of(&self, version: CellVersion) -> &[InstructionId] {
        let _ = version;
        &[]
    }
    /// A load of the version's cell. It has the cell's address and type, and never its value: it
    /// may read another version.
    fn slot_by(&self, version: CellVersion) -> Option<InstructionId> {
        let _ = version;
        None
    }
    /// The store's or load's facts that this rests on: none, or words such as "no alias by type".
    fn relies_on(&self, version: CellVersion) -> &'static [&'static str] {
        let _ = version;
        &[]
    }
}

/// Nothing is known of memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCells;
impl Cells for NoCells {
    fn read_by(&self, _: InstructionId) -> Option<CellVersion> {
        None
    }
    fn definition(&self, _: CellVersion) -> CellDefinition<'_> {
        CellDefinition::Entry
    }
}
