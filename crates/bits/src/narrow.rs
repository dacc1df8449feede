//! Which results can be computed in fewer bits, and how?
//!
//! | operation | when n bits do | why |
//! |---|---|---|
//! | `add`, `sub`, `mul`, `and`, `or`, `xor`, `select`, `phi`, casts | the result fits in n | low bits come from low bits |
//! | `shl` | the same, and it shifts by less than n | shifting by n or more is poison |
//! | `lshr`, `udiv`, `urem` | the operands fit as unsigned numbers | so does the result; shifts as above |
//! | `ashr`, `sdiv`, `srem` | the operands fit as signed numbers, or are never negative and so `lshr`, … do | as above |
//! | `icmp` | both sides fit with one sign | the order is that of the narrow numbers |
//!
//! **Poison.** Ranges hold where a value is not poison. Where it is, its narrow
//! form is anything, which refines poison as long as nothing becomes undefined
//! that was not. Only divisions can: the divisor was a number when the original
//! ran (else that was undefined), and so its narrow form is that number; but
//! the dividend may have been poison, and its narrow form the least number.
//! `sdiv` and `srem` are left alone where the divisor may be -1. No promise of the
//! original is carried over; ranges at their definition are used, never those
//! behind a branch, so nothing crosses a turn of a loop. Where everything was
//! allowed (`undef`) ranges are full, and constants that are no number are not
//! looked through.
//!
//! Left alone and counted ([`Left`]): vectors, integers of more than 64 bits,
//! `freeze`, shifts by what may be the width or more, divisions as said, and all of
//! functions with exceptions of Windows' kind, coroutines, naked ones and those
//! that call what returns twice. Loads, calls and parameters keep their width:
//! that is not theirs to choose.
//!
//! Input: a module and its ranges, the analysis' or a certificate's. Output:
//! [`NarrowPlan`]. Cost: linear.

use opcost_analysis::propagation::Propagation;
use opcost_analysis::ranges::{Sign, ValueRange};
use opcost_certificate::Certificate;
use opcost_index::{Id, IdMap, reverse_postorder};
use opcost_ir::{
    ConstantValue, Function, Module, Narrow, Narrowing, Opcode, Predicate, Type, TypeId, Value, Widened,
};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::widths::CertifiedRanges;

/// The widest integers that are made narrower.
const WIDEST: u32 = 64;

/// What is to be done, and what it comes to.
#[derive(Clone, Debug, Default)]
pub struct NarrowPlan {
    /// What is to be done.
    pub narrowing: Narrowing,
    /// Results that become narrower, comparisons aside.
    pub values: u64,
    /// Bits of their types.
    pub declared: u64,
    /// Bits that they are computed in.
    pub computed: u64,
    /// Comparisons of fewer bits.
    pub comparisons: u64,
    /// What is left alone, by reason.
    pub left: Left,
}

/// How many results are left alone though they are integers or made of such.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Vectors of integers.
    pub vectors: u64,
    /// Integers of more than 64 bits.
    pub wide: u64,
    /// `freeze`.
    pub frozen: u64,
    /// Shifts by what may be as much as the narrow width.
    pub shifts: u64,
    /// Divisions by what may be -1.
    pub divisions: u64,
    /// Functions as a whole.
    pub functions: u64,
}

impl NarrowPlan {
    /// For all functions, by the ranges that an analysis found.
    pub fn of(module: &Module, ranges: &Propagation) -> NarrowPlan {
        let known = |id: FunctionId, value: Value| ranges.range(id, value)?.integer().cloned();
        NarrowPlan::by(module, &known)
    }

    /// For all functions, by the ranges that a certificate claims.
    pub fn certified(module: &Module, certificate: &Certificate) -> NarrowPlan {
        let ranges = CertifiedRanges::of(module, certificate);
        NarrowPlan::by(module, &|id, value| {
            let known = ranges.of.get(&(id, value)).cloned();
            known.or_else(|| Some(ValueRange::full(width_of(module, id, value)?)))
        })
    }

    fn by(module: &Module, ranges: &dyn Fn(FunctionId, Value) -> Option<ValueRange>) -> NarrowPlan {
        let mut plan = NarrowPlan::default();
        for (id, function) in module.functions.iter() {
            if function.blocks.is_empty() {
                continue;
            }
            if is_odd(function) {
                plan.left.functions += 1;
                continue;
            }
            let mut planner = Planner {
                module,
                function,
                ranges,
                id,
                widths: IdMap::filled(function.instructions.len(), None),
                plan: &mut plan,
            };
            let narrows = planner.plan();
            if !narrows.is_empty() {
                plan.narrowing.functions.push((id, narrows));
            }
        }
        plan
    }
}

/// Whether code cannot be put everywhere in it, or it is run in parts.
fn is_odd(function: &Function) -> bool {
    use Opcode::{CallBr, CatchPad, CatchRet, CatchSwitch, CleanupPad, CleanupRet};
    let odd = [CallBr, CatchPad, CatchRet, CatchSwitch, CleanupPad, CleanupRet];
    function.is_naked
        || function.is_coroutine
        || function.calls.iter().any(|(_, call)| call.returns_twice)
        || function.instructions.values().any(|one| odd.contains(&one.opcode))
}

struct Planner<'a> {
    module: &'a Module,
    function: &'a Function,
    ranges: &'a dyn Fn(FunctionId, Value) -> Option<ValueRange>,
    id: FunctionId,
    /// Bits that results are computed in, where fewer than their type has.
    widths: IdMap<InstructionId, Option<u32>>,
    plan: &'a mut NarrowPlan,
}

impl Planner<'_> {
    fn plan(&mut self) -> Vec<Narrow> {
        let mut narrows = Vec::new();
        let order = reverse_postorder(self.function, BlockId::new(0));
        let instructions: Vec<InstructionId> =
            order.into_iter().flat_map(|block| self.function.instructions_of(block)).collect();
        for &at in &instructions {
            if let Some(narrow) = self.result(at) {
                let declared = self.bits(self.function.instructions[at].ty).expect("an integer");
                self.widths[at] = Some(narrow.bits);
                self.plan.values += 1;
                self.plan.declared += u64::from(declared);
                self.plan.computed += u64::from(narrow.bits);
                narrows.push(narrow);
            }
        }
        // Comparisons last: whether they gain depends on phis of blocks behind.
        let comparisons: Vec<Narrow> = instructions.iter().filter_map(|&at| self.comparison(at)).collect();
        self.plan.comparisons += comparisons.len() as u64;
        narrows.extend(comparisons);
        let mut position = IdMap::filled(self.function.instructions.len(), 0u32);
        for (number, &at) in (0..).zip(&instructions) {
            position[at] = number;
        }
        narrows.sort_by_key(|one| position[one.instruction]);
        narrows
    }

    /// How a result is computed in fewer bits, if it is.
    fn result(&mut self, at: InstructionId) -> Option<Narrow> {
        let instruction = &self.function.instructions[at];
        let declared = match self.module.types[instruction.ty] {
            Type::Integer(bits @ 2..=WIDEST) => bits,
            Type::Integer(1) => return None,
            Type::Integer(_) => return self.leave(|left| &mut left.wide),
            Type::Vector { element, .. } if self.bits(element).is_some() => {
                return self.leave(|left| &mut left.vectors);
            }
            _ => return None,
        };
        let opcode = instruction.opcode;
        let operands = self.function.operands_of(at);
        use Opcode::*;
        let (opcode, (bits, widened)) = match opcode {
            Freeze => return self.leave(|left| &mut left.frozen),
            Add | Sub | Mul | And | Or | Xor | Shl | Phi => (opcode, self.own(at)?),
            Select => (opcode, self.select(at)?),
            ZExt | SExt | Trunc => (opcode, self.cast(at)?),
            LShr | UDiv | URem => (opcode, (self.unsigned(operands, opcode)?, Widened::Zeros)),
            AShr | SDiv | SRem => match self.unsigned(operands, opcode) {
                Some(bits) => (without_sign(opcode), (bits, Widened::Zeros)),
                None => (opcode, (self.signed(operands, opcode)?, Widened::Sign)),
            },
            _ => return None,
        };
        if bits >= declared || !self.can_be_had(at) {
            return None;
        }
        if matches!(opcode, Shl | LShr | AShr) && self.most(operands[1])? >= u128::from(bits) {
            return self.leave(|left| &mut left.shifts);
        }
        let minus_one = (1u128 << declared) - 1;
        if matches!(opcode, SDiv | SRem) && self.range(operands[1])?.contains(minus_one) {
            return self.leave(|left| &mut left.divisions);
        }
        Some(Narrow { instruction: at, opcode, predicate: None, bits, widened })
    }

    fn leave(&mut self, reason: impl Fn(&mut Left) -> &mut u64) -> Option<Narrow> {
        *reason(&mut self.plan.left) += 1;
        None
    }

    /// Bits that the result itself needs.
    fn own(&self, at: InstructionId) -> Option<(u32, Widened)> {
        let range = self.range(Value::Instruction(at))?;
        let width = range.needed_width();
        let widened = if width.sign == Sign::Signed { Widened::Sign } else { Widened::Zeros };
        // What is always the same, or never, is not ours to compute.
        (width.bits > 0).then_some((width.bits, widened))
    }

    fn select(&self, at: InstructionId) -> Option<(u32, Widened)> {
        let condition = self.function.operands_of(at)[0];
        let is_plain = match condition {
            Value::Instruction(test) => self.bits(self.function.instructions[test].ty) == Some(1),
            Value::Argument(_) => true,
            _ => false,
        };
        if is_plain { self.own(at) } else { None }
    }

    /// A conversion, if it is one of integers of at most 64 bits.
    fn cast(&self, at: InstructionId) -> Option<(u32, Widened)> {
        let operand = self.function.operands_of(at)[0];
        let from = match operand {
            Value::Instruction(from) => self.bits(self.function.instructions[from].ty)?,
            Value::Argument(_) => self.range(operand)?.type_width(),
            _ => return None,
        };
        if from <= WIDEST { self.own(at) } else { None }
    }

    /// Bits in which all numbers fit as unsigned ones; how far a shift goes is
    /// looked at elsewhere.
    fn unsigned(&self, operands: &[Value], opcode: Opcode) -> Option<u32> {
        let is_signed = matches!(opcode, Opcode::AShr | Opcode::SDiv | Opcode::SRem);
        self.widest(operands, opcode, |range| {
            if is_signed && range.signed_range()?.0 < 0 {
                return None;
            }
            Some(unsigned_bits(range.unsigned_range()?.1))
        })
    }

    fn signed(&self, operands: &[Value], opcode: Opcode) -> Option<u32> {
        self.widest(operands, opcode, |range| {
            let (least, greatest) = range.signed_range()?;
            Some(signed_bits(least, greatest))
        })
    }

    fn widest(
        &self,
        operands: &[Value],
        opcode: Opcode,
        bits: impl Fn(&ValueRange) -> Option<u32>,
    ) -> Option<u32> {
        let is_shift = matches!(opcode, Opcode::LShr | Opcode::AShr);
        let numbers = if is_shift { &operands[..1] } else { operands };
        let mut most = 1;
        for &operand in numbers {
            most = most.max(bits(&self.range(operand)?)?);
        }
        // A shift by a constant of as much as the width would be poison.
        Some(if is_shift { most.max(self.shift_bits(operands[1])) } else { most })
    }

    /// Bits that a shift by this constant needs at least.
    fn shift_bits(&self, count: Value) -> u32 {
        match (count, self.range(count).and_then(|range| range.as_constant())) {
            (Value::Constant(_), Some(count)) => u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1),
            _ => 1,
        }
    }

    fn most(&self, value: Value) -> Option<u128> {
        Some(self.range(value)?.unsigned_range()?.1)
    }

    /// A comparison of fewer bits, if a side is narrow already.
    fn comparison(&self, at: InstructionId) -> Option<Narrow> {
        let instruction = &self.function.instructions[at];
        let predicate = instruction.predicate.filter(|_| instruction.opcode == Opcode::ICmp)?;
        let operands = self.function.operands_of(at);
        let is_narrow = |value: &Value| matches!(value, Value::Instruction(at) if self.widths[*at].is_some());
        if !operands.iter().any(is_narrow) || !self.can_be_had(at) {
            return None;
        }
        let (left, right) = (self.range(operands[0])?, self.range(operands[1])?);
        let (one, other) = (left.unsigned_range()?, right.unsigned_range()?);
        let plain = unsigned_bits(one.1).max(unsigned_bits(other.1));
        let (one, other) = (left.signed_range()?, right.signed_range()?);
        let with_sign = signed_bits(one.0, one.1).max(signed_bits(other.0, other.1));
        let (bits, predicate) = match plain <= with_sign {
            // Below the sign bit of the type all are as unsigned as they look.
            true => (plain, unsigned_order(predicate)),
            false => (with_sign, predicate),
        };
        let is_gain = bits < left.type_width() && left.type_width() <= WIDEST;
        is_gain.then_some(Narrow {
            instruction: at,
            opcode: Opcode::ICmp,
            predicate: Some(predicate),
            bits,
            widened: Widened::Zeros,
        })
    }

    /// Whether code can be put after the definition of each operand.
    fn can_be_had(&self, at: InstructionId) -> bool {
        self.function.operands_of(at).iter().all(|&operand| match operand {
            Value::Instruction(from) => !self.function.instructions[from].opcode.is_terminator(),
            Value::Argument(_) | Value::Block(_) => true,
            Value::Constant(id) => matches!(self.module.constants[id].value, ConstantValue::Integer(_)),
            Value::Function(_) | Value::Declaration(_) => false,
        })
    }

    /// What a number can be, if something is known of it and it ever is.
    fn range(&self, value: Value) -> Option<ValueRange> {
        let range = match value {
            Value::Constant(id) => {
                let constant = &self.module.constants[id];
                match (self.bits(constant.ty)?, constant.value) {
                    (bits, ConstantValue::Integer(word)) => ValueRange::constant(bits, word),
                    _ => return None,
                }
            }
            _ => (self.ranges)(self.id, value)?,
        };
        (!range.is_empty()).then_some(range)
    }

    fn bits(&self, ty: TypeId) -> Option<u32> {
        match self.module.types[ty] {
            Type::Integer(bits) if bits <= 128 => Some(bits),
            _ => None,
        }
    }
}

/// Bits of an integer of at most 128.
fn width_of(module: &Module, id: FunctionId, value: Value) -> Option<u32> {
    let function = &module.functions[id];
    let ty = match value {
        Value::Instruction(at) => function.instructions[at].ty,
        Value::Argument(position) => match &module.types[function.ty] {
            Type::Function(_, parameters, _) => *parameters.get(position as usize)?,
            _ => return None,
        },
        _ => return None,
    };
    match module.types[ty] {
        Type::Integer(bits @ 1..=128) => Some(bits),
        _ => None,
    }
}

/// The operation that is the same on numbers that are never negative.
fn without_sign(opcode: Opcode) -> Opcode {
    match opcode {
        Opcode::AShr => Opcode::LShr,
        Opcode::SDiv => Opcode::UDiv,
        Opcode::SRem => Opcode::URem,
        other => other,
    }
}

/// The order of numbers that are never negative.
fn unsigned_order(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Sgt => Predicate::Ugt,
        Predicate::Sge => Predicate::Uge,
        Predicate::Slt => Predicate::Ult,
        Predicate::Sle => Predicate::Ule,
        other => other,
    }
}

fn unsigned_bits(greatest: u128) -> u32 {
    (128 - greatest.leading_zeros()).max(1)
}

fn signed_bits(least: i128, greatest: i128) -> u32 {
    let bits = |number: i128| 129 - (number ^ (number >> 127)).leading_zeros();
    bits(least).max(bits(greatest))
}

#[cfg(test)]
mod tests {
    use super::{signed_bits, unsigned_bits};

    #[test]
    fn widths_at_the_edges() {
        assert_eq!([0, 1, 2, 255, 256].map(unsigned_bits), [1, 1, 2, 8, 9]);
        let signed = [(0, 0), (-1, 0), (0, 1), (-128, 127), (-129, 0), (0, 128)]
            .map(|(least, greatest)| signed_bits(least, greatest));
        assert_eq!(signed, [1, 1, 2, 8, 9, 9]);
    }
}
