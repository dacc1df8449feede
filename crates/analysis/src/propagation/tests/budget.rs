//! What is said of cycles that take too long? Everything, which is true.

use std::fmt::Write;

use opcost_ir::{Layout, parse_module};

use super::super::solve::{STEPS, Steps, not_closed, solve_within};
use super::{Propagation, Range};
use crate::memory::{MemoryModel, World};
use opcost_library::Effects;

/// So many loops in each other, each of whose values hangs on all the others.
fn nest(depth: usize) -> String {
    let mut text = "define i32 @f(i32 %x) {\nentry:\n  br label %h0\n".to_owned();
    let last = depth - 1;
    for k in 0..depth {
        let (start, before) = match k {
            0 => ("%x".to_owned(), "entry".to_owned()),
            _ => (format!("%a{}", k - 1), format!("h{}", k - 1)),
        };
        let next = if k == last { "body".to_owned() } else { format!("h{}", k + 1) };
        let phi = format!("%a{k} = phi i32 [ {start}, %{before} ], [ %b{k}, %l{k} ]");
        writeln!(text, "h{k}:\n  {phi}\n  br label %{next}").expect("a string");
    }
    writeln!(text, "body:\n  %v = mul i32 %a{last}, %a{}\n  br label %l{last}", depth / 2).expect("a string");
    for k in (0..depth).rev() {
        let next = if k == 0 { "out".to_owned() } else { format!("l{}", k - 1) };
        writeln!(text, "l{k}:\n  %t{k} = xor i32 %a{k}, {}\n  %b{k} = add i32 %t{k}, %v", k + 3)
            .expect("a string");
        writeln!(text, "  %c{k} = icmp slt i32 %b{k}, {}", 1000 + k).expect("a string");
        writeln!(text, "  br i1 %c{k}, label %h{k}, label %{next}").expect("a string");
    }
    text + "out:\n  %low = and i32 %b0, 7\n  ret i32 %low\n}\n"
}

#[test]
fn cycles_that_take_too_long_are_everything_and_what_follows_is_not() {
    let module = parse_module(&nest(40)).expect("a module");
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let program = MemoryModel::of(&module, &layout, &effects, World::Open);
    let full = Propagation::compute(&program);
    assert_eq!(full.given_up, 0);
    let few = [(0, 0), (0, 1), (0, 10), (1, 0), (2, 5)];
    let few = few.map(|(of_a_variable, of_a_cycle)| Steps { of_a_variable, of_a_cycle });
    for steps in few.into_iter().chain([STEPS]) {
        let solved = solve_within(steps, &full.variables, &full.tables);
        assert_eq!(solved.given_up > 0, steps != STEPS, "{steps:?}: {}", solved.given_up);
        assert_eq!(not_closed(&full.variables, &full.tables, &solved.ranges), vec![], "{steps:?}");
        // Nothing is lost that does not hang on the cycle.
        let (id, function) = module.functions.iter().next().expect("a function");
        let low = *function.names.iter().find(|(_, name)| &***name == "low").expect("a name").0;
        let Range::Integer(low) = &solved.ranges[full.variable(id, low).expect("a number")] else {
            panic!("an integer")
        };
        assert_eq!(low.needed_width().bits, 3, "{steps:?}");
    }
}
