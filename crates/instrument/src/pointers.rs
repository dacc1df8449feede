//! Who may be called through pointers, and whom may a function call so?
//!
//! Anyone who repairs a sampled profile knows a function's callers by it: one that no pointer leads
//! to is called by its call sites only, and a call through a pointer reaches functions of the type
//! that it calls (Lu and Hu, "Where does it go? Refining indirect-call targets with multi-layer
//! type analysis", 2019, whose first layer this is).
//!
//! Types are compared by their words, so that those of two modules compare. That of a call
//! is made of its result and arguments. Limits: a variadic function is found only by calls
//! without further arguments, and one that is called by another type than its own by none.
//!
//! Where only data has a function's address, as virtual tables have, hardly anybody calls it but
//! calls of its type. Limit: an expression of constants in code that is made of its address
//! counts as data.
//!
//! What is listed to run when the program starts, as constructors of static objects are, runs
//! once. A call that starts a thread enters the function that it names, once. The
//! threads of C++ begin in a virtual function of the object that was made before ([`begun_in_cxx`]).
//!
//! Output: [`Pointers`] of a function, names of a module. Cost: linear in operands.

use opcost_index::IdSet;
use opcost_ir::{CalleeRef, DeclarationId, Function, Module, Type, Value};
use opcost_key::{AddressHeld, Callee, FunctionId, Hash128, Hasher128, InstructionId, Pointers};
use opcost_library::{ControlEffect, control_effect};

/// What starts a thread of C++: `std::thread::_M_start_thread`.
const CXX_STARTER: &str = "_ZNSt6thread15_M_start_thread";
/// The table of the object in which such a thread begins, `vtable for std::thread::_State_impl<…>`: how its name
/// begins.
const CXX_TABLE: &str = "_ZTVNSt6thread11_State_impl";

/// Functions whose address code of a module has.
#[derive(Default)]
pub(crate) struct TakenByCode {
    functions: IdSet<FunctionId>,
    declarations: IdSet<DeclarationId>,
}

impl TakenByCode {
    pub(crate) fn of(module: &Module) -> Self {
        let mut all = Self::default();
        for function in module.functions.values() {
            for at in function.instructions.ids() {
                let used = used_by(module, function, at);
                for value in used {
                    match value {
                        Value::Function(id) => _ = all.functions.insert(id),
                        Value::Declaration(id) => _ = all.declarations.insert(id),
                        _ => {}
                    }
                }
            }
        }
        all
    }
}

/// The operands of an instruction, without a callee and where a thread begins.
fn used_by(module: &Module, function: &Function, at: InstructionId) -> Vec<Value> {
    match function.call(at) {
        None => function.operands_of(at).to_vec(),
        Some(_) => {
            let mut arguments = function.arguments_of(at).to_vec();
            if let Some((begins, _)) = begun_by_name(module, function, at) {
                arguments.remove(begins);
            }
            arguments
        }
    }
}

/// Where a thread begins that a call starts.
fn thread(module: &Module, function: &Function, at: InstructionId) -> Option<Callee> {
    let by_name = || begun_by_name(module, function, at).map(|(_, callee)| callee);
    by_name().or_else(|| begun_in_cxx(module, function, at))
}

/// The thread's object has a pointer to the table of its class, and the nearest one that is written before
/// the call is this object's. The table's name is that of its function `_M_run`, but for what is around it.
fn begun_in_cxx(module: &Module, function: &Function, at: InstructionId) -> Option<Callee> {
    let starts = module.callee_name(function.call(at)?.callee)?.starts_with(CXX_STARTER);
    let before = starts.then(|| function.instructions.ids().take_while(|&id| id != at))?;
    let tables = before.filter_map(|id| {
        let &Value::Constant(written) = function.operands_of(id).first()? else { return None };
        let (_, text) = module.constants[written].text.split_once('@')?;
        let name = text.split(|one: char| !(one.is_alphanumeric() || one == '_' || one == '.')).next()?;
        name.starts_with(CXX_TABLE).then_some(name)
    });
    let class = tables.last()?.strip_prefix("_ZTV")?.strip_suffix('E')?;
    let runs = format!("_Z{class}6_M_runEv");
    let defined = module.functions.iter().find(|(_, function)| function.name == runs);
    Some(defined.map_or_else(|| Callee::Declared(runs.clone()), |(id, _)| Callee::Defined(id)))
}

/// Which argument of a call is the function where a thread begins, and the function.
fn begun_by_name(module: &Module, function: &Function, at: InstructionId) -> Option<(usize, Callee)> {
    let name = module.callee_name(function.call(at)?.callee)?;
    let Some(ControlEffect::StartsThread { begins: Some(place) }) = control_effect(name) else { return None };
    match *function.arguments_of(at).get(place)? {
        Value::Function(id) => Some((place, Callee::Defined(id))),
        Value::Declaration(id) => Some((place, Callee::Declared(module.declarations[id].name.clone()))),
        _ => None,
    }
}

pub(crate) fn pointers(module: &Module, taken: &TakenByCode, id: FunctionId) -> Pointers {
    let function = &module.functions[id];
    let signature = match &module.types[function.ty] {
        Type::Function(result, parameters, _) => {
            signature(&module.type_text(*result), parameters.iter().map(|&ty| module.type_text(ty)))
        }
        _ => unreachable!("a verified function has the type of one"),
    };
    let indirect = function.calls.iter().filter(|(_, call)| call.callee == CalleeRef::Indirect);
    let calls = indirect.map(|&(at, _)| (at, called(module, function, at))).collect();
    let threads = function.calls.iter().filter_map(|&(at, _)| Some((at, thread(module, function, at)?)));
    let runs_at_start = module.initializers.iter().any(|one| one.function == Some(Value::Function(id)));
    let address = match address(function.is_address_taken, taken.functions.contains(id)) {
        AddressHeld::InData if runs_at_start => AddressHeld::AtStart,
        other => other,
    };
    Pointers { address, signature, calls, threads: threads.collect() }
}

fn address(is_taken: bool, is_taken_by_code: bool) -> AddressHeld {
    match (is_taken, is_taken_by_code) {
        (false, _) => AddressHeld::Nowhere,
        (true, false) => AddressHeld::InData,
        (true, true) => AddressHeld::InCode,
    }
}

/// Functions of other modules that this one may have pointers to, with who has these.
pub(crate) fn addresses_taken(module: &Module, taken: &TakenByCode) -> Vec<(String, AddressHeld)> {
    let declared = module.declarations.iter().filter(|(_, one)| one.is_address_taken && !one.is_intrinsic);
    declared.map(|(id, one)| (one.name.clone(), address(true, taken.declarations.contains(id)))).collect()
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
    use opcost_index::Id;

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

    fn of(text: &str, name: &str) -> Pointers {
        let module = opcost_ir::parse_module(text).expect("a module");
        let (id, _) =
            module.functions.iter().find(|(_, function)| function.name == name).expect("a function");
        pointers(&module, &TakenByCode::of(&module), id)
    }

    #[test]
    fn calls_and_functions_of_one_type_agree() {
        let (callee, caller) = (of(TEXT, "callee"), of(TEXT, "caller"));
        assert_eq!((callee.address, caller.address), (AddressHeld::InData, AddressHeld::Nowhere));
        let called: Vec<_> =
            caller.calls.iter().map(|&(at, called)| (at.to_string(), called == callee.signature)).collect();
        assert_eq!(called, [("i0".to_owned(), true), ("i2".to_owned(), false)], "the result counts too");
        assert_eq!(of(TEXT, "variadic").signature, callee.signature, "what is fixed of it");
        let module = opcost_ir::parse_module(TEXT).expect("a module");
        let taken = addresses_taken(&module, &TakenByCode::of(&module));
        assert_eq!(taken, [("given".to_owned(), AddressHeld::InCode)]);
    }

    #[test]
    fn a_thread_of_cxx_begins_in_its_object() {
        let text = "\
declare void @_ZNSt6thread15_M_start_threadESt10unique_ptr
global @_ZTVNSt6thread11_State_implI1AEE type [5 x ptr] declared constant
global @_ZTVNSt6thread11_State_implI1BEE type [5 x ptr] declared constant
define void @_ZNSt6thread11_State_implI1BE6_M_runEv(ptr %a) address_taken {
  ret void
}
define void @main(ptr %a, ptr %b) {
  store ptr @_ZTVNSt6thread11_State_implI1AEE+16, ptr %a
  call void @_ZNSt6thread15_M_start_threadESt10unique_ptr(ptr %a)
  store ptr @_ZTVNSt6thread11_State_implI1BEE+16, ptr %b
  call void @_ZNSt6thread15_M_start_threadESt10unique_ptr(ptr %b)
  ret void
}
";
        let begin: Vec<_> = of(text, "main").threads.into_iter().map(|(_, begins)| begins).collect();
        let elsewhere = Callee::Declared("_ZNSt6thread11_State_implI1AE6_M_runEv".to_owned());
        assert_eq!(begin, [elsewhere, Callee::Defined(Id::new(0))]);
    }

    #[test]
    fn a_thread_begins_where_its_start_says() {
        let text = "\
declare i32 @pthread_create address_taken
define ptr @worker(ptr %a) address_taken {
  ret ptr %a
}
define ptr @both(ptr %a) address_taken {
  ret ptr %a
}
define void @main(ptr %id, ptr %f) {
  %0 = call i32 @pthread_create(ptr %id, ptr null, ptr @worker, ptr null)
  %1 = call i32 @pthread_create(ptr %id, ptr null, ptr @both, ptr @both)
  %2 = call i32 @pthread_create(ptr %id, ptr null, ptr %f, ptr null)
  ret void
}
";
        let main = of(text, "main");
        let begin: Vec<String> = main.threads.iter().map(|(at, begins)| format!("{at} {begins:?}")).collect();
        assert_eq!(begin.len(), 2, "the third is not known: {begin:?}");
        assert!(main.threads.iter().all(|(_, begins)| matches!(begins, Callee::Defined(_))));
        assert_eq!(of(text, "worker").address, AddressHeld::InData, "only its start has it");
        assert_eq!(of(text, "both").address, AddressHeld::InCode, "its thread is given it");
    }
}
