//! How is a random loop built? Form, counters, test, body, latch, nest.
//!
//! ```text
//! before:  starts, bounds                 head:   phis; next values if early; test if `while`
//! body:    items, each may leave, go to the latch, or hold a loop
//! latch:   next values; test if `do while`                exit:
//! ```

use super::body::{BodyExits, leave_if, write_item};
use super::bounds::{Arms, Bound, Test, choose_bound, choose_test, write_test};
use super::counters::{Counter, choose_counter, current, write_next};
use super::feature::Feature;
use super::text::{IntegerOperand, Scope, Text};

/// The deepest nest.
const DEEPEST: u32 = 2;

struct Form {
    is_while: bool,
    /// Next values are computed in the header.
    is_early: bool,
    counters: Vec<Counter>,
    test: Test,
}

/// Writes a loop into the block at hand, and what comes after it into another.
pub(super) fn write_loop(text: &mut Text, scope: &mut Scope, around: Option<&BodyExits>, depth: u32) {
    let form = choose_form(text, scope);
    let before = text.block.clone();
    let [head, latch, exit] = ["head", "latch", "exit"].map(|hint| text.label(hint));
    text.jump(&head);
    text.begin(&head);
    let names: Vec<IntegerOperand> = form
        .counters
        .iter()
        .map(|counter| IntegerOperand::new(format!("%{}", text.label("i")), counter.width))
        .collect();
    let holes: Vec<usize> = form.counters.iter().map(|_| text.hole()).collect();
    let truth = text.random.one_in(8).then(|| {
        text.has(Feature::TruthCounter);
        (format!("%{}", text.label("b")), text.hole())
    });
    let values: Vec<IntegerOperand> = form
        .counters
        .iter()
        .zip(&names)
        .map(|(counter, name)| current(text, counter).unwrap_or_else(|| name.clone()))
        .collect();
    let early = form.is_early.then(|| write_all_next(text, &form, &values));
    if form.is_while {
        let body = text.label("body");
        write_loop_test(text, &form, &values, early.as_deref(), Arms { stay: &body, leave: &exit });
        text.begin(&body);
    }
    let mut inside = scope.clone();
    inside.counters.push(values[0].clone());
    inside.values.extend(values.iter().cloned());
    if let Some((truth, _)) = &truth {
        leave_if(text, truth, &exit);
    }
    let outer = around.map(|around| around.exit.clone());
    write_body(text, &inside, &BodyExits { latch: latch.clone(), exit: exit.clone(), outer }, depth);
    text.jump(&latch);
    text.begin(&latch);
    let values_there = write_alias(text, &inside, &values);
    let next = early.unwrap_or_else(|| write_all_next(text, &form, &values_there));
    let next_truth = truth.as_ref().map(|(truth, _)| write_next_truth(text, &inside, truth));
    if form.is_while {
        text.jump(&head);
    } else {
        write_loop_test(text, &form, &values_there, Some(&next), Arms { stay: &head, leave: &exit });
    }
    note_progress(text);
    let back = text.block.clone();
    for (position, counter) in form.counters.iter().enumerate() {
        let line = match counter.slot {
            // Nothing is left of the phi of a counter in memory.
            Some(_) => format!("; {} is in memory", names[position].name),
            None => format!(
                "{} = phi i{} [ {}, %{before} ], [ {}, %{back} ]",
                names[position].name, counter.width, counter.start.name, next[position].name
            ),
        };
        text.fill(holes[position], &line);
    }
    if let (Some((truth, hole)), Some(next)) = (truth, next_truth) {
        let start = *text.random.of(&["false", "false", "true"]);
        text.fill(hole, &format!("{truth} = phi i1 [ {start}, %{before} ], [ {next}, %{back} ]"));
    }
    text.begin(&exit);
    scope.values.extend(values);
}

/// What a truth value of the head is in the next iteration.
fn write_next_truth(text: &mut Text, scope: &Scope, truth: &str) -> String {
    match text.random.below(5) {
        0 | 1 => "true".to_owned(),
        2 => text.result("t", 1, format!("xor i1 {truth}, true")).name,
        3 => {
            let condition = super::bounds::write_condition(text, scope);
            text.result("t", 1, format!("or i1 {truth}, {condition}")).name
        }
        _ => super::bounds::write_condition(text, scope),
    }
}

fn choose_form(text: &mut Text, scope: &Scope) -> Form {
    let width = if text.random.one_in(6) { 24 - text.width } else { text.width };
    let (is_while, mut is_early) = (text.random.one_in(2), text.random.one_in(4));
    text.has(if is_while { Feature::WhileForm } else { Feature::DoWhileForm });
    let mut counters = Vec::new();
    for position in 0..1 + text.random.below(3).min(1) as usize {
        counters.push(choose_counter(text, scope, width, position));
    }
    let is_race = counters.len() > 1 && text.random.one_in(3);
    let bound = if is_race {
        text.has(Feature::RacingCounters);
        Bound::Counter(1)
    } else {
        choose_bound(text, scope, width)
    };
    let mut test = choose_test(text, 0, &counters[0], bound);
    if is_while && text.random.one_in(8) {
        text.has(Feature::PostDecrement);
        is_early = true;
        test = Test::not_zero(width);
        counters[0].kind = super::counters::Kind::Step { word: "add", by: "-1".into() };
    }
    Form { is_while, is_early, counters, test }
}

fn write_all_next(text: &mut Text, form: &Form, values: &[IntegerOperand]) -> Vec<IntegerOperand> {
    let counters = form.counters.iter().zip(values);
    counters.map(|(counter, value)| write_next(text, counter, value, values)).collect()
}

fn write_loop_test(
    text: &mut Text,
    form: &Form,
    values: &[IntegerOperand],
    next: Option<&[IntegerOperand]>,
    arms: Arms<'_>,
) {
    let tested = match next.filter(|_| form.test.is_on_next) {
        Some(next) => {
            text.has(Feature::TestOnNext);
            &next[form.test.counter]
        }
        None => &values[form.test.counter],
    };
    write_test(text, &form.test, tested, values, arms);
}

fn write_body(text: &mut Text, scope: &Scope, ways: &BodyExits, depth: u32) {
    let mut inside = scope.clone();
    for _ in 0..text.random.below(4) {
        if depth < DEEPEST && text.random.one_in(3) {
            text.has(Feature::Nest);
            write_loop(text, &mut inside, Some(ways), depth + 1);
        } else {
            write_item(text, &mut inside, ways);
        }
    }
}

/// Seldom: the first counter comes out of a phi with equal arms.
fn write_alias(text: &mut Text, scope: &Scope, values: &[IntegerOperand]) -> Vec<IntegerOperand> {
    let mut values = values.to_vec();
    if !text.random.one_in(6) {
        return values;
    }
    text.has(Feature::PhiAlias);
    let condition = super::bounds::write_condition(text, scope);
    let [left, right, both] = ["left", "right", "both"].map(|hint| text.label(hint));
    text.branch(&condition, &left, &right);
    text.begin(&left);
    text.jump(&both);
    text.begin(&right);
    text.jump(&both);
    text.begin(&both);
    let IntegerOperand { name, width } = values[0].clone();
    values[0] = text.result("a", width, format!("phi i{width} [ {name}, %{left} ], [ {name}, %{right} ]"));
    values
}

/// Seldom: says that the loop that goes back here is `mustprogress`.
fn note_progress(text: &mut Text) {
    if text.random.one_in(8) {
        text.has(Feature::MustProgress);
        if let Some(last) = text.lines.last_mut() {
            last.push_str(" !loop mustprogress");
        }
    }
}
