//! Do the tables of the room agree with each other?
//!
//! Five tables say something of a function, and where two of them cannot both be right, a program gets a wrong answer
//! from one. Each rule below found some that did not agree.

use opcost_library::effect::{Origin, ResultKind, Returns, Touching};
use opcost_library::{
    CallCharge, ControlEffect, Effect, FuelClass, LibraryFunction, LibraryStates, as_linked, names,
    replaces_library,
};

/// Asserts that no function of the tables is against a rule.
fn no_function(rule: &str, is_against: impl Fn(&str, &LibraryFunction) -> bool) {
    let against: Vec<_> =
        names().into_iter().filter(|name| is_against(name, &LibraryFunction::of(name))).collect();
    assert!(against.is_empty(), "{rule}: {}", against.join(" "));
}

/// Under fuel it returns and calls nothing back.
fn returns_under_fuel(function: &LibraryFunction) -> bool {
    matches!(
        function.fuel,
        Some(FuelClass::Computes | FuelClass::World | FuelClass::Streams | FuelClass::Differs)
    )
}

fn is_admitted(function: &LibraryFunction) -> bool {
    !matches!(function.fuel, None | Some(FuelClass::Refused(_) | FuelClass::Outside(_) | FuelClass::Data))
}

/// It leaves the frames that are in a call.
fn leaves(control: ControlEffect) -> bool {
    use ControlEffect::{EndsProcess, EndsThread, Jumps, Throws};
    matches!(control, EndsProcess | EndsThread | Jumps | Throws)
}

/// Whether it brings what only the system decides.
fn brings_system(effect: &Effect) -> bool {
    let is_system = |origin: Origin| origin == Origin::System;
    effect.touches.iter().any(|touched| matches!(touched.how, Touching::Input(origin) if is_system(origin)))
        || matches!(effect.result, ResultKind::InputFrom(origin) if is_system(origin))
        || matches!(effect.result, ResultKind::Environment(_))
}

#[test]
fn what_leaves_does_not_return() {
    no_function("leaves, and returns under fuel", |_, function| {
        function.control.is_some_and(leaves) && returns_under_fuel(function)
    });
    no_function("leaves, and its effect does not say so", |_, function| {
        let returns = |effect: &Effect| effect.returns != Returns::Never;
        function.control.is_some_and(leaves) && function.effect.is_some_and(returns)
    });
    no_function("never returns, and does so under fuel", |_, function| {
        function.effect.is_some_and(|effect| effect.returns == Returns::Never) && returns_under_fuel(function)
    });
}

/// Handlers that the program set come first in these, and traps are instructions.
#[test]
fn what_never_returns_is_known_to_leave() {
    let calls_first = |name: &str| {
        name.starts_with("__cxa_") || name == "_ZSt9terminatev" || name == "__clang_call_terminate"
    };
    let is_no_function = |name: &str| name.starts_with("llvm.") || name.contains("personality");
    no_function("never returns, and control does not know", |name, function| {
        let never = function.effect.is_some_and(|effect| effect.returns == Returns::Never);
        never && function.control.is_none() && !calls_first(name) && !is_no_function(name)
    });
}

#[test]
fn control_that_no_graph_shows_is_not_admitted_under_fuel() {
    use ControlEffect::{CallsAtEnd, LimitsProcess, MayEndProcess, ReturnsTwice};
    no_function("changes control, and fuel admits it", |_, function| {
        let is_hidden = |control| {
            !leaves(control) && !matches!(control, CallsAtEnd | LimitsProcess | MayEndProcess | ReturnsTwice)
        };
        function.control.is_some_and(is_hidden) && is_admitted(function)
    });
}

#[test]
fn what_calls_back_is_metered() {
    no_function("calls back, and fuel does not look", |_, function| {
        let calls = |effect: &Effect| effect.callbacks.iter().any(|callback| !callback.is_later);
        function.effect.is_some_and(calls)
            && (returns_under_fuel(function) || function.fuel == Some(FuelClass::Ends))
    });
}

/// A stream has callbacks, and a format has conversions, that the program may have set.
#[test]
fn what_may_run_what_a_stream_has_is_metered() {
    let streams = LibraryStates::named("stream").expect("a state of the library");
    // They look at marks of a stream, make one, or know its file alone.
    let harmless = ["clearerr", "feof", "ferror", "fileno", "fopen", "lseek"];
    no_function("may run what a stream has, and fuel does not look", |name, function| {
        let is_used =
            |effect: &Effect| effect.uses.is_some_and(|uses| uses.meet(streams)) && !harmless.contains(&name);
        let is_blind = !matches!(function.fuel, Some(FuelClass::Streams)) && returns_under_fuel(function);
        function.effect.is_some_and(is_used) && is_blind
    });
}

/// A count that hangs on such a call differs from machine to machine, and `--check` says so.
#[test]
fn what_the_system_decides_differs() {
    // Without a seed they give the same each time; whether a file is there is the files' doing.
    let same = ["rand", "random", "drand48", "open", "access"];
    no_function("the system decides, and fuel does not say so", |name, function| {
        let is_quiet =
            matches!(function.fuel, Some(FuelClass::Computes | FuelClass::World | FuelClass::Streams));
        function.effect.is_some_and(brings_system) && is_quiet && !same.contains(&name)
    });
    no_function("its arguments decide, and fuel says that it differs", |_, function| {
        let is_pure = |effect: &Effect| effect.result == ResultKind::Pure && !brings_system(effect);
        function.effect.is_some_and(is_pure) && function.fuel == Some(FuelClass::Differs)
    });
}

#[test]
fn what_is_charged_may_be_called() {
    no_function("is charged, and must not be called", |_, function| {
        function.charge.is_some() && !is_admitted(function)
    });
    no_function("is charged once, and returns", |name, function| {
        let never = function.effect.is_some_and(|effect| effect.returns == Returns::Never);
        let aborts = name.starts_with("__cxa_");
        function.charge == Some(CallCharge::Once) && !never && !aborts && function.control.is_none()
    });
    no_function("is charged as one that returns, and nothing is known of its memory", |name, function| {
        let is_weighed = matches!(function.charge, Some(CallCharge::Weight { .. }));
        let is_cxx = name.starts_with("_Z") || name.starts_with("__cxa_");
        is_weighed && function.effect.is_none() && !is_cxx
    });
}

/// What the runtime alone defines is left out.
#[test]
fn what_fuel_understands_may_be_replaced() {
    no_function("fuel understands it, and a program cannot replace it", |name, function| {
        let is_runtime = name.starts_with("opc_");
        !is_runtime && function.fuel.is_some_and(FuelClass::is_understood) && !replaces_library(name)
    });
}

#[test]
fn a_name_is_one_as_the_linker_has_it() {
    no_function("has a mark of the linker", |name, _| as_linked(name) != name);
}
