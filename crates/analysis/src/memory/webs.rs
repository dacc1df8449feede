//! Which version of a place is there, anywhere in a function?
//!
//! A place is treated as a variable. What may write to it defines it (exactly,
//! or perhaps), and so does every point where one of the values that name it
//! is defined anew; versions meet on the iterated dominance frontier (Cytron et
//! al. 1991). All of that for one place is a *web*: its events, sorted by block
//! and position. The version at a point is the last event above it in its
//! block, or else in the nearest dominator that has one.
//!
//! Pointers and indices may themselves live in memory (at -O0 all do): what is
//! found about loads in one round gives addresses new forms in the next, until
//! no form changes (`MOST_ROUNDS`).
//!
//! Input: what is known of the module, a function, its dominators. Cost: for
//! each place the writes, once, and its merges; at most `MOST_WORK` steps a
//! function, behind which places are not followed.

use std::borrow::Cow;

use opcost_index::{Id, IdMap};
use opcost_ir::{CalleeRef, Flags, Function, Opcode, Type, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use super::addresses::Where;
use super::effects::ResultKind;
use super::forms::{Address, Forms, PlaceId, Point, Root};
use super::frontiers::Frontiers;
use super::verdicts::{Place, Reasons, Verdict};
use super::versions::MemoryVersions;
use super::whole::Memory;
use super::writes::Writes;
use crate::cells::CellVersion;
use crate::dominators::Dominators;

/// Verdicts, merges and steps up the dominator tree in one function.
const MOST_WORK: u64 = 4_000_000;
/// Loads that one address goes through, at most.
const MOST_ROUNDS: usize = 4;
/// Nodes in all dominance frontiers of a function together.
const MOST_FRONTIER: usize = 1 << 20;

/// A version of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The place.
    pub place: PlaceId,
    /// Where it begins.
    pub point: Point,
    /// What it is.
    pub is: Definition,
    block: BlockId,
    position: u32,
}

/// Where a version comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// A store of this value to exactly this place.
    Stored(InstructionId, Value),
    /// Versions meet.
    Merge,
    /// What was there when the function was entered.
    Entry,
    /// Written by this instruction, perhaps, and not by a store to exactly here.
    Changed(InstructionId),
    /// Another place from here on: what names it is defined anew.
    Renewed,
    /// Memory that was made here and not written yet.
    Undefined,
}

/// Something that makes a version: block, position, where it begins, what it is.
type Event = (BlockId, u32, Point, Definition);

struct Web {
    /// Block, position and version, sorted; a position is one more than the
    /// instruction behind which the version holds.
    events: Vec<(BlockId, u32, CellVersion)>,
    reasons: Reasons,
}

/// Places, webs and versions of one function.
pub struct FunctionMemory<'a> {
    memory: &'a Memory<'a>,
    function: FunctionId,
    dominators: Cow<'a, Dominators<BlockId>>,
    frontiers: Option<Frontiers<BlockId>>,
    forms: Forms<'a>,
    writes: Writes<'a>,
    places: IdMap<PlaceId, Place>,
    numbers: FxHashMap<(Address, opcost_ir::TypeId, Option<opcost_ir::TagId>), PlaceId>,
    webs: FxHashMap<PlaceId, Option<Web>>,
    versions: IdMap<CellVersion, Version>,
    incoming: FxHashMap<CellVersion, Vec<(BlockId, CellVersion)>>,
    reads: FxHashMap<InstructionId, CellVersion>,
    work_left: u64,
    /// Events of the web at hand: room that is used again.
    found: Vec<Event>,
}

impl<'a> FunctionMemory<'a> {
    /// Follows all loads of a function.
    pub fn compute(
        memory: &'a Memory<'a>,
        function: FunctionId,
        dominators: Cow<'a, Dominators<BlockId>>,
    ) -> FunctionMemory<'a> {
        let body = &memory.module.functions[function];
        let mut found = FunctionMemory {
            memory,
            function,
            frontiers: Frontiers::compute(body, &dominators, MOST_FRONTIER),
            dominators,
            forms: Forms::new(memory, function),
            writes: Writes::new(memory, function),
            places: IdMap::new(),
            numbers: FxHashMap::default(),
            webs: FxHashMap::default(),
            versions: IdMap::new(),
            incoming: FxHashMap::default(),
            reads: FxHashMap::default(),
            work_left: MOST_WORK,
            found: Vec::new(),
        };
        for _ in 0..MOST_ROUNDS {
            found.round();
            let before = found.addresses();
            let held = found.held();
            if !found.forms.replace(held) || found.addresses() == before {
                break;
            }
        }
        found
    }

    fn body(&self) -> &'a Function {
        &self.memory.module.functions[self.function]
    }

    /// One round: all loads with the forms that addresses have now.
    fn round(&mut self) {
        self.webs.clear();
        self.versions = IdMap::new();
        self.incoming.clear();
        self.reads.clear();
        self.writes.collect(&mut self.forms, &self.dominators);
        for (at, instruction) in self.body().instructions.iter() {
            if instruction.opcode == Opcode::Load
                && let Some(place) = self.place_of(at)
                && let Some(version) = self.version_at(place, at)
                && self.close(version).is_some()
            {
                self.reads.insert(at, version);
            }
        }
    }

    /// All that meets in a version, and in what meets there; none if that is too
    /// much work.
    fn close(&mut self, version: CellVersion) -> Option<()> {
        let mut work = vec![version];
        while let Some(version) = work.pop() {
            if self.versions[version].is == Definition::Merge && !self.incoming.contains_key(&version) {
                work.extend(self.incoming(version)?.iter().map(|&(_, version)| version));
            }
        }
        Some(())
    }

    fn addresses(&mut self) -> Vec<Address> {
        let body = self.body();
        let pointers = body.instructions.iter().filter_map(|(at, instruction)| match instruction.opcode {
            Opcode::Load => Some(body.operands_of(at)[0]),
            Opcode::Store => Some(body.operands_of(at)[1]),
            _ => None,
        });
        pointers.map(|pointer| self.forms.address(pointer)).collect()
    }

    /// What loads of pointers and integers are known to give.
    fn held(&self) -> FxHashMap<InstructionId, Root> {
        let body = self.body();
        let mut count: FxHashMap<CellVersion, u32> = FxHashMap::default();
        let is_name = |at: &InstructionId| {
            let ty = body.instructions[*at].ty;
            matches!(self.memory.module.types[ty], Type::Pointer(_) | Type::Integer(_))
        };
        let loads =
            || body.instructions.ids().filter(is_name).filter_map(|at| Some((at, *self.reads.get(&at)?)));
        loads().for_each(|(_, version)| *count.entry(version).or_default() += 1);
        let roots = loads().filter_map(|(at, version)| match self.versions[version].is {
            Definition::Stored(_, value) => Some((at, Root::Value(value))),
            Definition::Undefined => None,
            _ if count[&version] > 1 => {
                let Version { place, point, .. } = self.versions[version];
                Some((at, Root::Held(place, point)))
            }
            _ => None,
        });
        roots.collect()
    }

    /// The place that a load reads, if loads of it can be followed.
    pub fn place_of(&mut self, load: InstructionId) -> Option<PlaceId> {
        let instruction = &self.body().instructions[load];
        let is_open = instruction.flags.has(Flags::VOLATILE) || instruction.flags.has(Flags::ATOMIC);
        self.memory.layout.size(instruction.ty).filter(|_| !is_open)?;
        let pointer = self.body().operands_of(load)[0];
        let place = Place {
            address: self.forms.address(pointer),
            ty: instruction.ty,
            tag: instruction.tag,
            reach: Where::Answer(self.memory.addresses.targets_id(self.function, pointer)),
        };
        Some(self.intern(place))
    }

    /// The number of a place.
    pub fn intern(&mut self, place: Place) -> PlaceId {
        let key = (place.address, place.ty, place.tag);
        *self.numbers.entry(key).or_insert_with(|| self.places.push(place))
    }

    /// The place of this number.
    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id]
    }

    /// The version that a load reads; none if it is not followed.
    pub fn read_by(&self, load: InstructionId) -> Option<CellVersion> {
        self.reads.get(&load).copied()
    }

    /// All about a version.
    pub fn version(&self, id: CellVersion) -> &Version {
        &self.versions[id]
    }

    /// The promises that a version of the place rests on.
    pub(crate) fn reasons(&self, place: PlaceId) -> Reasons {
        self.webs.get(&place).and_then(Option::as_ref).map_or(Reasons::NONE, |web| web.reasons)
    }

    /// The version of a place right before an instruction.
    pub fn version_at(&mut self, place: PlaceId, at: InstructionId) -> Option<CellVersion> {
        let block = self.body().block_of(at);
        self.version_in(place, block, at.index() as u32)
    }

    /// The version that was there before this one.
    pub fn version_before(&mut self, version: CellVersion) -> Option<CellVersion> {
        let Version { place, block, position, .. } = self.versions[version];
        self.version_in(place, block, position.checked_sub(1)?)
    }

    /// The last event in the block up to a position, or above the block.
    fn version_in(&mut self, place: PlaceId, block: BlockId, position: u32) -> Option<CellVersion> {
        if !self.dominators.is_reachable(block) {
            return None;
        }
        if !self.webs.contains_key(&place) {
            let web = self.web(place);
            self.webs.insert(place, web);
        }
        let web = self.webs[&place].as_ref()?;
        let mut at = (block, position);
        loop {
            self.work_left = self.work_left.checked_sub(1)?;
            let behind = web.events.partition_point(|&(block, position, _)| (block, position) <= at);
            match web.events[..behind].last() {
                Some(&(found, _, version)) if found == at.0 => return Some(version),
                _ => at = (self.dominators.immediate(at.0)?, u32::MAX),
            }
        }
    }

    /// One version for each predecessor of a merge; none if that is too much work.
    pub fn incoming(&mut self, merge: CellVersion) -> Option<&[(BlockId, CellVersion)]> {
        let Version { place, block, .. } = self.versions[merge];
        if !self.incoming.contains_key(&merge) {
            let predecessors = self.frontiers.as_ref()?.predecessors[block].clone();
            let mut incoming = Vec::with_capacity(predecessors.len());
            for before in predecessors {
                incoming.push((before, self.version_in(place, before, u32::MAX)?));
            }
            self.incoming.insert(merge, incoming);
        }
        self.incoming.get(&merge).map(Vec::as_slice)
    }

    fn web(&mut self, id: PlaceId) -> Option<Web> {
        let place = self.places[id];
        let size = self.memory.layout.size(place.ty)?;
        self.work_left = self.work_left.checked_sub(self.writes.list.len() as u64)?;
        // In the order of blocks and positions but for the few renewals, which
        // makes sorting a matter of merging.
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        found.push((BlockId::new(0), 0, Point::Entry, Definition::Entry));
        let reasons = self.add_writes(&place, size, &mut found);
        self.add_renewals(&place, &mut found);
        let events = self.with_merges(&found);
        self.found = found;
        let mut events = events?;
        events.sort_by_key(|&(block, position, ..)| (block, position));
        let versions = events.into_iter().map(|(block, position, point, is)| {
            (block, position, self.versions.push(Version { place: id, point, is, block, position }))
        });
        Some(Web { events: versions.collect(), reasons })
    }

    fn add_writes(&self, place: &Place, size: u64, events: &mut Vec<Event>) -> Reasons {
        let mut reasons = Reasons::NONE;
        let Some(mut asked) = self.writes.ask(place, size, &self.forms) else { return reasons };
        for write in &self.writes.list {
            let definition = match self.writes.verdict(write, &mut asked, &self.forms) {
                Verdict::No(why) => {
                    reasons = reasons.and(why);
                    continue;
                }
                Verdict::Exactly(value) => Definition::Stored(write.at, value),
                Verdict::Perhaps => Definition::Changed(write.at),
            };
            events.push((write.block, write.at.index() as u32 + 1, Point::Behind(write.at), definition));
        }
        reasons
    }

    fn add_renewals(&self, place: &Place, events: &mut Vec<Event>) {
        let body = self.body();
        let root = self.forms.form(place.address.form).root;
        let mut add = |block: BlockId, position: u32, point: Point, is: Definition| {
            if self.dominators.is_reachable(block) {
                events.push((block, position, point, is));
            }
        };
        for point in self.forms.renewals(place.address.form) {
            match point {
                Point::Head(block) => {
                    add(block, body.blocks[block].instructions.start, point, Definition::Renewed);
                }
                Point::Behind(at) => {
                    let is_fresh = root == Root::Value(Value::Instruction(at)) && self.makes_fresh(at);
                    let definition = if is_fresh { Definition::Undefined } else { Definition::Renewed };
                    add(body.block_of(at), at.index() as u32 + 1, point, definition);
                }
                Point::Entry => {}
            }
        }
    }

    /// Whether the instruction makes memory that holds nothing yet.
    fn makes_fresh(&self, at: InstructionId) -> bool {
        let body = self.body();
        if body.instructions[at].opcode == Opcode::Alloca {
            return true;
        }
        let Some(CalleeRef::Declaration(declared)) = body.call(at).map(|call| call.callee) else {
            return false;
        };
        let effect = self.memory.externals.effect(body, at, declared);
        effect.result == ResultKind::Fresh { zeroed: false }
    }

    /// With merges before the other events, so that a renewal at the same head
    /// wins.
    fn with_merges(&mut self, events: &[Event]) -> Option<Vec<Event>> {
        let frontiers = self.frontiers.as_ref()?;
        let body = &self.memory.module.functions[self.function];
        let mut merges = frontiers.merges(events.iter().map(|&(block, ..)| block));
        self.work_left = self.work_left.checked_sub(merges.len() as u64)?;
        merges.sort_unstable();
        let mut all = Vec::with_capacity(merges.len() + events.len());
        all.extend(merges.into_iter().map(|block| {
            (block, body.blocks[block].instructions.start, Point::Head(block), Definition::Merge)
        }));
        all.extend_from_slice(events);
        Some(all)
    }
}

impl Version {
    /// The first instruction that sees it.
    pub(super) fn first(&self) -> InstructionId {
        InstructionId::new(self.position as usize)
    }
}

impl FunctionMemory<'_> {
    /// The versions that loads read, and all behind them.
    pub(super) fn into_versions(self) -> MemoryVersions {
        let reasons = self.versions.values().map(|version| self.reasons(version.place).words()).collect();
        MemoryVersions::of_parts(self.reads, self.versions, self.incoming, reasons)
    }
}
