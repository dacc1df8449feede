//! Which version of a place is there, anywhere in a function?
//!
//! A place is treated as a variable. What may write to it defines it (exactly,
//! or perhaps), and so does every point where one of the values that name it
//! is defined anew; versions meet on the iterated dominance frontier (Cytron et
//! al. 1991). All of that for one place is its [`Web`]; place after place, its
//! loads are answered, and only versions that a load reads, or that meet in one
//! that does, get a number.
//!
//! Pointers and indices may themselves live in memory (at -O0 all do): what is
//! found about loads in one round gives addresses new forms in the next, until
//! no form changes (`MOST_ROUNDS`).
//!
//! Input: what is known of the module, a function, its dominators. Cost: for each place the writes,
//! once, and its merges; at most `MOST_WORK` steps a function, after which places are not followed.

use std::borrow::Cow;

use opcost_index::{Id, IdMap};
use opcost_ir::{CalleeRef, Flags, Function, Opcode, Type, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use super::addresses::Where;
use super::forms::{Address, Forms, PlaceId, Point, Root};
use super::verdicts::{AccessVerdict, CellPlace, Found, Reasons};
use super::version::{Definition, Version};
use super::web::{Begin, Event, Web};
use super::whole::MemoryModel;
use super::writes::Writes;
use crate::cells::CellVersion;
use opcost_graph::dominators::Dominators;
use opcost_graph::frontiers::Frontiers;
use opcost_library::effect::ResultKind;

/// Verdicts, merges and steps up the dominator tree in one function.
const MOST_WORK: u64 = 4_000_000;
/// Loads that one address goes through, at most.
const MOST_ROUNDS: usize = 4;
/// Nodes in all dominance frontiers of a function together.
const MOST_FRONTIER: usize = 1 << 20;

/// The versions that loads read, and all after them.
pub(super) struct Followed {
    /// The version that each load reads.
    pub reads: FxHashMap<InstructionId, CellVersion>,
    /// Those versions, and those that meet in them.
    pub versions: IdMap<CellVersion, Version>,
    /// What meets in a merge, by the block that it comes from.
    pub incoming: FxHashMap<CellVersion, Vec<(BlockId, CellVersion)>>,
}

/// Places and versions of one function.
pub(super) struct FunctionMemory<'a> {
    memory: &'a MemoryModel<'a>,
    function: FunctionId,
    dominators: Cow<'a, Dominators<BlockId>>,
    frontiers: Option<Frontiers<BlockId>>,
    forms: Forms<'a>,
    writes: Writes<'a>,
    places: IdMap<PlaceId, CellPlace>,
    numbers: FxHashMap<(Address, opcost_ir::TypeId, Option<opcost_ir::TagId>), PlaceId>,
    versions: IdMap<CellVersion, Version>,
    incoming: FxHashMap<CellVersion, Vec<(BlockId, CellVersion)>>,
    reads: FxHashMap<InstructionId, CellVersion>,
    work_left: u64,
    /// Of the place at hand.
    web: Web,
    found: Found,
}

impl<'a> FunctionMemory<'a> {
    /// Follows all loads of a function.
    pub(super) fn compute(
        memory: &'a MemoryModel<'a>,
        function: FunctionId,
        dominators: Cow<'a, Dominators<BlockId>>,
    ) -> FunctionMemory<'a> {
        let body = &memory.module.functions[function];
        let mut all = FunctionMemory {
            memory,
            function,
            frontiers: Frontiers::compute(body, &dominators, MOST_FRONTIER),
            dominators,
            forms: Forms::new(memory, function),
            writes: Writes::new(memory, function),
            places: IdMap::new(),
            numbers: FxHashMap::default(),
            versions: IdMap::new(),
            incoming: FxHashMap::default(),
            reads: FxHashMap::default(),
            work_left: MOST_WORK,
            web: Web::new(body.blocks.len()),
            found: Found::default(),
        };
        let mut before = all.addresses();
        for _ in 0..MOST_ROUNDS {
            all.run_pass();
            let held = all.held();
            if !all.forms.replace(held) {
                break;
            }
            let now = all.addresses();
            if now == before {
                break;
            }
            before = now;
        }
        all
    }

    fn body(&self) -> &'a Function {
        &self.memory.module.functions[self.function]
    }

    /// One round: all loads with the forms that addresses have now.
    fn run_pass(&mut self) {
        self.versions = IdMap::new();
        self.incoming.clear();
        self.reads.clear();
        self.writes.collect(&mut self.forms, &self.dominators);
        self.found = Found::of(&self.writes);
        let mut loads: Vec<(PlaceId, InstructionId)> = Vec::new();
        let body = self.body();
        for (at, instruction) in body.instructions.iter() {
            if instruction.opcode == Opcode::Load
                && self.dominators.is_reachable(body.block_of(at))
                && let Some(place) = self.place_of(at)
            {
                loads.push((place, at));
            }
        }
        loads.sort_unstable();
        for of_one in loads.chunk_by(|one, other| one.0 == other.0) {
            let place = of_one[0].0;
            let Some(reasons) = self.follow(place) else { continue };
            for &(_, at) in of_one {
                if let Some(version) = self.version_at(place, at, reasons) {
                    self.reads.insert(at, version);
                }
            }
        }
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
    fn place_of(&mut self, load: InstructionId) -> Option<PlaceId> {
        let instruction = &self.body().instructions[load];
        let is_open = instruction.flags.has(Flags::VOLATILE) || instruction.flags.has(Flags::ATOMIC);
        self.memory.layout.size(instruction.ty).filter(|_| !is_open)?;
        let pointer = self.body().operands_of(load)[0];
        let place = CellPlace {
            address: self.forms.address(pointer),
            ty: instruction.ty,
            tag: instruction.tag,
            reach: Where::Answer(self.memory.addresses.targets_id(self.function, pointer)),
        };
        Some(self.intern(place))
    }

    /// The number of a place.
    fn intern(&mut self, place: CellPlace) -> PlaceId {
        let key = (place.address, place.ty, place.tag);
        *self.numbers.entry(key).or_insert_with(|| self.places.push(place))
    }

    /// Makes the web that of a place; none if that is too much work. The promises
    /// that its versions rest on.
    fn follow(&mut self, id: PlaceId) -> Option<Reasons> {
        let place = self.places[id];
        let size = self.memory.layout.size(place.ty)?;
        self.work_left = self.work_left.checked_sub(self.writes.list.len() as u64)?;
        self.web.begin();
        let (block, point, is) = (BlockId::new(0), Point::Entry, Definition::Entry);
        self.web.push(Event { block, position: 0, point, is });
        // These come in the order of blocks and positions, the few renewals not.
        let reasons = self.add_writes(&place, size);
        self.add_renewals(&place);
        let steps = self.web.close(self.frontiers.as_ref()?);
        self.work_left = self.work_left.checked_sub(steps)?;
        Some(reasons)
    }

    /// The version right before an instruction, and all that meets in it.
    fn version_at(&mut self, place: PlaceId, at: InstructionId, reasons: Reasons) -> Option<CellVersion> {
        let first = self.begin(self.body().block_of(at), at.index() as u32)?;
        let version = self.number(place, reasons, first);
        let mut work = vec![(version, first)];
        while let Some((version, begin)) = work.pop() {
            let Begin::Merge(block) = begin else { continue };
            if self.incoming.contains_key(&version) {
                continue;
            }
            let befores = self.frontiers.as_ref()?.predecessors[block].len();
            let mut incoming = Vec::with_capacity(befores);
            for position in 0..befores {
                let before = self.frontiers.as_ref()?.predecessors[block][position];
                let begin = self.begin(before, u32::MAX)?;
                let version = self.number(place, reasons, begin);
                incoming.push((before, version));
                work.push((version, begin));
            }
            self.incoming.insert(version, incoming);
        }
        Some(version)
    }

    fn begin(&mut self, block: BlockId, position: u32) -> Option<Begin> {
        let (begin, steps) = self.web.above(&self.dominators, block, position);
        self.work_left = self.work_left.checked_sub(steps)?;
        begin
    }

    /// The number of the version that begins there.
    fn number(&mut self, place: PlaceId, reasons: Reasons, begin: Begin) -> CellVersion {
        if let Some(known) = *self.web.number(begin) {
            return known;
        }
        let (position, point, is) = match begin {
            Begin::Event(number) => {
                let Event { position, point, is, .. } = *self.web.event(number);
                (position, point, is)
            }
            Begin::Merge(block) => {
                (self.body().blocks[block].instructions.start, Point::Head(block), Definition::Merge)
            }
        };
        let version = self.versions.push(Version { place, point, is, position, reasons });
        *self.web.number(begin) = Some(version);
        version
    }

    fn add_writes(&mut self, place: &CellPlace, size: u64) -> Reasons {
        let mut reasons = Reasons::NONE;
        let Some(mut asked) = self.writes.ask(place, size, &self.forms, &mut self.found) else {
            return reasons;
        };
        for write in &self.writes.list {
            let is = match (self.writes.verdict(write, &mut asked, &self.forms), write.value) {
                (AccessVerdict::No(why), _) => {
                    reasons = reasons.and(why);
                    continue;
                }
                (AccessVerdict::Exactly, Some(value)) => Definition::Stored(write.at, value),
                _ => Definition::Changed(write.at),
            };
            let (position, point) = (write.at.index() as u32 + 1, Point::Behind(write.at));
            self.web.push(Event { block: write.block, position, point, is });
        }
        reasons
    }

    fn add_renewals(&mut self, place: &CellPlace) {
        let body = self.body();
        let root = self.forms.form(place.address.form).root;
        let mut is_in_order = true;
        for point in self.forms.renewals(place.address.form) {
            let (block, position, is) = match point {
                Point::Head(block) => (block, body.blocks[block].instructions.start, Definition::Renewed),
                Point::Behind(at) => {
                    let is_fresh = root == Root::Value(Value::Instruction(at)) && self.makes_fresh(at);
                    let is = if is_fresh { Definition::Undefined } else { Definition::Renewed };
                    (body.block_of(at), at.index() as u32 + 1, is)
                }
                Point::Entry => continue,
            };
            if self.dominators.is_reachable(block) {
                self.web.push(Event { block, position, point, is });
                is_in_order = false;
            }
        }
        if !is_in_order {
            self.web.sort();
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
}

impl FunctionMemory<'_> {
    /// What all rounds found.
    pub(super) fn followed(self) -> Followed {
        Followed { reads: self.reads, versions: self.versions, incoming: self.incoming }
    }
}
