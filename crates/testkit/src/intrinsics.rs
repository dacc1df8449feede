//! What do LLVM's intrinsics do, those that a loop is likely to meet?
//!
//! By name: `llvm.umin.i8` is the family `umin`. Those that only tell the
//! optimiser something do nothing, but a false `llvm.assume` ends the run.

use opcost_ir::Instruction;

use crate::arithmetic_intrinsics::{float_intrinsic, integer_intrinsic};
use crate::compute::{behind, sticking};
use crate::kinds::ValueKind;
use crate::machine::{InterpretedMachine, InterpreterStep};
use crate::memory::Content;
use crate::outcome::{Ended, ObservedUse, Trap};
use crate::scalar::{Pointer, Scalar};

/// Families that do nothing and give nothing.
const SILENT: &[&str] = &[
    "dbg.",
    "donothing",
    "sideeffect",
    "experimental.noalias.scope.decl",
    "invariant.end",
    "prefetch",
    "var.annotation",
    "stackrestore",
    "fake.use",
    "pseudoprobe",
    "instrprof.",
];
/// Families that give their first argument.
const SAME: &[&str] = &[
    "expect",
    "ssa.copy",
    "annotation",
    "ptr.annotation",
    "launder.invariant.group",
    "strip.invariant.group",
    "threadlocal.address",
    "arithmetic.fence",
];

impl InterpretedMachine<'_, '_> {
    /// The result, if there is one.
    pub(crate) fn intrinsic(
        &mut self,
        instruction: &Instruction,
        name: &str,
        arguments: &[Scalar],
    ) -> InterpreterStep<Option<Scalar>> {
        let family = name.strip_prefix("llvm.").unwrap_or(name);
        let is = |one: &&str| {
            let rest = family.strip_prefix(*one);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || one.ends_with('.'))
        };
        if SILENT.iter().any(is) {
            return Ok(None);
        }
        if SAME.iter().any(is) {
            return Ok(arguments.first().cloned());
        }
        match (family.split('.').next().unwrap_or(family), arguments) {
            ("assume", [condition, ..]) => {
                match self.decided(condition.clone(), ObservedUse::Assumption)?.bits() {
                    Some(0) => self.trap(Trap::AssumptionFalse),
                    _ => Ok(None),
                }
            }
            ("lifetime", [.., pointer]) => {
                if let Scalar::Pointer(pointer) = pointer {
                    self.memory.forget(pointer.object);
                }
                Ok(None)
            }
            ("trap" | "ubsantrap" | "debugtrap", _) => self.trap(Trap::Unreachable),
            ("memcpy" | "memmove", [to, from, length, ..]) => self.copy(to, from, length).map(|()| None),
            ("memset", [to, byte, length, ..]) => self.set(to, byte, length).map(|()| None),
            ("is", _) => Ok(Some(Scalar::truth(false))),
            ("objectsize", [_, is_least, ..]) => {
                let bits = if is_least.bits() == Some(0) { u128::MAX } else { 0 };
                Ok(self.width_of(instruction).map(|width| Scalar::integer(width, bits)))
            }
            ("stacksave" | "invariant", _) => Ok(Some(Scalar::Pointer(self.memory.pointer_at(0)))),
            _ => self.arithmetic(instruction, family, arguments).map(Some),
        }
    }

    fn width_of(&self, instruction: &Instruction) -> Option<u32> {
        match self.program.kinds[instruction.ty] {
            ValueKind::Integer(width) => Some(width),
            _ => None,
        }
    }

    fn arithmetic(
        &self,
        instruction: &Instruction,
        family: &str,
        arguments: &[Scalar],
    ) -> InterpreterStep<Scalar> {
        let known = |value: &Scalar| !matches!(value, Scalar::Aggregate(_));
        if let Some(none) = sticking(arguments) {
            return Ok(none);
        }
        // `llvm.uadd.sat.i8`: the type is not part of the family.
        let mut family = family;
        while let Some((front, last)) = family.rsplit_once('.') {
            let is_type =
                last.starts_with(['i', 'f', 'v', 'p']) && last.ends_with(|end: char| end.is_ascii_digit());
            if !is_type {
                break;
            }
            family = front;
        }
        let width = self.width_of(instruction);
        let result = match arguments.iter().all(known) {
            true => {
                integer_intrinsic(family, arguments, width).or_else(|| float_intrinsic(family, arguments))
            }
            false => None,
        };
        result.map_or_else(|| self.unsupported(format!("the intrinsic llvm.{family}")), Ok)
    }

    fn length(&self, length: &Scalar) -> InterpreterStep<u64> {
        let bits = self.decided(length.clone(), ObservedUse::Length)?.bits().unwrap_or(0);
        u64::try_from(bits).map_err(|_| Ended::RoomUsedUp)
    }

    fn copy(&mut self, to: &Scalar, from: &Scalar, length: &Scalar) -> InterpreterStep<()> {
        let length = self.length(length)?;
        if length == 0 {
            return Ok(());
        }
        let (to, from) = (self.address(to.clone())?, self.address(from.clone())?);
        let bytes = self.memory.read(from, length).map_err(|fault| self.fault(fault))?;
        let contents = bytes.iter().map(|byte| byte.content);
        self.memory.write(to, contents).map_err(|fault| self.fault(fault))
    }

    fn set(&mut self, to: &Scalar, byte: &Scalar, length: &Scalar) -> InterpreterStep<()> {
        let length = self.length(length)?;
        if length == 0 {
            return Ok(());
        }
        let to = self.address(to.clone())?;
        let content = match byte {
            Scalar::Integer { bits, .. } => Content::Bits(*bits as u8),
            Scalar::Poison => Content::Poison,
            _ => Content::Undefined,
        };
        self.fill_with(to, content, length)
    }

    pub(crate) fn fill(&mut self, to: Pointer, byte: u8, length: u64) -> InterpreterStep<()> {
        self.fill_with(to, Content::Bits(byte), length)
    }

    fn fill_with(&mut self, to: Pointer, content: Content, length: u64) -> InterpreterStep<()> {
        const PIECE: u64 = 1 << 12;
        let mut done = 0;
        while done < length {
            let piece = PIECE.min(length - done) as usize;
            let contents = vec![content; piece].into_iter();
            self.memory.write(behind(to, done), contents).map_err(|fault| self.fault(fault))?;
            done += piece as u64;
        }
        Ok(())
    }
}
