//! How often does a loop go round whose numbers are all constant? By going round it.
//!
//! Where there is no formula (a counter with a point, a sequence without closed form) and what the loop begins with is
//! constant, the loop is executed, one instruction at a time, as the machine would: integers wrap, numbers with a point
//! are IEEE 754's, constant data is read (`walk_addresses`). What is not known (loads that are not followed, calls) stays
//! unknown; a branch on it ends the simulation without an answer. So `for (x = 0; x < 1; x += 0.1)` goes round 11 times.
//! Cost: at most [`MOST_STEPS`] instructions a loop, `MOST_STEPS_IN_ALL` a function.

use opcost_ir::{Flags, Opcode, Type};
use opcost_key::{BlockId, InstructionId};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::compute::{Number, compute};
use super::known::{Arm, Variable};
use super::loop_facts::Walked;
use super::solver::Solver;
use super::walk_numbers::Walk;
use crate::cells::{CellDefinition, CellVersion};
use crate::expression::Domain;
use crate::rounding::changes_rounding;
use opcost_graph::edge::Edge;
use opcost_graph::loops::LoopId;

/// Instructions that the simulation of one loop may execute.
const MOST_STEPS: u32 = 40_000;

impl Solver<'_, '_> {
    /// Goes round a loop, from its entry to its exit.
    pub(super) fn walk(&mut self, id: LoopId) -> Option<Walked> {
        let merges = self.merges_in(id);
        let header = self.source.forest.loops[id].header;
        let mut walk = Walk { numbers: HashMap::default(), cells: HashMap::default(), has_floats: false };
        self.begin(id, &merges, &mut walk);
        let (mut block, mut back_edges, mut left) = (header, 0, MOST_STEPS);
        loop {
            let instructions = self.source.function.instructions_of(block);
            let count = instructions.len() as u32;
            left = left.checked_sub(count)?;
            self.state.steps = self.state.steps.checked_sub(count)?;
            for at in instructions {
                self.step(at, &mut walk);
            }
            let slot = self.taken(block, &walk)?;
            let next = self.source.function.blocks[block].successors[slot];
            if !self.source.forest.contains(id, next) {
                let rounds = || changes_rounding(self.source.module);
                if walk.has_floats && *self.state.changes_rounding.get_or_init(rounds) {
                    return None;
                }
                let exit = Edge { from: block, slot: slot as u32, to: next };
                return Some(Walked { back_edges, exit, has_floats: walk.has_floats });
            }
            back_edges += u32::from(next == header);
            self.enter(block, next, &merges, &mut walk);
            block = next;
        }
    }

    /// Merges of cells that loads of the loop read, by block.
    fn merges_in(&self, id: LoopId) -> HashMap<BlockId, Vec<CellVersion>> {
        let function = self.source.function;
        let members = self.source.forest.loops[id].members.iter();
        let loads = members.flat_map(|&block| function.instructions_of(block));
        let mut work: Vec<CellVersion> = loads
            .filter(|&at| function.instructions[at].opcode == Opcode::Load)
            .filter_map(|at| self.source.cells.read_by(at))
            .collect();
        let mut seen = HashSet::default();
        let mut found: HashMap<BlockId, Vec<CellVersion>> = HashMap::default();
        while let Some(version) = work.pop() {
            if !seen.insert(version) {
                continue;
            }
            if let CellDefinition::Merge { block, incoming } = self.source.cells.definition(version)
                && self.source.forest.contains(id, block)
            {
                found.entry(block).or_default().push(version);
                work.extend(incoming.iter().map(|&(_, version)| version));
            }
        }
        found
    }

    /// What the variables of the head are in the first iteration.
    fn begin(&mut self, id: LoopId, merges: &HashMap<BlockId, Vec<CellVersion>>, walk: &mut Walk) {
        let header = self.source.forest.loops[id].header;
        let function = self.source.function;
        for at in function.instructions_of(header) {
            if function.instructions[at].opcode != Opcode::Phi {
                break;
            }
            if let Some(number) = self.start_number(Variable::Result(at), id) {
                walk.numbers.insert(at, number);
            }
        }
        for &version in merges.get(&header).into_iter().flatten() {
            if let Some(number) = self.start_number(Variable::Cell(version), id) {
                walk.cells.insert(version, number);
            }
        }
    }

    fn start_number(&mut self, variable: Variable, id: LoopId) -> Option<Number> {
        let outside: Vec<Arm> = self
            .arms(variable)
            .into_iter()
            .filter(|(from, _)| !self.source.forest.contains(id, *from))
            .map(|(_, arm)| arm)
            .collect();
        let [first, rest @ ..] = &outside[..] else { return None };
        let number = self.arm_number(*first, 0)?;
        rest.iter().all(|&arm| self.arm_number(arm, 0) == Some(number)).then_some(number)
    }

    fn step(&mut self, at: InstructionId, walk: &mut Walk) {
        let function = self.source.function;
        let instruction = &function.instructions[at];
        let computed = match instruction.opcode {
            Opcode::Phi => return,
            Opcode::Load => self.loaded(at, walk).or_else(|| self.read_constant(at, walk)),
            Opcode::GetElementPtr => self.moved(at, walk),
            opcode if opcode.is_terminator() || opcode.is_call() => None,
            _ => self.computed(at, walk),
        };
        let is_compared = matches!(instruction.opcode, Opcode::FCmp | Opcode::FPToSI | Opcode::FPToUI);
        match computed {
            Some(number) => {
                walk.has_floats |= is_compared || matches!(number, Number::Single(_) | Number::Double(_));
                walk.numbers.insert(at, number);
            }
            None => {
                walk.numbers.remove(&at);
            }
        }
    }

    fn computed(&mut self, at: InstructionId, walk: &Walk) -> Option<Number> {
        let function = self.source.function;
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        // Another number may be computed than the one that is here.
        if operands.len() > 3 || instruction.flags.has(Flags::RELAXED) {
            return None;
        }
        if instruction.opcode == Opcode::Select {
            let Number::Integer(holds) = self.number(operands[0], walk)? else { return None };
            return self.number(operands[if holds != 0 { 1 } else { 2 }], walk);
        }
        let mut numbers = [Number::Integer(0); 2];
        for (number, &operand) in numbers.iter_mut().zip(operands) {
            *number = self.number(operand, walk)?;
        }
        let types = &self.source.module.types;
        let from = operands.first().and_then(|&operand| self.type_of_operand(operand)).map(|ty| &types[ty]);
        if matches!(from, Some(Type::Pointer(_))) {
            return self.addresses_compared(at, numbers);
        }
        compute(instruction, operands.len(), numbers, from?, &types[instruction.ty])
    }

    fn loaded(&mut self, at: InstructionId, walk: &Walk) -> Option<Number> {
        let version = self.source.cells.read_by(at)?;
        let number = self.content(version, walk)?;
        // A cell that was stored with another type is no number of this one.
        let ty = &self.source.module.types[self.source.function.instructions[at].ty];
        number.is_of(ty).then_some(number)
    }

    fn content(&mut self, version: CellVersion, walk: &Walk) -> Option<Number> {
        if let Some(&number) = walk.cells.get(&version) {
            return Some(number);
        }
        match self.source.cells.definition(version) {
            CellDefinition::Stored { value, .. } => self.number(value, walk),
            _ => None,
        }
    }

    /// The successor that a block goes to.
    fn taken(&mut self, block: BlockId, walk: &Walk) -> Option<usize> {
        let function = self.source.function;
        let terminator = function.terminator_of(block);
        let operands = function.operands_of(terminator);
        match function.instructions[terminator].opcode {
            Opcode::Br if operands.len() == 1 => Some(0),
            Opcode::Br => match self.number(operands[0], walk)? {
                Number::Integer(holds) => Some(usize::from(holds == 0)),
                _ => None,
            },
            Opcode::Switch => {
                let value = self.number(operands[0], walk)?;
                let mut slot = 0;
                for (position, pair) in operands[2..].chunks_exact(2).enumerate() {
                    if self.outside_number(pair[0])? == value {
                        slot = position + 1;
                        break;
                    }
                }
                Some(slot)
            }
            _ => None,
        }
    }

    /// Phis and merges of the block that control comes to, all at once.
    fn enter(
        &mut self,
        from: BlockId,
        to: BlockId,
        merges: &HashMap<BlockId, Vec<CellVersion>>,
        walk: &mut Walk,
    ) {
        let function = self.source.function;
        let phis = function
            .instructions_of(to)
            .take_while(|&at| function.instructions[at].opcode == Opcode::Phi)
            .map(Variable::Result);
        let cells = merges.get(&to).into_iter().flatten().map(|&version| Variable::Cell(version));
        let mut changes = Vec::new();
        for variable in phis.chain(cells) {
            let arm = self.arms(variable).into_iter().find(|(block, _)| *block == from);
            let number = match arm {
                Some((_, Arm::Value(value))) => self.number(value, walk),
                Some((_, Arm::Cell(version))) => self.content(version, walk),
                None => None,
            };
            changes.push((variable, number));
        }
        for (variable, number) in changes {
            match (variable, number) {
                (Variable::Result(at), Some(number)) => walk.numbers.insert(at, number),
                (Variable::Result(at), None) => walk.numbers.remove(&at),
                (Variable::Cell(version), Some(number)) => walk.cells.insert(version, number),
                (Variable::Cell(version), None) => walk.cells.remove(&version),
            };
        }
    }
}

impl Number {
    /// Whether it can be a value of this type.
    fn is_of(self, ty: &Type) -> bool {
        match (self, ty) {
            (Number::Integer(value), Type::Integer(bits @ 1..=64)) => {
                let domain = Domain { bits: *bits, signed: *bits > 1 };
                domain.reduce(value) == value
            }
            (Number::Address(..) | Number::Integer(0), Type::Pointer(0)) => true,
            (Number::Double(_), Type::Float("double")) | (Number::Single(_), Type::Float("float")) => true,
            _ => false,
        }
    }
}
