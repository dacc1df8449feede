//! A module, its functions, blocks and instructions, as plain values.
//!
//! Defined functions are numbered as [`FunctionId`], declarations apart as
//! [`DeclarationId`]. Blocks and instructions are dense per function in
//! program order, the numbers that keys carry. Operands lie in one pool per
//! function, so that an instruction is small and a function three vectors.

use std::collections::HashMap;
use std::ops::Range;

use opcost_index::{Graph, Id, IdMap};
use opcost_key::{BlockId, FileId, FunctionId, FunctionKey, InstructionId, Key, Part, Place, PlaceId};

use crate::call::{Call, CalleeRef};
use crate::constant::Constant;
use crate::effects::{MemoryEffects, ParameterFacts};
use crate::flags::Flags;
use crate::globals::{Global, Initializer};
use crate::ids::{ConstantId, DeclarationId, GlobalId, TagId, TagTypeId};
use crate::linkage::Linkage;
use crate::opcode::{Opcode, Predicate};
use crate::tags::Tag;
use crate::types::{Type, TypeId};
use crate::value::Value;

/// A module at its anchor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// Source file name that the module carries.
    pub source_name: String,
    /// Target triple.
    pub triple: String,
    /// Sizes and alignments, in LLVM's words: what [`Layout`](crate::Layout) reads.
    pub data_layout: Box<str>,
    /// Defined functions in module order.
    pub functions: IdMap<FunctionId, Function>,
    /// Declared functions in module order, intrinsics included.
    pub declarations: IdMap<DeclarationId, Declaration>,
    /// Types by id.
    pub types: IdMap<TypeId, Type>,
    /// Constant operands by id.
    pub constants: IdMap<ConstantId, Constant>,
    /// Source files by id.
    pub files: IdMap<FileId, String>,
    /// What compilers call themselves that made it, each once; none if it does not say.
    pub producers: Vec<String>,
    /// MD5 of the source files as they were compiled, as digits, where the module says it; empty
    /// where nobody read them.
    pub checksums: IdMap<FileId, Option<Box<str>>>,
    /// Places by id.
    pub places: IdMap<PlaceId, Place>,
    /// Whether the module carries top-level assembly.
    pub has_module_assembly: bool,
    /// Whether there is code in it
    /// ([`module_assembly_has_code`](crate::module_assembly_has_code)).
    pub module_assembly_has_code: bool,
    /// Whether it, or a start file of the program, may change how numbers are rounded
    /// ([`assembly_may_round`](crate::assembly_may_round)).
    pub module_assembly_may_round: bool,
    /// Words of assembly within functions that are names of the module's, sorted.
    pub assembly_names: Vec<Box<str>>,
    /// Data and second names in module order.
    pub globals: IdMap<GlobalId, Global>,
    /// What runs before `main` and after the end, as the module lists it.
    pub initializers: Vec<Initializer>,
    /// Names of its module-wide metadata: `llvm.ident`.
    pub metadata: Vec<Box<str>>,
    /// Types that alias tags describe: their names. Empty but in a snapshot in detail.
    pub tag_types: IdMap<TagTypeId, Box<str>>,
    /// Alias tags of its accesses. Empty but in a snapshot in detail.
    pub tags: IdMap<TagId, Tag>,
    /// Modules and names of local functions before modules were linked: the
    /// linker renames such a function where its name is taken. Not in the text
    /// form.
    pub homes: HashMap<FunctionId, FunctionKey>,
}

/// A function the module only declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// Linkage name.
    pub name: String,
    /// Whether it is an LLVM intrinsic.
    pub is_intrinsic: bool,
    /// Marked `nounwind`: no exception leaves it.
    pub is_nounwind: bool,
    /// Marked `willreturn`.
    pub is_willreturn: bool,
    /// Marked `noreturn`.
    pub is_noreturn: bool,
    /// Something besides direct calls refers to it: a pointer to it may exist.
    pub is_address_taken: bool,
    /// What it may do to memory.
    pub memory: MemoryEffects,
    /// Its result is `noalias`: memory that nothing else leads to.
    pub returns_noalias: bool,
    /// What is said of its parameters, by position.
    pub parameter_facts: Vec<ParameterFacts>,
}

/// A defined function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Linkage name.
    pub name: String,
    /// How others see it.
    pub linkage: Linkage,
    /// Its function type.
    pub ty: TypeId,
    /// Where it is written.
    pub place: Option<PlaceId>,
    /// Marked `nounwind`: no exception leaves it.
    pub is_nounwind: bool,
    /// Marked `naked`: its body is assembly only and must not be touched.
    pub is_naked: bool,
    /// An unsplit coroutine (`presplitcoroutine`).
    pub is_coroutine: bool,
    /// Marked `cold`.
    pub is_cold: bool,
    /// Marked `mustprogress`: a loop of it that does nothing ends.
    pub is_must_progress: bool,
    /// Marked `willreturn`.
    pub is_willreturn: bool,
    /// What it may do to memory.
    pub memory: MemoryEffects,
    /// Something besides direct calls refers to it: a pointer to it may exist.
    pub is_address_taken: bool,
    /// Called in a way that no parameter can be added to. Such are variable arguments, a calling
    /// convention but C's, and a register that is passed by itself.
    pub is_called_oddly: bool,
    /// The section it asks for.
    pub section: Option<Box<str>>,
    /// Attributes that LLVM knows by text only, by name, in its order; and
    /// `prefix`, `prologue` and `gc` where it has such.
    pub marks: Vec<Box<str>>,
    /// Number of parameters.
    pub parameters: u32,
    /// What is said of each of them.
    pub parameter_facts: Vec<ParameterFacts>,
    /// Blocks in program order; the first is the entry.
    pub blocks: IdMap<BlockId, Block>,
    /// Instructions in program order.
    pub instructions: IdMap<InstructionId, Instruction>,
    /// Calls by instruction, in program order.
    pub calls: Vec<(InstructionId, Call)>,
    /// Operands of all instructions.
    pub operands: Vec<Value>,
    /// Names of values that have one.
    pub names: HashMap<Value, Box<str>>,
    /// The variable of the source whose value or address a value is, the first
    /// such. Empty but in a snapshot in detail of a module that says so.
    pub source_names: HashMap<Value, Box<str>>,
    /// Its name in the source. `None` where `source_names` are empty.
    pub source_name: Option<Box<str>>,
}

/// A block: its instructions and where control goes from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its instructions, as positions in the function.
    pub instructions: Range<u32>,
    /// Successors in terminator order, parallel ones as often as they occur.
    pub successors: Vec<BlockId>,
    /// How its outgoing edges can be cut.
    pub flow: Flow,
    /// Branch weights (`!prof`), one per successor, if the module has them.
    pub weights: Option<Vec<u32>>,
    /// What is said of the loop whose latch this is.
    pub latch: LatchFacts,
}

/// What is said of a loop at the branch back (`llvm.loop`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LatchFacts {
    /// `llvm.loop.mustprogress`: if it does nothing, it ends.
    pub must_progress: bool,
    /// `llvm.loop.isvectorized`: the vectoriser is through with it.
    pub is_vectorized: bool,
    /// `llvm.loop.unroll.disable`: the unroller is through with it, or the
    /// source forbids it.
    pub is_unrolled: bool,
}

/// What kind of edges leave a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// `br`, `switch`: a new block can be put on any edge.
    Splittable,
    /// `invoke`: the first edge can be cut, the unwind edge cannot.
    Invoke,
    /// `indirectbr`, `callbr` and funclet terminators: none can be cut.
    Unsplittable,
    /// `ret`, `resume`, `unreachable`: no edges.
    None,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub opcode: Opcode,
    /// For comparisons.
    pub predicate: Option<Predicate>,
    /// Type of its result.
    pub ty: TypeId,
    /// Another type that matters: allocated (`alloca`), accessed through a pointer (`getelementptr`
    /// source type), of the value compared or stored (`icmp`, `store`).
    pub second_type: Option<TypeId>,
    /// Its operands in the function's pool, in LLVM's order. Of a `phi`, value and block alternate.
    /// Of a `switch`, the condition and the default block come first, and then each case's value
    /// and block. Of a call, arguments come first and then the callee.
    pub operands: Range<u32>,
    /// What it promises.
    pub flags: Flags,
    /// The type that it is made under, of a load or store. `None` but in a
    /// snapshot in detail.
    pub tag: Option<TagId>,
    /// Where it is written.
    pub place: Option<PlaceId>,
}

impl Module {
    /// What a function is called in answers: one key for one function of the
    /// program, whatever else was linked.
    pub fn key(&self, function: FunctionId) -> FunctionKey {
        let body = &self.functions[function];
        let own = || FunctionKey {
            module: Some(self.source_name.as_str().into()),
            name: body.name.as_str().into(),
        };
        match body.linkage {
            Linkage::Local => self.homes.get(&function).cloned().unwrap_or_else(own),
            _ => FunctionKey { module: None, name: body.name.as_str().into() },
        }
    }

    /// What a parameter, block or result is called in answers; `None` of a
    /// constant.
    pub fn key_of(&self, function: FunctionId, value: Value) -> Option<Key> {
        let part = match value {
            Value::Instruction(at) => Part::Instruction(at),
            Value::Argument(position) => Part::Parameter(position),
            Value::Block(block) => Part::Block(block),
            Value::Function(_) | Value::Declaration(_) | Value::Constant(_) => return None,
        };
        Some(self.key(function).part(part))
    }
}

impl Flow {
    /// How the edges out of a block that ends in `terminator` can be cut.
    pub fn of(terminator: Opcode) -> Flow {
        match terminator {
            Opcode::Br | Opcode::Switch => Flow::Splittable,
            Opcode::Invoke => Flow::Invoke,
            Opcode::Ret | Opcode::Resume | Opcode::Unreachable => Flow::None,
            _ => Flow::Unsplittable,
        }
    }
}

impl Function {
    /// The operands of an instruction.
    pub fn operands_of(&self, instruction: InstructionId) -> &[Value] {
        let range = &self.instructions[instruction].operands;
        &self.operands[range.start as usize..range.end as usize]
    }

    /// The instructions of a block.
    pub fn instructions_of(
        &self,
        block: BlockId,
    ) -> impl DoubleEndedIterator<Item = InstructionId> + ExactSizeIterator + use<> {
        let range = &self.blocks[block].instructions;
        (range.start as usize..range.end as usize).map(InstructionId::new)
    }

    /// The last instruction of a block.
    pub fn terminator_of(&self, block: BlockId) -> InstructionId {
        self.instructions_of(block).next_back().expect("a verified block ends in a terminator")
    }

    /// The block that an instruction is in. Cost: a binary search.
    pub fn block_of(&self, instruction: InstructionId) -> BlockId {
        let position = instruction.index() as u32;
        let behind = self.blocks.as_slice().partition_point(|block| block.instructions.start <= position);
        BlockId::new(behind - 1)
    }

    /// What is known of a call instruction. Cost: a binary search.
    pub fn call(&self, instruction: InstructionId) -> Option<&Call> {
        let position = self.calls.binary_search_by_key(&instruction, |&(id, _)| id).ok()?;
        Some(&self.calls[position].1)
    }

    /// The arguments of a call, without targets and callee.
    pub fn arguments_of(&self, call: InstructionId) -> &[Value] {
        let operands = self.operands_of(call);
        let behind = operands.iter().rev().skip(1).take_while(|operand| matches!(operand, Value::Block(_)));
        let targets = behind.count();
        &operands[..operands.len().saturating_sub(1 + targets)]
    }

    /// How often each block is a successor.
    pub fn predecessor_counts(&self) -> IdMap<BlockId, u32> {
        let mut counts = IdMap::filled(self.blocks.len(), 0);
        for block in self.blocks.values() {
            for &successor in &block.successors {
                counts[successor] += 1;
            }
        }
        counts
    }
}

impl Graph for Function {
    type Node = BlockId;
    fn node_count(&self) -> usize {
        self.blocks.len()
    }
    fn successors(&self, node: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.blocks[node].successors.iter().copied()
    }
}

impl Module {
    /// The type of an operand of the function; none of a block or function.
    pub fn type_of(&self, function: &Function, value: Value) -> Option<TypeId> {
        match value {
            Value::Instruction(id) => Some(function.instructions[id].ty),
            Value::Argument(position) => match &self.types[function.ty] {
                Type::Function(_, parameters, _) => parameters.get(position as usize).copied(),
                _ => None,
            },
            Value::Constant(id) => Some(self.constants[id].ty),
            Value::Block(_) | Value::Function(_) | Value::Declaration(_) => None,
        }
    }

    /// The name of what a call calls, when it has one.
    pub fn callee_name(&self, callee: CalleeRef) -> Option<&str> {
        match callee {
            CalleeRef::Function(id) => Some(&self.functions[id].name),
            CalleeRef::Declaration(id) => Some(&self.declarations[id].name),
            CalleeRef::Indirect | CalleeRef::Assembly => None,
        }
    }

    /// The intrinsic that a call calls, by its name: `llvm.memcpy.p0.p0.i64`.
    pub fn intrinsic_name(&self, callee: CalleeRef) -> Option<&str> {
        match callee {
            CalleeRef::Declaration(id) if self.declarations[id].is_intrinsic => {
                Some(&self.declarations[id].name)
            }
            _ => None,
        }
    }

    /// Whether accesses with these tags may overlap.
    pub fn may_overlap_by_type(&self, left: TagId, right: TagId) -> bool {
        self.tags[left].may_overlap(&self.tags[right])
    }

    /// Names of the access type of a tag and of its more general types up to
    /// the root: `int`, `omnipotent char`, `Simple C/C++ TBAA`.
    pub fn tag_path(&self, tag: TagId) -> Vec<&str> {
        self.tags[tag].general().map(|ty| &*self.tag_types[ty]).collect()
    }
}
