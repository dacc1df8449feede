//! From the code of a module to definitions: one variable for each value.
//!
//! Base variables of parameters and results are made first, for all functions;
//! then each function is walked ([`Walker`]) in the order of its dominator tree
//! with what is learnt on the way ([`edges`](super::edges)); what crosses
//! functions is tied together at the end ([`calls`](super::calls)).
//! Cost: linear in the instructions, but for what the parts say.

use std::collections::BTreeSet;

use opcost_index::{Id, IdMap, reverse};
use opcost_ir::{ConstantId, ConstantValue, Function, GlobalKind, Module, Opcode, Type, TypeId, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use super::cells::Reads;
use super::contents::Wanted;
use super::rounding::changes_rounding;
use super::tables::{Tables, kind_of};
use super::variables::{Definition, Kind, Limit, Range, VariableId, Variables};
use super::written_first::WrittenFirst;
use super::{Contract, Distance, Handed, Options};
use crate::memory::{Memory, MemoryVersions, Writers};
use crate::ranges::{FloatRange, ValueRange};
use opcost_graph::dominators::Dominators;

/// Variables of the values of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    pub(super) arguments: Vec<Option<VariableId>>,
    pub(super) results: Vec<Option<VariableId>>,
    /// What it returns.
    pub(super) returned: Option<VariableId>,
}

/// Variables while they are made.
pub(super) struct Collector<'a> {
    pub(super) program: &'a Memory<'a>,
    pub(super) writers: &'a Writers,
    pub(super) variables: Variables,
    pub(super) tables: Tables,
    pub(super) values: IdMap<FunctionId, Values>,
    /// What calls give to each parameter.
    pub(super) given: IdMap<FunctionId, Vec<Vec<VariableId>>>,
    /// What stores write, as it is where they stand.
    pub(super) stored: FxHashMap<(FunctionId, InstructionId), VariableId>,
    /// Contents that loads ask for.
    pub(super) wanted: Wanted,
    /// A second name leads to data, to which the module does not say.
    pub(super) has_second_names_of_data: bool,
    /// The same of functions.
    pub(super) has_second_names_of_code: bool,
    /// Which locals are written first.
    pub(super) first: WrittenFirst<'a>,
    pub(super) options: Options,
    pub(super) contracts: &'a [Contract],
    /// What calls give under contracts.
    pub(super) handed: Vec<Handed>,
    /// What contracts say.
    pub(super) promised: Vec<VariableId>,
    /// The code changes how floating point numbers are rounded.
    pub(super) changes_rounding: bool,
    constants: FxHashMap<ConstantId, Option<VariableId>>,
    /// How far phis are from phis at heads of loops around them.
    pub(super) distances: Vec<Distance>,
    /// What all of it rests on.
    pub(super) facts: BTreeSet<super::Fact>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(
        program: &'a Memory<'a>,
        writers: &'a Writers,
        options: Options,
        contracts: &'a [Contract],
    ) -> Collector<'a> {
        let globals = program.module.globals.values();
        let names: Vec<bool> = globals
            .filter(|global| global.kind != GlobalKind::Variable)
            .map(|global| global.leads_into_code)
            .collect();
        let mut collector = Collector {
            changes_rounding: changes_rounding(program.module),
            has_second_names_of_data: names.contains(&false),
            has_second_names_of_code: names.contains(&true),
            options,
            contracts,
            handed: Vec::new(),
            promised: Vec::new(),
            first: WrittenFirst::new(program),
            program,
            writers,
            variables: Variables::default(),
            tables: Tables::default(),
            values: IdMap::new(),
            given: IdMap::new(),
            stored: FxHashMap::default(),
            wanted: Wanted::default(),
            constants: FxHashMap::default(),
            distances: Vec::new(),
            facts: BTreeSet::new(),
        };
        for function in program.module.functions.values() {
            let values = collector.reserve(function);
            collector.given.push(vec![Vec::new(); values.arguments.len()]);
            collector.values.push(values);
        }
        collector
    }

    fn reserve(&mut self, function: &Function) -> Values {
        let (result, parameters) = match &self.module().types[function.ty] {
            Type::Function(result, parameters, _) => (Some(*result), parameters.clone()),
            _ => (None, Vec::new()),
        };
        let mut one = |ty: TypeId| {
            let kind = self.kind(ty)?;
            Some(self.variables.reserve(kind))
        };
        let has_body = !function.blocks.is_empty();
        Values {
            arguments: parameters.iter().map(|&ty| one(ty)).collect(),
            results: function.instructions.values().map(|instruction| one(instruction.ty)).collect(),
            returned: result.filter(|_| has_body).and_then(one),
        }
    }

    pub(super) fn module(&self) -> &'a Module {
        self.program.module
    }

    /// The kind of the variable for values of a type: of a pointer that of its
    /// offset.
    pub(super) fn kind(&self, ty: TypeId) -> Option<Kind> {
        match self.module().types[ty] {
            Type::Pointer(space) => match self.program.layout.index_bits(space) {
                bits @ 1..=128 => Some(Kind::Integer(bits)),
                _ => None,
            },
            _ => kind_of(self.module(), ty),
        }
    }

    /// The variable of a constant.
    pub(super) fn constant(&mut self, id: ConstantId) -> Option<VariableId> {
        if let Some(&known) = self.constants.get(&id) {
            return known;
        }
        let constant = &self.module().constants[id];
        let is_pointer = matches!(self.module().types[constant.ty], Type::Pointer(_));
        let made = self.kind(constant.ty).map(|kind| match (constant.value, kind) {
            (ConstantValue::Integer(word), Kind::Integer(width)) if !is_pointer => {
                self.variables.word(width, word)
            }
            (ConstantValue::Float(bits), Kind::Float(format)) => {
                let range = FloatRange::constant(format, f64::from_bits(bits));
                self.variables.add(kind, Definition::Constant(Range::Float(range)))
            }
            (ConstantValue::Global { offset, .. }, Kind::Integer(width)) if is_pointer => {
                self.variables.word(width, offset as i128 as u128 & crate::ranges::word::mask(width))
            }
            // No access goes through null.
            (ConstantValue::Null | ConstantValue::Poison, kind) => {
                self.variables.add(kind, Definition::Constant(Range::empty(kind)))
            }
            (ConstantValue::Undef, kind) => self.variables.full(kind, Limit::Undefined),
            (_, kind) => self.variables.full(kind, Limit::Address),
        });
        self.constants.insert(id, made);
        made
    }

    /// The variable of a value, whatever is known where it is used.
    pub(super) fn base(&mut self, function: FunctionId, value: Value) -> Option<VariableId> {
        match value {
            Value::Instruction(id) => self.values[function].results[id.index()],
            Value::Argument(position) => self.values[function].arguments.get(position as usize).copied()?,
            Value::Constant(id) => self.constant(id),
            _ => None,
        }
    }

    /// The type of a value, if it has one here.
    pub(super) fn type_of(&self, function: &Function, value: Value) -> Option<TypeId> {
        self.module().type_of(function, value)
    }
}

/// One function, while it is walked.
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
    log: Vec<(Value, Option<VariableId>)>,
    /// What phis take from each block.
    incoming: FxHashMap<BlockId, Vec<(InstructionId, Value)>>,
    /// The same as variables.
    pub(super) arms: FxHashMap<InstructionId, Vec<(BlockId, VariableId)>>,
    pub(super) returned: Vec<VariableId>,
    /// Operands of sums, as they are there.
    pub(super) operands: FxHashMap<InstructionId, [VariableId; 2]>,
    pub(super) cells: Option<&'c MemoryVersions>,
    pub(super) reads: Reads,
    /// Where the walk is: all before this in its block is computed.
    here: (BlockId, InstructionId),
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

    /// Walks the dominator tree, depth first.
    pub(super) fn walk(&mut self) {
        let entry = BlockId::new(0);
        let mut children: IdMap<BlockId, Vec<BlockId>> =
            IdMap::filled(self.function.blocks.len(), Vec::new());
        for block in self.function.blocks.ids() {
            if let Some(above) = self.dominators.immediate(block).filter(|_| block != entry) {
                children[above].push(block);
            }
        }
        let before = reverse(self.function);
        let mut stack: Vec<(BlockId, Option<usize>)> = vec![(entry, None)];
        while let Some((block, mark)) = stack.pop() {
            if let Some(mark) = mark {
                self.forget(mark);
                continue;
            }
            stack.push((block, Some(self.log.len())));
            let predecessors: Vec<BlockId> = opcost_index::Graph::successors(&before, block).collect();
            self.learn_at_entry(block, &predecessors);
            for at in self.function.instructions_of(block) {
                self.here = (block, at);
                self.define(at);
            }
            self.leave(block);
            stack.extend(children[block].iter().rev().map(|&child| (child, None)));
        }
    }

    /// What phis behind the block take from it.
    fn leave(&mut self, block: BlockId) {
        let Some(all) = self.incoming.remove(&block) else { return };
        let mut successors = self.function.blocks[block].successors.clone();
        successors.sort_unstable();
        successors.dedup();
        for to in successors {
            let mark = self.log.len();
            self.learn_edge(block, to);
            for &(phi, value) in &all {
                if self.blocks[phi] == to
                    && let Some(source) = self.again(value)
                {
                    self.arms.entry(phi).or_default().push((block, source));
                }
            }
            self.forget(mark);
        }
    }

    /// What is known of a value here.
    pub(super) fn now(&mut self, value: Value) -> Option<VariableId> {
        match self.current.get(&value) {
            Some(&known) => Some(known),
            None => self.all.base(self.id, value),
        }
    }

    /// From here on, below in the tree.
    pub(super) fn set(&mut self, value: Value, variable: VariableId) {
        let before = self.current.insert(value, variable);
        self.log.push((value, before));
    }

    /// The walk stands at the end of a block.
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

    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

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

    /// The word that a value is, if it stands in the code.
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
}
