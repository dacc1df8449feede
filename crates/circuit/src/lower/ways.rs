//! What if a pointer may lead to several memories? Then it has a position in each of them.
//!
//! `c ? p : q` leads to one memory in some runs and to another in others. Such a pointer is a list of
//! ways: a memory, a position in it, and a bit that says whether the pointer leads there now. A load
//! reads the memory whose bit is one, and a multiplexer takes what it gives; a store writes where the
//! bit is one. Choices of pointers become choices of positions and of bits. A node that computes
//! nothing stands for the pointer.
//!
//! Input: instructions that make or use pointers. Output: nodes. Cost: nodes for each memory that a
//! pointer may lead to. Limit: a pointer to several memories is not compared with others, and is not NULL.

use opcost_ir::{Opcode, Value};
use opcost_key::{BlockId, InstructionId};

use super::accesses::Place;
use super::structs::Field;
use super::{Frame, Lowered, Lowering, zero_position};
use crate::kernel::{Action, KernelOperand, MemoryId, NodeId};
use crate::refusal::CircuitRefusal;

/// Where a pointer may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) memory: MemoryId,
    /// Bytes.
    pub(crate) position: KernelOperand,
    /// Whether it leads there.
    pub(crate) is_taken: KernelOperand,
}

/// A phi of pointers to several memories, to be filled in.
#[derive(Clone, Debug)]
pub(crate) struct WayPhi {
    at: InstructionId,
    /// Of each memory the position and the bit.
    ways: Vec<(MemoryId, NodeId, NodeId)>,
}

pub(super) const YES: KernelOperand = KernelOperand::Constant { bits: 1, value: 1 };
const NO: KernelOperand = KernelOperand::Constant { bits: 1, value: 0 };

impl<'m> Lowering<'m> {
    /// The ways of a pointer that is lowered.
    pub(crate) fn ways(
        &mut self,
        frame: &mut Frame<'m>,
        pointer: Value,
        at: InstructionId,
    ) -> Result<Vec<Way>, CircuitRefusal> {
        let memories = self.memories_of(frame, pointer, at)?;
        let lowered = self.value(frame, pointer, at)?.operand;
        if let Some(ways) = lowered.node().and_then(|node| self.several.get(&node)) {
            return Ok(ways.clone());
        }
        match memories[..] {
            [memory] => Ok(vec![Way { memory, position: lowered, is_taken: YES }]),
            _ => Err(self.no_operation(frame, at)),
        }
    }

    /// A value that stands for a pointer with several ways.
    pub(crate) fn with_ways(&mut self, block: BlockId, ways: Vec<Way>) -> Lowered {
        let node = self.node(block, Action::Copy, vec![zero_position()], 64);
        self.several.insert(node, ways);
        Lowered { operand: node.into(), memory: None }
    }

    /// A choice of pointers, if they lead to several memories.
    pub(crate) fn chosen_way(
        &mut self,
        frame: &mut Frame<'m>,
        block: BlockId,
        at: InstructionId,
    ) -> Result<Option<Lowered>, CircuitRefusal> {
        let memories = self.memories_of(frame, Value::Instruction(at), at)?;
        if memories.len() == 1 {
            return Ok(None);
        }
        let operands = frame.body.operands_of(at);
        let ways = match frame.body.instructions[at].opcode {
            Opcode::Phi => {
                let mut all = Vec::new();
                for memory in memories {
                    let position = self.node(block, Action::Phi(Vec::new()), Vec::new(), 64);
                    self.positions.insert(position, memory);
                    let is_taken = self.node(block, Action::Phi(Vec::new()), Vec::new(), 1);
                    all.push((memory, position, is_taken));
                }
                let way = |&(memory, position, is_taken): &(MemoryId, NodeId, NodeId)| Way {
                    memory,
                    position: position.into(),
                    is_taken: is_taken.into(),
                };
                let ways = all.iter().map(way).collect();
                frame.way_phis.push(WayPhi { at, ways: all });
                ways
            }
            Opcode::Select => {
                let condition = self.value(frame, operands[0], at)?.operand;
                let yes = self.ways(frame, operands[1], at)?;
                let no = self.ways(frame, operands[2], at)?;
                self.either(block, condition, [&yes, &no], &memories)
            }
            _ => self.ways(frame, operands[0], at)?,
        };
        Ok(Some(self.with_ways(block, ways)))
    }

    /// The ways of one pointer or of the other.
    fn either(
        &mut self,
        block: BlockId,
        condition: KernelOperand,
        [yes, no]: [&[Way]; 2],
        memories: &[MemoryId],
    ) -> Vec<Way> {
        let otherwise = self.node(block, Action::Xor, vec![condition, YES], 1).into();
        let mut all = Vec::new();
        for &memory in memories {
            let of = |ways: &[Way]| ways.iter().find(|way| way.memory == memory).copied();
            all.push(match (of(yes), of(no)) {
                (Some(yes), Some(no)) => {
                    let positions = vec![condition, yes.position, no.position];
                    let position = self.node(block, Action::Select, positions, 64);
                    self.positions.insert(position, memory);
                    let bits = vec![condition, yes.is_taken, no.is_taken];
                    let is_taken = self.node(block, Action::Select, bits, 1).into();
                    Way { memory, position: position.into(), is_taken }
                }
                (Some(way), None) => Way { is_taken: self.both(block, condition, way.is_taken), ..way },
                (None, Some(way)) => Way { is_taken: self.both(block, otherwise, way.is_taken), ..way },
                (None, None) => Way { memory, position: zero_position(), is_taken: NO },
            });
        }
        all
    }

    /// Whether two bits are one.
    pub(super) fn both(
        &mut self,
        block: BlockId,
        left: KernelOperand,
        right: KernelOperand,
    ) -> KernelOperand {
        if right == YES {
            return left;
        }
        if left == YES {
            return right;
        }
        self.node(block, Action::And, vec![left, right], 1).into()
    }

    /// Fills in phis of pointers.
    pub(crate) fn fill_way_phis(&mut self, frame: &mut Frame<'m>) -> Result<(), CircuitRefusal> {
        for WayPhi { at, ways } in std::mem::take(&mut frame.way_phis) {
            let mut blocks = Vec::new();
            let mut arriving = Vec::new();
            for pair in frame.body.operands_of(at).chunks(2) {
                let Value::Block(from) = pair[1] else { continue };
                // A block that control never comes to is not lowered.
                let Some(&from) = frame.last.get(&from) else { continue };
                blocks.push(from);
                arriving.push(self.ways(frame, pair[0], at)?);
            }
            for (memory, position, is_taken) in ways {
                let of = |one: &Vec<Way>| one.iter().find(|way| way.memory == memory).copied();
                let positions =
                    arriving.iter().map(|one| of(one).map_or(zero_position(), |way| way.position));
                let positions: Vec<KernelOperand> = positions.collect();
                let bits = arriving.iter().map(|one| of(one).map_or(NO, |way| way.is_taken));
                let bits: Vec<KernelOperand> = bits.collect();
                for (node, operands) in [(position, positions), (is_taken, bits)] {
                    self.nodes[node].action = Action::Phi(blocks.clone());
                    self.nodes[node].operands = operands;
                }
            }
        }
        Ok(())
    }

    /// What is read by the way that is taken.
    pub(crate) fn read_by(
        &mut self,
        block: BlockId,
        places: &[Place],
        fields: &[Field],
        bits: u32,
    ) -> KernelOperand {
        let mut all: Option<KernelOperand> = None;
        for place in places.iter().rev() {
            let one = self.read_fields(block, place, fields, bits);
            all = Some(match (all, place.predicate) {
                (Some(rest), Some(is_taken)) => {
                    self.node(block, Action::Select, vec![is_taken, one, rest], bits).into()
                }
                _ => one,
            });
        }
        all.unwrap_or(KernelOperand::Constant { bits, value: 0 })
    }

    /// The places that a pointer may lead to.
    pub(crate) fn places(
        &mut self,
        frame: &mut Frame<'m>,
        at: InstructionId,
        pointer: Value,
    ) -> Result<Vec<Place>, CircuitRefusal> {
        let location = self.location_of(frame, at);
        let place = |way: Way| Place {
            memory: way.memory,
            position: way.position,
            predicate: (way.is_taken != YES).then_some(way.is_taken),
            location: location.clone(),
        };
        Ok(self.ways(frame, pointer, at)?.into_iter().map(place).collect())
    }
}
