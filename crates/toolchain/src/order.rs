//! In which order does the linker put the functions of these modules?

use opcost_answer::tune::ArrangedModule;
use opcost_optimise::{CallsByName, CodeFunction, NamedFunction, order_named};

/// Functions that ran, those that call each other near to each other.
pub fn function_order<'a>(modules: impl IntoIterator<Item = &'a ArrangedModule> + Clone) -> Vec<String> {
    let functions = modules.clone().into_iter().flat_map(|module| {
        let ordered = module.functions.iter().map(|one| (&one.name, one.bytes, one.executions));
        ordered.chain(module.straight.iter().map(|one| (&one.name, one.bytes, one.executions)))
    });
    let functions = functions.map(|(name, bytes, executions)| NamedFunction {
        name,
        function: CodeFunction { bytes, executions },
    });
    let calls = modules.into_iter().flat_map(|module| &module.calls).map(|call| CallsByName {
        from: &call.from,
        to: &call.to,
        calls: call.calls,
    });
    order_named(functions, calls).into_iter().map(str::to_owned).collect()
}
