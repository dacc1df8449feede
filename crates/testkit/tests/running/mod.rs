//! What tests of the machine share: a text, a run of its function `f`.

use opcost_ir::{Module, parse_module};
use opcost_testkit::{
    Ended, InterpretedRun, Interpreter, Scalar, Trap, function_named, natural_loops, nothing_known,
};

pub(crate) fn module(text: &str) -> Module {
    parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs `f` with these arguments of 32 bits.
pub(crate) fn run(text: &str, arguments: &[u128]) -> InterpretedRun {
    let module = module(text);
    let function = function_named(&module, "f").expect("a function f");
    let arguments: Vec<Scalar> = arguments.iter().map(|&bits| Scalar::integer(32, bits)).collect();
    let loops = natural_loops(function, &module.functions[function]);
    let interpreter = Interpreter::new(&module).with_loops(loops).with_step_limit(10_000).with_loads();
    interpreter.run(function, &arguments, &mut nothing_known)
}

pub(crate) fn returned(text: &str, arguments: &[u128]) -> Scalar {
    match run(text, arguments).ended {
        Ended::Returned(Some(value)) => value,
        other => panic!("{other:?}\n{text}"),
    }
}

pub(crate) fn number(text: &str, arguments: &[u128]) -> u128 {
    returned(text, arguments).bits().expect("an integer")
}

pub(crate) fn trap(text: &str, arguments: &[u128]) -> Trap {
    match run(text, arguments).ended {
        Ended::Trapped { trap, .. } => trap,
        other => panic!("{other:?}\n{text}"),
    }
}

/// A function of one block.
pub(crate) fn block(lines: &str) -> String {
    format!("define i32 @f(i32 %a, i32 %b) {{\n{lines}\n}}")
}
