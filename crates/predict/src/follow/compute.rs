//! What does an instruction give whose operands are contents?
//!
//! Integers as LLVM defines them (`analysis::ranges`), numbers with a point as IEEE 754 does where no
//! flag allows another result, pointers as an instance and an offset. What would be poison is
//! unknown. Addresses have no numbers: two pointers compare only within one instance, and with null
//! only where it is certain that they are none. Cost: the operands.

use opcost_analysis::memory::MemoryModel;
use opcost_analysis::ranges::{Operation, RangeStep, evaluate};
use opcost_index::Id;
use opcost_ir::{ConstantValue, Flags, Function, Instruction, Opcode, Predicate, Type, TypeId, Value};
use opcost_key::InstructionId;

use super::content::{Byte, Content};

/// An activation's contents of values.
pub(super) trait Contents {
    /// What an operand is.
    fn content(&self, value: Value) -> Content;
}

/// Computes the instructions of one function.
pub(super) struct Computing<'a> {
    pub(super) model: &'a MemoryModel<'a>,
    pub(super) function: &'a Function,
    /// Whether numbers with a point are rounded as usual.
    pub(super) is_rounded_to_nearest: bool,
}

impl Computing<'_> {
    /// What an instruction gives that neither reads memory nor calls.
    pub(super) fn result(&self, at: InstructionId, values: &dyn Contents) -> Content {
        let instruction = &self.function.instructions[at];
        let operands = self.function.operands_of(at);
        let of =
            |position: usize| operands.get(position).map_or(Content::Unknown, |&one| values.content(one));
        match instruction.opcode {
            Opcode::GetElementPtr => self.address(at, values),
            Opcode::Select => match of(0) {
                Content::Word(0) => of(2),
                Content::Word(_) => of(1),
                _ => of(1).join(of(2)),
            },
            Opcode::Freeze => of(0),
            Opcode::ICmp => match (of(0), of(1)) {
                (Content::Word(_), Content::Word(_)) => self.integer(instruction, operands, values),
                (left, right) => self.compared(instruction.predicate, left, right),
            },
            // Subnormal numbers may be zero then.
            Opcode::FCmp if !self.is_rounded_to_nearest => Content::Unknown,
            Opcode::FCmp => float_compared(instruction.predicate, of(0), of(1)),
            Opcode::ExtractValue => self.part(instruction, operands, values),
            Opcode::BitCast => self.same_bits(instruction.ty, of(0)),
            _ if matches!(self.ty(instruction.ty), Type::Integer(_)) && self.is_integer(operands) => {
                self.integer(instruction, operands, values)
            }
            _ if self.is_rounded_to_nearest && !instruction.flags.has(Flags::RELAXED) => {
                self.float(instruction, operands, values)
            }
            _ => Content::Unknown,
        }
    }

    fn ty(&self, id: TypeId) -> &Type {
        &self.model.module.types[id]
    }

    fn width(&self, value: Value) -> Option<u32> {
        match self.ty(self.model.module.type_of(self.function, value)?) {
            &Type::Integer(bits @ 1..=128) => Some(bits),
            _ => None,
        }
    }

    fn is_integer(&self, operands: &[Value]) -> bool {
        operands.iter().all(|&operand| self.width(operand).is_some())
    }

    fn integer(&self, instruction: &Instruction, operands: &[Value], values: &dyn Contents) -> Content {
        let &Type::Integer(width @ 1..=128) = self.ty(instruction.ty) else { return Content::Unknown };
        let Instruction { opcode, predicate, flags, .. } = *instruction;
        match RangeStep::of_opcode(opcode, predicate, flags, width) {
            Some(step) => self.step(&step, operands, values),
            None => Content::Unknown,
        }
    }

    /// One operation on integers.
    pub(super) fn step(&self, step: &RangeStep, operands: &[Value], values: &dyn Contents) -> Content {
        let widths: Option<Vec<u32>> = operands.iter().map(|&operand| self.width(operand)).collect();
        let words: Option<Vec<u128>> =
            operands.iter().map(|&operand| values.content(operand).word()).collect();
        let (Some(widths), Some(words)) = (widths, words) else { return Content::Unknown };
        if !step.fits(&widths) {
            return Content::Unknown;
        }
        evaluate(step, widths[0], &words).map_or(Content::Unknown, Content::Word)
    }

    fn compared(&self, predicate: Option<Predicate>, left: Content, right: Content) -> Content {
        let truth = |is_equal: bool| match predicate {
            Some(Predicate::Eq) => Content::Word(u128::from(is_equal)),
            Some(Predicate::Ne) => Content::Word(u128::from(!is_equal)),
            _ => Content::Unknown,
        };
        match (left, right) {
            (Content::Null, Content::Null) => truth(true),
            (Content::Byte(one), Content::Byte(two)) if one.instance == two.instance => {
                let ordering = one.offset.cmp(&two.offset);
                match predicate {
                    Some(Predicate::Ugt) => Content::Word(u128::from(ordering.is_gt())),
                    Some(Predicate::Uge) => Content::Word(u128::from(ordering.is_ge())),
                    Some(Predicate::Ult) => Content::Word(u128::from(ordering.is_lt())),
                    Some(Predicate::Ule) => Content::Word(u128::from(ordering.is_le())),
                    _ => truth(ordering.is_eq()),
                }
            }
            // The start of data and of a local is not null; what was allocated may be.
            (Content::Byte(byte), Content::Null) | (Content::Null, Content::Byte(byte))
                if byte.offset >= 0 && self.is_named(byte) =>
            {
                truth(false)
            }
            _ => Content::Unknown,
        }
    }

    /// Whether it is data that the module defines.
    fn is_named(&self, byte: Byte) -> bool {
        let globals = &self.model.module.globals;
        byte.instance.index() < globals.len()
            && !globals[opcost_ir::GlobalId::new(byte.instance.index())].is_declared
    }

    fn same_bits(&self, ty: TypeId, content: Content) -> Content {
        match (content, self.ty(ty)) {
            (Content::Word(word), Type::Float("double")) => Content::Double(word as u64),
            (Content::Word(word), Type::Float("float")) => Content::Single(word as u32),
            (Content::Double(bits), Type::Integer(64)) => Content::Word(bits.into()),
            (Content::Single(bits), Type::Integer(32)) => Content::Word(bits.into()),
            (Content::Double(_), Type::Float("double")) | (Content::Single(_), Type::Float("float")) => {
                content
            }
            (Content::Byte(_) | Content::Within(_) | Content::Null, Type::Pointer(0)) => content,
            _ => Content::Unknown,
        }
    }

    /// A part of what an operation with overflow gives.
    fn part(&self, instruction: &Instruction, operands: &[Value], values: &dyn Contents) -> Content {
        let (Some(&Value::Instruction(from)), &Type::Integer(width)) =
            (operands.first(), self.ty(instruction.ty))
        else {
            return Content::Unknown;
        };
        let name = self.function.call(from).and_then(|call| self.model.module.intrinsic_name(call.callee));
        let Some(overflow) = name.and_then(|name| Operation::of_intrinsic(name, false)) else {
            return Content::Unknown;
        };
        let sides = self.function.arguments_of(from);
        match (overflow.that_overflows(), self.width(sides[0])) {
            // Of words of one bit nothing tells the two parts apart.
            (None, _) | (_, None | Some(1)) => Content::Unknown,
            (Some(_), _) if width == 1 => self.step(&RangeStep::new(overflow, 1), sides, values),
            (Some(sum), _) => self.step(&RangeStep::new(sum, width), sides, values),
        }
    }

    fn address(&self, at: InstructionId, values: &dyn Contents) -> Content {
        let operands = self.function.operands_of(at);
        let base = values.content(operands[0]);
        let Content::Byte(byte) = base else {
            return base.instance().map_or(Content::Unknown, Content::Within);
        };
        match self.distance(at, values).and_then(|distance| byte.offset.checked_add(distance)) {
            Some(offset) => Content::Byte(Byte { offset, ..byte }),
            None => Content::Within(byte.instance),
        }
    }

    /// How many bytes a `getelementptr` leads further.
    pub(super) fn distance(&self, at: InstructionId, values: &dyn Contents) -> Option<i64> {
        let layout = self.model.layout;
        let instruction = &self.function.instructions[at];
        if !matches!(self.ty(instruction.ty), Type::Pointer(0)) {
            return None;
        }
        let (&first, inner) = self.function.operands_of(at).get(1..)?.split_first()?;
        let mut ty = instruction.second_type?;
        let mut sum = self.index(first, values)?.checked_mul(i64::try_from(layout.stride(ty)?).ok()?)?;
        for &index in inner {
            let number = self.index(index, values)?;
            let step = match self.ty(ty) {
                Type::Struct { fields, .. } => {
                    let field = usize::try_from(number).ok()?;
                    let offset = layout.field_offset(ty, field)?;
                    ty = *fields.get(field)?;
                    i64::try_from(offset).ok()?
                }
                Type::Array(_, element) => {
                    ty = *element;
                    number.checked_mul(i64::try_from(layout.stride(ty)?).ok()?)?
                }
                _ => return None,
            };
            sum = sum.checked_add(step)?;
        }
        Some(sum)
    }

    fn index(&self, value: Value, values: &dyn Contents) -> Option<i64> {
        let ty = self.model.module.type_of(self.function, value)?;
        let &Type::Integer(bits @ 1..=64) = self.ty(ty) else { return None };
        let word = values.content(value).word()? as u64;
        Some((word << (64 - bits)) as i64 >> (64 - bits))
    }

    fn float(&self, instruction: &Instruction, operands: &[Value], values: &dyn Contents) -> Content {
        let of =
            |position: usize| operands.get(position).map_or(Content::Unknown, |&one| values.content(one));
        let opcode = instruction.opcode;
        match (of(0), self.ty(instruction.ty)) {
            (Content::Double(bits), Type::Float("double")) if opcode == Opcode::FNeg => {
                Content::Double((-f64::from_bits(bits)).to_bits())
            }
            (Content::Single(bits), Type::Float("float")) if opcode == Opcode::FNeg => {
                Content::Single((-f32::from_bits(bits)).to_bits())
            }
            (Content::Double(left), Type::Float("double")) => match (opcode, of(1)) {
                (_, Content::Double(right)) => double(opcode, f64::from_bits(left), f64::from_bits(right)),
                _ => Content::Unknown,
            },
            (Content::Single(left), Type::Float("float")) => match (opcode, of(1)) {
                (_, Content::Single(right)) => single(opcode, f32::from_bits(left), f32::from_bits(right)),
                _ => Content::Unknown,
            },
            (Content::Single(bits), Type::Float("double")) if opcode == Opcode::FPExt => {
                Content::Double(f64::from(f32::from_bits(bits)).to_bits())
            }
            (Content::Double(bits), Type::Float("float")) if opcode == Opcode::FPTrunc => {
                Content::Single((f64::from_bits(bits) as f32).to_bits())
            }
            (Content::Word(word), ty @ Type::Float(_)) => {
                let width = operands.first().and_then(|&value| self.width(value));
                width.map_or(Content::Unknown, |width| of_word(instruction, word, width, ty))
            }
            (content, &Type::Integer(width @ 1..=64)) => to_word(opcode, content, width),
            _ => Content::Unknown,
        }
    }

    /// A constant of the module, a function, or nothing.
    pub(super) fn constant(&self, value: Value) -> Content {
        match value {
            Value::Constant(id) => {
                let constant = &self.model.module.constants[id];
                match constant.value {
                    ConstantValue::Zero => Content::Unknown,
                    value => Content::of_constant(self.model.module, value, constant.ty),
                }
            }
            Value::Function(id) => Content::Code(id),
            _ => Content::Unknown,
        }
    }
}

fn double(opcode: Opcode, left: f64, right: f64) -> Content {
    let number = match opcode {
        Opcode::FAdd => left + right,
        Opcode::FSub => left - right,
        Opcode::FMul => left * right,
        Opcode::FDiv => left / right,
        _ => return Content::Unknown,
    };
    // The bits of what is no number are not said.
    if number.is_nan() { Content::Unknown } else { Content::Double(number.to_bits()) }
}

fn single(opcode: Opcode, left: f32, right: f32) -> Content {
    let number = match opcode {
        Opcode::FAdd => left + right,
        Opcode::FSub => left - right,
        Opcode::FMul => left * right,
        Opcode::FDiv => left / right,
        _ => return Content::Unknown,
    };
    if number.is_nan() { Content::Unknown } else { Content::Single(number.to_bits()) }
}

fn of_word(instruction: &Instruction, word: u128, width: u32, ty: &Type) -> Content {
    let number = (word << (128 - width)) as i128 >> (128 - width);
    if instruction.flags.has(Flags::NNEG) && number < 0 {
        return Content::Unknown;
    }
    match (instruction.opcode, ty) {
        (Opcode::SIToFP, Type::Float("double")) => Content::Double((number as f64).to_bits()),
        (Opcode::UIToFP, Type::Float("double")) => Content::Double((word as f64).to_bits()),
        (Opcode::SIToFP, Type::Float("float")) => Content::Single((number as f32).to_bits()),
        (Opcode::UIToFP, Type::Float("float")) => Content::Single((word as f32).to_bits()),
        _ => Content::Unknown,
    }
}

fn as_double(content: Content) -> Option<f64> {
    match content {
        Content::Double(bits) => Some(f64::from_bits(bits)),
        Content::Single(bits) => Some(f64::from(f32::from_bits(bits))),
        _ => None,
    }
}

fn to_word(opcode: Opcode, content: Content, width: u32) -> Content {
    let Some(cut) = as_double(content).map(f64::trunc) else { return Content::Unknown };
    let (least, end) = match opcode {
        Opcode::FPToUI => (0.0, 2f64.powi(width as i32)),
        Opcode::FPToSI => (-(2f64.powi(width as i32 - 1)), 2f64.powi(width as i32 - 1)),
        _ => return Content::Unknown,
    };
    if !(cut >= least && cut < end) {
        return Content::Unknown;
    }
    let mask = u128::MAX >> (128 - width);
    Content::Word(if cut < 0.0 { cut as i128 as u128 & mask } else { cut as u128 })
}

fn float_compared(predicate: Option<Predicate>, left: Content, right: Content) -> Content {
    let (Some(predicate), Some(left), Some(right)) = (predicate, as_double(left), as_double(right)) else {
        return Content::Unknown;
    };
    let is_unordered = left.is_nan() || right.is_nan();
    Content::Word(u128::from(match predicate {
        Predicate::False => false,
        Predicate::True => true,
        Predicate::Ord => !is_unordered,
        Predicate::Uno => is_unordered,
        Predicate::Oeq => left == right,
        Predicate::Ogt => left > right,
        Predicate::Oge => left >= right,
        Predicate::Olt => left < right,
        Predicate::Ole => left <= right,
        Predicate::One => !is_unordered && left != right,
        Predicate::Ueq => is_unordered || left == right,
        Predicate::FUgt => is_unordered || left > right,
        Predicate::FUge => is_unordered || left >= right,
        Predicate::FUlt => is_unordered || left < right,
        Predicate::FUle => is_unordered || left <= right,
        Predicate::Une => is_unordered || left != right,
        _ => return Content::Unknown,
    }))
}
