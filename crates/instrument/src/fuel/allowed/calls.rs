//! Whom do calls call?
//!
//! A function of the module, one of the library that is known and harmless,
//! an intrinsic that computes, or through a pointer that was read, passed or
//! returned. A pointer that the function itself makes out of a number, or of an
//! address by arithmetic, is no function.

use opcost_index::{IdMap, IdSet};
use opcost_ir::{CalleeRef, DeclarationId, Function, GlobalKind, Linkage, Module, Opcode, Value};
use opcost_key::InstructionId;

use super::court::{Court, Use};
use super::intrinsics;
use super::rule::Rule;
use opcost_library::{CallCharge, FuelClass, charge, fuel_class};

/// Bytes that a call may copy as its arguments.
const LARGEST_COPY: u64 = 4096;

/// `_IOFBF`, and the smallest buffer by which streams cost what is charged.
const FULL_BUFFERS: u64 = 0;
const SMALLEST_BUFFER: u64 = 1024;

/// Where each declaration is used first, in the order of the module.
pub(super) fn first_uses(module: &Module) -> IdMap<DeclarationId, Option<Use>> {
    let mut uses = IdMap::filled(module.declarations.len(), None);
    for (id, function) in module.functions.iter() {
        for instruction in function.instructions.ids() {
            for operand in function.operands_of(instruction) {
                if let Value::Declaration(used) = *operand {
                    uses[used].get_or_insert(Use { function: id, instruction });
                }
            }
        }
    }
    uses
}

/// The header then declares the other name.
const NO_HANDLER: &str = "rename it by a flag (-Dsignal=no_signal) and define that to do nothing";
const TO_ALLOW: &str = "write it in the program, or let the host allow it: --allow";

impl Court<'_> {
    /// Functions and data of others.
    pub(super) fn outside(&mut self) {
        let module = self.module;
        for (id, declaration) in module.declarations.iter() {
            let at = self.uses[id];
            if declaration.is_intrinsic {
                if !intrinsics::computes(&declaration.name) {
                    let reason = format!("uses {}, which does more than compute", declaration.name);
                    self.object_at(Rule::Intrinsic, at, reason, "write it without");
                }
                continue;
            }
            self.outside_function(&declaration.name, at);
            if declaration.name == "setvbuf" && !self.library.adds("setvbuf") {
                self.small_buffers(id);
            }
        }
        for function in module.functions.values() {
            if function.linkage == Linkage::Elsewhere {
                // A copy for the optimiser: another's runs.
                self.outside_function(&function.name, None);
            }
        }
        for global in module.globals.values().filter(|global| global.linkage == Linkage::Elsewhere) {
            let name = &global.name;
            if self.is_runtime(name) {
                let reason = format!("refers to {name}, which is the runtime's");
                self.object_at(Rule::ReservedName, self.first_mention(name), reason, "take it out");
            } else if !matches!(fuel_class(name), Some(FuelClass::Data | FuelClass::Calls))
                && !self.library.adds(name)
            {
                let reason = format!("refers to {name}, data of which nothing is known");
                self.object_at(Rule::OutsideData, self.first_mention(name), reason, TO_ALLOW);
            }
        }
    }

    /// A stream with a small buffer or none, or one for lines, does for a letter what others do for a buffer.
    fn small_buffers(&mut self, setvbuf: DeclarationId) {
        let module = self.module;
        let number = |value: Value| match value {
            Value::Constant(id) => module.constants[id].text.parse::<u64>().ok(),
            _ => None,
        };
        let is_large = |function: &Function, id: InstructionId| {
            let is_called =
                function.call(id).is_some_and(|call| call.callee == CalleeRef::Declaration(setvbuf));
            let operands = function.operands_of(id);
            let uses = operands.iter().filter(|value| **value == Value::Declaration(setvbuf)).count();
            is_called
                && uses == 1
                && operands.len() == 5
                && number(operands[2]) == Some(FULL_BUFFERS)
                && number(operands[3]).is_some_and(|size| size >= SMALLEST_BUFFER)
        };
        let reason =
            || "uses setvbuf for a small buffer, one for lines, or none: a letter costs more then".to_owned();
        let remedy = "call it with _IOFBF and 1024 bytes or more, and fflush where output is due";
        for (at, function) in module.functions.iter() {
            for id in function.instructions.ids() {
                let is_use = function.operands_of(id).contains(&Value::Declaration(setvbuf));
                if is_use && !is_large(function, id) {
                    let at = Some(Use { function: at, instruction: id });
                    self.object_at(Rule::OutsideFunction, at, reason(), remedy);
                }
            }
        }
        if let Some(at) = self.first_mention("setvbuf") {
            self.object_at(Rule::OutsideFunction, Some(at), reason(), remedy);
        }
    }

    fn outside_function(&mut self, name: &str, at: Option<Use>) {
        if self.is_runtime(name) {
            let reason = format!("refers to {name}, which is the runtime's");
            return self.object_at(Rule::ReservedName, at, reason, "take it out");
        }
        if self.library.adds(name) {
            return;
        }
        let (reason, remedy) = match fuel_class(name) {
            Some(FuelClass::Refused(why @ "handles signals")) => {
                (format!("uses {name}, which {why}"), NO_HANDLER)
            }
            Some(FuelClass::Refused(why)) => (format!("uses {name}, which {why}"), "take it out"),
            Some(FuelClass::Outside(why)) => (format!("uses {name}, which {why}"), TO_ALLOW),
            Some(FuelClass::Data) => return,
            Some(_) if charge(name).is_some_and(CallCharge::holds) => return,
            Some(_) => {
                (format!("uses {name}, whose work may be more than four times of what is charged"), TO_ALLOW)
            }
            None => (format!("uses {name}, an outside function of which nothing is known"), TO_ALLOW),
        };
        self.object_at(Rule::OutsideFunction, at, reason, remedy);
    }

    /// Where a name occurs first in a constant. Cost: linear, for what is objected to only.
    pub(super) fn first_mention(&self, name: &str) -> Option<Use> {
        let module = self.module;
        let is_meant = |value: &Value| match *value {
            Value::Constant(id) => mentions(&module.constants[id].text, name),
            _ => false,
        };
        module.functions.iter().find_map(|(id, function)| {
            let mut instructions = function.instructions.ids();
            let found = instructions.find(|&at| function.operands_of(at).iter().any(is_meant));
            found.map(|instruction| Use { function: id, instruction })
        })
    }

    pub(super) fn object_at(&mut self, rule: Rule, at: Option<Use>, reason: String, remedy: &str) {
        let module = self.module;
        match at {
            Some(at) => {
                self.object(
                    &module.functions[at.function],
                    Some(at.instruction),
                    rule.because(reason, remedy),
                );
            }
            None => self.push(None, None, rule.because(reason, remedy)),
        }
    }

    /// The calls of one function.
    pub(super) fn calls(&mut self, function: &Function) {
        for (id, call) in &function.calls {
            match call.callee {
                CalleeRef::Assembly if !call.is_empty_assembly => {
                    let reason = "has inline assembly, whose work is not counted".to_owned();
                    let remedy = "write it in C; an empty asm with general operands is allowed";
                    self.object(function, Some(*id), Rule::InlineAssembly.because(reason, remedy));
                }
                CalleeRef::Indirect => {
                    let callee = function.operands_of(*id).last().copied();
                    let made = callee.and_then(|callee| self.made_pointer(function, callee));
                    if let Some(what) = made {
                        let reason = format!("calls {what}, which is no function");
                        let remedy = "call functions by name or through pointers to them";
                        self.object(function, Some(*id), Rule::NoFunction.because(reason, remedy));
                    }
                }
                _ => {}
            }
            if call.copied_bytes > LARGEST_COPY {
                let reason = format!(
                    "passes {} bytes by value in one call, more than {LARGEST_COPY}",
                    call.copied_bytes
                );
                self.object(function, Some(*id), Rule::Size.because(reason, "pass a pointer"));
            }
        }
    }

    /// What the function makes the pointer of, if it was not read, passed or
    /// returned.
    fn made_pointer(&self, function: &Function, callee: Value) -> Option<&'static str> {
        let mut seen: IdSet<InstructionId> = IdSet::new();
        let mut waiting = vec![callee];
        while let Some(value) = waiting.pop() {
            let id = match value {
                Value::Instruction(id) => id,
                Value::Constant(id) => {
                    if self.is_callable(&self.module.constants[id].text) {
                        continue;
                    }
                    return Some("an address that it makes up");
                }
                _ => continue,
            };
            if !seen.insert(id) {
                continue;
            }
            let operands = function.operands_of(id);
            match function.instructions[id].opcode {
                Opcode::Load
                | Opcode::Call
                | Opcode::Invoke
                | Opcode::ExtractValue
                | Opcode::ExtractElement
                | Opcode::VAArg => {}
                Opcode::Phi => {
                    waiting.extend(operands.iter().filter(|value| !matches!(value, Value::Block(_))));
                }
                Opcode::Select => waiting.extend(operands.iter().skip(1)),
                Opcode::Freeze | Opcode::BitCast => waiting.extend(operands),
                // As a pointer to a member function is called: what was read as a number.
                Opcode::IntToPtr if are_given(function, operands) => {}
                Opcode::IntToPtr => return Some("a number"),
                Opcode::GetElementPtr => return Some("an address that it works out"),
                Opcode::Alloca => return Some("a variable of its own"),
                _ => return Some("what it works out"),
            }
        }
        None
    }

    /// Constants that may represent a function: other names of one, and none.
    fn is_callable(&self, text: &str) -> bool {
        let is_alias = |name: &str| {
            self.module
                .globals
                .values()
                .any(|global| global.kind != GlobalKind::Variable && global.name == name)
        };
        match text.strip_prefix('@') {
            Some(name) => is_alias(name.trim_matches('"')),
            None => matches!(text, "null" | "undef" | "poison"),
        }
    }
}

/// Whether the text of a constant names this global.
fn mentions(text: &str, name: &str) -> bool {
    text.split('@').skip(1).any(|behind| {
        let behind = behind.strip_prefix('"').unwrap_or(behind);
        let goes_on = |letter: char| letter.is_alphanumeric() || "$._-".contains(letter);
        behind.strip_prefix(name).is_some_and(|rest| !rest.starts_with(goes_on))
    })
}

/// Whether values were read, passed or returned as they are.
fn are_given(function: &Function, operands: &[Value]) -> bool {
    operands.iter().all(|operand| match *operand {
        Value::Argument(_) => true,
        Value::Instruction(id) => {
            use Opcode::{Call, ExtractElement, ExtractValue, Invoke, Load};
            matches!(function.instructions[id].opcode, Load | Call | Invoke | ExtractValue | ExtractElement)
        }
        _ => false,
    })
}
