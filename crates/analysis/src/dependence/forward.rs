//! Who changes an object? From bytes forward to every write.
//!
//! The document's `GVInfo`, with its four ways to a global variable: directly,
//! through a parameter of a function that is given the address, through a cast,
//! and through the address of a member; and its two for memory that a pointer
//! in the variable leads to: by the pointer that `malloc` gave, and by one that
//! is loaded again later. The key is an object and a range of bytes. Writers
//! come from memory's points-to sets, not from a list of uses; so the ways here
//! only say how each write gets there. That none was found proves nothing
//! unless the list is complete.
//!
//! Cost: the writes of the object, and a short way back for each.

use opcost_ir::{Opcode, Value};
use opcost_key::{FunctionId, InstructionId};

use super::contexts::ContextId;
use super::explanation::LinkCertainty;
use super::memory::{Cell, MemoryQueries, Object, WriteCoverage};
use super::placed::Placed;
use super::resolver::Resolver;
use super::search::{Ask, Search};

/// How a write gets to the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// By its own name.
    Direct,
    /// Through a parameter of the function that writes.
    Parameter(u32),
    /// Through a cast.
    Cast,
    /// Through the address of a member or element.
    Member,
    /// Through a pointer that was loaded from memory.
    Loaded,
    /// Through a pointer that another function gave.
    Given,
    /// By a function that is elsewhere.
    Library,
    /// Through a pointer that is one of several.
    Chosen,
}

/// A write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFound {
    /// The function that writes.
    pub function: FunctionId,
    /// The instruction.
    pub instruction: InstructionId,
    /// How, from the write back; [`Way::Direct`] alone if by name.
    pub ways: Vec<Way>,
    /// What is stored, by a store.
    pub value: Option<Value>,
    /// Whether it certainly writes all of the bytes when it runs.
    pub certainty: LinkCertainty,
}

/// All writes to bytes of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stores {
    /// In order of functions and instructions.
    pub list: Vec<StoreFound>,
    /// Whether there are no others. Where there are more than
    /// [`MOST_WRITERS`](super::memory::MOST_WRITERS) none is listed.
    pub is_complete: bool,
    /// Memory that pointers stored in the bytes lead to, with its writes.
    pub behind: Vec<(Object, Vec<StoreFound>)>,
}

impl Stores {
    /// Whether one instruction only writes them, apart from what they hold at the start.
    pub fn is_written_once(&self) -> bool {
        self.is_complete && self.list.len() == 1
    }
}

/// The most steps of a way that are reported.
const LONGEST: usize = 32;

impl<M: MemoryQueries> Resolver<'_, M> {
    /// Every write that can change these bytes.
    pub fn stores_to(&self, cell: Cell) -> Stores {
        let mut stores = Stores { is_complete: true, ..Stores::default() };
        let history = self.shared.history(cell);
        stores.is_complete = history.is_complete && !history.is_too_many;
        let found =
            history.writes.iter().map(|write| self.found(write.function, write.instruction, write.coverage));
        stores.list = found.collect();
        let mut behind: Vec<Object> = Vec::new();
        for object in stores.list.iter().filter_map(|store| self.pointed_to(store)) {
            if object != cell.object && !behind.contains(&object) {
                behind.push(object);
            }
        }
        for object in behind {
            let size = self.shared.memory.size(object).unwrap_or(i64::MAX as u64);
            let history = self.shared.history(Cell { object, offset: 0, size });
            let found = history
                .writes
                .iter()
                .map(|write| self.found(write.function, write.instruction, write.coverage));
            stores.behind.push((object, found.collect()));
        }
        stores
    }

    fn found(&self, function: FunctionId, instruction: InstructionId, coverage: WriteCoverage) -> StoreFound {
        let code = self.shared.function(function);
        let operands = code.operands_of(instruction);
        let (value, pointer) = match code.instructions[instruction].opcode {
            Opcode::Store => (operands.first().copied(), operands.get(1).copied()),
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg => (None, operands.first().copied()),
            _ => (None, None),
        };
        let ways = pointer.map_or_else(|| vec![Way::Library], |pointer| self.ways(function, pointer));
        let certainty = match coverage {
            WriteCoverage::Whole => LinkCertainty::Definite,
            WriteCoverage::Possible => LinkCertainty::Possible,
        };
        StoreFound { function, instruction, ways, value, certainty }
    }

    /// What an address goes through, from the write back.
    fn ways(&self, function: FunctionId, mut pointer: Value) -> Vec<Way> {
        let code = self.shared.function(function);
        let mut ways = Vec::new();
        while ways.len() < LONGEST {
            let (way, next) = match pointer {
                Value::Argument(position) => (Way::Parameter(position), None),
                Value::Instruction(id) => match code.instructions[id].opcode {
                    Opcode::GetElementPtr => (Way::Member, code.operands_of(id).first()),
                    Opcode::BitCast | Opcode::AddrSpaceCast | Opcode::PtrToInt | Opcode::IntToPtr => {
                        (Way::Cast, code.operands_of(id).first())
                    }
                    Opcode::Load => (Way::Loaded, None),
                    Opcode::Alloca => break,
                    opcode if opcode.is_call() => (Way::Given, None),
                    _ => (Way::Chosen, None),
                },
                Value::Constant(_) if super::steps::offset_in_data(self.shared.module, pointer) != 0 => {
                    (Way::Member, None)
                }
                _ => break,
            };
            ways.push(way);
            match next {
                Some(&next) => pointer = next,
                None => return ways,
            }
        }
        if ways.is_empty() {
            ways.push(Way::Direct);
        }
        ways
    }

    /// The object that the stored value certainly points to.
    fn pointed_to(&self, store: &StoreFound) -> Option<Object> {
        let mut search = Search::new(&self.shared, self.limits.steps);
        match search.place(store.function, store.value?, ContextId::empty()) {
            Placed::At { object, .. } | Placed::Elements { object, .. } => Some(object),
            _ => None,
        }
    }
}
