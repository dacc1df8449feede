//! What does an operation say of its result and operands? Assumptions of a
//! [`Question`], one operation deeper.

use opcost_ir::{Flags, Opcode, Type, Value};
use opcost_key::InstructionId;

use crate::offsets::steps;
use crate::question::{ALWAYS, Question};
use crate::range::bits;
use crate::terms::{self, Operand, holds};

impl Question<'_, '_> {
    /// What the operation computes, and what is known of its operands.
    pub(crate) fn expand(&mut self, value: Value, operand: &Operand, guard: &str, steps: u32) {
        let Value::Instruction(at) = value else { return };
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let instruction = &self.function.instructions[at];
        let list = self.function.operands_of(at);
        let is_first = self.expanded.insert(value);
        let is_asked = steps == self.depth.steps;
        match instruction.opcode {
            Opcode::GetElementPtr => {
                let Some(term) = self.moved(at, guard, steps) else { return };
                if is_first {
                    self.assume(&format!("(= {} {term})", operand.term));
                }
            }
            Opcode::Select => {
                let Some(test) = self.need(list[0], guard, steps) else { return };
                let (then, other) = (holds(&test.term), format!("(not {})", holds(&test.term)));
                let both = |side: &str| match guard {
                    ALWAYS => side.to_owned(),
                    _ => format!("(and {guard} {side})"),
                };
                let yes = self.need(list[1], &both(&then), steps);
                let no = self.need(list[2], &both(&other), steps);
                if let (Some(yes), Some(no), true) = (yes, no, is_first)
                    && yes.base == operand.base
                    && no.base == operand.base
                {
                    self.assume(&format!("(= {} (ite {then} {} {}))", operand.term, yes.term, no.term));
                }
            }
            Opcode::Call => {
                let Some(name) = self.checker.intrinsic_name(self.id, at) else { return };
                let parameters = self.function.arguments_of(at).to_vec();
                let operands: Option<Vec<Operand>> =
                    parameters.iter().map(|&value| self.need(value, guard, steps)).collect();
                let term = operands.and_then(|operands| terms::intrinsic(name, &operands, operand.width));
                if let (Some(term), true) = (term, is_first) {
                    self.assume(&format!("(= {} {term})", operand.term));
                }
            }
            // Hard to follow backwards: of such only what is claimed counts.
            opcode if !is_asked && is_hard(opcode) && !self.has_constant(list) => {}
            Opcode::Alloca => self.assume(&format!("(= {} {})", operand.term, bits(operand.width, 0))),
            // What these give is looked up, not computed.
            Opcode::Phi | Opcode::Freeze | Opcode::Load => {}
            opcode => {
                // Of poison bits nothing follows, so only what has a term is looked at.
                let operands: Option<Vec<Operand>> =
                    list.iter().map(|&value| self.need(value, guard, steps)).collect();
                let Some(operands) = operands else { return };
                let term = terms::result(opcode, instruction.predicate, &operands, operand.width);
                let Some(term) = term else { return };
                self.has_wide |= is_hard(opcode) && operand.width > WIDEST;
                if is_first {
                    self.assume(&format!("(= {} {term})", operand.term));
                }
                let flags = match opcode {
                    Opcode::ICmp if self.is_float(list) => Flags::NONE,
                    Opcode::Add | Opcode::Sub | Opcode::Mul if self.checker.certificate.no_overflow => {
                        instruction.flags.with(Flags::NSW)
                    }
                    _ => instruction.flags,
                };
                for promise in terms::promises(opcode, flags, &operands, &operand.term, operand.width) {
                    self.assume_if(guard, &promise);
                }
            }
        }
    }

    fn has_constant(&self, list: &[Value]) -> bool {
        list.iter().any(|value| matches!(value, Value::Constant(_)))
    }

    fn is_float(&self, list: &[Value]) -> bool {
        let ty = list.first().and_then(|&value| self.checker.type_of(self.id, value));
        ty.is_some_and(|ty| matches!(self.checker.module.types[ty], Type::Float(_)))
    }

    /// The address that a `getelementptr` gives.
    fn moved(&mut self, at: InstructionId, guard: &str, steps_left: u32) -> Option<String> {
        let checker = self.checker;
        let base = self.need(self.function.operands_of(at)[0], guard, steps_left)?;
        let (constant, variable) = steps(checker.module, checker.layout, self.function, at)?;
        let mut term = match constant {
            0 => base.term,
            _ => format!("(bvadd {} {})", base.term, bits(64, constant as u128)),
        };
        // Then an index times its stride stays a number with sign.
        let does_not_wrap = self.function.instructions[at].flags.has(Flags::NSW);
        for (index, scale) in variable {
            let index = self.need(index, guard, steps_left)?;
            let wide = match index.width {
                64 => index.term,
                width @ 1..=63 => format!("((_ sign_extend {}) {})", 64 - width, index.term),
                _ => format!("((_ extract 63 0) {})", index.term),
            };
            if let Some(stride) = i64::try_from(scale).ok().filter(|&stride| does_not_wrap && stride > 1) {
                let end = |end: i64| bits(64, (end / stride) as i128 as u128);
                let (least, most) = (end(i64::MIN), end(i64::MAX));
                self.assume_if(guard, &format!("(and (bvsle {least} {wide}) (bvsle {wide} {most}))"));
            }
            term = format!("(bvadd {term} (bvmul {wide} {}))", bits(64, scale.into()));
        }
        Some(term)
    }
}

/// Bits of products and quotients that a solver computes without haste.
const WIDEST: u32 = 64;

/// Products and quotients.
fn is_hard(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Mul | Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem)
}
