//! Where does control go? The loop of the interpreter, blocks and calls.
//!
//! Calls lie on a stack of their own, so depth is no matter of the machine at
//! hand. All phis of a block get their values before any of them has its new
//! one. What ends a run comes as an error from wherever it happens.

use std::collections::{HashMap, HashSet};

use opcost_index::{Id, IdMap};
use opcost_ir::{Function, Instruction, Opcode, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::externals::ExternalCalls;
use crate::interpreter::Interpreter;
use crate::memory::{Fault, Memory};
use crate::outcome::{
    Ended, FrameId, ObservedFrame, ObservedLoad, ObservedUse, ObservedWrite, ObservedWriter, Site, Trap,
};
use crate::record::{Open, Passed, Recorder};
use crate::run::InterpretedRun;
use crate::scalar::{ObjectId, Pointer, Scalar};

/// The most calls inside one another.
const DEEPEST: usize = 2000;

/// A call of a function that has not returned.
pub(crate) struct InterpretedFrame {
    pub(crate) id: FrameId,
    pub(crate) function: FunctionId,
    pub(crate) arguments: Vec<Scalar>,
    /// Results, of what was executed.
    pub(crate) values: IdMap<InstructionId, Option<Scalar>>,
    /// What is executed now, or waits for a call to return.
    pub(crate) at: InstructionId,
    pub(crate) block: BlockId,
    /// What ends with the call.
    pub(crate) allocas: Vec<ObjectId>,
    /// Loops that control is inside of.
    pub(crate) open: Vec<Open>,
}

/// Where a `setjmp` was.
#[derive(Clone, Copy)]
pub(crate) struct Return {
    pub(crate) frame: FrameId,
    pub(crate) at: InstructionId,
    pub(crate) block: BlockId,
    pub(crate) step: u64,
}

/// A run that is going on.
pub(crate) struct InterpretedMachine<'a, 'm> {
    pub(crate) program: &'a Interpreter<'m>,
    pub(crate) externals: &'a mut ExternalCalls<'a>,
    pub(crate) memory: Memory,
    /// Never empty while something is executed.
    pub(crate) stack: Vec<InterpretedFrame>,
    pub(crate) frames: IdMap<FrameId, ObservedFrame>,
    pub(crate) recorder: Recorder,
    pub(crate) loads: Vec<ObservedLoad>,
    pub(crate) returns: HashMap<Pointer, Return>,
    pub(crate) steps: u64,
    values: Vec<(FunctionId, Value, u128)>,
    noted: HashSet<(FunctionId, Value, u128)>,
    /// Results of phis that are not noted yet; kept for its room.
    phis: Vec<(InstructionId, Scalar)>,
}

/// Something, or why the run is over.
pub(crate) type InterpreterStep<T> = Result<T, Ended>;

impl<'a, 'm> InterpretedMachine<'a, 'm> {
    pub(crate) fn new(
        program: &'a Interpreter<'m>,
        memory: Memory,
        externals: &'a mut ExternalCalls<'_>,
    ) -> Self {
        Self {
            program,
            externals,
            memory,
            stack: Vec::new(),
            frames: IdMap::new(),
            recorder: Recorder::default(),
            loads: Vec::new(),
            returns: HashMap::new(),
            steps: 0,
            values: Vec::new(),
            noted: HashSet::new(),
            phis: Vec::new(),
        }
    }

    pub(crate) fn run(mut self, function: FunctionId, arguments: &[Scalar]) -> InterpretedRun {
        let ended = match self.enter(function, arguments.to_vec(), None) {
            Err(ended) => ended,
            Ok(()) => loop {
                if self.steps >= self.program.most_steps {
                    break Ended::StepsUsedUp;
                }
                if let Err(ended) = self.step() {
                    break ended;
                }
            },
        };
        InterpretedRun {
            ended,
            steps: self.steps,
            activations: self.recorder.activations,
            loads: self.loads,
            frames: self.frames,
            memory: self.memory,
            values: self.values,
        }
    }

    pub(crate) fn frame(&self) -> &InterpretedFrame {
        self.stack.last().expect("a run has a frame until it is over")
    }

    pub(crate) fn frame_mut(&mut self) -> &mut InterpretedFrame {
        self.stack.last_mut().expect("a run has a frame until it is over")
    }

    pub(crate) fn function(&self) -> &'m Function {
        &self.program.module.functions[self.frame().function]
    }

    pub(crate) fn site(&self) -> Site {
        Site { function: self.frame().function, instruction: self.frame().at }
    }

    pub(crate) fn trap<T>(&self, trap: Trap) -> InterpreterStep<T> {
        Err(Ended::Trapped { at: self.site(), trap })
    }

    pub(crate) fn fault(&self, fault: Fault) -> Ended {
        match fault {
            Fault::Trap(trap) => Ended::Trapped { at: self.site(), trap },
            Fault::NoRoom => Ended::RoomUsedUp,
        }
    }

    pub(crate) fn unsupported<T>(&self, what: impl Into<String>) -> InterpreterStep<T> {
        Err(Ended::Unsupported { at: self.site(), what: what.into() })
    }

    /// The value, unless it is none and so must not decide anything.
    pub(crate) fn decided(&self, value: Scalar, how: ObservedUse) -> InterpreterStep<Scalar> {
        match value {
            Scalar::Poison => Err(Ended::PoisonUsed { at: self.site(), how }),
            Scalar::Undefined => Err(Ended::UndefinedUsed { at: self.site(), how }),
            value => Ok(value),
        }
    }

    /// An operand's value; `None` if it is no value or was not computed.
    pub(crate) fn value_of(&self, value: Value) -> Option<Scalar> {
        let frame = self.frame();
        match value {
            Value::Instruction(id) => frame.values[id].clone(),
            Value::Argument(position) => {
                Some(frame.arguments.get(position as usize).cloned().unwrap_or(Scalar::Undefined))
            }
            Value::Constant(id) => self.program.constants[id].clone(),
            Value::Function(_) | Value::Declaration(_) => {
                let object = crate::kinds::function_object(self.program.module, value)?;
                Some(Scalar::Pointer(Pointer { object, offset: 0 }))
            }
            Value::Block(_) => None,
        }
    }

    pub(crate) fn value(&self, value: Value) -> InterpreterStep<Scalar> {
        match self.value_of(value) {
            Some(value) => Ok(value),
            None => self.unsupported(match value {
                Value::Constant(id) => format!("the constant {}", self.program.module.constants[id].text),
                other => format!("{other:?} as a value, or before it is computed"),
            }),
        }
    }

    /// Begins a call.
    pub(crate) fn enter(
        &mut self,
        function: FunctionId,
        mut arguments: Vec<Scalar>,
        caller: Option<(FrameId, InstructionId)>,
    ) -> InterpreterStep<()> {
        if self.stack.len() >= DEEPEST {
            return Err(Ended::RoomUsedUp);
        }
        let body = &self.program.module.functions[function];
        let id = self.frames.push(ObservedFrame { function, caller, step: self.steps });
        for (position, argument) in (0..).zip(&mut arguments) {
            self.rewrite(function, Value::Argument(position), argument);
            self.see(function, Value::Argument(position), argument);
        }
        self.stack.push(InterpretedFrame {
            id,
            function,
            arguments,
            values: IdMap::filled(body.instructions.len(), None),
            at: InstructionId::new(0),
            block: BlockId::new(0),
            allocas: Vec::new(),
            open: Vec::new(),
        });
        Ok(())
    }

    /// Executes one instruction.
    fn step(&mut self) -> InterpreterStep<()> {
        let (function, id) = (self.function(), self.frame().at);
        self.steps += 1;
        let instruction = &function.instructions[id];
        let operands = function.operands_of(id);
        match instruction.opcode {
            Opcode::Ret => self.leave(operands),
            Opcode::Br => self.branch(operands),
            Opcode::Switch => self.switch(operands),
            Opcode::Unreachable => self.trap(Trap::Unreachable),
            Opcode::Resume => self.unwind(),
            opcode if opcode.is_call() => self.call(instruction, operands),
            _ => {
                let result = self.compute(instruction, operands)?;
                self.finish(result);
                Ok(())
            }
        }
    }

    fn compute(&mut self, instruction: &Instruction, operands: &[Value]) -> InterpreterStep<Option<Scalar>> {
        match instruction.opcode {
            Opcode::Alloca => self.alloca(instruction, operands).map(Some),
            Opcode::Load => self.load(instruction, operands).map(Some),
            Opcode::Store => self.store(instruction, operands).map(|()| None),
            Opcode::GetElementPtr => self.element(instruction, operands).map(Some),
            Opcode::Fence => Ok(None),
            _ => self.pure(instruction, operands).map(Some),
        }
    }

    /// Takes a value for another, if that is asked for.
    fn rewrite(&self, function: FunctionId, of: Value, value: &mut Scalar) {
        if let Some(rewriting) = &self.program.rewriting {
            *value = rewriting(function, of, std::mem::replace(value, Scalar::Undefined));
        }
    }

    /// Notes a value, if that is asked for.
    fn see(&mut self, function: FunctionId, of: Value, value: &Scalar) {
        if !self.program.sees_values {
            return;
        }
        let bits = match value {
            Scalar::Integer { bits, .. } => *bits,
            Scalar::Single(number) => u128::from(f64::from(*number).to_bits()),
            Scalar::Double(number) => u128::from(number.to_bits()),
            Scalar::Pointer(pointer) => u128::from(pointer.offset as u64),
            _ => return,
        };
        if self.noted.insert((function, of, bits)) {
            self.values.push((function, of, bits));
        }
    }

    /// Notes a result and goes on after it.
    pub(crate) fn finish(&mut self, mut result: Option<Scalar>) {
        if let Some(value) = &mut result {
            let frame = self.frame();
            self.rewrite(frame.function, Value::Instruction(frame.at), value);
            self.see(frame.function, Value::Instruction(frame.at), value);
        }
        let frame = self.frame_mut();
        if result.is_some() {
            let at = frame.at;
            frame.values[at] = result;
        }
        frame.at = InstructionId::new(frame.at.index() + 1);
    }

    fn branch(&mut self, operands: &[Value]) -> InterpreterStep<()> {
        match *operands {
            [Value::Block(target)] => self.go(target),
            [condition, Value::Block(yes), Value::Block(no)] => {
                let condition = self.decided(self.value(condition)?, ObservedUse::Branch)?;
                self.go(if condition.bits() == Some(0) { no } else { yes })
            }
            _ => self.unsupported("a branch of this form"),
        }
    }

    fn switch(&mut self, operands: &[Value]) -> InterpreterStep<()> {
        let [condition, Value::Block(otherwise), cases @ ..] = operands else {
            return self.unsupported("a switch of this form");
        };
        let condition = self.decided(self.value(*condition)?, ObservedUse::Branch)?;
        for case in cases.chunks(2) {
            let [value, Value::Block(target)] = *case else {
                return self.unsupported("a switch of this form");
            };
            if self.value(value)? == condition {
                return self.go(target);
            }
        }
        self.go(*otherwise)
    }

    /// Takes an edge.
    pub(crate) fn go(&mut self, target: BlockId) -> InterpreterStep<()> {
        let (function, from) = (self.function(), self.frame().block);
        let mut results = std::mem::take(&mut self.phis);
        for id in function.instructions_of(target) {
            if function.instructions[id].opcode != Opcode::Phi {
                break;
            }
            let pairs = function.operands_of(id).chunks_exact(2);
            let Some(pair) = pairs.into_iter().find(|pair| pair[1] == Value::Block(from)) else {
                return self.unsupported(format!("the phi {id} without a value for {from}"));
            };
            results.push((id, self.value(pair[0])?));
        }
        self.steps += results.len() as u64;
        let own = self.frame().function;
        for (id, value) in &mut results {
            self.rewrite(own, Value::Instruction(*id), value);
            self.see(own, Value::Instruction(*id), value);
        }
        let first = function.blocks[target].instructions.start as usize + results.len();
        let steps = self.steps;
        let frame = self.stack.last_mut().expect("a run has a frame until it is over");
        results.drain(..).for_each(|(id, value)| frame.values[id] = Some(value));
        self.phis = results;
        (frame.block, frame.at) = (target, InstructionId::new(first));
        let shapes = &self.program.shapes;
        if !shapes.shapes.is_empty() {
            let passed = Passed { frame: frame.id, function: frame.function, from, to: target, step: steps };
            self.recorder.edge(shapes, &mut frame.open, passed);
            let mut recorder = std::mem::take(&mut self.recorder);
            recorder.note_watched(shapes, &self.frame().open, target, |value| self.value_of(value));
            self.recorder = recorder;
        }
        Ok(())
    }

    /// Who writes now.
    pub(crate) fn write_as_now(&mut self) {
        let write = ObservedWrite { frame: self.frame().id, at: self.site(), step: self.steps - 1 };
        self.memory.writer = ObservedWriter::Instruction(write);
    }
}
