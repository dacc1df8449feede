//! Which number is a value while a loop is simulated?
//!
//! What the simulation computed, or a constant from outside. Cost: a look-up, or the formula of
//! what comes from outside.

use opcost_ir::{ConstantValue, Type, Value};
use opcost_key::InstructionId;
use rustc_hash::FxHashMap as HashMap;

use super::compute::{Base, Number};
use super::known::{Arm, Mode};
use super::solver::Solver;
use crate::cells::{CellDefinition, CellVersion};

/// What is known while the loop is simulated.
pub(super) struct Walk {
    pub(super) numbers: HashMap<InstructionId, Number>,
    pub(super) cells: HashMap<CellVersion, Number>,
    pub(super) has_floats: bool,
}

impl Solver<'_, '_> {
    /// The constant that an arm from outside is.
    pub(super) fn arm_number(&mut self, arm: Arm, depth: u32) -> Option<Number> {
        match arm {
            Arm::Value(value) => self.outside_number(value),
            Arm::Cell(version) if depth < 8 => match self.source.cells.definition(version) {
                CellDefinition::Stored { value, .. } => self.outside_number(value),
                CellDefinition::Merge { incoming, .. } => {
                    let arms: Vec<Arm> = incoming
                        .iter()
                        .filter(|(_, other)| *other != version)
                        .map(|&(_, v)| Arm::Cell(v))
                        .collect();
                    let (&first, rest) = arms.split_first()?;
                    let number = self.arm_number(first, depth + 1)?;
                    rest.iter().all(|&arm| self.arm_number(arm, depth + 1) == Some(number)).then_some(number)
                }
                _ => None,
            },
            Arm::Cell(_) => None,
        }
    }

    /// A value from outside, if it is a constant.
    pub(super) fn outside_number(&mut self, value: Value) -> Option<Number> {
        if let Some(address) = self.constant_address(value) {
            return Some(address);
        }
        if let Value::Constant(id) = value {
            let constant = &self.source.module.constants[id];
            if let ConstantValue::Float(bits) = constant.value {
                let double = f64::from_bits(bits);
                return match self.source.module.types[constant.ty] {
                    Type::Float("double") => Some(Number::Double(double)),
                    Type::Float("float") => Some(Number::Single(double as f32)),
                    _ => None,
                };
            }
        }
        let raw = self.raw_value(value, Mode::Strict);
        self.table.as_constant(raw.formula).filter(|_| raw.relies.is_empty()).map(Number::Integer)
    }

    /// An operand: computed in the simulation, or constant outside.
    pub(super) fn number(&mut self, value: Value, walk: &Walk) -> Option<Number> {
        match value {
            Value::Instruction(id) => walk.numbers.get(&id).copied(),
            _ => self.outside_number(value),
        }
    }

    /// The address that an operand is, if it is a constant one.
    pub(super) fn constant_address(&self, value: Value) -> Option<Number> {
        match value {
            Value::Function(_) => Some(Number::Address(Base::Code(value), 0)),
            Value::Constant(id) => match self.source.module.constants[id].value {
                ConstantValue::Global { global, offset } => {
                    Some(Number::Address(Base::Data(global), offset.into()))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
