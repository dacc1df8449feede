//! A module, its functions, blocks and instructions, as plain values.
//!
//! Defined functions are numbered as [`FunctionId`], declarations apart as
//! [`DeclarationId`]. Blocks and instructions are dense per function in
//! program order, the numbers that keys carry. Operands lie in one pool per
//! function, so that an instruction is small and a function three vectors.

use std::collections::HashMap;
use std::ops::Range;

use opcost_index::{Graph, Id, IdMap, define_id};
use opcost_key::{BlockId, FileId, FunctionId, InstructionId, Place, PlaceId};

use crate::{Global, Initializer, Opcode, Predicate, Type, TypeId};

define_id!(
    /// A function that the module declares and does not define.
    pub struct DeclarationId, "declaration"
);
define_id!(
    /// A constant operand of the module.
    pub struct ConstantId, "constant"
);

/// A module at its anchor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// Source file name that the module carries.
    pub source_name: String,
    /// Target triple.
    pub triple: String,
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
    /// Places by id.
    pub places: IdMap<PlaceId, Place>,
    /// Whether the module carries top-level assembly.
    pub has_module_assembly: bool,
    /// Data and second names in module order.
    pub globals: Vec<Global>,
    /// What runs before `main` and behind the end, as the module lists it.
    pub initializers: Vec<Initializer>,
    /// Names of its module-wide metadata: `llvm.ident`.
    pub metadata: Vec<Box<str>>,
}

/// A constant operand: its type and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its type.
    pub ty: TypeId,
    /// As LLVM writes it, without the type.
    pub text: Box<str>,
}

/// How a name is seen by other modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// `internal`, `private`: nobody else.
    Local,
    /// What is written here is what runs (`external`).
    Exact,
    /// Another definition may take its place (`weak`, `linkonce`, …), or the
    /// same one, optimised in another module in another way (`linkonce_odr`).
    Replaceable,
    /// `available_externally`: a copy for the optimiser; another module's runs.
    Elsewhere,
}

/// A function the module only declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Linkage name.
    pub name: String,
    /// Whether it is an LLVM intrinsic.
    pub is_intrinsic: bool,
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
    /// Something besides direct calls refers to it: a pointer to it may exist.
    pub is_address_taken: bool,
    /// Called in a way that no parameter can be added to: variable arguments,
    /// a calling convention but C's, or a register that is passed by itself.
    pub is_called_oddly: bool,
    /// The section it asks for.
    pub section: Option<Box<str>>,
    /// Attributes that LLVM knows by text only, by name, in its order; and
    /// `prefix`, `prologue` and `gc` where it has such.
    pub marks: Vec<Box<str>>,
    /// Number of parameters.
    pub parameters: u32,
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
    /// Type that matters beside: allocated (`alloca`), accessed through a
    /// pointer (`getelementptr` source type), of the value compared or stored
    /// (`icmp`, `store`).
    pub second_type: Option<TypeId>,
    /// Its operands in the function's pool, in LLVM's order (of a `phi`, value
    /// and block in turn; of a call, arguments and then the callee).
    pub operands: Range<u32>,
    /// Where it is written.
    pub place: Option<PlaceId>,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The result of an instruction of the same function.
    Instruction(InstructionId),
    /// A parameter, by position.
    Argument(u32),
    /// A block, of a terminator or phi.
    Block(BlockId),
    /// A defined function.
    Function(FunctionId),
    /// A declared function.
    Declaration(DeclarationId),
    /// Any other constant: numbers, globals, expressions, assembly, metadata.
    Constant(ConstantId),
}

/// What is known of a call beside its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Whom it calls.
    pub callee: CalleeRef,
    /// No exception comes out of it (call or callee marked `nounwind`).
    pub is_nounwind: bool,
    /// Marked `willreturn`.
    pub is_willreturn: bool,
    /// Marked `noreturn`.
    pub is_noreturn: bool,
    /// Like `setjmp`.
    pub returns_twice: bool,
    /// Its tail marker.
    pub tail: TailKind,
    /// Inline assembly without a word in it, whose operands name no register:
    /// a barrier for the optimiser.
    pub is_empty_assembly: bool,
    /// Bytes of arguments that are copied on the way (`byval`).
    pub copied_bytes: u64,
}

/// Whom a call calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalleeRef {
    /// A function of this module.
    Function(FunctionId),
    /// A declared function or intrinsic.
    Declaration(DeclarationId),
    /// Through a pointer.
    Indirect,
    /// Inline assembly.
    Assembly,
}

/// The tail marker of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TailKind {
    /// None.
    None,
    /// `tail`: may become a jump.
    Tail,
    /// `musttail`: must become a jump.
    MustTail,
    /// `notail`: must not.
    NoTail,
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

    /// The block that an instruction lies in. Cost: a binary search.
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
}
