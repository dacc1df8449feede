//! Formulas come back as they were written; what is none is told.

use proptest::prelude::*;

use super::super::example::formula;
use crate::answers::{DEEPEST, Formula, FormulaError, FormulaFunction, Operator, Wrap};

fn read(text: &str) -> Formula {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn formulas_read_as_in_c() {
    let texts = [
        "n",
        "-5",
        "-n",
        "-(5)",
        "-(-n)",
        "n - 1",
        "n - -1",
        "a - b + c - d",
        "a - (b - c)",
        "(a + b)*c / 2",
        "-5*n",
        "1 << n + 1",
        "(1 << n) + 1",
        "n >> 1 & 7",
        "n > 0 ? n : 1",
        "(a ? b : c) ? d : e ? f : g",
        "a > 0 && b > 0 || c == 1",
        "(u32)(n - 1)",
        "(u8)-n",
        "(i16)(u8)n",
        "-((u8)n)",
        "floor(n / 2)",
        "max(0, n, m)",
        "ceil(log(2, n))",
        "sum(i < n - 1: i*(n - i))",
        "sum(i < (a > 0 ? a : 1): i)",
        "bit_length(n)",
        "`argv[1]` + in.bt.data",
        "`a\\60b\\0A`*``",
        "min",
        "170141183460469231731687303715884105728000 + n",
    ];
    for text in texts {
        assert_eq!(read(text).to_string(), text);
    }
    assert_eq!(read("((n))-  ( 1 )").to_string(), "n - 1");
    assert_eq!(read("a<<b").to_string(), "a << b");
}

/// As the verb `loops` has them.
#[test]
fn formulas_of_loops_are_read() {
    let names = ["argv[1]", "argv[1]->n", "the result of f (line 3)", "n#2", "n", "*p", "log"];
    let texts = [
        ("(n + n*n) / 2", "(n + n*n) / 2"),
        ("(u32)(n + 1) + 1", "(u32)(n + 1) + 1"),
        ("2*ceil((n + m) / 3)", "2*ceil((n + m) / 3)"),
        ("argv[1] - argv[1]->n", "`argv[1]` - `argv[1]->n`"),
        ("-n#2*the result of f (line 3)", "-`n#2`*`the result of f (line 3)`"),
        ("*p > 0 ? *p * nn : log", "`*p` > 0 ? `*p`*nn : log"),
        ("ceil(log2(n))", "ceil(log(2, n))"),
        ("n < m ? 0 : 3", "n < m ? 0 : 3"),
    ];
    for (text, written) in texts {
        let formula = Formula::read(text, &names).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(formula.to_string(), written);
        assert_eq!(written.parse(), Ok(formula));
    }
    assert!(Formula::read("argv[1]", &[]).is_err());
}

#[test]
fn what_is_no_formula_is_told() {
    let texts = [
        "",
        "n -",
        "n 1",
        "(n",
        "n)",
        "5x",
        "05",
        "1.5",
        "f(n)",
        "floor()",
        "floor(1, 2)",
        "pow(n)",
        "n ? 1",
        "n ? 1 :",
        "sum(n)",
        "sum(i < n)",
        "sum(1 < n: 1)",
        "`n",
        "`\\4`",
        "`\\41`",
        "…",
        "a ** b",
        "(u0)n",
        "(u99999999)n",
        "@f",
    ];
    for text in texts {
        assert!(text.parse::<Formula>().is_err(), "{text}");
    }
    let error = "n + ".parse::<Formula>().unwrap_err();
    assert_eq!(error.to_string(), "at byte 4 of a formula stands no number or name");
}

#[test]
fn what_is_too_deep_is_no_formula() {
    let nested = |depth: usize| format!("{}n{}", "max(1, ".repeat(depth), ")".repeat(depth));
    assert_eq!(read(&nested(usize::from(DEEPEST) - 1)).to_string(), nested(usize::from(DEEPEST) - 1));
    assert_eq!(nested(usize::from(DEEPEST)).parse::<Formula>(), Err(FormulaError::TooDeep));
    for text in [
        "(".repeat(100_000),
        "-".repeat(100_000),
        "(u8)".repeat(100_000),
        "n?".repeat(100_000),
        "max(".repeat(100_000),
    ] {
        assert_eq!(text.parse::<Formula>(), Err(FormulaError::TooDeep));
    }
    // Long is not deep.
    let long = vec!["n"; 50_000].join(" + ");
    assert_eq!(read(&long).to_string(), long);
}

#[test]
fn parts_that_make_no_formula_are_refused() {
    let n = || Formula::name("n");
    let mixed = Formula::chain(n(), vec![(Operator::Plus, n()), (Operator::Times, n())]);
    assert_eq!(mixed, Err(FormulaError::Chain));
    assert_eq!(Formula::chain(n(), Vec::new()), Err(FormulaError::Chain));
    let error = Formula::call(FormulaFunction::Power, vec![n()]).unwrap_err();
    assert_eq!(error.to_string(), "pow with 1 arguments");
    assert_eq!(Formula::wrap(Wrap { is_signed: true, bits: 0 }, n()), Err(FormulaError::Wrap { bits: 0 }));
}

#[test]
fn names_are_told_once_and_what_a_sum_runs_over_is_none() {
    assert_eq!(read("m + sum(i < n: i * m + k) - n").names(), ["m", "n", "k"]);
}

proptest! {
    #[test]
    fn every_formula_comes_back(formula in formula()) {
        prop_assert_eq!(formula.to_string().parse(), Ok(formula));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[-a-z0-9<>=&|?:()+*/%,.` \\\\]{0,40}|\\PC{0,20}") {
        if let Ok(formula) = text.parse::<Formula>() {
            prop_assert_eq!(formula.to_string().parse(), Ok(formula));
        }
    }
}
