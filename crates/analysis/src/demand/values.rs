//! The demanded bits of all integers of a module, by function and value.
//!
//! Cost: a look-up.

use opcost_index::{Id, IdMap};
use opcost_ir::Value;
use opcost_key::FunctionId;

/// Demanded bits of all integers of a module.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    pub(super) values: IdMap<FunctionId, Values>,
}

/// Those of a function; none of what is no integer.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    pub(super) arguments: Vec<Option<u128>>,
    pub(super) results: Vec<Option<u128>>,
}

impl Demand {
    /// The bits of a result or parameter that an execution may notice; none of
    /// what is no integer of 1 to 128 bits.
    pub fn bits(&self, function: FunctionId, value: Value) -> Option<u128> {
        *self.values.get(function)?.get(value)?
    }
}

impl Values {
    fn get(&self, value: Value) -> Option<&Option<u128>> {
        match value {
            Value::Instruction(at) => self.results.get(at.index()),
            Value::Argument(position) => self.arguments.get(position as usize),
            _ => None,
        }
    }

    pub(super) fn get_mut(&mut self, value: Value) -> Option<&mut Option<u128>> {
        match value {
            Value::Instruction(at) => self.results.get_mut(at.index()),
            Value::Argument(position) => self.arguments.get_mut(position as usize),
            _ => None,
        }
    }
}
