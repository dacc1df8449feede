//! In which order should functions lie that are known by name?
//!
//! Functions of one name are one: a linker's list has no more than names. The first of them gives its size, and
//! their executions are added.
//!
//! Input: names with sizes and executions, calls by name. Output: names in order ([`order_functions`]).
//! Limit: calls of functions that are not in the list say nothing.

use std::collections::BTreeMap;

use opcost_index::{Id as _, IdMap};

use crate::layout::functions::{CodeFunction, CodeFunctionId, FunctionCalls, order_functions};

/// A function by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedFunction<'a> {
    /// Linkage name.
    pub name: &'a str,
    /// Its size, and how much of it ran.
    pub function: CodeFunction,
}

/// How often one function called another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallsByName<'a> {
    /// Linkage name of the caller.
    pub from: &'a str,
    /// Linkage name of the called one.
    pub to: &'a str,
    /// How often.
    pub calls: u64,
}

/// Each name once, those that run together near to each other.
pub fn order_named<'a>(
    given: impl IntoIterator<Item = NamedFunction<'a>>,
    calls: impl IntoIterator<Item = CallsByName<'a>>,
) -> Vec<&'a str> {
    let mut ids: BTreeMap<&str, CodeFunctionId> = BTreeMap::new();
    let mut functions: IdMap<CodeFunctionId, CodeFunction> = IdMap::new();
    let mut names = Vec::new();
    for one in given {
        match ids.get(one.name) {
            Some(&id) => {
                let executions = &mut functions[id].executions;
                *executions = executions.saturating_add(one.function.executions);
            }
            None => {
                names.push(one.name);
                ids.insert(one.name, functions.push(one.function));
            }
        }
    }
    let call = |call: CallsByName<'_>| {
        Some(FunctionCalls { from: *ids.get(call.from)?, to: *ids.get(call.to)?, calls: call.calls })
    };
    let calls: Vec<FunctionCalls> = calls.into_iter().filter_map(call).collect();
    order_functions(&functions, &calls).into_iter().map(|id| names[id.index()]).collect()
}

#[cfg(test)]
mod tests {
    use super::{CallsByName, CodeFunction, NamedFunction, order_named};

    #[test]
    fn functions_of_one_name_are_one_and_calls_of_others_say_nothing() {
        let function =
            |name, executions| NamedFunction { name, function: CodeFunction { bytes: 16, executions } };
        let calls = |from, to, calls| CallsByName { from, to, calls };
        let functions =
            [function("cold", 0), function("main", 5), function("inline", 4), function("inline", 90)];
        let all = [calls("main", "inline", 94), calls("main", "printf", 1)];
        assert_eq!(order_named(functions, all), ["main", "inline", "cold"]);
        assert!(order_named([], all).is_empty());
    }
}
