//! When does a random loop end? Bounds, and tests against them.

use opcost_ir::Predicate;

use super::counters::{Counter, Direction};
use super::feature::Feature;
use super::slots::{Slot, bound_slot, load, store};
use super::text::{IntegerOperand, Scope, Text};

/// What a counter is compared with.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// A value of before the loop.
    Fixed(IntegerOperand),
    /// What is there when it is tested.
    Reloaded(Slot),
    /// Another counter of the loop, by position.
    Counter(usize),
}

/// How a loop is tested.
#[derive(Clone, Debug)]
pub(super) struct Test {
    /// The counter, by position.
    pub(super) counter: usize,
    pub(super) bound: Bound,
    /// Holds as long as the loop goes on.
    predicate: Predicate,
    is_bound_left: bool,
    /// Holds when it ends, written so.
    is_turned: bool,
    pub(super) is_on_next: bool,
}

impl Test {
    /// As long as the first counter was not zero, before it was counted.
    pub(super) fn not_zero(width: u32) -> Test {
        Test {
            counter: 0,
            bound: Bound::Fixed(IntegerOperand::new("0", width)),
            predicate: Predicate::Ne,
            is_bound_left: false,
            is_turned: false,
            is_on_next: false,
        }
    }
}

/// Chooses a bound, and computes what of it is computed before the loop.
pub(super) fn choose_bound(text: &mut Text, scope: &Scope, width: u32) -> Bound {
    if let Some(outer) = scope.counters.last().filter(|_| text.random.one_in(2)).cloned() {
        text.has(Feature::BoundOuter);
        return Bound::Fixed(match text.random.below(2) {
            0 => outer,
            _ => {
                let only = Scope { values: vec![outer], ..Scope::default() };
                text.expression(&only, width)
            }
        });
    }
    let feature = *text.random.of(&[
        Feature::BoundConstant,
        Feature::BoundConstant,
        Feature::BoundArgument,
        Feature::BoundArgument,
        Feature::BoundArgument,
        Feature::BoundExpression,
        Feature::BoundLoaded,
        Feature::BoundReloaded,
        Feature::BoundReloaded,
        Feature::BoundCalled,
    ]);
    text.has(feature);
    let only_arguments = Scope { values: scope.arguments.clone(), ..Scope::default() };
    match feature {
        Feature::BoundConstant => Bound::Fixed(text.number(width)),
        Feature::BoundArgument => Bound::Fixed(text.random.of(&scope.arguments).clone()),
        Feature::BoundExpression => Bound::Fixed(text.expression(&only_arguments, width)),
        Feature::BoundCalled => {
            let argument = text.random.of(&scope.arguments).clone();
            let argument = text.fit(&argument, 8);
            let callee = *text.random.of(&["pure8", "own_pure"]);
            text.has(Feature::PureCall);
            Bound::Fixed(text.result("c", 8, format!("call i8 @{callee}(i8 {})", argument.name)))
        }
        _ => {
            let slot = bound_slot(text, width);
            if text.random.one_in(2) {
                let value = text.pick(&only_arguments);
                let value = text.fit(&value, width);
                store(text, &slot, &value);
            }
            if feature == Feature::BoundReloaded {
                Bound::Reloaded(slot)
            } else {
                Bound::Fixed(load(text, &slot))
            }
        }
    }
}

/// Chooses how `counter` is tested.
pub(super) fn choose_test(text: &mut Text, position: usize, counter: &Counter, bound: Bound) -> Test {
    use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    let usual: &[Predicate] = match counter.kind.direction() {
        Direction::Up => &[Ult, Ult, Slt, Slt, Ne, Ule, Sle],
        Direction::Down => &[Ugt, Sgt, Sgt, Ne, Ne, Uge, Sge],
        Direction::Any => &[Ne, Ne, Ult, Ugt, Slt, Sgt],
    };
    let all = [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle];
    let predicate = *if text.random.one_in(4) { text.random.of(&all) } else { text.random.of(usual) };
    Test {
        counter: position,
        bound,
        predicate,
        is_bound_left: text.random.one_in(3),
        is_turned: text.random.one_in(2),
        is_on_next: text.random.one_in(2),
    }
}

/// Labels to which a test leads.
#[derive(Clone, Copy)]
pub(super) struct Arms<'l> {
    /// Into the loop, or round it.
    pub(super) stay: &'l str,
    /// Out of it.
    pub(super) leave: &'l str,
}

/// Writes the test of a value, and a branch of the block by it.
pub(super) fn write_test(
    text: &mut Text,
    test: &Test,
    value: &IntegerOperand,
    others: &[IntegerOperand],
    arms: Arms<'_>,
) {
    let Arms { stay, leave } = arms;
    let bound = match &test.bound {
        Bound::Fixed(bound) => bound.clone(),
        Bound::Reloaded(slot) => load(text, slot),
        Bound::Counter(position) => others[*position].clone(),
    };
    let condition = write_compare(text, test, value, &bound);
    if test.is_turned {
        text.branch(&condition, leave, stay);
    } else {
        text.branch(&condition, stay, leave);
    }
}

fn write_compare(text: &mut Text, test: &Test, value: &IntegerOperand, bound: &IntegerOperand) -> String {
    let width = if bound.is_constant() { value.width } else { value.width.max(bound.width) };
    let is_signed =
        matches!(test.predicate, Predicate::Sgt | Predicate::Sge | Predicate::Slt | Predicate::Sle);
    let word = if is_signed != text.random.one_in(8) { "sext" } else { "zext" };
    let bound = if bound.is_constant() && bound.width > width { text.number(width) } else { bound.clone() };
    let bound = if bound.is_constant() {
        IntegerOperand { width, ..bound }
    } else {
        text.resize(word, &bound, width)
    };
    let value = text.resize(word, value, width);
    let mut predicate = test.predicate;
    if test.is_turned {
        predicate = inverted(predicate);
    }
    let (mut left, mut right) = (value.name, bound.name);
    if test.is_bound_left {
        text.has(Feature::BoundOnLeft);
        (left, right, predicate) = (right, left, swapped(predicate));
    }
    text.has(Feature::of_predicate(predicate));
    text.result("t", 1, format!("icmp {} i{width} {left}, {right}", predicate.name())).name
}

/// Any comparison of two things in scope.
pub(super) fn write_condition(text: &mut Text, scope: &Scope) -> String {
    let left = text.pick(scope);
    let right = if text.random.one_in(3) { text.pick(scope) } else { text.number(left.width) };
    let right = text.fit(&right, left.width);
    let word = *text.random.of(&["eq", "eq", "eq", "ne", "ult", "ugt", "slt", "sge"]);
    text.result("t", 1, format!("icmp {word} i{} {}, {}", left.width, left.name, right.name)).name
}

fn inverted(predicate: Predicate) -> Predicate {
    use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    match predicate {
        Eq => Ne,
        Ne => Eq,
        Ugt => Ule,
        Ule => Ugt,
        Uge => Ult,
        Ult => Uge,
        Sgt => Sle,
        Sle => Sgt,
        Sge => Slt,
        Slt => Sge,
        other => other,
    }
}

fn swapped(predicate: Predicate) -> Predicate {
    use Predicate::{Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    match predicate {
        Ugt => Ult,
        Ult => Ugt,
        Uge => Ule,
        Ule => Uge,
        Sgt => Slt,
        Slt => Sgt,
        Sge => Sle,
        Sle => Sge,
        other => other,
    }
}
