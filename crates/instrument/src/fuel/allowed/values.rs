//! What do instructions do, and with values of what size?
//!
//! Opcodes on a list; integers, vectors and aggregates that are a handful of
//! machine instructions; memory of the usual kind; addresses of functions as they are;
//! addresses of blocks that are branched to.

use std::collections::HashSet;

use opcost_index::IdSet;
use opcost_ir::{Function, GlobalKind, Module, Opcode, Type, TypeId, Value};
use opcost_key::InstructionId;

use super::court::Court;
use super::rule::Rule;

/// Bytes of one variable of a frame: the usual stack.
const LARGEST_FRAME: u64 = 8 << 20;

impl Court<'_> {
    /// The instructions of one function and the values they work on.
    pub(super) fn body(&mut self, function: &Function) {
        if let Type::Function(_, parameters, _) = &self.module.types[function.ty] {
            for &ty in parameters {
                self.sized(function, None, ty);
            }
        }
        for (id, instruction) in function.instructions.iter() {
            if !is_allowed(instruction.opcode) {
                let reason = format!("has '{}', which cannot be metered", instruction.opcode);
                self.object(function, Some(id), Rule::Instruction.because(reason, "write it without"));
            }
            self.sized(function, Some(id), instruction.ty);
            match (instruction.opcode, instruction.second_type) {
                (Opcode::Alloca, Some(ty)) => self.frame(function, id, ty),
                (Opcode::GetElementPtr, _) | (_, None) => {}
                (_, Some(ty)) => self.sized(function, Some(id), ty),
            }
            for operand in function.operands_of(id) {
                if let Value::Constant(constant) = *operand {
                    self.sized(function, Some(id), self.module.constants[constant].ty);
                }
            }
        }
        self.constants(function);
        self.blocks(function);
    }

    fn sized(&mut self, function: &Function, at: Option<InstructionId>, ty: TypeId) {
        if let Some((rule, what)) = self.sizes.wrong[ty].clone() {
            self.object(function, at, rule.because(what, "use values of the machine's size"));
        }
    }

    fn frame(&mut self, function: &Function, at: InstructionId, ty: TypeId) {
        let count = match function.operands_of(at).first() {
            Some(Value::Constant(id)) => self.module.constants[*id].text.parse::<u64>().unwrap_or(u64::MAX),
            // How much it will be is known when it runs.
            _ => 1,
        };
        let bytes = self.sizes.bytes[ty].saturating_mul(count);
        if bytes > LARGEST_FRAME {
            let reason = format!("has a local variable of {bytes} bytes, more than {LARGEST_FRAME}");
            self.object(function, Some(at), Rule::Size.because(reason, "make it static, or allocate it"));
        }
    }

    /// Addresses of functions that are worked with.
    fn constants(&mut self, function: &Function) {
        let module = self.module;
        for id in function.instructions.ids() {
            for operand in function.operands_of(id) {
                let Value::Constant(constant) = *operand else { continue };
                let text = &module.constants[constant].text;
                if text.contains('@') && !text.starts_with("blockaddress(") && works_out(text, &self.code) {
                    let reason = "works an address out of a function's".to_owned();
                    let remedy = "keep pointers to functions as they are";
                    self.object(function, Some(id), Rule::CodeAddress.because(reason, remedy));
                }
            }
        }
    }

    /// Addresses of blocks go to `indirectbr`, through phis and selects.
    fn blocks(&mut self, function: &Function) {
        let is_block = |value: &Value| match value {
            Value::Constant(id) => self.module.constants[*id].text.starts_with("blockaddress("),
            _ => false,
        };
        let mut carriers: IdSet<InstructionId> = IdSet::new();
        let mut wrong = Vec::new();
        loop {
            let before = carriers.len();
            wrong.clear();
            for id in function.instructions.ids() {
                let carries = |value: &Value| {
                    is_block(value) || matches!(value, Value::Instruction(from) if carriers.contains(*from))
                };
                if !function.operands_of(id).iter().any(carries) {
                    continue;
                }
                match function.instructions[id].opcode {
                    Opcode::IndirectBr => {}
                    Opcode::Phi | Opcode::Select => {
                        carriers.insert(id);
                    }
                    _ => wrong.push(id),
                }
            }
            if carriers.len() == before {
                break;
            }
        }
        for id in wrong {
            let reason = "does more with the address of a label than to go there".to_owned();
            let remedy = "keep labels in a static const array inside the function";
            self.object(function, Some(id), Rule::BlockAddress.because(reason, remedy));
        }
    }
}

/// Names of functions, also second ones, here and elsewhere.
pub(super) fn names_of_code(module: &Module) -> HashSet<&str> {
    let functions = module.functions.values().map(|function| &*function.name);
    let declared = module.declarations.values().map(|declaration| &*declaration.name);
    let others = module.globals.values().filter(|global| global.kind != GlobalKind::Variable);
    functions.chain(declared).chain(others.map(|global| &*global.name)).collect()
}

/// Whether an instruction can be metered.
fn is_allowed(opcode: Opcode) -> bool {
    use Opcode::*;
    match opcode {
        Ret | Br | Switch | IndirectBr | Invoke | Resume | Unreachable => true,
        FNeg | Add | FAdd | Sub | FSub | Mul | FMul | UDiv | SDiv | FDiv | URem | SRem | FRem => true,
        Shl | LShr | AShr | And | Or | Xor => true,
        Alloca | Load | Store | GetElementPtr | Fence | AtomicCmpXchg | AtomicRMW => true,
        Trunc | ZExt | SExt | FPToUI | FPToSI | UIToFP | SIToFP | FPTrunc | FPExt => true,
        PtrToInt | PtrToAddr | IntToPtr | BitCast => true,
        ICmp | FCmp | Phi | Call | Select | VAArg | Freeze => true,
        ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue | LandingPad => true,
        CleanupRet | CatchRet | CatchSwitch | CallBr | CleanupPad | CatchPad | AddrSpaceCast | UserOp => {
            false
        }
    }
}

/// Whether an expression works on the address of some code.
/// A function's address as a number, as it is in a pointer to a member, does not.
fn works_out(text: &str, code: &HashSet<&str>) -> bool {
    let left = without_numbers(text);
    if left.len() < text.len() && left.contains('(') {
        return true;
    }
    let text = left.as_str();
    let (mut has_code, mut has_operation) = (false, false);
    let mut rest = text;
    while let Some(at) = rest.find(['@', '(', '"']) {
        let behind = &rest[at + 1..];
        rest = match &rest[at..=at] {
            "(" => {
                has_operation = true;
                behind
            }
            // A text that is no name.
            "\"" => behind.split_once('"').map_or("", |(_, behind)| behind),
            _ => {
                let (name, behind) = match behind.strip_prefix('"') {
                    Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
                    None => {
                        let is_in = |letter: char| letter.is_alphanumeric() || "$._-".contains(letter);
                        behind.split_at(behind.find(|letter| !is_in(letter)).unwrap_or(behind.len()))
                    }
                };
                has_code |= code.contains(name);
                behind
            }
        };
    }
    has_code && has_operation
}

/// The text without `ptrtoint (ptr @name to i64)`.
fn without_numbers(text: &str) -> String {
    let mut rest = text;
    let mut left = String::new();
    while let Some((before, behind)) = rest.split_once("ptrtoint (ptr @") {
        left.push_str(before);
        match behind.split_once(')') {
            Some((inside, after)) if !inside.contains(['(', '"']) => rest = after,
            // Something else stands there: it is kept.
            _ => {
                left.push_str("ptrtoint (ptr @");
                rest = behind;
            }
        }
    }
    left + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_from_data_in_expressions() {
        let code = HashSet::from(["f", "g h"]);
        for text in [
            "getelementptr (i8, ptr @f, i64 5)",
            "add (i64 ptrtoint (ptr @f to i64), i64 1)",
            "(ptr @\"g h\")",
        ] {
            assert!(works_out(text, &code), "{text}");
        }
        for text in [
            "{ ptr @f, i64 0 }",
            "{ i64 ptrtoint (ptr @f to i64), i64 0 }",
            "getelementptr (i8, ptr @data, i64 5)",
            "c\"@f(\"",
            "(ptr @ff)",
        ] {
            assert!(!works_out(text, &code), "{text}");
        }
    }

    #[test]
    fn every_opcode_was_decided() {
        let allowed = Opcode::ALL.iter().filter(|opcode| is_allowed(**opcode)).count();
        assert_eq!(Opcode::ALL.len() - allowed, 8);
    }
}
