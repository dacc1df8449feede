//! Is a formula the number that its parts make, whatever was simplified?
//!
//! Random expressions are evaluated twice: as they are written, and as the
//! canonical formula that the table makes of them. The formula's range must
//! hold the number, and facts that hold must change nothing.

use opcost_analysis::expression::{
    Domain, Facts, FormulaId, FormulaInterval, Formulas, NoNumber, Relation, Rounding, Symbol, Test,
};
use proptest::prelude::*;

/// An expression as it is written.
#[derive(Clone, Debug)]
enum Written {
    Constant(i128),
    Symbol(u32),
    Sum(Box<Written>, Box<Written>),
    Difference(Box<Written>, Box<Written>),
    Product(Box<Written>, Box<Written>),
    Quotient(Rounding, Box<Written>, i128),
    QuotientBy(Rounding, Box<Written>, Box<Written>),
    Remainder(Box<Written>, i128),
    Modulo(Box<Written>, i128),
    Least(Box<Written>, Box<Written>),
    Greatest(Box<Written>, Box<Written>),
    Wrap(Domain, Box<Written>),
    /// Two to the value modulo 8.
    Power(Box<Written>),
    CeilLog(i128, Box<Written>),
    CeilRoot(Box<Written>),
    Select(Relation, Box<Written>, Box<Written>, Box<Written>),
}

const SYMBOLS: u32 = 3;
/// The symbols' domains: i8, u4 and i4.
fn domain(symbol: u32) -> Domain {
    [(8, true), (4, false), (4, true)].map(|(bits, signed)| Domain { bits, signed })[symbol as usize]
}

fn written() -> impl Strategy<Value = Written> {
    let leaf = prop_oneof![
        (-20_i128..20).prop_map(Written::Constant),
        (0..SYMBOLS).prop_map(Written::Symbol),
        (0..SYMBOLS).prop_map(Written::Symbol),
    ];
    let rounding = prop_oneof![Just(Rounding::Floor), Just(Rounding::Ceiling), Just(Rounding::Truncate)];
    let relation = prop_oneof![
        Just(Relation::Negative),
        Just(Relation::NotNegative),
        Just(Relation::Zero),
        Just(Relation::NotZero)
    ];
    let domains = (1_u32..10, any::<bool>()).prop_map(|(bits, signed)| Domain { bits, signed });
    leaf.prop_recursive(5, 24, 3, move |inner| {
        let boxed = inner.prop_map(Box::new).boxed();
        let pair = (boxed.clone(), boxed.clone());
        let divisor = prop_oneof![1_i128..12, -6_i128..0];
        prop_oneof![
            3 => pair.clone().prop_map(|(a, b)| Written::Sum(a, b)),
            3 => pair.clone().prop_map(|(a, b)| Written::Difference(a, b)),
            2 => pair.clone().prop_map(|(a, b)| Written::Product(a, b)),
            2 => (rounding.clone(), boxed.clone(), divisor).prop_map(|(r, a, d)| Written::Quotient(r, a, d)),
            1 => (rounding.clone(), pair.clone()).prop_map(|(r, (a, b))| Written::QuotientBy(r, a, b)),
            1 => (boxed.clone(), 1_i128..12).prop_map(|(a, d)| Written::Remainder(a, d)),
            1 => (boxed.clone(), 1_i128..20).prop_map(|(a, d)| Written::Modulo(a, d)),
            1 => pair.clone().prop_map(|(a, b)| Written::Least(a, b)),
            1 => pair.clone().prop_map(|(a, b)| Written::Greatest(a, b)),
            3 => (domains.clone(), boxed.clone()).prop_map(|(d, a)| Written::Wrap(d, a)),
            1 => boxed.clone().prop_map(Written::Power),
            1 => (2_i128..5, boxed.clone()).prop_map(|(b, a)| Written::CeilLog(b, a)),
            1 => boxed.clone().prop_map(Written::CeilRoot),
            2 => (relation.clone(), boxed.clone(), pair).prop_map(|(r, t, (a, b))| Written::Select(r, t, a, b)),
        ]
    })
}

fn rounded(rounding: Rounding, of: i128, by: i128) -> i128 {
    let (of, by) = if by < 0 { (-of, -by) } else { (of, by) };
    match rounding {
        Rounding::Truncate | Rounding::Exact => of / by,
        Rounding::Floor => of.div_euclid(by),
        Rounding::Ceiling => -(-of).div_euclid(by),
    }
}

/// As it is written; none where a division is by zero or a number too large.
fn naive(written: &Written, values: &[i128]) -> Option<i128> {
    let of = |written: &Written| naive(written, values);
    let value = match written {
        Written::Constant(value) => *value,
        Written::Symbol(symbol) => values[*symbol as usize],
        Written::Sum(a, b) => of(a)? + of(b)?,
        Written::Difference(a, b) => of(a)? - of(b)?,
        Written::Product(a, b) => of(a)?.checked_mul(of(b)?)?,
        Written::Quotient(rounding, a, by) => rounded(*rounding, of(a)?, *by),
        Written::QuotientBy(rounding, a, b) => {
            let by = of(b)?;
            (by != 0).then(|| of(a)).flatten().map(|a| rounded(*rounding, a, by))?
        }
        Written::Remainder(a, by) => of(a)? % by,
        Written::Modulo(a, by) => of(a)?.rem_euclid(*by),
        Written::Least(a, b) => of(a)?.min(of(b)?),
        Written::Greatest(a, b) => of(a)?.max(of(b)?),
        Written::Wrap(domain, a) => domain.reduce(of(a)?),
        Written::Power(a) => 1 << of(a)?.rem_euclid(8),
        Written::CeilLog(base, a) => {
            let (reached, a) = (base.pow(0), of(a)?);
            let mut steps = std::iter::successors(Some(reached), |reached| Some(reached * base));
            steps.position(|reached| reached >= a)? as i128
        }
        Written::CeilRoot(a) => {
            let a = of(a)?;
            if a > 1 << 20 {
                return None;
            }
            (0..).find(|root| root * root >= a)?
        }
        Written::Select(relation, test, a, b) => {
            let (test, a, b) = (of(test)?, of(a)?, of(b)?);
            if relation.holds(test) { a } else { b }
        }
    };
    (value.abs() < 1 << 90).then_some(value)
}

fn build(written: &Written, table: &mut Formulas) -> FormulaId {
    let mut of = |written: &Written| build(written, table);
    match written {
        Written::Constant(value) => table.constant(*value),
        Written::Symbol(symbol) => table.symbol(Symbol::Argument(*symbol), domain(*symbol).interval()),
        Written::Sum(a, b) => {
            let (a, b) = (of(a), of(b));
            table.add(a, b)
        }
        Written::Difference(a, b) => {
            let (a, b) = (of(a), of(b));
            table.subtract(a, b)
        }
        Written::Product(a, b) => {
            let (a, b) = (of(a), of(b));
            table.multiply(a, b)
        }
        Written::Quotient(rounding, a, by) => {
            let a = of(a);
            table.divide_by_constant(*rounding, a, *by)
        }
        Written::QuotientBy(rounding, a, b) => {
            let (a, b) = (of(a), of(b));
            table.divide(*rounding, a, b)
        }
        Written::Remainder(a, by) => {
            let (a, by) = (of(a), table.constant(*by));
            table.remainder(a, by)
        }
        Written::Modulo(a, by) => {
            let (a, by) = (of(a), table.constant(*by));
            table.modulo(a, by)
        }
        Written::Least(a, b) => {
            let (a, b) = (of(a), of(b));
            table.least(a, b)
        }
        Written::Greatest(a, b) => {
            let (a, b) = (of(a), of(b));
            table.greatest(a, b)
        }
        Written::Wrap(domain, a) => {
            let a = of(a);
            table.wrap(*domain, a)
        }
        Written::Power(a) => {
            let (a, eight) = (of(a), table.constant(8));
            let exponent = table.modulo(a, eight);
            table.power(2, exponent)
        }
        Written::CeilLog(base, a) => {
            let a = of(a);
            table.ceil_log(*base, a)
        }
        Written::CeilRoot(a) => {
            let a = of(a);
            table.ceil_root(a)
        }
        Written::Select(relation, test, a, b) => {
            let test = Test { relation: *relation, of: of(test) };
            let (a, b) = (build(a, table), build(b, table));
            table.select(test, a, b)
        }
    }
}

fn values() -> impl Strategy<Value = Vec<i128>> {
    (-128_i128..128, 0_i128..16, -8_i128..8).prop_map(|(a, b, c)| vec![a, b, c])
}

fn binding(values: &[i128]) -> impl Fn(&Symbol) -> Option<i128> {
    move |symbol| match symbol {
        Symbol::Argument(position) => values.get(*position as usize).copied(),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_formula_is_what_was_written(written in written(), points in prop::collection::vec(values(), 6)) {
        let mut table = Formulas::new();
        let formula = build(&written, &mut table);
        for values in &points {
            let Some(expected) = naive(&written, values) else { continue };
            match table.evaluate(formula, &binding(values)) {
                Ok(number) => {
                    prop_assert_eq!(number, expected, "{:?}", table.node(formula));
                    prop_assert!(table.range(formula).holds(FormulaInterval::exactly(expected)));
                }
                Err(reason) => prop_assert_eq!(reason, NoNumber::TooBig),
            }
        }
    }

    #[test]
    fn facts_that_hold_change_no_number(
        written in written(), facts in prop::collection::vec(written_small(), 1..4), values in values(),
    ) {
        let mut table = Formulas::new();
        let formula = build(&written, &mut table);
        let mut known = Facts::new();
        for fact in &facts {
            let Some(number) = naive(fact, &values) else { continue };
            let fact = build(fact, &mut table);
            if number >= 0 {
                known.add(&mut table, fact);
            } else {
                let opposite = table.negate(fact);
                known.add(&mut table, opposite);
            }
        }
        let simpler = table.assuming(formula, &known);
        let (plain, assumed) = (table.evaluate(formula, &binding(&values)), table.evaluate(simpler, &binding(&values)));
        if let (Ok(plain), Ok(assumed)) = (plain, assumed) {
            prop_assert_eq!(plain, assumed);
            prop_assert!(known.range(&mut table, formula).holds(FormulaInterval::exactly(plain)));
        }
    }

    #[test]
    fn replacing_is_evaluating_with_another_number(written in written(), by in written(), values in values()) {
        let mut table = Formulas::new();
        let formula = build(&written, &mut table);
        // The replacement must lie in the symbol's domain.
        let by = build(&by, &mut table);
        let by = table.wrap(domain(0), by);
        table.symbol(Symbol::Argument(0), domain(0).interval());
        let symbol = table.find(&Symbol::Argument(0)).expect("just made");
        let replaced = table.replace(formula, symbol, by);
        let Ok(number) = table.evaluate(by, &binding(&values)) else { return Ok(()) };
        let mut changed = values.clone();
        changed[0] = number;
        if let (Ok(a), Ok(b)) = (table.evaluate(formula, &binding(&changed)), table.evaluate(replaced, &binding(&values))) {
            prop_assert_eq!(a, b);
        }
    }
}

/// Formulas such as guards give.
fn written_small() -> impl Strategy<Value = Written> {
    let sum = |constant: i128, factors: (i128, i128, i128)| {
        let term = |factor, symbol| {
            Box::new(Written::Product(Box::new(Written::Constant(factor)), Box::new(Written::Symbol(symbol))))
        };
        let first = Written::Sum(term(factors.0, 0), term(factors.1, 1));
        let second = Written::Sum(Box::new(first), term(factors.2, 2));
        Written::Sum(Box::new(second), Box::new(Written::Constant(constant)))
    };
    (-20_i128..20, (-2_i128..3, -2_i128..3, -2_i128..3))
        .prop_map(move |(constant, factors)| sum(constant, factors))
}
