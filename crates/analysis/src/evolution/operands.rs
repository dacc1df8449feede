//! What is an operand made of, as far as it was looked at before?
//!
//! Arguments and constants at once; a result or a cell only if the work list of
//! [`raw`](super::raw) came to it, else that says which must be looked at first.
//! Cost: a look-up.

use opcost_ir::{ConstantValue, Flags, Value};
use opcost_key::InstructionId;

use super::answer::{FlagPromise, TripAssumption};
use super::known::{Known, Mode, Variable, both};
use super::solver::Solver;
use crate::cells::{CellDefinition, CellVersion};
use crate::expression::{Domain, FormulaId, FormulaInterval, Symbol};

/// A value, or the variable that must be looked at first.
pub(super) type Built = Result<Known, Variable>;
/// A value, or none if it cannot be looked into.
pub(super) type Tried = Result<Option<Known>, Variable>;

impl Solver<'_, '_> {
    /// An operand that was looked at before; else which variable must be.
    pub(super) fn operand(&mut self, value: Value, mode: Mode) -> Built {
        let plain = |formula| Ok(Known::plain(formula));
        match value {
            Value::Instruction(id) => {
                let variable = Variable::Result(id);
                self.state.raw.get(&(variable, mode)).cloned().ok_or(variable)
            }
            Value::Argument(position) => plain(self.argument(position)),
            Value::Constant(_) => plain(self.constant(value)),
            Value::Function(_) | Value::Declaration(_) => {
                plain(self.table.symbol(Symbol::Code(value), FormulaInterval::unsigned(64)))
            }
            Value::Block(_) => plain(self.undefined()),
        }
    }

    fn argument(&mut self, position: u32) -> FormulaId {
        let function_type = &self.source.module.types[self.source.function.ty];
        let ty = match function_type {
            opcost_ir::Type::Function(_, parameters, _) => parameters.get(position as usize).copied(),
            _ => None,
        };
        let range = ty.and_then(|ty| self.domain(ty)).map_or(FormulaInterval::ALL, Domain::interval);
        self.table.symbol(Symbol::Argument(position), range)
    }

    fn constant(&mut self, value: Value) -> FormulaId {
        let Value::Constant(id) = value else { return self.undefined() };
        let constant = &self.source.module.constants[id];
        let domain = self.domain(constant.ty);
        match (constant.value, domain) {
            (ConstantValue::Integer(number), Some(domain)) => {
                self.table.constant(domain.reduce(number as i128))
            }
            (ConstantValue::Null, Some(_)) => self.table.constant(0),
            (ConstantValue::Undef | ConstantValue::Poison, _) => self.undefined(),
            (ConstantValue::Global { global, offset }, Some(domain)) => {
                let start = self.table.symbol(Symbol::Global(global), domain.interval());
                let address = self.table.add_constant(start, offset.into());
                self.table.wrap(domain, address)
            }
            (_, domain) => {
                self.table.symbol(Symbol::Constant(id), domain.map_or(FormulaInterval::ALL, Domain::interval))
            }
        }
    }

    /// What a version of a cell of a domain holds.
    pub(super) fn cell(&mut self, version: CellVersion, domain: Option<Domain>, mode: Mode) -> Built {
        let known = match self.source.cells.definition(version) {
            CellDefinition::Stored { value, .. } => self.operand(value, mode)?,
            CellDefinition::Undefined => Known::plain(self.undefined()),
            CellDefinition::Merge { .. } | CellDefinition::Entry | CellDefinition::Changed(_) => {
                if let Some(domain) = domain {
                    self.state.cell_domains.entry(version).or_insert(domain);
                }
                let variable = Variable::Cell(version);
                self.state.raw.get(&(variable, mode)).cloned().ok_or(variable)?
            }
        };
        let words: Vec<TripAssumption> =
            self.source.cells.relies_on(version).iter().map(|&words| TripAssumption::Memory(words)).collect();
        let relies = both(&known.relies, &words.into());
        Ok(relies.map_or_else(|| Known::plain(known.formula), |relies| Known { relies, ..known }))
    }

    /// A formula that holds because an instruction promises something.
    pub(super) fn promised(
        &mut self,
        formula: FormulaId,
        from: &Known,
        id: InstructionId,
        promise: FlagPromise,
    ) -> Option<Known> {
        let own = [TripAssumption::Promise(id, promise)].into();
        both(&from.relies, &own).map(|relies| Known { formula, relies })
    }

    pub(super) fn flags(&self, id: InstructionId) -> Flags {
        self.source.function.instructions[id].flags
    }
}
