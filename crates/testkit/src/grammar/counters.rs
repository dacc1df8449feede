//! How does a random counter begin, and how does it go on?

use super::feature::Feature;
use super::slots::{Slot, counter_slot, load, store};
use super::text::{IntegerOperand, Scope, Text};

/// How a counter goes on.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// `add` or `sub` of a number or an argument.
    Step { word: &'static str, by: String },
    /// `mul`, `udiv`, `sdiv` by a number.
    Geometric { word: &'static str, by: u64 },
    /// `shl`, `lshr`, `ashr` by a number.
    Shift { word: &'static str, by: u64 },
    /// Times a number, plus a number.
    Affine { times: u64, plus: u64 },
    /// Plus a number, and then `umin` and the like with something.
    Clamped { word: &'static str, by: u64, with: String },
    /// Plus another counter, by position.
    Sum { of: usize },
    /// Its lowest bits, plus a number.
    Cut { mask: u64, plus: u64 },
    /// Something from outside the loop.
    Fixed { value: String },
}

/// Where the values of a counter go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Down,
    Any,
}

impl Kind {
    pub(super) fn direction(&self) -> Direction {
        match self {
            Kind::Step { word: "add", .. }
            | Kind::Geometric { word: "mul", .. }
            | Kind::Shift { word: "shl", .. }
            | Kind::Clamped { .. }
            | Kind::Cut { .. } => Direction::Up,
            Kind::Step { .. } | Kind::Geometric { .. } | Kind::Shift { .. } => Direction::Down,
            Kind::Affine { .. } | Kind::Sum { .. } | Kind::Fixed { .. } => Direction::Any,
        }
    }
}

/// A counter of a loop.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    pub(super) kind: Kind,
    pub(super) width: u32,
    pub(super) start: IntegerOperand,
    /// Where it is, if in memory.
    pub(super) slot: Option<Slot>,
}

/// Chooses a counter, and computes before the loop what it begins with.
pub(super) fn choose_counter(text: &mut Text, scope: &Scope, width: u32, others: usize) -> Counter {
    let kind = choose_kind(text, scope, width, others);
    let start = choose_start(text, scope, width, &kind);
    let slot = text.random.one_in(6).then(|| counter_slot(text, width));
    if let Some(slot) = &slot {
        store(text, slot, &start);
    }
    Counter { kind, width, start, slot }
}

fn choose_kind(text: &mut Text, scope: &Scope, width: u32, others: usize) -> Kind {
    let small = *text.random.of(&[1, 1, 1, 1, 1, 2, 2, 3, 4, 5, 7, 10]);
    if small != 1 {
        text.has(Feature::UnevenStep);
    }
    match text.random.below(22) {
        0..=6 => {
            text.has(Feature::Up);
            Kind::Step { word: "add", by: small.to_string() }
        }
        7..=9 => {
            text.has(Feature::Down);
            match text.random.below(2) {
                0 => Kind::Step { word: "sub", by: small.to_string() },
                _ => Kind::Step { word: "add", by: format!("-{small}") },
            }
        }
        10 | 11 => {
            text.has(Feature::ArgumentStep);
            let argument = text.random.of(&scope.arguments).clone();
            let by = text.fit(&argument, width).name;
            let word = *text.random.of(&["add", "sub"]);
            Kind::Step { word, by }
        }
        12 | 13 => {
            text.has(Feature::Geometric);
            let word = *text.random.of(&["mul", "mul", "udiv", "sdiv"]);
            Kind::Geometric { word, by: *text.random.of(&[2, 2, 3, 5, 10]) }
        }
        14 | 15 => {
            text.has(Feature::Shift);
            let word = *text.random.of(&["shl", "lshr", "lshr", "ashr"]);
            Kind::Shift { word, by: *text.random.of(&[1, 1, 1, 2, 3]) }
        }
        16 => {
            text.has(Feature::Affine);
            Kind::Affine { times: *text.random.of(&[2, 3, 5, 7, 255]), plus: small + text.random.below(9) }
        }
        17 => {
            text.has(Feature::MinMax);
            let with = text.pick(scope);
            let with = text.fit(&with, width).name;
            let word = *text.random.of(&["umin", "umax", "smin", "smax"]);
            Kind::Clamped { word, by: small, with }
        }
        18 => {
            text.has(Feature::Cut);
            Kind::Cut { mask: *text.random.of(&[3, 15, 127]), plus: small }
        }
        19 => {
            text.has(Feature::FixedNext);
            let value = text.pick(scope);
            Kind::Fixed { value: text.fit(&value, width).name }
        }
        _ if others > 0 => {
            text.has(Feature::Polynomial);
            Kind::Sum { of: text.random.below(others as u64) as usize }
        }
        _ => {
            text.has(Feature::Up);
            Kind::Step { word: "add", by: "1".into() }
        }
    }
}

fn choose_start(text: &mut Text, scope: &Scope, width: u32, kind: &Kind) -> IntegerOperand {
    let is_multiplied = matches!(kind, Kind::Geometric { .. } | Kind::Shift { .. });
    match text.random.below(8) {
        0..=2 if kind.direction() != Direction::Down => {
            IntegerOperand::new(if is_multiplied { "1" } else { "0" }, width)
        }
        0..=4 => {
            let value = text.random.of(&scope.arguments).clone();
            text.fit(&value, width)
        }
        5 => {
            let value = text.pick(scope);
            text.fit(&value, width)
        }
        _ => text.number(width),
    }
}

/// The value of a counter in this iteration, where it is not a phi.
pub(super) fn current(text: &mut Text, counter: &Counter) -> Option<IntegerOperand> {
    counter.slot.as_ref().map(|slot| load(text, slot))
}

/// Writes the next value.
pub(super) fn write_next(
    text: &mut Text,
    counter: &Counter,
    value: &IntegerOperand,
    others: &[IntegerOperand],
) -> IntegerOperand {
    let (width, name) = (counter.width, &value.name);
    let next = match &counter.kind {
        Kind::Step { word, by } => {
            let flags = text.flags();
            text.result("n", width, format!("{word} {flags}i{width} {name}, {by}"))
        }
        Kind::Geometric { word: "mul", by } => {
            let flags = text.flags();
            text.result("n", width, format!("mul {flags}i{width} {name}, {by}"))
        }
        Kind::Shift { word: "shl", by } => {
            let flags = text.flags();
            text.result("n", width, format!("shl {flags}i{width} {name}, {by}"))
        }
        Kind::Geometric { word, by } | Kind::Shift { word, by } => {
            text.result("n", width, format!("{word} i{width} {name}, {by}"))
        }
        Kind::Affine { times, plus } => {
            let flags = text.flags();
            let product = text.result("n", width, format!("mul {flags}i{width} {name}, {times}"));
            text.result("n", width, format!("add i{width} {}, {plus}", product.name))
        }
        Kind::Clamped { word, by, with } => {
            let sum = text.result("n", width, format!("add i{width} {name}, {by}"));
            let call = format!("call i{width} @llvm.{word}.i{width}(i{width} {}, i{width} {with})", sum.name);
            text.result("n", width, call)
        }
        Kind::Cut { mask, plus } => {
            let low = text.result("n", width, format!("and i{width} {name}, {mask}"));
            text.result("n", width, format!("add i{width} {}, {plus}", low.name))
        }
        Kind::Fixed { value } => text.result("n", width, format!("or i{width} {value}, 0")),
        Kind::Sum { of } => {
            let other = text.fit(&others[*of], width);
            text.result("n", width, format!("add i{width} {name}, {}", other.name))
        }
    };
    if let Some(slot) = &counter.slot {
        store(text, slot, &next);
    }
    next
}
