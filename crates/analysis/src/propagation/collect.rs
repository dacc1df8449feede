//! The variables of a module while they are made: one for each value.
//!
//! Base variables of parameters and results are made first, for all functions, and constants when
//! they are met; then each function is traversed ([`walk`](super::walk)). What crosses
//! functions is gathered here and tied together at the end ([`calls`](super::calls)). Cost: linear
//! in the instructions.

use std::collections::BTreeSet;

use opcost_index::{Id, IdMap};
use opcost_ir::{ConstantId, ConstantValue, Function, GlobalKind, Module, Type, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use super::content_requests::ContentRequests;
use super::contract::{Contract, Handed};
use super::facts::{Distance, EdgeFact};
use super::options::RangeOptions;
use super::range::{Kind, Range, kind_of};
use super::tables::Tables;
use super::undefined::UndefinedValues;
use super::variables::{Definition, Limit, VariableId, Variables};
use super::written_first::WrittenFirst;
use crate::memory::{MemoryModel, Writers};
use crate::ranges::FloatRange;
use crate::rounding::changes_rounding;

/// Variables of the values of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    pub(super) arguments: Vec<Option<VariableId>>,
    pub(super) results: Vec<Option<VariableId>>,
    /// What it returns.
    pub(super) returned: Option<VariableId>,
}

/// Variables while they are made.
pub(super) struct Collector<'a> {
    pub(super) program: &'a MemoryModel<'a>,
    pub(super) writers: &'a Writers,
    pub(super) variables: Variables,
    pub(super) tables: Tables,
    pub(super) values: IdMap<FunctionId, Values>,
    /// What calls give to each parameter.
    pub(super) given: IdMap<FunctionId, Vec<Vec<VariableId>>>,
    /// What stores write, as it is where they are.
    pub(super) stored: FxHashMap<(FunctionId, InstructionId), VariableId>,
    /// Contents that loads ask for.
    pub(super) requests: ContentRequests,
    /// A second name leads to data, to which the module does not say.
    pub(super) has_second_names_of_data: bool,
    /// The same of functions.
    pub(super) has_second_names_of_code: bool,
    /// Which locals are written first.
    pub(super) first: WrittenFirst<'a>,
    /// Which values may be undefined, once that is asked.
    undefined: Option<UndefinedValues<'a>>,
    pub(super) options: RangeOptions,
    pub(super) contracts: &'a [Contract],
    /// What calls give under contracts.
    pub(super) handed: Vec<Handed>,
    /// What contracts say.
    pub(super) promised: Vec<VariableId>,
    /// The code changes how floating point numbers are rounded.
    pub(super) changes_rounding: bool,
    constants: FxHashMap<ConstantId, Option<VariableId>>,
    /// How far phis are from phis at heads of loops around them.
    pub(super) distances: Vec<Distance>,
    /// What all of it rests on.
    pub(super) facts: BTreeSet<EdgeFact>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(
        program: &'a MemoryModel<'a>,
        writers: &'a Writers,
        options: RangeOptions,
        contracts: &'a [Contract],
    ) -> Collector<'a> {
        let globals = program.module.globals.values();
        let names: Vec<bool> = globals
            .filter(|global| global.kind != GlobalKind::Variable)
            .map(|global| global.leads_into_code)
            .collect();
        let mut collector = Collector {
            changes_rounding: changes_rounding(program.module),
            has_second_names_of_data: names.contains(&false),
            has_second_names_of_code: names.contains(&true),
            options,
            contracts,
            handed: Vec::new(),
            promised: Vec::new(),
            first: WrittenFirst::new(program),
            undefined: None,
            program,
            writers,
            variables: Variables::default(),
            tables: Tables::default(),
            values: IdMap::new(),
            given: IdMap::new(),
            stored: FxHashMap::default(),
            requests: ContentRequests::default(),
            constants: FxHashMap::default(),
            distances: Vec::new(),
            facts: BTreeSet::new(),
        };
        for function in program.module.functions.values() {
            let values = collector.reserve(function);
            collector.given.push(vec![Vec::new(); values.arguments.len()]);
            collector.values.push(values);
        }
        collector
    }

    fn reserve(&mut self, function: &Function) -> Values {
        let (result, parameters) = match &self.module().types[function.ty] {
            Type::Function(result, parameters, _) => (Some(*result), parameters.clone()),
            _ => (None, Vec::new()),
        };
        let mut one = |ty: TypeId| {
            let kind = self.kind(ty)?;
            Some(self.variables.reserve(kind))
        };
        let has_body = !function.blocks.is_empty();
        Values {
            arguments: parameters.iter().map(|&ty| one(ty)).collect(),
            results: function.instructions.values().map(|instruction| one(instruction.ty)).collect(),
            returned: result.filter(|_| has_body).and_then(one),
        }
    }

    pub(super) fn module(&self) -> &'a Module {
        self.program.module
    }

    /// The kind of the variable for values of a type: of a pointer that of its
    /// offset.
    pub(super) fn kind(&self, ty: TypeId) -> Option<Kind> {
        match self.module().types[ty] {
            Type::Pointer(space) => match self.program.layout.index_bits(space) {
                bits @ 1..=128 => Some(Kind::Integer(bits)),
                _ => None,
            },
            _ => kind_of(self.module(), ty),
        }
    }

    /// The variable of a constant.
    pub(super) fn constant(&mut self, id: ConstantId) -> Option<VariableId> {
        if let Some(&known) = self.constants.get(&id) {
            return known;
        }
        let constant = &self.module().constants[id];
        let is_pointer = matches!(self.module().types[constant.ty], Type::Pointer(_));
        let made = self.kind(constant.ty).map(|kind| match (constant.value, kind) {
            (ConstantValue::Integer(word), Kind::Integer(width)) if !is_pointer => {
                self.variables.word(width, word)
            }
            (ConstantValue::Float(bits), Kind::Float(format)) => {
                let range = FloatRange::constant(format, f64::from_bits(bits));
                self.variables.add(kind, Definition::Constant(Range::Float(range)))
            }
            (ConstantValue::Global { offset, .. }, Kind::Integer(width)) if is_pointer => {
                self.variables.word(width, offset as i128 as u128 & crate::ranges::word::mask(width))
            }
            // No access goes through null.
            (ConstantValue::Null | ConstantValue::Poison, kind) => {
                self.variables.add(kind, Definition::Constant(Range::empty(kind)))
            }
            (ConstantValue::Undef, kind) => self.variables.full(kind, Limit::Undefined),
            (_, kind) => self.variables.full(kind, Limit::Address),
        });
        self.constants.insert(id, made);
        made
    }

    /// The variable of a value, whatever is known where it is used.
    pub(super) fn base(&mut self, function: FunctionId, value: Value) -> Option<VariableId> {
        match value {
            Value::Instruction(id) => self.values[function].results[id.index()],
            Value::Argument(position) => self.values[function].arguments.get(position as usize).copied()?,
            Value::Constant(id) => self.constant(id),
            _ => None,
        }
    }

    /// Whether a value is the same word at all uses of one moment, unless it is poison.
    pub(super) fn is_one_word(&mut self, function: FunctionId, value: Value) -> bool {
        let program = self.program;
        !self.undefined.get_or_insert_with(|| UndefinedValues::of(program)).contains(function, value)
    }

    /// A fact that ranges rest on.
    pub(super) fn note(&mut self, fact: EdgeFact) {
        self.facts.insert(fact);
    }

    /// The type of a value, if it has one here.
    pub(super) fn type_of(&self, function: &Function, value: Value) -> Option<TypeId> {
        self.module().type_of(function, value)
    }
}
