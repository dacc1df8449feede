//! What a walk knows of values: counters that start at numbers.
//!
//! A walk takes branches by the dice, but a loop whose turns stand in the code
//! goes round as often as they say. So phis, sums and comparisons of numbers are
//! worked out as a machine would, wrapping, and what comes of anything else is
//! not known.

use std::collections::HashMap;

use opcost_ir::{Function, Module, Opcode, Type, Value};
use opcost_key::{BlockId, InstructionId};

/// The values of a frame that follow from numbers alone.
#[derive(Default)]
pub(crate) struct Values {
    known: HashMap<InstructionId, u64>,
}

impl Values {
    /// All phis of a block take what comes from where control comes.
    pub(crate) fn enter(&mut self, module: &Module, function: &Function, from: BlockId, to: BlockId) {
        let phis = function
            .instructions_of(to)
            .filter(|&at| function.instructions[at].opcode == Opcode::Phi)
            .map(|phi| {
                let mut pairs = function.operands_of(phi).chunks_exact(2);
                let pair = pairs.find(|pair| pair[1] == Value::Block(from));
                (phi, pair.and_then(|pair| self.of(module, pair[0])))
            });
        for (phi, value) in phis.collect::<Vec<_>>() {
            self.set(phi, value);
        }
    }

    /// The instruction is done.
    pub(crate) fn does(&mut self, module: &Module, function: &Function, at: InstructionId) {
        let instruction = &function.instructions[at];
        let &[left, right] = function.operands_of(at) else { return };
        let both = self.of(module, left).zip(self.of(module, right));
        match instruction.opcode {
            Opcode::Add => self.set(at, both.map(|(left, right)| left.wrapping_add(right))),
            Opcode::ICmp => {
                let width = [left, right].into_iter().find_map(|side| width_of(module, function, side));
                let holds = both.zip(width).zip(instruction.predicate);
                let holds = holds.and_then(|(((left, right), width), how)| how.holds(left, right, width));
                let holds = holds.map(u64::from);
                self.set(at, holds);
            }
            _ => {}
        }
    }

    /// The slot that a branch on known values takes.
    pub(crate) fn slot(&self, function: &Function, block: BlockId) -> Option<u32> {
        let end = function.terminator_of(block);
        match (function.instructions[end].opcode, function.operands_of(end).first()) {
            (Opcode::Br, Some(Value::Instruction(test))) => Some(u32::from(*self.known.get(test)? == 0)),
            _ => None,
        }
    }

    fn of(&self, module: &Module, value: Value) -> Option<u64> {
        match value {
            Value::Instruction(at) => self.known.get(&at).copied(),
            Value::Constant(id) => module.constants[id].text.parse().ok().map(|number: i64| number as u64),
            _ => None,
        }
    }

    fn set(&mut self, at: InstructionId, value: Option<u64>) {
        match value {
            Some(value) => self.known.insert(at, value),
            None => self.known.remove(&at),
        };
    }
}

fn width_of(module: &Module, function: &Function, value: Value) -> Option<u32> {
    let Value::Instruction(at) = value else { return None };
    match module.types[function.instructions[at].ty] {
        Type::Integer(bits @ 1..=64) => Some(bits),
        _ => None,
    }
}
