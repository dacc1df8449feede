//! What is known of the values of a function, at the place where a traversal is?
//!
//! A [`Walker`] has the variable that each value is there; what was learnt is forgotten when the
//! traversal leaves the part of the dominator tree where it holds. It also keeps what is gathered
//! on the way: casts, arms of phis, operands of sums, reads. Cost: constant for each look-up.

use opcost_index::{Id, IdMap};
use opcost_ir::{ConstantValue, Flags, Function, Opcode, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use super::collect::Collector;
use super::facts::EdgeFact;
use super::range::{Kind, Range, kind_of};
use super::variables::{Definition, VariableId};
use crate::cells::CellVersion;
use crate::memory::MemoryVersions;
use crate::ranges::{FloatOperation, FloatStep, Format, ValueRange};
use opcost_graph::dominators::Dominators;

/// What loads read of versions, while a function is traversed.
#[derive(Default)]
pub(super) struct Reads {
    pub(super) known: FxHashMap<CellVersion, VariableId>,
    /// With what is there, no matter who wrote it.
    pub(super) open: Vec<(CellVersion, VariableId, VariableId)>,
}

impl Reads {
    /// Versions that are read, or that what is read is made of.
    pub(super) fn variables(&self) -> impl Iterator<Item = (CellVersion, VariableId)> + '_ {
        self.known.iter().map(|(&version, &variable)| (version, variable))
    }

    /// The variable of one of them.
    pub(super) fn variable(&self, version: CellVersion) -> Option<VariableId> {
        self.known.get(&version).copied()
    }
}

/// One function, while it is traversed.
pub(super) struct Walker<'c, 'a> {
    pub(super) all: &'c mut Collector<'a>,
    pub(super) id: FunctionId,
    pub(super) function: &'a Function,
    pub(super) dominators: &'c Dominators<BlockId>,
    pub(super) blocks: IdMap<InstructionId, BlockId>,
    /// Casts and the like of a value that refinements go on to.
    pub(super) casts: FxHashMap<Value, Vec<InstructionId>>,
    /// How often a value is an operand, 2 at most.
    pub(super) uses: FxHashMap<Value, u8>,
    current: FxHashMap<Value, VariableId>,
    /// The same where control enters a loop, by its header.
    entering: FxHashMap<BlockId, FxHashMap<Value, VariableId>>,
    log: Vec<(Value, Option<VariableId>)>,
    /// What phis take from each block.
    pub(super) incoming: FxHashMap<BlockId, Vec<(InstructionId, Value)>>,
    /// The same as variables.
    pub(super) arms: FxHashMap<InstructionId, Vec<(BlockId, VariableId)>>,
    pub(super) returned: Vec<VariableId>,
    /// Operands of sums, as they are there.
    pub(super) operands: FxHashMap<InstructionId, [VariableId; 2]>,
    pub(super) cells: Option<&'c MemoryVersions>,
    pub(super) reads: Reads,
    /// Where the traversal is: all before this in its block is computed.
    pub(super) here: (BlockId, InstructionId),
}

impl<'c, 'a> Walker<'c, 'a> {
    pub(super) fn new(
        all: &'c mut Collector<'a>,
        id: FunctionId,
        dominators: &'c Dominators<BlockId>,
        cells: Option<&'c MemoryVersions>,
    ) -> Self {
        let function = &all.program.module.functions[id];
        let mut blocks = IdMap::filled(function.instructions.len(), BlockId::new(0));
        for block in function.blocks.ids() {
            function.instructions_of(block).for_each(|at| blocks[at] = block);
        }
        let mut walker = Walker {
            all,
            id,
            function,
            dominators,
            blocks,
            casts: FxHashMap::default(),
            uses: FxHashMap::default(),
            current: FxHashMap::default(),
            entering: FxHashMap::default(),
            log: Vec::new(),
            incoming: FxHashMap::default(),
            arms: FxHashMap::default(),
            returned: Vec::new(),
            operands: FxHashMap::default(),
            cells,
            reads: Reads::default(),
            here: (BlockId::new(0), InstructionId::new(0)),
        };
        walker.look_ahead();
        walker
    }

    /// Uses, casts, and what phis take.
    fn look_ahead(&mut self) {
        for (at, instruction) in self.function.instructions.iter() {
            let operands = self.function.operands_of(at);
            for &operand in operands {
                if matches!(operand, Value::Instruction(_) | Value::Argument(_)) {
                    let uses = self.uses.entry(operand).or_default();
                    *uses = (*uses + 1).min(2);
                }
            }
            if instruction.opcode == Opcode::Phi {
                let mut last = None;
                for pair in operands.chunks_exact(2) {
                    let Value::Block(from) = pair[1] else { continue };
                    // Parallel edges have the same value.
                    if last.replace((from, pair[0])) != Some((from, pair[0])) {
                        self.incoming.entry(from).or_default().push((at, pair[0]));
                    }
                }
            }
            if self.is_cast(at) {
                self.casts.entry(operands[0]).or_default().push(at);
            }
        }
    }

    /// What is known of a value here.
    pub(super) fn now(&mut self, value: Value) -> Option<VariableId> {
        match self.current.get(&value) {
            Some(&known) => Some(known),
            None => self.all.base(self.id, value),
        }
    }

    /// Keeps what is known here for the loop of which this is the header.
    pub(super) fn enter_loop(&mut self, header: BlockId) {
        self.entering.insert(header, self.current.clone());
    }

    /// What was known of a value from before a loop where control entered it.
    pub(super) fn on_entry(&mut self, header: BlockId, value: Value) -> Option<VariableId> {
        match self.entering.get(&header).and_then(|known| known.get(&value)) {
            Some(&known) => Some(known),
            None => self.all.base(self.id, value),
        }
    }

    /// From here on, below in the tree.
    pub(super) fn set(&mut self, value: Value, variable: VariableId) {
        let before = self.current.insert(value, variable);
        self.log.push((value, before));
    }

    /// The traversal is at the end of a block.
    pub(super) fn stand_behind(&mut self, block: BlockId) {
        self.here = (block, self.function.terminator_of(block));
    }

    /// Whether an instruction has been executed when control is here, since
    /// whatever it is computed from was.
    pub(super) fn is_defined(&self, at: InstructionId) -> bool {
        let (block, position) = self.here;
        match self.blocks[at] == block {
            true => at < position,
            false => self.dominators.dominates(self.blocks[at], block),
        }
    }

    /// Up to where `forget` goes back.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// What was learnt since is known no more.
    pub(super) fn forget(&mut self, mark: usize) {
        for (value, before) in self.log.drain(mark..).rev() {
            match before {
                Some(before) => _ = self.current.insert(value, before),
                None => _ = self.current.remove(&value),
            }
        }
    }

    /// The number that a value is here; none of pointers and what is not followed.
    pub(super) fn number(&mut self, value: Value) -> Option<VariableId> {
        let ty = self.all.type_of(self.function, value)?;
        kind_of(self.all.module(), ty)?;
        self.now(value)
    }

    /// The integer of so many bits that it is here.
    pub(super) fn integer(&mut self, value: Value) -> Option<(VariableId, u32)> {
        let variable = self.number(value)?;
        match self.all.variables.get(variable).kind {
            Kind::Integer(width) => Some((variable, width)),
            Kind::Float(_) => None,
        }
    }

    /// The word that a value is, if it is a constant.
    pub(super) fn word(&self, value: Value) -> Option<u128> {
        let Value::Constant(id) = value else { return None };
        match self.all.module().constants[id].value {
            ConstantValue::Integer(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn add(&mut self, kind: Kind, definition: Definition) -> VariableId {
        self.all.variables.add(kind, definition)
    }

    /// A variable that is always in this range.
    pub(super) fn fixed(&mut self, range: ValueRange) -> VariableId {
        let kind = Kind::Integer(range.type_width());
        self.add(kind, Definition::Constant(Range::Integer(range)))
    }

    /// Casts that go on with what they are a cast of.
    pub(super) fn is_cast(&self, at: InstructionId) -> bool {
        let operands = self.function.operands_of(at);
        match (self.function.instructions[at].opcode, operands) {
            (Opcode::ZExt | Opcode::SExt | Opcode::Trunc, &[value]) => !matches!(value, Value::Constant(_)),
            (Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl, &[value, Value::Constant(_)]) => {
                !matches!(value, Value::Constant(_))
            }
            _ => false,
        }
    }

    /// A step as its flags let it be.
    pub(super) fn float_step(
        &mut self,
        operation: FloatOperation,
        format: Format,
        flags: Flags,
    ) -> FloatStep {
        let is_relaxed = flags.has(Flags::RELAXED) || self.all.changes_rounding;
        if !is_relaxed {
            self.all.note(EdgeFact::Ieee);
        }
        FloatStep { operation, format, is_relaxed }
    }
}
