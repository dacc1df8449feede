//! Who may be called through pointers, and whom may a function call so?
//!
//! Whoever repairs a sampled profile knows a function's callers by it: one that no
//! pointer leads to is called by its call sites only, and a call through a pointer reaches
//! functions of the type that it calls (Lu and Hu, "Where does it go? Refining
//! indirect-call targets with multi-layer type analysis", 2019, whose first layer this is).
//!
//! Types are compared by their words, so that those of two modules compare. That of a call
//! is made of its result and arguments. Limits: a variadic function is found only by calls
//! without further arguments, and one that is called by another type than its own by none.
//!
//! Output: [`Pointers`] of a function, names of a module. Cost: linear in calls.

use opcost_ir::{CalleeRef, Function, Module, Type, Value};
use opcost_key::{Hash128, Hasher128, InstructionId, Pointers};

pub(crate) fn pointers(module: &Module, function: &Function) -> Pointers {
    let signature = match &module.types[function.ty] {
        Type::Function(result, parameters, _) => {
            signature(&module.type_text(*result), parameters.iter().map(|&ty| module.type_text(ty)))
        }
        _ => unreachable!("a verified function has the type of one"),
    };
    let indirect = function.calls.iter().filter(|(_, call)| call.callee == CalleeRef::Indirect);
    let calls = indirect.map(|&(at, _)| (at, called(module, function, at))).collect();
    Pointers { is_address_taken: function.is_address_taken, signature, calls }
}

/// Functions of other modules that this one may have pointers to.
pub(crate) fn addresses_taken(module: &Module) -> Vec<String> {
    let declared = module.declarations.values().filter(|one| one.is_address_taken && !one.is_intrinsic);
    declared.map(|one| one.name.clone()).collect()
}

/// What a call through a pointer calls.
fn called(module: &Module, function: &Function, at: InstructionId) -> Hash128 {
    let type_of = |&value: &Value| match value {
        Value::Function(_) | Value::Declaration(_) => "ptr".to_owned(),
        _ => module.type_of(function, value).map(|ty| module.type_text(ty)).unwrap_or_default(),
    };
    let result = module.type_text(function.instructions[at].ty);
    signature(&result, function.arguments_of(at).iter().map(type_of))
}

fn signature(result: &str, parameters: impl Iterator<Item = String>) -> Hash128 {
    let mut hash = Hasher128::new();
    hash.text(result);
    parameters.for_each(|parameter| {
        hash.text(&parameter);
    });
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
declare @plain
declare @given address_taken
define i32 @callee(i32 %a, ptr %b) address_taken {
  ret i32 0
}
define i32 @variadic(i32 %a, ptr %b, ...) {
  ret i32 0
}
define void @caller(ptr %f) {
  %0 = call i32 %f(i32 1, ptr @given)
  %1 = call i32 @callee(i32 1, ptr null)
  call void %f(i32 1, ptr null)
  ret void
}
";

    #[test]
    fn calls_and_functions_of_one_type_agree() {
        let module = opcost_ir::parse_module(TEXT).expect("a module");
        let of = |name: &str| {
            let function = module.functions.values().find(|function| function.name == name);
            pointers(&module, function.expect("a function"))
        };
        let (callee, caller) = (of("callee"), of("caller"));
        assert!(callee.is_address_taken && !caller.is_address_taken);
        let called: Vec<_> =
            caller.calls.iter().map(|&(at, called)| (at.to_string(), called == callee.signature)).collect();
        assert_eq!(called, [("i0".to_owned(), true), ("i2".to_owned(), false)], "the result counts too");
        assert_eq!(of("variadic").signature, callee.signature, "what is fixed of it");
        assert_eq!(addresses_taken(&module), ["given"]);
    }
}
