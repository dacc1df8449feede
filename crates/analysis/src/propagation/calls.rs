//! What goes into functions and comes out of them?
//!
//! A parameter is what any call gives it, where all calls are seen: in the closed world of all
//! functions that nobody else may call, in the open one of local functions. A result is what any
//! callee returns. Intrinsics that compute are operations; of library functions the table of
//! effects gives the range. Contexts of calls are not distinguished. Cost: arguments times callees.

use opcost_ir::{CalleeRef, ConstantValue, Value};
use opcost_key::{FunctionId, InstructionId};

use super::collect::Collector;
use super::external_facts::library_result;
use super::facts::EdgeFact;
use super::range::{Kind, Range, kind_of};
use super::transfer::plain;
use super::variables::{Definition, Limit, VariableId};
use super::walker::Walker;
use crate::memory::calls::CallSite;
use crate::ranges::{FloatOperation, Operation, Sign};

impl Walker<'_, '_> {
    /// A call: what it learns, gives and gets.
    pub(super) fn call(&mut self, at: InstructionId) {
        self.give(at);
        let name = self.function.call(at).and_then(|call| self.all.module().intrinsic_name(call.callee));
        if name == Some("llvm.assume") {
            let condition = self.function.operands_of(at)[0];
            return self.learn(condition, true);
        }
        let Some(result) = self.all.values[self.id].results[opcost_index::Id::index(at)] else { return };
        let kind = self.all.variables.get(result).kind;
        let computed = name.and_then(|name| self.intrinsic(at, name, kind));
        let definition = computed.unwrap_or_else(|| self.result(at, kind));
        self.all.variables.define(result, definition);
    }

    /// Notes the arguments for the callees.
    fn give(&mut self, at: InstructionId) {
        let Some(callees) = self.all.program.addresses.callees(self.id, at) else { return };
        let arguments: Vec<Value> = self.function.arguments_of(at).to_vec();
        for &callee in &callees.functions {
            for position in 0..self.all.values[callee].arguments.len() {
                let Some(parameter) = self.all.values[callee].arguments[position] else { continue };
                let kind = self.all.variables.get(parameter).kind;
                let given = arguments.get(position).and_then(|&value| self.handed_over(value));
                let is_same = self.is_same_type(callee, position, arguments.get(position).copied());
                let given = given.filter(|&given| is_same && self.all.variables.get(given).kind == kind);
                let given = given.unwrap_or_else(|| self.all.variables.full(kind, Limit::Call));
                self.all.given[callee][position].push(given);
                let site = CallSite { function: self.id, call: at };
                self.all.note_handed(callee, position, site, given);
            }
        }
    }

    /// A value as a call gives it or a function returns it. Poison is given where nobody looks (a
    /// dead parameter), and the code runs all the same. A reader of the register sees any word in
    /// it. So it says nothing of what is reached.
    pub(super) fn handed_over(&mut self, value: Value) -> Option<VariableId> {
        let now = self.now(value)?;
        let is_poison = matches!(value, Value::Constant(id)
            if self.all.module().constants[id].value == ConstantValue::Poison);
        let kind = self.all.variables.get(now).kind;
        Some(if is_poison { self.all.variables.full(kind, Limit::Undefined) } else { now })
    }

    /// An integer must not be taken for an offset.
    fn is_same_type(&self, callee: FunctionId, position: usize, argument: Option<Value>) -> bool {
        let module = self.all.module();
        let parameter = self.all.type_of(&module.functions[callee], Value::Argument(position as u32));
        let argument = argument.and_then(|value| self.all.type_of(self.function, value));
        parameter.zip(argument).is_some_and(|(one, two)| module.types[one] == module.types[two])
    }

    fn intrinsic(&mut self, at: InstructionId, name: &str, kind: Kind) -> Option<Definition> {
        let arguments = self.function.arguments_of(at);
        let unknown = Some(Definition::Full(Limit::Operation));
        match kind {
            Kind::Integer(width) => {
                let module = self.all.module();
                kind_of(module, self.function.instructions[at].ty)?;
                if name.starts_with("llvm.expect.") {
                    return Some(Definition::Join([self.number(arguments[0])?].into()));
                }
                if let Some(rest) = name.strip_prefix("llvm.fpto") {
                    let sign = if rest.starts_with("si") { Sign::Signed } else { Sign::Unsigned };
                    let Some(from) = self.number(arguments[0]).filter(|_| rest.contains(".sat.")) else {
                        return unknown;
                    };
                    return Some(Definition::ToInteger(sign, from, true));
                }
                let promise = arguments.get(1).and_then(|&value| self.word(value)) == Some(1);
                let operation = Operation::of_intrinsic(name, promise)?;
                let operands: Option<Vec<VariableId>> = arguments
                    [..operation.operands().min(arguments.len())]
                    .iter()
                    .map(|&value| self.integer(value).map(|(variable, _)| variable))
                    .collect();
                let Some(operands) = operands else { return unknown };
                Some(Definition::Step(plain(operation, width), operands.into()))
            }
            Kind::Float(format) => {
                let operation = FloatOperation::of_intrinsic(name)?;
                // `rint` and `nearbyint` round as the mode says.
                if operation == FloatOperation::RoundEven && self.all.changes_rounding {
                    return unknown;
                }
                let operands: Option<Vec<VariableId>> =
                    arguments.iter().map(|&value| self.number(value)).collect();
                let Some(operands) = operands else { return unknown };
                let step = self.float_step(operation, format, self.function.instructions[at].flags);
                Some(Definition::FloatStep(step, operands.into()))
            }
        }
    }

    /// What a call of a function gives.
    fn result(&mut self, at: InstructionId, kind: Kind) -> Definition {
        let is_number = kind_of(self.all.module(), self.function.instructions[at].ty).is_some();
        let Some(call) = self.function.call(at) else { return Definition::Full(Limit::Call) };
        if let CalleeRef::Assembly = call.callee {
            return Definition::Full(Limit::Assembly);
        }
        if let Some(callees) = self.all.program.addresses.callees(self.id, at)
            && !callees.is_open
            && !callees.functions.is_empty()
        {
            let is_known = callees.functions.iter().all(|&callee| self.all.is_final(callee));
            let results: Option<Vec<VariableId>> =
                callees.functions.iter().map(|&callee| self.all.values[callee].returned).collect();
            let is_alike = |results: &Vec<VariableId>| {
                results.iter().all(|&result| self.all.variables.get(result).kind == kind)
                    && callees.functions.iter().all(|&callee| self.returns_same(callee, at))
            };
            return match results.filter(|results| is_known && is_alike(results)) {
                Some(results) => Definition::Join(results.into()),
                None => Definition::Full(Limit::Call),
            };
        }
        if !is_number {
            return self.pointed(at);
        }
        match (call.callee, kind) {
            (CalleeRef::Declaration(_), Kind::Integer(_)) => {
                match library_result(self.all.program, self.id, at) {
                    Some((declared, range)) => {
                        self.all.note(EdgeFact::LibraryResult(declared));
                        Definition::Constant(Range::Integer(range))
                    }
                    None => Definition::Full(Limit::Call),
                }
            }
            _ => Definition::Full(Limit::Call),
        }
    }

    fn returns_same(&self, callee: FunctionId, at: InstructionId) -> bool {
        let module = self.all.module();
        match &module.types[module.functions[callee].ty] {
            opcost_ir::Type::Function(result, ..) => {
                module.types[*result] == module.types[self.function.instructions[at].ty]
            }
            _ => false,
        }
    }
}

impl Collector<'_> {
    /// Whether the body that is seen is what runs.
    fn is_final(&self, function: FunctionId) -> bool {
        let body = &self.module().functions[function];
        self.program.is_final_body(function) && !body.is_naked && !body.is_coroutine
    }

    /// Parameters, when all calls have been seen.
    pub(super) fn tie_parameters(&mut self) {
        let functions: Vec<FunctionId> = self.module().functions.ids().collect();
        for id in functions {
            let body = &self.module().functions[id];
            // A second name may be called, or given away.
            let is_named_twice = self.has_second_names_of_code && body.is_address_taken;
            let is_open = is_named_twice
                || self.program.roots.is_root(id)
                || self.program.calls.is_called_by_others(id);
            if !is_open && !body.blocks.is_empty() {
                self.note(EdgeFact::ArgumentsComplete(id));
            }
            for (position, given) in std::mem::take(&mut self.given[id]).into_iter().enumerate() {
                let Some(parameter) = self.values[id].arguments[position] else { continue };
                let is_copy = body.parameter_facts.get(position).is_some_and(|facts| facts.byval.is_some());
                let definition = match (is_copy, is_open, self.variables.get(parameter).kind) {
                    (true, _, Kind::Integer(width)) => {
                        Definition::Join([self.variables.word(width, 0)].into())
                    }
                    (_, false, _) => Definition::Join(given.into()),
                    _ => Definition::Full(Limit::Parameter),
                };
                self.variables.define(parameter, definition);
            }
        }
    }
}
