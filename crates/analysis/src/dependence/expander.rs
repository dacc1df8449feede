//! What does one step back look things up in, and what does it rest on?
//!
//! The state of a step: the search, the rules, their tables. What it assumes is noted
//! until the step is taken.

use opcost_ir::{ConstantValue, Type, TypeId, Value};
use opcost_key::FunctionId;

use super::explanation::What;
use super::memory::{MemoryQueries, Object};
use super::rule_set::RuleSet;
use super::search::Search;
use super::uses::Tables;

/// Takes steps back.
pub(super) struct Expander<'s, 'a, M: MemoryQueries> {
    pub(super) search: Search<'s, 'a, M>,
    pub(super) rules: &'s [RuleSet],
    pub(super) tables: &'s Tables<'a>,
    /// What the step that is being taken rests on.
    pub(super) noted: Vec<&'static str>,
}

impl<'s, 'a, M: MemoryQueries> Expander<'s, 'a, M> {
    pub(super) fn new(search: Search<'s, 'a, M>, rules: &'s [RuleSet], tables: &'s Tables<'a>) -> Self {
        Expander { search, rules, tables, noted: Vec::new() }
    }

    /// The type of a value.
    pub(super) fn type_of(&self, function: FunctionId, value: Value) -> Option<TypeId> {
        match value {
            Value::Instruction(id) => Some(self.search.shared.function(function).instructions[id].ty),
            Value::Constant(id) => Some(self.search.shared.module.constants[id].ty),
            _ => None,
        }
    }

    /// Notes what the step that is being taken rests on.
    pub(super) fn assume(&mut self, what: &'static str) {
        if !self.noted.contains(&what) {
            self.noted.push(what);
        }
    }

    pub(super) fn constant_value(&self, value: ConstantValue, ty: TypeId) -> Option<What> {
        Some(match value {
            ConstantValue::Integer(value) => {
                let bits = self.search.shared.layout.bits(ty).unwrap_or(128) as u32;
                What::Integer { value, bits }
            }
            ConstantValue::Float(bits) => What::Float(bits),
            ConstantValue::Null => What::Null,
            ConstantValue::Undef | ConstantValue::Poison => What::Undefined,
            ConstantValue::Zero => What::Text("0".into()),
            ConstantValue::Global { global, offset } => What::Address(Object::Global(global), offset),
            ConstantValue::Other => return None,
        })
    }

    /// Zero of a type.
    pub(super) fn zero(&self, ty: TypeId) -> What {
        match self.search.shared.module.types[ty] {
            Type::Integer(bits) => What::Integer { value: 0, bits },
            Type::Float(_) => What::Float(0),
            Type::Pointer(_) => What::Null,
            _ => What::Text("0".into()),
        }
    }
}
