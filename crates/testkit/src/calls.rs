//! What does a call do, and how is it left?
//!
//! A defined function gets a frame. Of a declared one the caller's closure is
//! asked first, and then the library: allocation, `exit` and `abort`, `setjmp`
//! and `longjmp`, and LLVM's intrinsics. An exception ends frames up to the next
//! `invoke`; a `longjmp` ends them down to the one that called `setjmp`, and the
//! loops of that one which were entered since.

use opcost_index::Id;
use opcost_ir::{CalleeRef, Function, Instruction, Opcode, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::externals::Reply;
use crate::kinds::function_of;
use crate::machine::{InterpretedMachine, InterpreterStep, Return};
use crate::outcome::{Ended, ObservedUse, Trap};
use crate::scalar::{Pointer, Scalar};

impl InterpretedMachine<'_, '_> {
    pub(crate) fn call(&mut self, instruction: &Instruction, operands: &[Value]) -> InterpreterStep<()> {
        let Some((&callee, rest)) = operands.split_last() else {
            return self.unsupported("a call of this form");
        };
        let arguments = rest.iter().filter(|value| !matches!(value, Value::Block(_)));
        let at = self.frame().at;
        let known = self.function().call(at).map(|call| call.callee);
        let target = match known {
            Some(CalleeRef::Function(id)) => Value::Function(id),
            Some(CalleeRef::Declaration(id)) => Value::Declaration(id),
            Some(CalleeRef::Indirect) => match self.decided(self.value(callee)?, ObservedUse::Callee)? {
                Scalar::Pointer(Pointer { object, offset: 0 }) => function_of(self.program.module, object)
                    .map_or_else(|| self.trap(Trap::NoFunction), Ok)?,
                _ => return self.trap(Trap::NoFunction),
            },
            _ => return self.unsupported("a call of assembly"),
        };
        match target {
            Value::Function(id) => {
                let arguments = arguments.map(|&value| self.value(value)).collect::<InterpreterStep<_>>()?;
                let caller = Some((self.frame().id, at));
                self.enter(id, arguments, caller)
            }
            Value::Declaration(id) => {
                let name = &self.program.module.declarations[id].name;
                // Metadata and the like are no values, and mean nothing here.
                let arguments: Vec<Scalar> =
                    arguments.map(|&value| self.value_of(value).unwrap_or(Scalar::Undefined)).collect();
                self.declared(instruction, name, &arguments)
            }
            _ => self.trap(Trap::NoFunction),
        }
    }

    fn declared(
        &mut self,
        instruction: &Instruction,
        name: &str,
        arguments: &[Scalar],
    ) -> InterpreterStep<()> {
        self.write_as_now();
        match (self.externals)(&mut self.memory, name, arguments) {
            Reply::Value(value) => self.called(Some(value)),
            Reply::Nothing => self.called(None),
            Reply::Unwind => self.unwind_from_here(),
            Reply::Stop => Err(Ended::Stopped),
            Reply::Unknown if name.starts_with("llvm.") => {
                let result = self.intrinsic(instruction, name, arguments)?;
                self.called(result)
            }
            Reply::Unknown => self.library(name, arguments),
        }
    }

    fn library(&mut self, name: &str, arguments: &[Scalar]) -> InterpreterStep<()> {
        match (name, arguments) {
            ("exit" | "_exit" | "abort", _) => Err(Ended::Stopped),
            ("malloc" | "calloc", sizes) => self.allocate(sizes, name == "calloc"),
            ("free", [pointer]) => self.free(pointer),
            ("setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp", [buffer, ..]) => {
                let buffer = self.address(buffer.clone())?;
                let frame = self.frame();
                let back = Return { frame: frame.id, at: frame.at, block: frame.block, step: self.steps };
                self.returns.insert(buffer, back);
                self.called(Some(Scalar::integer(32, 0)))
            }
            ("longjmp" | "_longjmp" | "siglongjmp", [buffer, value]) => self.long_jump(buffer, value),
            _ => self.unsupported(format!("a call of {name}")),
        }
    }

    /// Memory of as many bytes as the product of `sizes`.
    fn allocate(&mut self, sizes: &[Scalar], is_zeroed: bool) -> InterpreterStep<()> {
        let mut size = 1u64;
        for part in sizes {
            let part = self.decided(part.clone(), ObservedUse::Length)?.bits().unwrap_or(0);
            let product = u64::try_from(part).ok().and_then(|part| size.checked_mul(part));
            size = product.ok_or(Ended::RoomUsedUp)?;
        }
        let pointer = self.memory.allocate(size).ok_or(Ended::RoomUsedUp)?;
        if is_zeroed {
            self.fill(pointer, 0, size)?;
        }
        self.called(Some(Scalar::Pointer(pointer)))
    }

    fn free(&mut self, pointer: &Scalar) -> InterpreterStep<()> {
        let pointer = self.address(pointer.clone())?;
        if pointer.object.index() != 0 {
            if pointer.offset != 0 || !self.memory.is_alive(pointer.object) {
                return self.trap(Trap::DeadObject);
            }
            self.memory.end(pointer.object);
        }
        self.called(None)
    }

    fn long_jump(&mut self, buffer: &Scalar, value: &Scalar) -> InterpreterStep<()> {
        let buffer = self.address(buffer.clone())?;
        let back = self.returns.get(&buffer).copied();
        let Some(back) = back.filter(|back| self.stack.iter().any(|frame| frame.id == back.frame)) else {
            return self.trap(Trap::JumpToDeadFrame);
        };
        while self.frame().id != back.frame {
            self.drop_frame();
        }
        let shapes = &self.program.shapes;
        let frame = self.stack.last_mut().expect("the frame that was looked for");
        frame.open.retain(|one| one.step < back.step && shapes.contains(one.shape, back.block));
        (frame.at, frame.block) = (back.at, back.block);
        let value = value.bits().unwrap_or(1).max(1);
        self.called(Some(Scalar::integer(32, value)))
    }

    /// Goes on after the call that the frame is at.
    fn called(&mut self, result: Option<Scalar>) -> InterpreterStep<()> {
        let at = self.frame().at;
        let normal = invoke_targets(self.function(), at).map(|(normal, _)| normal);
        self.finish(result);
        match normal {
            Some(normal) => self.go(normal),
            None => Ok(()),
        }
    }

    /// Returns.
    pub(crate) fn leave(&mut self, operands: &[Value]) -> InterpreterStep<()> {
        let result = operands.first().map(|&value| self.value(value)).transpose()?;
        if self.stack.len() == 1 {
            return Err(Ended::Returned(result));
        }
        self.drop_frame();
        self.called(result)
    }

    fn drop_frame(&mut self) {
        if let Some(frame) = self.stack.pop() {
            frame.allocas.into_iter().for_each(|object| self.memory.end(object));
        }
    }

    /// An exception leaves the frame.
    pub(crate) fn unwind(&mut self) -> InterpreterStep<()> {
        if self.stack.len() == 1 {
            return Err(Ended::Unwound);
        }
        self.drop_frame();
        self.unwind_from_here()
    }

    /// An exception comes out of the call that the frame is at.
    fn unwind_from_here(&mut self) -> InterpreterStep<()> {
        loop {
            let at = self.frame().at;
            if let Some((_, unwind)) = invoke_targets(self.function(), at) {
                return self.go(unwind);
            }
            if self.stack.len() == 1 {
                return Err(Ended::Unwound);
            }
            self.drop_frame();
        }
    }
}

/// Normal and unwind target of an `invoke`.
fn invoke_targets(function: &Function, at: InstructionId) -> Option<(BlockId, BlockId)> {
    if function.instructions[at].opcode != Opcode::Invoke {
        return None;
    }
    match *function.operands_of(at) {
        [.., Value::Block(normal), Value::Block(unwind), _] => Some((normal, unwind)),
        _ => None,
    }
}

/// The function of this name.
pub fn function_named(module: &opcost_ir::Module, name: &str) -> Option<FunctionId> {
    module.functions.iter().find(|(_, function)| function.name == name).map(|(id, _)| id)
}
