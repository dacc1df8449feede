//! Memory as tests need it: cells of local variables that nobody else knows of,
//! and, if asked for, of data that the function alone writes.
//!
//! An address is a cell if it is only loaded from and stored to, always with one
//! type. Versions are made at every block with several predecessors, so that
//! the many merges that merge nothing are tried too.

use std::collections::HashMap;

use opcost_analysis::cells::{CellDefinition, CellVersion, Cells};
use opcost_index::{Id, IdMap, reverse, reverse_postorder};
use opcost_ir::{Flags, Function, Module, Opcode, TypeId, Value};
use opcost_key::{BlockId, InstructionId};

#[derive(Clone, Debug)]
enum Definition {
    Stored {
        store: InstructionId,
        value: Value,
    },
    Merge {
        block: BlockId,
        incoming: Vec<(BlockId, CellVersion)>,
    },
    Undefined,
    /// By a call.
    Changed(InstructionId),
}

/// Cells of allocas that do not escape.
pub(crate) struct LocalCells {
    read: HashMap<InstructionId, CellVersion>,
    definitions: IdMap<CellVersion, Definition>,
}

impl LocalCells {
    pub(crate) fn new(module: &Module, function: &Function) -> LocalCells {
        Self::with_clobbers(module, function, |_| false)
    }

    /// The same, calls for which `changes` holds changing every cell; an address
    /// may then be given to calls.
    pub(crate) fn with_clobbers(
        module: &Module,
        function: &Function,
        changes: impl Fn(InstructionId) -> bool,
    ) -> LocalCells {
        let mut cells = LocalCells { read: HashMap::new(), definitions: IdMap::new() };
        let allocas = function.instructions.iter().filter(|(_, one)| one.opcode == Opcode::Alloca);
        for (id, _) in allocas {
            if is_cell(module, function, id) {
                cells.follow(function, id, &changes);
            }
        }
        cells
    }

    fn follow(&mut self, function: &Function, cell: InstructionId, changes: &dyn Fn(InstructionId) -> bool) {
        let order = reverse_postorder(function, BlockId::new(0));
        let before = reverse(function);
        let mut at_end: HashMap<BlockId, CellVersion> = HashMap::new();
        let mut merges = Vec::new();
        for &block in &order {
            let predecessors: Vec<BlockId> =
                opcost_index::Graph::successors(&before, block).filter(|from| order.contains(from)).collect();
            let mut version = match predecessors[..] {
                [] => self.definitions.push(Definition::Undefined),
                [only] => at_end[&only],
                _ => {
                    let merge = Definition::Merge { block, incoming: Vec::new() };
                    let version = self.definitions.push(merge);
                    merges.push((version, predecessors));
                    version
                }
            };
            for id in function.instructions_of(block) {
                let instruction = &function.instructions[id];
                let operands = function.operands_of(id);
                match instruction.opcode {
                    Opcode::Load if operands[0] == Value::Instruction(cell) => {
                        self.read.insert(id, version);
                    }
                    Opcode::Store if operands[1] == Value::Instruction(cell) => {
                        version = self.definitions.push(Definition::Stored { store: id, value: operands[0] });
                    }
                    opcode if opcode.is_call() && changes(id) => {
                        version = self.definitions.push(Definition::Changed(id));
                    }
                    _ => {}
                }
            }
            at_end.insert(block, version);
        }
        for (version, predecessors) in merges {
            if let Definition::Merge { incoming, .. } = &mut self.definitions[version] {
                *incoming = predecessors.iter().map(|from| (*from, at_end[from])).collect();
            }
        }
    }
}

/// Whether the address is only loaded from and stored to (or given to calls).
fn is_cell(module: &Module, function: &Function, cell: InstructionId) -> bool {
    let mut ty: Option<TypeId> = None;
    let mut same = |other: TypeId| *ty.get_or_insert(other) == other;
    function.instructions.iter().all(|(id, instruction)| {
        let operands = function.operands_of(id);
        if !operands.contains(&Value::Instruction(cell)) {
            return true;
        }
        let is_plain = !instruction.flags.has(Flags::VOLATILE) && !instruction.flags.has(Flags::ATOMIC);
        match instruction.opcode {
            Opcode::Load => is_plain && same(instruction.ty),
            Opcode::Store => {
                let stored = instruction.second_type.expect("a store has a type");
                is_plain && operands[0] != Value::Instruction(cell) && same(stored)
            }
            opcode => opcode.is_call() && module.functions.is_empty(),
        }
    })
}

impl Cells for LocalCells {
    fn read_by(&self, load: InstructionId) -> Option<CellVersion> {
        self.read.get(&load).copied()
    }

    fn definition(&self, version: CellVersion) -> CellDefinition<'_> {
        match &self.definitions[version] {
            Definition::Stored { store, value } => CellDefinition::Stored { store: *store, value: *value },
            Definition::Merge { block, incoming } => CellDefinition::Merge { block: *block, incoming },
            Definition::Undefined => CellDefinition::Undefined,
            Definition::Changed(at) => CellDefinition::Changed(*at),
        }
    }
}
