//! A large module is as much work as its parts.

use std::fmt::Write;

use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::Propagation;
use opcost_ir::{Layout, parse_module};
use opcost_library::Effects;
use opcost_testkit::random_branches;

/// So many functions that call the one before.
fn module_of(functions: u64) -> String {
    let mut text = String::new();
    for seed in 0..functions {
        let one = random_branches(seed);
        let at = one.find("define").expect("a function");
        if seed == 0 {
            text.push_str(&one[..at]);
        }
        let body = one[at..].replace("@run", &format!("@run{seed}"));
        let call = match seed {
            0 => "entry:\n".to_owned(),
            _ => format!("entry:\n  %called = call i8 @run{}(i8 %b, i8 %a)\n", seed - 1),
        };
        write!(text, "{}", body.replace("entry:\n", &call)).expect("writing to a string");
    }
    text
}

#[test]
fn four_times_the_functions_have_about_four_times_the_variables() {
    let mut sizes = Vec::new();
    for functions in [250, 1000] {
        let text = module_of(functions);
        let module = parse_module(&text).expect("a module");
        let (layout, effects) = (Layout::of(&module), Effects::built_in());
        let program = MemoryModel::of(&module, &layout, &effects, World::Open);
        let ranges = Propagation::compute(&program);
        // The steps of a variable are bounded, and none was given up.
        assert_eq!(ranges.given_up, 0);
        sizes.push(ranges.variables().len());
    }
    assert!(sizes[1] < sizes[0] * 5, "far from linear: {sizes:?}");
}
