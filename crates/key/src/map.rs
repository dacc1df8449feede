//! What does one built module look like, from the outside?
//!
//! Written once when the module is instrumented; raw counters + map answer
//! every question about counts. [`MAP_SCHEMA`] rises with every change of
//! these types; a reader refuses maps of another schema by name.

use opcost_index::{Id, IdMap};
use serde::{Deserialize, Serialize};

use crate::{
    Anchor, BlockId, BlockMap, CallSiteId, CounterId, EdgeId, EdgeMap, FileId, FunctionId, FunctionKey,
    Hash128, InstructionId, PlaceId, Placement, SegmentId, SegmentMap,
};

/// Version of the map's types.
pub const MAP_SCHEMA: u32 = 8;

/// One module: skeleton, meaning of its counters, weights, places, texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleMap {
    /// Path of the source or bitcode, relative to the project root.
    pub module: String,
    /// Where its instructions got their identity.
    pub anchor: Anchor,
    /// Facts about the build.
    pub build: BuildFacts,
    /// The cost model of all weights.
    pub cost: CostFacts,
    /// Source files by id, as the debug information names them.
    pub files: IdMap<FileId, String>,
    /// Places in the source.
    pub places: IdMap<PlaceId, Place>,
    /// Defined functions, in module order.
    pub functions: IdMap<FunctionId, FunctionMap>,
    /// Number of cells in the module's counter array.
    pub counter_count: u32,
    /// Which edge a frame leaves by when it is left at a call site.
    pub call_sites: IdMap<CallSiteId, (FunctionId, EdgeId)>,
    /// Functions of other modules that it may have pointers to, by name; none where it is
    /// counted.
    pub addresses_taken: Vec<(String, AddressHeld)>,
    /// What the map would be called if the code alone had said where counters go, where an earlier run did.
    pub by_code: Option<Hash128>,
    /// What is written on its lines, where that was at hand. It is no part of what the map is
    /// called by: the code is the same, no matter who has its sources.
    #[serde(skip)]
    pub texts: Vec<FileTexts>,
}

/// What is written on lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTexts {
    /// The file.
    pub file: FileId,
    /// Its lines that have code, in order.
    pub lines: Vec<LineText>,
}

/// What is written on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineText {
    /// The line, from 1.
    pub line: u32,
    /// Hash of its text ([`text_hash`](crate::text_hash)).
    pub hash: u32,
}

/// How the module was built: what must be equal for counts to be compared.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BuildFacts {
    /// The compiler, by its name and version: `clang 22.1.8`. Of a module that was given, what it says
    /// of itself.
    pub compiler: String,
    /// Flags that shape the code, in order: `-O2`, `-DNDEBUG`.
    pub flags: Vec<String>,
    /// Target triple.
    pub target: String,
    /// Version of opcost.
    pub opcost: String,
    /// Where counters were put; `None` for a map without counters.
    pub placement: Option<Placement>,
    /// Whether the module has lines.
    pub has_debug_lines: bool,
}

/// A cost model's name and the hash of all its weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostFacts {
    /// Name and version: `unit/1`.
    pub name: String,
    /// Hash over all weights.
    pub hash: Hash128,
    /// When an instruction is paid for.
    pub charge: Charge,
}

/// When an instruction is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Charge {
    /// When it starts.
    Instruction,
    /// When its block is entered, with all others of the block.
    Block,
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// Line, from 1; 0 when the compiler gives none.
    pub line: u32,
    /// Column, from 1; 0 when the compiler gives none.
    pub column: u32,
    /// The source function (linkage name) that the code was written in, when
    /// it differs from the function that holds it, because it was inlined.
    pub inlined_function: Option<String>,
    /// Where it was inlined.
    pub inlined_at: Option<PlaceId>,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionMap {
    /// Linkage name.
    pub name: String,
    /// Whether other modules cannot see the name (`static`): then the module
    /// is part of its identity.
    pub is_local: bool,
    /// What a local function was called before its module was linked to others, where that is
    /// known: the linker renames where a name is taken.
    pub home: Option<FunctionKey>,
    /// Where it is written.
    pub place: Option<PlaceId>,
    /// Hash of its control-flow graph, successor order and call positions.
    pub shape: Hash128,
    /// Hash of shape, opcodes and types.
    pub body: Hash128,
    /// Blocks in program order; the first is the entry.
    pub blocks: IdMap<BlockId, BlockMap>,
    /// Segments in program order.
    pub segments: IdMap<SegmentId, SegmentMap>,
    /// Edges of the flow graph.
    pub edges: IdMap<EdgeId, EdgeMap>,
    /// Instructions in program order.
    pub instructions: IdMap<InstructionId, InstructionMap>,
    /// Calls, in program order.
    pub calls: Vec<CallMap>,
    /// With placement every-segment: the counter of the first segment; the
    /// other segments' counters follow in order, and no edge is metered.
    pub segment_counters: Option<CounterId>,
    /// Whether and how its paths are counted.
    pub paths: PathsMap,
    /// What its code alone says of a run; nothing where it is counted.
    pub expected: Expected,
}

/// What code says of how often it runs, before it does.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Expected {
    /// Estimated frequency of each edge, by those of the function's entry; empty where
    /// nothing was estimated.
    pub frequencies: IdMap<EdgeId, u64>,
    /// Loops whose number of iterations is constant in the code.
    pub loops: Vec<KnownLoop>,
    /// Who may call it and whom it may call through pointers; `None` where nobody looked.
    pub pointers: Option<Pointers>,
}

/// What pointers to functions have to do with a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointers {
    /// Who of its module has its address.
    pub address: AddressHeld,
    /// Hash of the types of its result and parameters.
    pub signature: Hash128,
    /// Its calls through pointers, with the signatures that they call.
    pub calls: Vec<(InstructionId, Hash128)>,
    /// Its calls that start a thread, with the function in which the thread begins.
    pub threads: Vec<(InstructionId, Callee)>,
}

/// What of its module, besides direct calls, has a function's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AddressHeld {
    /// Nothing: no pointer leads to it, unless others know its name.
    Nowhere,
    /// Data alone, as virtual tables: a caller found it there. Calls that start a thread in it are
    /// kept by themselves.
    InData,
    /// The list of what runs when the program starts, or that of what runs at its end.
    AtStart,
    /// Code, which may give it to anybody.
    InCode,
}

/// A loop whose back edges are taken `back_edge_count` times for each time it is entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownLoop {
    /// The edges by which it is entered.
    pub entering: Vec<EdgeId>,
    /// The edges that lead back.
    pub back: Vec<EdgeId>,
    /// How often they are taken together.
    #[serde(rename = "turns")]
    pub back_edge_count: u64,
}

/// The counters of a function's paths.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PathsMap {
    /// Nobody asked for paths, or nothing of the function is counted.
    #[default]
    None,
    /// A counter for each path, in the order of their numbers.
    Counted {
        /// The counter of path 0; the others follow.
        first: CounterId,
        /// How many paths there are.
        count: u32,
        /// Edges at which one path ends and the next begins, in order: those
        /// that lead back, and others where there would be too many paths.
        cut: Vec<EdgeId>,
    },
    /// Its paths cannot be counted, for this reason; its edges are.
    Refused(String),
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionMap {
    /// Its weight under the map's cost model.
    pub weight: u32,
    /// The counter of what it cost in addition to its weight, by a length that only the running
    /// program knew.
    pub length: Option<CounterId>,
    /// Where it is written.
    pub place: Option<PlaceId>,
    /// Its text in the IR.
    pub text: String,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallMap {
    /// The call instruction.
    pub instruction: InstructionId,
    /// What it calls.
    pub callee: Callee,
}

/// What a call calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Callee {
    /// A function that is not defined in this module (it may be in another module of the program;
    /// only the whole program shows that).
    Declared(String),
    /// A function defined in this module.
    Defined(FunctionId),
    /// A memory intrinsic that becomes a library call: `memcpy`.
    Memory(String),
    /// Through a pointer.
    Indirect,
    /// Inline assembly.
    Assembly,
}

impl FunctionMap {
    /// What it is called in answers, in a module of this name.
    pub fn key(&self, module: &str) -> FunctionKey {
        if !self.is_local {
            return FunctionKey { module: None, name: self.name.as_str().into() };
        }
        let own = || FunctionKey { module: Some(module.into()), name: self.name.as_str().into() };
        self.home.clone().unwrap_or_else(own)
    }

    /// The instructions of a segment.
    pub fn instructions_of(&self, segment: SegmentId) -> impl Iterator<Item = InstructionId> + use<> {
        let start = self.segments[segment].first_instruction.index();
        let end = self
            .segments
            .get(SegmentId::new(segment.index() + 1))
            .map_or(self.instructions.len(), |next| next.first_instruction.index());
        (start..end).map(InstructionId::new)
    }

    /// The segments of a block.
    pub fn segments_of(&self, block: BlockId) -> impl Iterator<Item = SegmentId> + use<> {
        let start = self.blocks[block].first_segment.index();
        let end = self
            .blocks
            .get(BlockId::new(block.index() + 1))
            .map_or(self.segments.len(), |next| next.first_segment.index());
        (start..end).map(SegmentId::new)
    }

    /// The segment that an instruction belongs to.
    pub fn segment_of(&self, instruction: InstructionId) -> SegmentId {
        let behind =
            self.segments.as_slice().partition_point(|segment| segment.first_instruction <= instruction);
        SegmentId::new(behind - 1)
    }
}

impl ModuleMap {
    /// The line of a place, followed out to where it was inlined last when
    /// the innermost has none.
    pub fn file_and_line(&self, place: PlaceId) -> Option<(&str, u32)> {
        let mut place = &self.places[place];
        loop {
            if place.line != 0 {
                return Some((&self.files[place.file], place.line));
            }
            place = &self.places[place.inlined_at?];
        }
    }
}
