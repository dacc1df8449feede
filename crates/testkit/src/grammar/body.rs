//! What does a random loop do on its way? Ways out, ways round, calls, stores.

use super::bounds::write_condition;
use super::feature::Feature;
use super::slots::{Slot, bound_slot, store};
use super::text::{IntegerOperand, Scope, Text};

/// Where control can go out of a body.
pub(super) struct BodyExits {
    pub(super) latch: String,
    pub(super) exit: String,
    /// Out of the loop around, too.
    pub(super) outer: Option<String>,
}

/// Writes one thing; the block at hand may be another after it.
pub(super) fn write_item(text: &mut Text, scope: &mut Scope, ways: &BodyExits) {
    match text.random.below(13) {
        0 | 1 => {
            text.has(Feature::SeveralExits);
            let condition = write_condition(text, scope);
            let both = ways.outer.as_ref().filter(|_| text.random.one_in(2));
            if both.is_some() {
                text.has(Feature::LeavesTwo);
            }
            leave_if(text, &condition, both.unwrap_or(&ways.exit));
        }
        2 => write_data_break(text, scope, ways),
        3 => write_switch(text, scope, ways),
        4 => {
            text.has(Feature::Continue);
            let condition = write_condition(text, scope);
            leave_if(text, &condition, &ways.latch);
        }
        5 => write_unreachable(text, scope),
        6 => {
            let value = text.expression(scope, text.width);
            scope.values.push(value);
        }
        7 => {
            let slot = bound_slot(text, text.width);
            let value = text.pick(scope);
            let value = text.fit(&value, slot.width);
            // Elsewhere than where a bound is looked for, mostly.
            let pointer = if text.random.one_in(3) { slot.pointer } else { format!("@cell{}", slot.width) };
            store(text, &Slot { pointer, ..slot }, &value);
        }
        _ => write_call(text, scope),
    }
}

/// Goes to `target` if `condition` holds, else on in a new block.
pub(super) fn leave_if(text: &mut Text, condition: &str, target: &str) {
    let next = text.label("next");
    if text.random.one_in(2) {
        text.branch(condition, target, &next);
    } else {
        let turned = text.result("t", 1, format!("xor i1 {condition}, true")).name;
        text.branch(&turned, &next, target);
    }
    text.begin(&next);
}

/// Leaves where a table says so.
fn write_data_break(text: &mut Text, scope: &Scope, ways: &BodyExits) {
    text.has(Feature::DataBreak);
    let index = text.pick(scope);
    let width = index.width;
    let low = text.result("x", width, format!("and i{width} {}, 15", index.name));
    let index = text.result("x", 64, format!("zext i64 i{width} {}", low.name));
    let line = format!("getelementptr inbounds [16 x i8], ptr @table, i64 0, i64 {}", index.name);
    let pointer = text.result("at", 64, line);
    let value = text.result("v", 8, format!("load i8, ptr {}", pointer.name));
    let number = *text.random.of(&["1", "2", "13", "90", "200"]);
    let condition = text.result("t", 1, format!("icmp eq i8 {}, {number}", value.name)).name;
    leave_if(text, &condition, &ways.exit);
}

fn write_switch(text: &mut Text, scope: &Scope, ways: &BodyExits) {
    text.has(Feature::SwitchExit);
    let value = text.pick(scope);
    let value = if value.is_constant() { text.expression(scope, text.width) } else { value };
    let next = text.label("next");
    let first = text.random.below(20);
    let targets = [&ways.exit, &next, &ways.latch];
    let cases: Vec<String> = (0..1 + text.random.below(3))
        .map(|step| {
            let target = if step == 0 { &ways.exit } else { *text.random.of(&targets) };
            format!("{}, label %{target}", first + 3 * step)
        })
        .collect();
    let default = if text.random.one_in(8) { &ways.exit } else { &next };
    let width = value.width;
    text.line(format!("switch i{width} {}, label %{default}, [{}]", value.name, cases.join(", ")));
    text.begin(&next);
}

fn write_unreachable(text: &mut Text, scope: &Scope) {
    let condition = if text.random.one_in(2) {
        text.has(Feature::DeadArm);
        "false".to_owned()
    } else {
        text.has(Feature::UnreachableArm);
        write_condition(text, scope)
    };
    let [dead, next] = ["dead", "next"].map(|hint| text.label(hint));
    text.branch(&condition, &dead, &next);
    text.begin(&dead);
    if text.random.one_in(3) {
        text.jump(&next);
    } else {
        text.line("unreachable");
    }
    text.begin(&next);
}

/// A call whose result, if it has one, can be used after it.
fn write_call(text: &mut Text, scope: &mut Scope) {
    let argument = text.pick(scope);
    let argument = text.fit(&argument, 8);
    let name = &argument.name;
    match text.random.below(8) {
        0 => {
            text.has(Feature::PureCall);
            let callee = *text.random.of(&["pure8", "own_pure"]);
            let result: IntegerOperand = text.result("c", 8, format!("call i8 @{callee}(i8 {name})"));
            scope.values.push(result);
        }
        1 => {
            text.has(Feature::ClobberingCall);
            text.line(format!("call void @clobber(i8 {name})"));
        }
        2 | 3 => write_call_with_pointer(text, &argument),
        4 | 5 => {
            text.has(Feature::UnknownCall);
            text.line(format!("call void @unknown(i8 {name})"));
        }
        6 => {
            text.has(Feature::EscapedPointer);
            if text.random.one_in(2) {
                text.line(format!("call void @keep(ptr %limit{})", text.width));
            }
            text.line("call void @touch()");
        }
        _ => {
            text.has(Feature::LeavingCall);
            text.line(format!("call void @leave(i8 {name})"));
        }
    }
}

/// A call that gets the address of a bound, and may write there.
fn write_call_with_pointer(text: &mut Text, argument: &IntegerOperand) {
    if text.random.one_in(2) {
        text.has(Feature::WritingCallee);
        let Slot { pointer, width } = bound_slot(text, text.width);
        let value = text.fit(argument, width).name;
        text.line(format!("call void @write{width}(ptr {pointer}, i{width} {value})"));
    } else {
        text.has(Feature::HarmlessCallee);
        let pointer = bound_slot(text, 8).pointer;
        text.line(format!("call void @look(ptr {pointer}, i8 {})", argument.name));
    }
}
