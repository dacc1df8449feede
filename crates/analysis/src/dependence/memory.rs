//! What does the resolver ask of memory? Four questions, answered by others.
//!
//! Where may a pointer point, who may write a range of bytes, whom does a call call, and who calls
//! a function. Anyone who answers may say too much (a write that never happens), never too little:
//! what he does not know he says with `is_complete: false`. The resolver makes the answers sharper
//! by the call sites that led to a place, and asks in which order things happen itself.
//!
//! `binding` answers from [`memory`](crate::memory); the tests answer with a
//! scan of the whole module, which is the referee.

use std::borrow::Cow;

use opcost_ir::{GlobalId, Value};
use opcost_key::{FunctionId, InstructionId};

use opcost_library::Effect;

/// All memory that one place of the code brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// Data of the module.
    Global(GlobalId),
    /// A local variable (`alloca`).
    Local(FunctionId, InstructionId),
    /// What a call that allocates gives.
    Fresh(FunctionId, InstructionId),
    /// The copy that a `byval` parameter points to.
    Copy(FunctionId, u32),
    /// Memory that no code of the module makes.
    Outside,
}

/// Bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// The object.
    pub object: Object,
    /// First byte.
    pub offset: i64,
    /// How many.
    pub size: u64,
}

impl Cell {
    /// Whether they share a byte.
    pub fn overlaps(&self, other: &Cell) -> bool {
        let end = |cell: &Cell| i128::from(cell.offset) + i128::from(cell.size);
        let starts_before = |left: &Cell, right: &Cell| i128::from(left.offset) < end(right);
        self.object == other.object && starts_before(self, other) && starts_before(other, self)
    }

    /// Whether all bytes of the other are among these.
    pub fn covers(&self, other: &Cell) -> bool {
        let end = |cell: &Cell| i128::from(cell.offset) + i128::from(cell.size);
        self.object == other.object && self.offset <= other.offset && end(other) <= end(self)
    }
}

/// One place that a pointer may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PointerTarget {
    /// The object.
    pub object: Object,
    /// The byte in it; `None`: several.
    pub offset: Option<i64>,
}

/// Where a pointer may point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointsTo {
    /// The places.
    pub targets: Vec<PointerTarget>,
    /// Whether there are no others.
    pub is_complete: bool,
}

/// How sure a write is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WriteCoverage {
    /// All bytes of the cell, if the object exists once at a time.
    Whole,
    /// The pointer may point to it.
    Possible,
}

/// An instruction that may write a cell: a store, or a call of a function that
/// is not of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Write {
    /// Where.
    pub function: FunctionId,
    /// The instruction.
    pub instruction: InstructionId,
    /// How sure.
    pub coverage: WriteCoverage,
}

/// A cell with more writers than this is not followed to each of them.
pub const MOST_WRITERS: usize = 256;

/// Who may write a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writers {
    /// In order of functions and instructions. A call of code that is not seen
    /// is among them if that may write the cell. Where there are more than
    /// [`MOST_WRITERS`], some of them, and more than that.
    pub list: Vec<Write>,
    /// Whether code that is not seen, entered by itself, may not write it.
    pub is_complete: bool,
    /// Writes were left out because indices stay inside their arrays.
    pub trusts_indices: bool,
}

/// Whom a call may call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Callees {
    /// Functions of the module: called directly, through a pointer, or called
    /// back by a function that is elsewhere.
    pub functions: Vec<FunctionId>,
    /// Whether it is one direct call of one function of the module.
    pub is_direct: bool,
    /// Whether code that is not seen may run.
    pub may_be_others: bool,
    /// Whether it may call back any function that others know, in addition to `functions`.
    pub may_call_back: bool,
}

/// What becomes the parameters of a function that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passing {
    /// The arguments of the call, in order.
    Arguments,
    /// The function is called back: each parameter is this argument of the
    /// call, or something that is not known.
    CalledBack(Vec<Option<u32>>),
}

/// A place that calls a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The function around the call.
    pub function: FunctionId,
    /// The call.
    pub call: InstructionId,
    /// What is passed.
    pub passing: Passing,
    /// Whether the call may call others instead.
    pub is_possible: bool,
}

/// Who runs a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Callers {
    /// The calls of the module.
    pub sites: Vec<CallSite>,
    /// The program begins here: data holds what it holds at the start.
    pub is_start: bool,
    /// It runs before `main`.
    pub is_constructor: bool,
    /// Code that is not seen may call it with anything, at any time.
    pub from_outside: bool,
    /// It may run at any time: a thread, a signal's handler.
    pub by_itself: bool,
}

/// What the resolver asks.
pub trait MemoryQueries {
    /// Where a pointer may point.
    fn points_to(&self, function: FunctionId, pointer: Value) -> PointsTo;
    /// Who may write these bytes.
    fn writers(&self, cell: Cell) -> Writers;
    /// Who may write so many bytes wherever this pointer points in an object.
    fn element_writers(&self, function: FunctionId, pointer: Value, object: Object, size: u64) -> Writers;
    /// Whether what the program was called with stays as it was.
    fn arguments_stay(&self) -> bool;
    /// Bytes of an object, if they are known.
    fn size(&self, object: Object) -> Option<u64>;
    /// Whom a call may call.
    fn callees(&self, function: FunctionId, call: InstructionId) -> Callees;
    /// Whether the module is the whole program, apart from its libraries.
    fn is_program(&self) -> bool;
    /// Who runs a function.
    fn callers(&self, function: FunctionId) -> Callers;
    /// What a call of a function that is elsewhere does, if that is known.
    fn effect(&self, function: FunctionId, call: InstructionId) -> Option<Cow<'_, Effect>>;
}
