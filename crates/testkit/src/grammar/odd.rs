//! Loops that are none of the usual: cycles with two entries, loops without an
//! exit, pointers and doubles that count.

use super::bounds::write_condition;
use super::feature::Feature;
use super::slots::{Slot, load, store};
use super::text::{Scope, Text};

/// Writes one of them.
pub(super) fn write_odd(text: &mut Text, scope: &mut Scope) {
    match text.random.below(5) {
        0 | 1 => write_irreducible(text, scope),
        2 => write_infinite(text, scope),
        3 => write_pointer_loop(text, scope),
        _ => write_float_loop(text, scope),
    }
}

/// Two blocks that lead to each other, both entered from outside; a counter in
/// memory ends it, mostly.
fn write_irreducible(text: &mut Text, scope: &Scope) {
    text.has(Feature::Irreducible);
    let width = text.width;
    let slot = Slot { pointer: format!("%slot{width}"), width };
    let [left, right, exit] = ["left", "right", "exit"].map(|hint| text.label(hint));
    let condition = write_condition(text, scope);
    text.branch(&condition, &left, &right);
    text.begin(&left);
    let value = load(text, &slot);
    let flags = text.flags();
    let next = text.result("n", width, format!("add {flags}i{width} {}, 1", value.name));
    store(text, &slot, &next);
    let bound = text.random.of(&scope.arguments).clone();
    let bound = text.fit(&bound, width);
    let test = text.result("t", 1, format!("icmp ult i{width} {}, {}", next.name, bound.name)).name;
    text.branch(&test, &right, &exit);
    text.begin(&right);
    let value = load(text, &slot);
    let number = text.number(width);
    let test = text.result("t", 1, format!("icmp eq i{width} {}, {}", value.name, number.name)).name;
    text.branch(&test, &exit, &left);
    text.begin(&exit);
}

/// No way out, or one that is never taken; entered seldom.
fn write_infinite(text: &mut Text, scope: &Scope) {
    text.has(Feature::Infinite);
    let [head, exit] = ["head", "exit"].map(|hint| text.label(hint));
    let condition = write_condition(text, scope);
    text.branch(&condition, &head, &exit);
    text.begin(&head);
    if text.random.one_in(2) {
        text.jump(&head);
    } else {
        let number = *text.random.of(&["255", "256", "1000"]);
        let value = load(text, &Slot { pointer: "@bound8".into(), width: 8 });
        let wide = text.result("w", 16, format!("zext i16 i8 {}", value.name));
        let test = text.result("t", 1, format!("icmp ugt i16 {}, {number}", wide.name)).name;
        text.branch(&test, &exit, &head);
    }
    text.begin(&exit);
}

/// A pointer moves through the table, to its end or a value.
fn write_pointer_loop(text: &mut Text, scope: &Scope) {
    text.has(Feature::PointerCounter);
    let before = text.block.clone();
    let argument = text.random.of(&scope.arguments).clone();
    let low = text.result("x", argument.width, format!("and i{} {}, 15", argument.width, argument.name));
    let end = match text.random.below(2) {
        0 => text.result(
            "q",
            64,
            format!("getelementptr inbounds i8, ptr @table, i{} {}", low.width, low.name),
        ),
        _ => text.result("at", 64, "getelementptr inbounds i8, ptr @table, i64 16"),
    };
    let [head, body, exit] = ["head", "body", "exit"].map(|hint| text.label(hint));
    text.jump(&head);
    text.begin(&head);
    let name = format!("%{}", text.label("i"));
    let hole = text.hole();
    let word = *text.random.of(&["eq", "uge"]);
    let test = text.result("t", 1, format!("icmp {word} ptr {name}, {}", end.name)).name;
    text.branch(&test, &exit, &body);
    text.begin(&body);
    if text.random.one_in(3) {
        text.has(Feature::DataBreak);
        let value = text.result("v", 8, format!("load i8, ptr {name}"));
        let test = text.result("t", 1, format!("icmp eq i8 {}, 13", value.name)).name;
        let next = text.label("next");
        text.branch(&test, &exit, &next);
        text.begin(&next);
    }
    let step = *text.random.of(&["1", "1", "2", "3"]);
    let flag = *text.random.of(&["inbounds ", "", "nuw "]);
    let next = text.result("n", 64, format!("getelementptr {flag}i8, ptr {name}, i64 {step}"));
    text.jump(&head);
    let back = text.block.clone();
    text.fill(hole, &format!("{name} = phi ptr [ @table, %{before} ], [ {}, %{back} ]", next.name));
    text.begin(&exit);
}

/// A double goes up by a number that it may not hold exactly.
fn write_float_loop(text: &mut Text, scope: &Scope) {
    text.has(Feature::FloatCounter);
    let argument = text.random.of(&scope.arguments).clone();
    let before = text.block.clone();
    let word = *text.random.of(&["uitofp", "sitofp"]);
    let bound = text.result("d", 64, format!("{word} double i{} {}", argument.width, argument.name));
    let [head, exit] = ["head", "exit"].map(|hint| text.label(hint));
    text.jump(&head);
    text.begin(&head);
    let name = format!("%{}", text.label("i"));
    let hole = text.hole();
    let step = *text.random.of(&["1.0", "0.5", "0.1", "3.0", "1e300"]);
    let next = text.result("n", 64, format!("fadd double {name}, {step}"));
    let word = *text.random.of(&["olt", "ole", "ult", "une"]);
    let test = text.result("t", 1, format!("fcmp {word} double {}, {}", next.name, bound.name)).name;
    text.branch(&test, &head, &exit);
    let start = *text.random.of(&["0.0", "0.1", "-4.0"]);
    text.fill(hole, &format!("{name} = phi double [ {start}, %{before} ], [ {}, %{head} ]", next.name));
    text.begin(&exit);
}
