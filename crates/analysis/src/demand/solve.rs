//! The least demand that meets all instructions of a module.
//!
//! First everything that is demanded whatever becomes of results: what code
//! that is not seen gets, what decides where control goes, what addresses are
//! made of. Then, while the demand of some value has grown, what that asks of
//! the values it is made of: operands, arguments of all calls, what callees
//! return, what is stored where a load reads. Demands only grow and are finitely
//! many, so it ends, and the order does not matter.

use std::collections::VecDeque;

use opcost_index::{Id, IdMap};
use opcost_ir::{ConstantValue, Flags, Function, GlobalKind, Instruction, Opcode, Type, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashSet;

use super::cells::{self, Cells, final_callees};
use super::held::held;
use super::steps::{ALL, demanded};
use super::values::{Demand, Values};
use crate::memory::MemoryModel;
use crate::propagation::{Propagation, Range};
use crate::ranges::{Operation, RangeStep, ValueRange};

/// All demands, while they grow.
struct Solver<'a> {
    program: &'a MemoryModel<'a>,
    ranges: &'a Propagation,
    demand: Demand,
    cells: Cells,
    cell_bits: Vec<u128>,
    /// Calls by what they call.
    callers: IdMap<FunctionId, Vec<(FunctionId, InstructionId)>>,
    /// What each function returns.
    returned: IdMap<FunctionId, Vec<Value>>,
    work: VecDeque<(FunctionId, Value)>,
    is_waiting: FxHashSet<(FunctionId, Value)>,
}

/// What an instruction makes of its operands.
enum Making<'a> {
    /// A step of integers.
    Step(RangeStep, &'a [Value]),
    /// One of these, or the only one.
    Same(Vec<Value>),
    /// It is loaded.
    Loaded,
    /// What these functions give.
    Called(&'a [FunctionId]),
    /// Anything else.
    Other,
}

impl Demand {
    /// What is demanded of all values.
    pub fn compute(program: &MemoryModel<'_>, ranges: &Propagation) -> Demand {
        let functions = &program.module.functions;
        let cells = cells::collect(program);
        let mut solver = Solver {
            program,
            ranges,
            demand: Demand { values: IdMap::filled(functions.len(), Values::default()) },
            cell_bits: vec![0; cells.stored.len()],
            cells,
            callers: IdMap::filled(functions.len(), Vec::new()),
            returned: IdMap::filled(functions.len(), Vec::new()),
            work: VecDeque::new(),
            is_waiting: FxHashSet::default(),
        };
        for (id, function) in functions.iter() {
            solver.reserve(id, function);
        }
        for (id, function) in functions.iter() {
            for at in function.instructions.ids() {
                solver.begin(id, function, at);
            }
        }
        solver.begin_returns();
        for (id, value) in std::mem::take(&mut solver.cells.whole) {
            solver.ask(id, value, ALL);
        }
        while let Some((id, value)) = solver.work.pop_front() {
            solver.is_waiting.remove(&(id, value));
            match value {
                Value::Argument(position) => solver.grown_argument(id, position),
                Value::Instruction(at) => solver.grown_result(id, at),
                _ => {}
            }
        }
        solver.demand
    }
}

impl<'a> Solver<'a> {
    fn reserve(&mut self, id: FunctionId, function: &Function) {
        let module = self.program.module;
        let one = |ty: TypeId| matches!(module.types[ty], Type::Integer(1..=128)).then_some(0);
        let parameters = match &module.types[function.ty] {
            Type::Function(_, parameters, _) => &parameters[..],
            _ => &[],
        };
        self.demand.values[id] = Values {
            arguments: parameters.iter().map(|&ty| one(ty)).collect(),
            results: function.instructions.values().map(|instruction| one(instruction.ty)).collect(),
        };
    }

    /// The range of an integer; none of anything else.
    fn range(&self, id: FunctionId, value: Value) -> Option<ValueRange> {
        match value {
            Value::Instruction(_) | Value::Argument(_) => {
                self.demand.bits(id, value)?;
                match self.ranges.range(id, value)? {
                    Range::Integer(range) => Some(range.clone()),
                    Range::Float(_) => None,
                }
            }
            Value::Constant(constant) => {
                let constant = &self.program.module.constants[constant];
                match (&self.program.module.types[constant.ty], constant.value) {
                    (&Type::Integer(width @ 1..=128), ConstantValue::Integer(word)) => {
                        Some(ValueRange::constant(width, word))
                    }
                    (&Type::Integer(width @ 1..=128), _) => Some(ValueRange::full(width)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Demands bits of a value.
    fn ask(&mut self, id: FunctionId, value: Value, bits: u128) {
        if bits == 0 || !matches!(value, Value::Instruction(_) | Value::Argument(_)) {
            return;
        }
        let Some(known) = self.demand.bits(id, value) else { return };
        // What has no range is demanded as it is asked for.
        let new = self.range(id, value).map_or(bits, |range| held(&range, bits));
        if known | new != known {
            if let Some(Some(own)) = self.demand.values[id].get_mut(value) {
                *own |= new;
            }
            if self.is_waiting.insert((id, value)) {
                self.work.push_back((id, value));
            }
        }
    }

    fn ask_all(&mut self, id: FunctionId, values: &[Value]) {
        values.iter().for_each(|&value| self.ask(id, value, ALL));
    }

    /// What is demanded whatever becomes of the result.
    fn begin(&mut self, id: FunctionId, function: &'a Function, at: InstructionId) {
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        match instruction.opcode {
            _ if function.is_naked || function.is_coroutine => return self.ask_all(id, operands),
            Opcode::Ret => return self.returned[id].extend(operands),
            // What is stored: `cells`.
            Opcode::Store if is_plain(instruction) => return,
            opcode if opcode.is_call() => {
                for &callee in self.program.addresses.callees(id, at).map_or(&[][..], |all| &all.functions) {
                    self.callers[callee].push((id, at));
                }
            }
            _ => {}
        }
        match self.making(id, function, at) {
            Making::Step(step, operands) => self.through(id, &step, operands, 0),
            Making::Same(_) | Making::Loaded => {}
            Making::Called(callees) => {
                for (position, &argument) in function.arguments_of(at).iter().enumerate() {
                    let is_alike = |&callee: &FunctionId| self.is_parameter(id, argument, callee, position);
                    if !callees.iter().all(is_alike) {
                        self.ask(id, argument, ALL);
                    }
                }
            }
            Making::Other => self.ask_all(id, operands),
        }
    }

    /// What an instruction makes of its operands.
    fn making(&self, id: FunctionId, function: &'a Function, at: InstructionId) -> Making<'a> {
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        if instruction.opcode.is_call()
            && let Some(callees) = self.final_callees(id, at)
        {
            return Making::Called(callees);
        }
        if self.demand.bits(id, Value::Instruction(at)).is_none() {
            return match instruction.opcode {
                Opcode::Load => Making::Loaded,
                Opcode::Phi => Making::Same(Vec::new()),
                _ => Making::Other,
            };
        }
        match instruction.opcode {
            Opcode::Phi => Making::Same(operands.chunks_exact(2).map(|pair| pair[0]).collect()),
            Opcode::Freeze => Making::Same(operands.into()),
            Opcode::BitCast if self.range(id, operands[0]).is_some() => Making::Same(operands.into()),
            Opcode::Load => Making::Loaded,
            opcode if opcode.is_call() => self.intrinsic(id, function, at),
            _ => self.step(id, function, at),
        }
    }

    fn step(&self, id: FunctionId, function: &'a Function, at: InstructionId) -> Making<'a> {
        let Instruction { opcode, predicate, .. } = function.instructions[at];
        let operands = function.operands_of(at);
        let width = self.range(id, Value::Instruction(at)).map(|range| range.type_width());
        let step = width.and_then(|width| RangeStep::of_opcode(opcode, predicate, Flags::NONE, width));
        step.filter(|step| self.fits(id, step, operands))
            .map_or(Making::Other, |step| Making::Step(step, operands))
    }

    fn fits(&self, id: FunctionId, step: &RangeStep, operands: &[Value]) -> bool {
        let widths: Option<Vec<u32>> =
            operands.iter().map(|&value| Some(self.range(id, value)?.type_width())).collect();
        widths.is_some_and(|widths| step.fits(&widths))
    }

    /// A call of an intrinsic that computes.
    fn intrinsic(&self, id: FunctionId, function: &'a Function, at: InstructionId) -> Making<'a> {
        let call = function.call(at);
        let name = call.and_then(|call| self.program.module.intrinsic_name(call.callee));
        let arguments = function.arguments_of(at);
        let width = self.range(id, Value::Instruction(at)).map(|range| range.type_width());
        let (Some(name), Some(width)) = (name, width) else { return Making::Other };
        if name.starts_with("llvm.expect.") {
            return Making::Same(arguments[..1].into());
        }
        let Some(operation) = Operation::of_intrinsic(name, false) else { return Making::Other };
        let step = RangeStep::new(operation, width);
        let operands = &arguments[..operation.operands().min(arguments.len())];
        if self.fits(id, &step, operands) { Making::Step(step, operands) } else { Making::Other }
    }

    fn final_callees(&self, id: FunctionId, at: InstructionId) -> Option<&'a [FunctionId]> {
        let program: &'a MemoryModel<'a> = self.program;
        final_callees(program, id, at)
    }

    /// Whether an argument is a parameter of this function, as it is.
    fn is_parameter(&self, id: FunctionId, argument: Value, callee: FunctionId, position: usize) -> bool {
        let width = |id: FunctionId, value: Value| Some(self.range(id, value)?.type_width());
        let own = width(id, argument);
        own.is_some() && own == width(callee, Value::Argument(position as u32))
    }

    /// What a step asks of its operands.
    fn through(&mut self, id: FunctionId, step: &RangeStep, operands: &[Value], bits: u128) {
        let ranges: Option<Vec<ValueRange>> =
            operands.iter().map(|&operand| self.range(id, operand)).collect();
        let Some(ranges) = ranges else { return self.ask_all(id, operands) };
        let ranges: Vec<&ValueRange> = ranges.iter().collect();
        let asked = demanded(step, &ranges, bits);
        for (&operand, bits) in operands.iter().zip(asked) {
            self.ask(id, operand, bits);
        }
    }

    /// Results that code gets which is not seen.
    fn begin_returns(&mut self) {
        let program = self.program;
        let mut names = program.module.globals.values().filter(|global| global.kind != GlobalKind::Variable);
        let has_second_names = names.any(|global| global.leads_into_code);
        for (id, body) in program.module.functions.iter() {
            let is_open = program.roots.is_root(id)
                || program.calls.is_called_by_others(id)
                || has_second_names && body.is_address_taken;
            let gives_same = |&(caller, at): &(FunctionId, InstructionId)| {
                let given = program.module.functions[caller].instructions[at].ty;
                let Type::Function(result, ..) = &program.module.types[body.ty] else { return false };
                program.module.types[*result] == program.module.types[given]
            };
            if is_open || !self.callers[id].iter().all(gives_same) {
                let returned = self.returned[id].clone();
                self.ask_all(id, &returned);
            }
        }
    }

    /// The demand of a parameter has grown: all calls give what it asks for.
    fn grown_argument(&mut self, id: FunctionId, position: u32) {
        let Some(bits) = self.demand.bits(id, Value::Argument(position)) else { return };
        for (caller, at) in self.callers[id].clone() {
            let body = &self.program.module.functions[caller];
            if let Some(&argument) = body.arguments_of(at).get(position as usize) {
                self.ask(caller, argument, bits);
            }
        }
    }

    fn grown_result(&mut self, id: FunctionId, at: InstructionId) {
        let Some(bits) = self.demand.bits(id, Value::Instruction(at)) else { return };
        let function = &self.program.module.functions[id];
        // Whatever a call is besides, what its callees return is its result.
        if let Some(callees) = self.program.addresses.callees(id, at) {
            for &callee in &callees.functions {
                let returned = self.returned[callee].clone();
                returned.iter().for_each(|&value| self.ask(callee, value, bits));
            }
        }
        match self.making(id, function, at) {
            Making::Step(step, operands) => self.through(id, &step, operands, bits),
            Making::Same(values) => values.iter().for_each(|&value| self.ask(id, value, bits)),
            Making::Loaded => {
                for cell in self.cells.of_load.get(&(id, at)).cloned().unwrap_or_default() {
                    let known = &mut self.cell_bits[cell.index()];
                    if *known | bits != *known {
                        *known |= bits;
                        let bits = *known;
                        let stored = self.cells.stored[cell].clone();
                        stored.iter().for_each(|&(id, value)| self.ask(id, value, bits));
                    }
                }
            }
            Making::Called(_) | Making::Other => {}
        }
    }
}

fn is_plain(instruction: &Instruction) -> bool {
    !instruction.flags.has(Flags::VOLATILE) && !instruction.flags.has(Flags::ATOMIC)
}
