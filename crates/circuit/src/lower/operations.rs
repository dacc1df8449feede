//! What does one instruction become? A node, mostly.

use opcost_ir::{Flags, Opcode, Type, Value};
use opcost_key::{BlockId, InstructionId};

use super::{Frame, Lowered, Lowering};
use crate::kernel::{Action, KernelOperand};
use crate::refusal::CircuitRefusal;

/// A quotient is computed with one bit more, for the sign.
const MOST_DIVIDED: u32 = 127;

impl<'m> Lowering<'m> {
    /// Lowers an instruction that is no call and ends no block.
    pub(crate) fn operation(
        &mut self,
        frame: &mut Frame<'m>,
        block: BlockId,
        at: InstructionId,
    ) -> Result<(), CircuitRefusal> {
        let instruction = &frame.body.instructions[at];
        let operands = frame.body.operands_of(at);
        let is_pointer = matches!(self.module.types[instruction.ty], Type::Pointer(_));
        let lowered = match instruction.opcode {
            Opcode::Alloca => {
                let memory = self.memory_of(frame, Value::Instruction(at), at)?;
                self.position(block, memory, 0)
            }
            Opcode::GetElementPtr if is_pointer => self.element(frame, block, at)?,
            Opcode::Load => self.load(frame, block, at)?,
            Opcode::ExtractValue => self.part(frame, block, at)?,
            Opcode::InsertValue => self.put(frame, block, at)?,
            Opcode::Store => return self.store(frame, block, at),
            Opcode::Phi | Opcode::Select | Opcode::Freeze if is_pointer => {
                if let Some(chosen) = self.chosen_candidate(frame, block, at)? {
                    frame.values.insert(at, chosen);
                    return Ok(());
                }
                let memory = Some(self.memory_of(frame, Value::Instruction(at), at)?);
                Lowered { memory, ..self.plain(frame, block, at)? }
            }
            Opcode::ICmp if self.compares_pointers(frame, operands[0]) => {
                self.same_memory(frame, at)?;
                self.plain(frame, block, at)?
            }
            _ => self.plain(frame, block, at)?,
        };
        if let (KernelOperand::Node(node), Some(memory)) = (lowered.operand, lowered.memory) {
            self.positions.insert(node, memory);
        }
        frame.values.insert(at, lowered);
        Ok(())
    }

    /// A node whose operands are those of the instruction.
    fn plain(
        &mut self,
        frame: &mut Frame<'m>,
        block: BlockId,
        at: InstructionId,
    ) -> Result<Lowered, CircuitRefusal> {
        let instruction = &frame.body.instructions[at];
        let Some(action) = self.action(frame, at) else { return Err(self.no_operation(frame, at)) };
        let bits = match self.module.types[instruction.ty] {
            Type::Pointer(_) => 64,
            _ => self.integer_bits(instruction.ty, self.location_of(frame, at).as_ref())?,
        };
        if matches!(action, Action::Div { .. } | Action::Rem { .. }) && bits > MOST_DIVIDED {
            return Err(CircuitRefusal::new(
                self.location_of(frame, at),
                format!("a number of {bits} bits is divided"),
                "divide numbers of at most 127 bits, such as _BitInt(127)",
            ));
        }
        let mut operands = Vec::new();
        if instruction.opcode != Opcode::Phi {
            for &operand in frame.body.operands_of(at) {
                operands.push(self.value(frame, operand, at)?.operand);
            }
        }
        let node = self.node(block, action, operands, bits);
        self.label(frame, at, node);
        if instruction.opcode == Opcode::Phi {
            frame.phis.push((at, node));
        }
        Ok(Lowered { operand: KernelOperand::Node(node), memory: None })
    }

    /// One result of an operation that has two: its number, or the bit that says whether it went over.
    fn part(
        &mut self,
        frame: &Frame<'m>,
        block: BlockId,
        at: InstructionId,
    ) -> Result<Lowered, CircuitRefusal> {
        let whole = frame.body.operands_of(at).first();
        let Some(&[number, is_over]) = (match whole {
            Some(Value::Instruction(from)) => frame.overflowing.get(from),
            _ => None,
        }) else {
            return self.take(frame, block, at);
        };
        let ty = frame.body.instructions[at].ty;
        let bits = self.integer_bits(ty, self.location_of(frame, at).as_ref())?;
        let result = if bits == 1 { is_over } else { number };
        // A copy, since what the program looks at of it is not all that the other result needs.
        let node = self.node(block, Action::Copy, vec![result], bits);
        self.label(frame, at, node);
        let operand = KernelOperand::Node(node);
        Ok(Lowered { operand, memory: None })
    }

    fn action(&self, frame: &Frame<'m>, at: InstructionId) -> Option<Action> {
        let instruction = &frame.body.instructions[at];
        Some(match instruction.opcode {
            Opcode::Phi => Action::Phi(Vec::new()),
            Opcode::Add => Action::Add,
            Opcode::Sub => Action::Sub,
            Opcode::Mul => Action::Mul,
            Opcode::UDiv => Action::Div { signed: false },
            Opcode::SDiv => Action::Div { signed: true },
            Opcode::URem => Action::Rem { signed: false },
            Opcode::SRem => Action::Rem { signed: true },
            Opcode::Shl => Action::Shl,
            Opcode::LShr => Action::LShr,
            Opcode::AShr => Action::AShr,
            Opcode::And => Action::And,
            Opcode::Or => Action::Or,
            Opcode::Xor => Action::Xor,
            Opcode::ICmp => Action::Compare(instruction.predicate?),
            Opcode::Select => Action::Select,
            Opcode::ZExt => Action::Extend { signed: false },
            Opcode::SExt => Action::Extend { signed: true },
            Opcode::Trunc => Action::Truncate,
            Opcode::Freeze => Action::Copy,
            _ => return None,
        })
    }

    fn compares_pointers(&self, frame: &Frame<'m>, operand: Value) -> bool {
        let ty = self.module.type_of(frame.body, operand);
        ty.is_some_and(|ty| matches!(self.module.types[ty], Type::Pointer(_)))
    }

    /// Pointers are compared within one memory only, and only if none of that memory's pointers may
    /// lead out of it.
    fn same_memory(&mut self, frame: &mut Frame<'m>, at: InstructionId) -> Result<(), CircuitRefusal> {
        let operands = frame.body.operands_of(at);
        let left = self.memory_of(frame, operands[0], at)?;
        let right = self.memory_of(frame, operands[1], at)?;
        let leaves = frame
            .body
            .instructions
            .values()
            .any(|one| one.opcode == Opcode::GetElementPtr && !one.flags.has(Flags::INBOUNDS));
        if left == right && !leaves {
            return Ok(());
        }
        let what = if left == right {
            "pointers are compared that may lead out of their memory"
        } else {
            "pointers to different memories are compared"
        };
        Err(CircuitRefusal::new(self.location_of(frame, at), what, "compare indices"))
    }
}
