//! What if a pointer may lead to several memories? Then it has a position in each of them.
//!
//! `c ? p : q` leads to one memory in some runs and to another in others. Such a pointer is a list of
//! candidates: a memory, a position in it, and a bit that says whether the pointer leads there now. A load
//! reads the memory whose bit is one, and a multiplexer takes what it gives; a store writes where the
//! bit is one. Choices of pointers become choices of positions and of bits. A node that computes
//! nothing stands for the pointer.
//!
//! Input: instructions that make or use pointers. Output: nodes. Cost: nodes for each memory that a
//! pointer may lead to. Limit: a pointer to several memories is not compared with others, and is not NULL.

use opcost_ir::{Opcode, Value};
use opcost_key::{BlockId, InstructionId};

use super::accesses::AccessSite;
use super::candidate::{Candidate, CandidatePhi};
use super::structs::Field;
use super::{Frame, Lowered, Lowering, zero_position};
use crate::kernel::{Action, KernelOperand, MemoryId, NodeId};
use crate::refusal::CircuitRefusal;

pub(super) const YES: KernelOperand = KernelOperand::Constant { bits: 1, value: 1 };
const NO: KernelOperand = KernelOperand::Constant { bits: 1, value: 0 };

impl<'m> Lowering<'m> {
    /// The candidates of a pointer that is lowered.
    pub(crate) fn candidates(
        &mut self,
        frame: &mut Frame<'m>,
        pointer: Value,
        at: InstructionId,
    ) -> Result<Vec<Candidate>, CircuitRefusal> {
        let memories = self.memories_of(frame, pointer, at)?;
        let lowered = self.value(frame, pointer, at)?.operand;
        if let Some(candidates) = lowered.node().and_then(|node| self.several.get(&node)) {
            return Ok(candidates.clone());
        }
        match memories[..] {
            [memory] => Ok(vec![Candidate { memory, position: lowered, is_taken: YES }]),
            _ => Err(self.no_operation(frame, at)),
        }
    }

    /// A value in place of a pointer with several candidates.
    pub(crate) fn with_candidates(&mut self, block: BlockId, candidates: Vec<Candidate>) -> Lowered {
        let node = self.node(block, Action::Copy, vec![zero_position()], 64);
        self.several.insert(node, candidates);
        Lowered { operand: node.into(), memory: None }
    }

    /// A choice of pointers, if they lead to several memories.
    pub(crate) fn chosen_candidate(
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
        let candidates = match frame.body.instructions[at].opcode {
            Opcode::Phi => {
                let mut all = Vec::new();
                for memory in memories {
                    let position = self.node(block, Action::Phi(Vec::new()), Vec::new(), 64);
                    self.positions.insert(position, memory);
                    let is_taken = self.node(block, Action::Phi(Vec::new()), Vec::new(), 1);
                    all.push((memory, position, is_taken));
                }
                let candidate = |&(memory, position, is_taken): &(MemoryId, NodeId, NodeId)| Candidate {
                    memory,
                    position: position.into(),
                    is_taken: is_taken.into(),
                };
                let candidates = all.iter().map(candidate).collect();
                frame.candidate_phis.push(CandidatePhi { at, candidates: all });
                candidates
            }
            Opcode::Select => {
                let condition = self.value(frame, operands[0], at)?.operand;
                let yes = self.candidates(frame, operands[1], at)?;
                let no = self.candidates(frame, operands[2], at)?;
                self.either(block, condition, [&yes, &no], &memories)
            }
            _ => self.candidates(frame, operands[0], at)?,
        };
        Ok(Some(self.with_candidates(block, candidates)))
    }

    /// The candidates of one pointer or of the other.
    fn either(
        &mut self,
        block: BlockId,
        condition: KernelOperand,
        [yes, no]: [&[Candidate]; 2],
        memories: &[MemoryId],
    ) -> Vec<Candidate> {
        let otherwise = self.node(block, Action::Xor, vec![condition, YES], 1).into();
        let mut all = Vec::new();
        for &memory in memories {
            let of = |candidates: &[Candidate]| {
                candidates.iter().find(|candidate| candidate.memory == memory).copied()
            };
            all.push(match (of(yes), of(no)) {
                (Some(yes), Some(no)) => {
                    let positions = vec![condition, yes.position, no.position];
                    let position = self.node(block, Action::Select, positions, 64);
                    self.positions.insert(position, memory);
                    let bits = vec![condition, yes.is_taken, no.is_taken];
                    let is_taken = self.node(block, Action::Select, bits, 1).into();
                    Candidate { memory, position: position.into(), is_taken }
                }
                (Some(candidate), None) => {
                    Candidate { is_taken: self.both(block, condition, candidate.is_taken), ..candidate }
                }
                (None, Some(candidate)) => {
                    Candidate { is_taken: self.both(block, otherwise, candidate.is_taken), ..candidate }
                }
                (None, None) => Candidate { memory, position: zero_position(), is_taken: NO },
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
    pub(crate) fn fill_candidate_phis(&mut self, frame: &mut Frame<'m>) -> Result<(), CircuitRefusal> {
        for CandidatePhi { at, candidates } in std::mem::take(&mut frame.candidate_phis) {
            let mut blocks = Vec::new();
            let mut arriving = Vec::new();
            for pair in frame.body.operands_of(at).chunks(2) {
                let Value::Block(from) = pair[1] else { continue };
                // A block that control never comes to is not lowered.
                let Some(&from) = frame.last.get(&from) else { continue };
                blocks.push(from);
                arriving.push(self.candidates(frame, pair[0], at)?);
            }
            for (memory, position, is_taken) in candidates {
                let of =
                    |one: &Vec<Candidate>| one.iter().find(|candidate| candidate.memory == memory).copied();
                let positions = arriving
                    .iter()
                    .map(|one| of(one).map_or(zero_position(), |candidate| candidate.position));
                let positions: Vec<KernelOperand> = positions.collect();
                let bits = arriving.iter().map(|one| of(one).map_or(NO, |candidate| candidate.is_taken));
                let bits: Vec<KernelOperand> = bits.collect();
                for (node, operands) in [(position, positions), (is_taken, bits)] {
                    self.nodes[node].action = Action::Phi(blocks.clone());
                    self.nodes[node].operands = operands;
                }
            }
        }
        Ok(())
    }

    /// What is read by the candidate that is taken.
    pub(crate) fn read_by(
        &mut self,
        block: BlockId,
        sites: &[AccessSite],
        fields: &[Field],
        bits: u32,
    ) -> KernelOperand {
        let mut all: Option<KernelOperand> = None;
        for site in sites.iter().rev() {
            let one = self.read_fields(block, site, fields, bits);
            all = Some(match (all, site.predicate) {
                (Some(rest), Some(is_taken)) => {
                    self.node(block, Action::Select, vec![is_taken, one, rest], bits).into()
                }
                _ => one,
            });
        }
        all.unwrap_or(KernelOperand::Constant { bits, value: 0 })
    }

    /// The sites that a pointer may lead to.
    pub(crate) fn sites(
        &mut self,
        frame: &mut Frame<'m>,
        at: InstructionId,
        pointer: Value,
    ) -> Result<Vec<AccessSite>, CircuitRefusal> {
        let location = self.location_of(frame, at);
        let site = |candidate: Candidate| AccessSite {
            memory: candidate.memory,
            position: candidate.position,
            predicate: (candidate.is_taken != YES).then_some(candidate.is_taken),
            location: location.clone(),
        };
        Ok(self.candidates(frame, pointer, at)?.into_iter().map(site).collect())
    }
}
