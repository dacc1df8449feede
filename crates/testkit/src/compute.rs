//! What does an instruction give that only computes?
//!
//! Poison and undefined values stick: a result is poison if an operand is, else
//! undefined if one is. Not so of `select`, of which only condition and chosen
//! arm count, and of `freeze`, which makes zero of them. A divisor must be known,
//! because the machine may stop at it.

use std::rc::Rc;

use opcost_ir::{Flags, Instruction, Opcode, Value};

use crate::kinds::ValueKind;
use crate::machine::{InterpretedMachine, InterpreterStep};
use crate::outcome::ObservedUse;
use crate::scalar::{Pointer, Scalar};
use crate::{float, integer};

/// Poison or undefined, if one of the operands is.
pub(crate) fn sticking(operands: &[Scalar]) -> Option<Scalar> {
    let has_poison = operands.iter().any(|one| matches!(one, Scalar::Poison));
    let has_undefined = operands.iter().any(|one| matches!(one, Scalar::Undefined));
    match (has_poison, has_undefined) {
        (true, _) => Some(Scalar::Poison),
        (false, true) => Some(Scalar::Undefined),
        (false, false) => None,
    }
}

impl InterpretedMachine<'_, '_> {
    pub(crate) fn pure(&mut self, instruction: &Instruction, operands: &[Value]) -> InterpreterStep<Scalar> {
        let opcode = instruction.opcode;
        match (opcode, operands) {
            (Opcode::Select, &[condition, yes, no]) => {
                return match self.value(condition)? {
                    Scalar::Integer { bits, .. } => self.value(if bits != 0 { yes } else { no }),
                    Scalar::Aggregate(_) => self.unsupported("a select of parts"),
                    other => Ok(other),
                };
            }
            (Opcode::Freeze, &[value]) => return self.freeze(instruction, value),
            _ => {}
        }
        let result = match *operands {
            [value] => {
                let value = self.value(value)?;
                match sticking(std::slice::from_ref(&value)) {
                    Some(none) => return Ok(none),
                    None => self.unary(instruction, &value)?,
                }
            }
            [left, right] => {
                let mut values = [self.value(left)?, self.value(right)?];
                if matches!(opcode, Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem) {
                    values[1] = self.decided(values[1].clone(), ObservedUse::Divisor)?;
                }
                match sticking(&values) {
                    Some(none) => return Ok(none),
                    None => self.binary(instruction, &values[0], &values[1])?,
                }
            }
            _ => None,
        };
        result.map_or_else(|| self.unsupported(format!("'{opcode}' of this form or type")), Ok)
    }

    fn freeze(&self, instruction: &Instruction, value: Value) -> InterpreterStep<Scalar> {
        let value = self.value(value)?;
        if value.is_known() {
            return Ok(value);
        }
        match &self.program.kinds[instruction.ty] {
            ValueKind::Integer(width) => Ok(Scalar::integer(*width, 0)),
            ValueKind::Single => Ok(Scalar::Single(0.0)),
            ValueKind::Double => Ok(Scalar::Double(0.0)),
            ValueKind::Pointer => Ok(Scalar::Pointer(self.memory.pointer_at(0))),
            ValueKind::Aggregate(_) | ValueKind::Other => self.unsupported("a freeze of this type"),
        }
    }

    fn binary(
        &self,
        instruction: &Instruction,
        left: &Scalar,
        right: &Scalar,
    ) -> InterpreterStep<Option<Scalar>> {
        let Instruction { opcode, flags, predicate, .. } = *instruction;
        if let (Opcode::ICmp, Some(predicate)) = (opcode, predicate) {
            let ends = self.number(left).zip(self.number(right));
            return Ok(ends.and_then(|((left, width), (right, _))| {
                integer::compare(predicate, flags, left, right, width)
            }));
        }
        if let (Opcode::FCmp, Some(predicate)) = (opcode, predicate) {
            return Ok(float::compare(predicate, left, right));
        }
        match (left, right) {
            (&Scalar::Integer { bits: left, width }, &Scalar::Integer { bits: right, .. }) => {
                match integer::binary(opcode, flags, left, right, width) {
                    Some(Err(trap)) => self.trap(trap),
                    Some(Ok(value)) => Ok(Some(value)),
                    None => Ok(None),
                }
            }
            _ => Ok(float::binary(opcode, left, right)),
        }
    }

    /// An integer or an address, with its width.
    fn number(&self, value: &Scalar) -> Option<(u128, u32)> {
        match value {
            Scalar::Integer { bits, width } => Some((*bits, *width)),
            Scalar::Pointer(pointer) => {
                let width = 8 * u32::from(self.memory.pointer_bytes);
                Some((u128::from(self.memory.address(*pointer)) & crate::scalar::mask(width), width))
            }
            _ => None,
        }
    }

    fn unary(&self, instruction: &Instruction, value: &Scalar) -> InterpreterStep<Option<Scalar>> {
        let Instruction { opcode, flags, ty, .. } = *instruction;
        let kind = &self.program.kinds[ty];
        Ok(match (opcode, value, kind) {
            (Opcode::FNeg, Scalar::Single(value), _) => Some(Scalar::Single(-value)),
            (Opcode::FNeg, Scalar::Double(value), _) => Some(Scalar::Double(-value)),
            (Opcode::FPExt, _, ValueKind::Double) => float::widened(value).map(Scalar::Double),
            (Opcode::FPTrunc, Scalar::Double(value), ValueKind::Single) => {
                Some(Scalar::Single(*value as f32))
            }
            (Opcode::FPToUI | Opcode::FPToSI, _, ValueKind::Integer(width)) => {
                float::to_integer(opcode, value, *width)
            }
            (Opcode::UIToFP, Scalar::Integer { .. }, _)
                if flags.has(Flags::NNEG) && value.signed() < Some(0) =>
            {
                Some(Scalar::Poison)
            }
            (Opcode::UIToFP | Opcode::SIToFP, &Scalar::Integer { bits, width }, ValueKind::Single) => {
                Some(float::of_integer(opcode, bits, width, true))
            }
            (Opcode::UIToFP | Opcode::SIToFP, &Scalar::Integer { bits, width }, ValueKind::Double) => {
                Some(float::of_integer(opcode, bits, width, false))
            }
            (_, &Scalar::Integer { bits, width }, ValueKind::Integer(to)) if opcode != Opcode::BitCast => {
                integer::resize(opcode, flags, bits, width, *to)
            }
            (Opcode::PtrToInt | Opcode::PtrToAddr, Scalar::Pointer(_), ValueKind::Integer(to)) => {
                self.number(value).map(|(address, _)| Scalar::integer(*to, address))
            }
            (Opcode::IntToPtr, Scalar::Integer { bits, .. }, ValueKind::Pointer) => {
                let address =
                    *bits as u64 & crate::scalar::mask(8 * u32::from(self.memory.pointer_bytes)) as u64;
                Some(Scalar::Pointer(self.memory.pointer_at(address)))
            }
            (Opcode::BitCast, ..) => bitcast(value, kind),
            (Opcode::AddrSpaceCast, Scalar::Pointer(_), _) => Some(value.clone()),
            (Opcode::ExtractValue, Scalar::Aggregate(parts), _) => only_part(parts, kind),
            _ => None,
        })
    }
}

fn bitcast(value: &Scalar, kind: &ValueKind) -> Option<Scalar> {
    Some(match (value, kind) {
        (Scalar::Integer { bits, width: 32 }, ValueKind::Single) => {
            Scalar::Single(f32::from_bits(*bits as u32))
        }
        (Scalar::Integer { bits, width: 64 }, ValueKind::Double) => {
            Scalar::Double(f64::from_bits(*bits as u64))
        }
        (Scalar::Single(value), ValueKind::Integer(32)) => Scalar::integer(32, value.to_bits().into()),
        (Scalar::Double(value), ValueKind::Integer(64)) => Scalar::integer(64, value.to_bits().into()),
        (Scalar::Integer { width, .. }, ValueKind::Integer(to)) if width == to => value.clone(),
        (Scalar::Single(_), ValueKind::Single)
        | (Scalar::Double(_), ValueKind::Double)
        | (Scalar::Pointer(_), ValueKind::Pointer) => value.clone(),
        _ => return None,
    })
}

/// The part of this kind. A snapshot does not keep which part an `extractvalue`
/// takes, so there must be one only.
fn only_part(parts: &Rc<[Scalar]>, kind: &ValueKind) -> Option<Scalar> {
    let mut found = parts.iter().filter(|part| match (part, kind) {
        (Scalar::Integer { width, .. }, ValueKind::Integer(wanted)) => width == wanted,
        (Scalar::Single(_), ValueKind::Single)
        | (Scalar::Double(_), ValueKind::Double)
        | (Scalar::Pointer(_), ValueKind::Pointer) => true,
        _ => false,
    });
    found.next().filter(|_| found.next().is_none()).cloned()
}

/// The pointer that is so many bytes after one.
pub(crate) fn behind(pointer: Pointer, bytes: u64) -> Pointer {
    Pointer { offset: pointer.offset.wrapping_add(bytes as i64), ..pointer }
}
