//! Which version of its cell does each load read? The answer for recurrences.
//!
//! Memory in SSA form, for the places that are loaded: `webs`
//! computes it, this file gives it in the words of [`Cells`]. Loads that are
//! separated only by writes that cannot touch their place share a version.
//!
//! Input: what is known of the module, a function, its dominators. Output:
//! [`MemoryVersions`]. Cost and limits: those of webs.

use std::borrow::Cow;

use opcost_index::IdMap;
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use super::forms::{PlaceId, Point};
use super::version::{Definition, Version};
use super::webs::{Followed, FunctionMemory};
use super::whole::MemoryModel;
use crate::cells::{CellDefinition, CellVersion, Cells};
use opcost_graph::dominators::Dominators;

/// Versions of all places that a function loads from.
#[derive(Clone, Debug)]
pub struct MemoryVersions {
    reads: FxHashMap<InstructionId, CellVersion>,
    versions: IdMap<CellVersion, Version>,
    incoming: FxHashMap<CellVersion, Vec<(BlockId, CellVersion)>>,
    /// A load of each place.
    loads: FxHashMap<PlaceId, InstructionId>,
    /// The loads that read each version.
    readers: FxHashMap<CellVersion, Vec<InstructionId>>,
}

impl MemoryVersions {
    /// Follows all loads of a function.
    pub fn compute(
        memory: &MemoryModel<'_>,
        function: FunctionId,
        dominators: &Dominators<BlockId>,
    ) -> MemoryVersions {
        let all = FunctionMemory::compute(memory, function, Cow::Borrowed(dominators));
        let Followed { reads, versions, incoming } = all.followed();
        let mut loads: FxHashMap<PlaceId, InstructionId> = FxHashMap::default();
        let mut known: Vec<(InstructionId, CellVersion)> = reads.iter().map(|(&at, &of)| (at, of)).collect();
        known.sort_unstable();
        let mut readers: FxHashMap<CellVersion, Vec<InstructionId>> = FxHashMap::default();
        for (load, version) in known {
            loads.entry(versions[version].place).or_insert(load);
            readers.entry(version).or_default().push(load);
        }
        MemoryVersions { reads, versions, incoming, loads, readers }
    }

    /// How many loads are followed.
    pub fn followed(&self) -> usize {
        self.reads.len()
    }
}

impl Cells for MemoryVersions {
    fn read_by(&self, load: InstructionId) -> Option<CellVersion> {
        self.reads.get(&load).copied()
    }

    fn definition(&self, version: CellVersion) -> CellDefinition<'_> {
        let Version { point, is, .. } = self.versions[version];
        match (is, point) {
            (Definition::Stored(store, value), _) => CellDefinition::Stored { store, value },
            (Definition::Merge, Point::Head(block)) => match self.incoming.get(&version) {
                Some(incoming) => CellDefinition::Merge { block, incoming },
                // What meets there was too much work.
                None => CellDefinition::Changed(self.versions[version].first()),
            },
            (Definition::Undefined, _) => CellDefinition::Undefined,
            (Definition::Changed(at), _) | (_, Point::Behind(at)) => CellDefinition::Changed(at),
            // A place that a phi names: as if the phi had changed it.
            (Definition::Renewed, Point::Head(_)) => CellDefinition::Changed(self.versions[version].first()),
            _ => CellDefinition::Entry,
        }
    }

    fn readers_of(&self, version: CellVersion) -> &[InstructionId] {
        self.readers.get(&version).map_or(&[], Vec::as_slice)
    }

    fn slot_by(&self, version: CellVersion) -> Option<InstructionId> {
        self.loads.get(&self.versions[version].place).copied()
    }

    fn relies_on(&self, version: CellVersion) -> &'static [&'static str] {
        self.versions[version].relies_on()
    }
}

#[cfg(test)]
mod tests;
