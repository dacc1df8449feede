//! What must values be, from the place where a backward traversal is?
//!
//! Demands on values, each within the range that holds without demands; at most
//! [`MOST_VALUES`] at a time. Cost: a look-up.

use opcost_ir::{ConstantValue, Function, Type, Value};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use crate::memory::MemoryModel;
use crate::propagation::found::Propagation;
use crate::propagation::options::RangeOptions;
use crate::ranges::ValueRange;
use crate::ranges::word::mask;

/// Values that are followed at a time.
pub(super) const MOST_VALUES: usize = 48;

/// What values must be from here on.
pub(super) type State = FxHashMap<Value, ValueRange>;

/// What is demanded of the values of a module.
#[derive(Debug, Default)]
pub(crate) struct Demanded {
    /// Values and what they must be.
    pub(crate) ranges: Vec<(FunctionId, Value, ValueRange)>,
    /// Accesses that never are in bounds.
    pub(crate) outside: Vec<(FunctionId, InstructionId)>,
}

/// One function.
pub(super) struct Walk<'a> {
    pub(super) program: &'a MemoryModel<'a>,
    pub(super) ranges: &'a Propagation,
    pub(super) options: RangeOptions,
    /// What is allocated keeps its size.
    pub(super) allocates_once: bool,
    pub(super) id: FunctionId,
    pub(super) function: &'a Function,
    /// Before the instruction that was met last.
    pub(super) state: State,
    pub(super) all: &'a mut Demanded,
}

impl Walk<'_> {
    /// The range that holds without demands.
    pub(super) fn known(&self, value: Value) -> Option<ValueRange> {
        match value {
            Value::Instruction(_) | Value::Argument(_) => {
                self.ranges.range(self.id, value)?.integer().cloned()
            }
            Value::Constant(id) => {
                let constant = &self.program.module.constants[id];
                match (&self.program.module.types[constant.ty], constant.value) {
                    (&Type::Integer(width @ 1..=128), ConstantValue::Integer(word)) => {
                        Some(ValueRange::constant(width, word))
                    }
                    (&Type::Pointer(space), ConstantValue::Global { offset, .. }) => {
                        let width = self.program.layout.index_bits(space);
                        let word = offset as i128 as u128;
                        (1..=128).contains(&width).then(|| ValueRange::constant(width, word & mask(width)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A value must be in a range, too.
    pub(super) fn need(&mut self, value: Value, range: &ValueRange) {
        if !matches!(value, Value::Instruction(_) | Value::Argument(_)) {
            return;
        }
        let Some(known) = self.known(value) else { return };
        if range.contains_all(&known) || known.type_width() != range.type_width() {
            return;
        }
        let is_new = !self.state.contains_key(&value);
        if is_new && self.state.len() >= MOST_VALUES {
            return;
        }
        let own = self.state.entry(value).or_insert(known);
        *own = own.meet(range);
    }
}
