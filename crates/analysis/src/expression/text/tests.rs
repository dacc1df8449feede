//! How formulas read: brackets, signs, shared parts.

use super::super::FormulaInterval;
use super::super::nodes::Rounding;
use super::*;

fn name(symbol: &Symbol) -> String {
    match symbol {
        Symbol::Argument(position) => ["n", "m", "s", "h"][*position as usize].into(),
        Symbol::Index(_) => "t".into(),
        other => format!("{other:?}"),
    }
}

fn table() -> (Formulas, FormulaId, FormulaId) {
    let mut table = Formulas::new();
    let n = table.symbol(Symbol::Argument(0), FormulaInterval::signed(32));
    let m = table.symbol(Symbol::Argument(1), FormulaInterval::signed(32));
    (table, n, m)
}

#[test]
fn constants_are_folded_and_signs_merge() {
    let (mut table, n, m) = table();
    let sum = table.combine(-2, &[(n, 1)]);
    let sum = table.add_constant(sum, -1);
    assert_eq!(table.text(sum, &name), "n - 3");
    let sum = table.combine(1, &[(n, 5), (m, -2)]);
    assert_eq!(table.text(sum, &name), "5*n - 2*m + 1");
    let sum = table.combine(5, &[(n, -1)]);
    assert_eq!(table.text(sum, &name), "5 - n");
    let opposite = table.negate(n);
    assert_eq!(table.text(opposite, &name), "-n");
}

#[test]
fn brackets_stand_where_c_needs_them() {
    let (mut table, n, m) = table();
    let sum = table.add(n, m);
    let third = table.divide_by_constant(Rounding::Ceiling, sum, 3);
    let twice = table.scale(third, 2);
    assert_eq!(table.text(twice, &name), "2*ceil((n + m) / 3)");
    let more = table.add_constant(n, 1);
    let product = table.multiply(n, more);
    let half = table.exact_quotient(product, 2);
    assert_eq!(table.text(half, &name), "(n + n*n) / 2");
    let wrapped = table.wrap(Domain { bits: 32, signed: false }, more);
    let wrapped = table.add_constant(wrapped, 1);
    assert_eq!(table.text(wrapped, &name), "(u32)(n + 1) + 1");
    let low = table.wrap(Domain { bits: 3, signed: false }, n);
    let low = table.add(low, m);
    assert_eq!(table.text(low, &name), "m + (n & 7)");
    let power = table.power(2, m);
    let shifted = table.multiply(n, power);
    let right = table.divide(Rounding::Floor, n, power);
    assert_eq!(table.text(shifted, &name), "n << m");
    assert_eq!(table.text(right, &name), "n >> m");
    let sum = table.add_constant(shifted, -1);
    assert_eq!(table.text(sum, &name), "(n << m) - 1");
}

#[test]
fn choices_and_tests() {
    let (mut table, n, m) = table();
    let difference = table.subtract(n, m);
    let one_less = table.add_constant(difference, -1);
    let test = |relation, of| Test { relation, of };
    assert_eq!(table.test_text(test(Relation::Negative, difference), &name), "n < m");
    assert_eq!(table.test_text(test(Relation::Negative, one_less), &name), "n <= m");
    assert_eq!(table.test_text(test(Relation::NotNegative, one_less), &name), "n > m");
    assert_eq!(table.test_text(test(Relation::Zero, difference), &name), "n == m");
    let room = table.combine(5, &[(n, -1)]);
    assert_eq!(table.test_text(test(Relation::NotNegative, room), &name), "n <= 5");
    let below = table.add_constant(n, -5);
    assert_eq!(table.test_text(test(Relation::NotNegative, below), &name), "n >= 5");
    let (zero, three) = (table.constant(0), table.constant(3));
    let choice = table.select(test(Relation::Negative, difference), zero, three);
    assert_eq!(table.text(choice, &name), "n < m ? 0 : 3");
    let count = table.not_negative(n);
    assert_eq!(table.text(count, &name), "max(0, n)");
    let length = table.bit_length(n);
    assert_eq!(table.text(length, &name), "bit_length(n)");
}

#[test]
fn what_is_needed_twice_is_named_once() {
    let (mut table, n, m) = table();
    let sum = table.combine(7, &[(n, 3), (m, 2)]);
    let large = table.divide_by_constant(Rounding::Floor, sum, 11);
    let low = table.wrap(Domain { bits: 32, signed: false }, large);
    let root = table.ceil_root(large);
    let two = table.multiply(root, low);
    let shared = table.shared_text(&[two, root], &name, TextLimits::default());
    assert_eq!(shared.definitions[0].1, "floor((3*n + 2*m + 7) / 11)");
    assert!(shared.texts[0].contains("t1") || shared.definitions.len() > 1, "{shared:?}");
    assert!(!shared.texts[0].contains("11"), "{shared:?}");
}

#[test]
fn what_lies_too_deep_is_left_out() {
    let (mut table, n, _) = table();
    let mut deep = n;
    for divisor in 3..20 {
        let root = table.ceil_root(deep);
        let more = table.add_constant(root, divisor);
        deep = table.divide_by_constant(Rounding::Ceiling, more, divisor + 17);
    }
    let limits = TextLimits { depth: 5, length: 1000 };
    let shared = table.shared_text(&[deep], &name, limits);
    assert!(shared.texts[0].contains('…'), "{}", shared.texts[0]);
    assert!(shared.texts[0].len() < 100);
}
