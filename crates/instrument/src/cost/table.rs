//! Which weight is in a table?
//!
//! Weights go by opcode (`fdiv`), by opcode and type (`mul.i64`; the type of
//! the result, of a `store` or comparison that of its operand), by intrinsic
//! (`llvm.memcpy`, any suffix) and by the name of a library function (`calls`),
//! which also means what becomes a call of it. The narrowest entry holds; phis
//! and assume-like intrinsics are free unless named. What a table says of sizes
//! and lengths comes on top (`sizes`, `lengths`).
//!
//! Names of library functions mean declarations: what a program defines itself
//! has instructions of its own to pay for.

use std::collections::BTreeMap;

use opcost_ir::{CalleeRef, Function, Instruction, Length, LengthWork, Module, Opcode};
use opcost_key::{Hash128, Hasher128, InstructionId};
use serde::{Deserialize, Serialize};

use super::free::is_free;
use super::sizes::takes_operand_type;
use super::{calls, lengths, sizes};

/// A set of weights with a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostTable {
    /// Name and version: `my/1`.
    pub name: String,
    /// Weight of what is not named.
    pub default: u32,
    /// By opcode, or opcode, dot and type.
    pub opcodes: BTreeMap<String, u32>,
    /// By intrinsic, with or without its suffix.
    pub intrinsics: BTreeMap<String, u32>,
    /// By library function: the weight of calling it, and of what becomes such
    /// a call.
    pub calls: BTreeMap<String, u32>,
    /// By library function or intrinsic: which arguments, from 0, multiplied
    /// with each other are the bytes that it works on. One or two.
    pub lengths: BTreeMap<String, Vec<u32>>,
    /// Whether an instruction on wide integers, vectors or aggregates weighs
    /// as much as its parts.
    pub by_size: bool,
    /// Whether functions of the C library that search, compare and sort are
    /// compiled with the program and pay for every instruction.
    pub with_library: bool,
}

/// The name of opcost's own table.
pub(super) const FUEL: &str = "fuel/1";

impl CostTable {
    /// `fuel/1`: every instruction 1, and what does more pays for more.
    pub fn fuel() -> CostTable {
        CostTable {
            name: FUEL.to_owned(),
            default: 1,
            calls: opcost_library::weights(),
            lengths: lengths::lengths_by_name(),
            by_size: true,
            with_library: true,
            ..CostTable::default()
        }
    }

    /// Over every weight, and what they apply to.
    pub fn hash(&self) -> Hash128 {
        let mut hasher = Hasher128::new();
        hasher.text(&self.name).number(u64::from(self.default));
        for list in [&self.opcodes, &self.intrinsics, &self.calls] {
            hasher.number(list.len() as u64);
            for (name, weight) in list {
                hasher.text(name).number(u64::from(*weight));
            }
        }
        hasher.number(self.lengths.len() as u64);
        for (name, arguments) in &self.lengths {
            hasher.text(name).number(arguments.len() as u64);
            arguments.iter().for_each(|&argument| _ = hasher.number(u64::from(argument)));
        }
        hasher.number(u64::from(self.by_size)).number(u64::from(self.with_library));
        hasher.finish()
    }

    /// The name with the head of the hash, unless the table is opcost's own.
    pub(super) fn shown_name(&self, hash: &Hash128) -> String {
        if self.name == FUEL {
            self.name.clone()
        } else {
            format!("{}#{}", self.name, &hash.to_string()[..8])
        }
    }

    pub(super) fn weight(&self, module: &Module, function: &Function, id: InstructionId) -> u32 {
        if let Some(weight) = self.of_call(module, function, id) {
            return weight;
        }
        let base = self.base(module, function, id);
        if base == 0 {
            return 0;
        }
        let scale = if self.by_size { sizes::parts(module, function, id) } else { 1 };
        let bytes = self.arguments(module, function, id);
        let length = bytes
            .and_then(|(arguments, work)| lengths::units(module, function, id, arguments, work))
            .unwrap_or(0);
        base.saturating_mul(scale).saturating_add(length)
    }

    /// The length that is charged when the program runs.
    pub(super) fn length(&self, module: &Module, function: &Function, id: InstructionId) -> Option<Length> {
        if self.by_size && function.instructions[id].opcode == Opcode::Alloca {
            return lengths::allocated(function, id);
        }
        let (arguments, work) = self.arguments(module, function, id)?;
        match lengths::units(module, function, id, arguments, work) {
            Some(_) => None,
            None => Some(Length::Arguments(arguments[0], arguments.get(1).copied(), work)),
        }
    }

    /// What becomes a call of a library function, unless it has a weight of
    /// its own.
    fn of_call(&self, module: &Module, function: &Function, id: InstructionId) -> Option<u32> {
        if self.calls.is_empty() {
            return None;
        }
        let (name, times) = calls::becomes(module, function, id)?;
        let instruction = &function.instructions[id];
        let is_named = match function.call(id).map(|call| call.callee) {
            Some(CalleeRef::Declaration(callee)) => {
                without_suffixes(&self.intrinsics, &module.declarations[callee].name).is_some()
            }
            _ => {
                self.opcodes.contains_key(instruction.opcode.name())
                    || self.of_type(module, instruction).is_some()
            }
        };
        let weight = if is_named { None } else { calls::weight(&self.calls, &name) };
        weight.map(|weight| weight.saturating_mul(times))
    }

    /// The weight of an opcode on its type.
    fn of_type(&self, module: &Module, instruction: &Instruction) -> Option<u32> {
        let opcode = instruction.opcode.name();
        // Most tables name few types: text is made only where it can matter.
        self.opcodes.range(format!("{opcode}.")..format!("{opcode}/")).next()?;
        let ty = instruction.second_type.filter(|_| takes_operand_type(instruction.opcode));
        let ty = module.type_text(ty.unwrap_or(instruction.ty));
        self.opcodes.get(&format!("{opcode}.{ty}")).copied()
    }

    fn base(&self, module: &Module, function: &Function, id: InstructionId) -> u32 {
        let instruction = &function.instructions[id];
        let callee = (instruction.opcode.is_call()).then(|| function.call(id)).flatten();
        if let Some(CalleeRef::Declaration(declared)) = callee.map(|call| call.callee) {
            let declaration = &module.declarations[declared];
            let named = if declaration.is_intrinsic {
                without_suffixes(&self.intrinsics, &declaration.name).copied()
            } else {
                calls::weight(&self.calls, &declaration.name)
            };
            if let Some(weight) = named {
                return weight;
            }
        }
        if let Some(weight) = self.of_type(module, instruction) {
            return weight;
        }
        match self.opcodes.get(instruction.opcode.name()) {
            Some(&weight) if instruction.opcode == Opcode::Phi || !is_free(module, function, id) => weight,
            None if !is_free(module, function, id) => self.default,
            _ => 0,
        }
    }

    /// The arguments whose product is the length of this call, and what is done with so many bytes.
    fn arguments(
        &self,
        module: &Module,
        function: &Function,
        id: InstructionId,
    ) -> Option<(&[u32], LengthWork)> {
        let CalleeRef::Declaration(callee) = function.call(id)?.callee else { return None };
        let name = &module.declarations[callee].name;
        let arguments = without_suffixes(&self.lengths, name)?;
        let given = function.operands_of(id).len() as u32 - 1;
        let work = if self.with_library { lengths::work(name) } else { LengthWork::Other };
        arguments.iter().all(|&argument| argument < given).then_some((arguments, work))
    }
}

/// `llvm.memcpy.p0.p0.i64`, then `llvm.memcpy.p0.p0`, … `llvm.memcpy`.
fn without_suffixes<'a, T>(list: &'a BTreeMap<String, T>, name: &str) -> Option<&'a T> {
    let mut name = name;
    loop {
        if let Some(known) = list.get(name) {
            return Some(known);
        }
        if !name.starts_with("llvm.") {
            return None;
        }
        name = name.rsplit_once('.')?.0;
    }
}
