//! What two values are together, what was decided where a loop is entered, and low
//! bits: each with a twin that differs in one fact, of which the claim must be refused.

use opcost_analysis::memory::World;
use opcost_certificate::{
    Certificate, DifferenceClaim, FunctionClaims, RangeClaim, ValueClaim, ValueName, fingerprint,
};
use opcost_ir::{Module, parse_module};
use opcost_testkit::{Interpreter, all_inputs, function_named, nothing_known};

use crate::{certificate_of, is_accepted};

pub(crate) fn module_of(text: &str) -> Module {
    parse_module(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A certificate of what is claimed of the function `run`, by number of the result.
pub(crate) fn only(
    module: &Module,
    values: &[(u32, RangeClaim)],
    differences: Vec<DifferenceClaim>,
) -> Certificate {
    let values = values.iter().cloned().map(|(at, range)| ValueClaim { value: ValueName::Result(at), range });
    let claims = FunctionClaims {
        name: "run".into(),
        values: values.collect(),
        differences,
        ..FunctionClaims::default()
    };
    Certificate {
        module: fingerprint(module).to_string(),
        functions: vec![claims],
        contents: Vec::new(),
        ..certificate_of(module, World::Open)
    }
    .sealed()
}

/// What is certified of a result of the function `run`.
pub(crate) fn range_of(certificate: &Certificate, at: u32) -> Option<&RangeClaim> {
    let claims = certificate.functions.iter().find(|claims| claims.name == "run")?;
    claims.values.iter().find(|claim| claim.value == ValueName::Result(at)).map(|claim| &claim.range)
}

/// All words that a result has in runs, of which some do not end.
pub(crate) fn seen(module: &Module, at: u32, parameters: &[u32]) -> Vec<u128> {
    let run = function_named(module, "run").expect("it is there");
    let interpreter = Interpreter::new(module).with_values().with_step_limit(20_000);
    let mut words = Vec::new();
    for input in all_inputs(parameters, 4096) {
        let done = interpreter.run(run, &input, &mut nothing_known);
        let own = done
            .values
            .iter()
            .filter(|one| one.0 == run && ValueName::of(one.1) == Some(ValueName::Result(at)));
        words.extend(own.map(|one| one.2));
    }
    words
}

/// Two counters of eight turns, one up and one down, and a loop inside that ends
/// where it meets the one that falls.
fn triangle(first: i32, test: &str, falls_by: i32) -> String {
    format!(
        "
define void @run() {{
entry:
  br label %outer
outer:
  %up = phi i32 [ 0, %entry ], [ %more, %next ]
  %down = phi i32 [ 8, %entry ], [ %less, %next ]
  %has = icmp {test}
  br i1 %has, label %inner, label %next
inner:
  %at = phi i32 [ {first}, %outer ], [ %on, %inner ]
  %on = add i32 %at, 1
  %met = icmp eq i32 %on, %down
  br i1 %met, label %next, label %inner
next:
  %more = add nuw nsw i32 %up, 1
  %less = add i32 %down, {falls_by}
  %ends = icmp eq i32 %more, 8
  br i1 %ends, label %end, label %outer
end:
  ret void
}}
"
    )
}

const UP: u32 = 1;
const DOWN: u32 = 2;
const AT: u32 = 5;

fn together(range: RangeClaim) -> DifferenceClaim {
    let (value, base) = (ValueName::Result(DOWN), ValueName::Result(UP));
    DifferenceClaim { value, base, range, times: 1, if_both: true }
}

fn below(range: RangeClaim) -> DifferenceClaim {
    let (value, base) = (ValueName::Result(AT), ValueName::Result(DOWN));
    DifferenceClaim { value, base, range, times: -1, if_both: true }
}

#[test]
fn counters_that_are_moved_against_each_other_have_one_sum() {
    let module = module_of(&triangle(1, "ult i32 %up, 7", -1));
    let certificate = certificate_of(&module, World::Open);
    assert!(is_accepted(&module, &certificate));
    assert_eq!(range_of(&certificate, AT).map(ToString::to_string).as_deref(), Some("{1, 2, 3, 4, 5, 6, 7}"));
    let words = seen(&module, AT, &[]);
    assert_eq!((words.iter().min(), words.iter().max()), (Some(&1), Some(&7)));
}

/// What is claimed of the loop, of programs of which it is so or not.
#[test]
fn sums_of_counters_are_refused_where_one_fact_is_missing() {
    let claimed = |text: &str, sum: u128, most: u128| {
        let module = module_of(text);
        let values = [(UP, RangeClaim::arc(32, 0, 7)), (AT, RangeClaim::arc(32, 1, most - 1))];
        let differences =
            vec![together(RangeClaim::arc(32, sum, 0)), below(RangeClaim::arc(32, 7u128.wrapping_neg(), 6))];
        let certificate = only(&module, &values, differences);
        is_accepted(&module, &certificate)
    };
    assert!(claimed(&triangle(1, "ult i32 %up, 7", -1), 8, 7));
    // Another sum, or one word less.
    assert!(!claimed(&triangle(1, "ult i32 %up, 7", -1), 9, 7));
    assert!(!claimed(&triangle(1, "ult i32 %up, 7", -1), 8, 6));
    // It begins at the bound, or above: then it goes around.
    assert!(!claimed(&triangle(2, "ult i32 %up, 7", -1), 8, 7));
    // The test lets the last turn in, or tells nothing.
    assert!(!claimed(&triangle(1, "ult i32 %up, 8", -1), 8, 7));
    assert!(!claimed(&triangle(1, "ugt i32 %up, 6", -1), 8, 7));
    // The other falls twice as fast, or rises.
    assert!(!claimed(&triangle(1, "ult i32 %up, 7", -2), 8, 7));
    assert!(!claimed(&triangle(1, "ult i32 %up, 7", 1), 8, 7));
}

/// A phi and what another phi of its block was in the turn before.
const LATE: &str = "
define void @run(i8 %first) {
entry:
  br label %loop
loop:
  %now = phi i8 [ 0, %entry ], [ %other, %loop ]
  %before = phi i8 [ 0, %entry ], [ %now, %loop ]
  %turned = phi i8 [ %first, %entry ], [ %mixed, %loop ]
  %apart = sub i8 %before, %now
  %times = mul i8 %turned, 5
  %mixed = add i8 %times, 3
  %other = and i8 %mixed, 7
  %ends = icmp eq i8 %other, 3
  br i1 %ends, label %end, label %loop
end:
  ret void
}
";

/// Two phis of a block are of one turn: what the other was before is another word.
#[test]
fn phis_of_one_block_are_compared_in_one_turn() {
    let module = module_of(LATE);
    // The run is the witness.
    assert!(seen(&module, 4, &[8]).iter().any(|&apart| (1..128).contains(&apart)));
    let values = [1, 2, 7].map(|at| (at, RangeClaim::arc(8, 0, 7)));
    for (first, span, times) in [(7u128.wrapping_neg(), 7, -1), (0, 6, 1)] {
        for if_both in [false, true] {
            let (value, base) = (ValueName::Result(2), ValueName::Result(1));
            let claim =
                DifferenceClaim { value, base, range: RangeClaim::arc(8, first, span), times, if_both };
            assert!(!is_accepted(&module, &only(&module, &values, vec![claim.clone()])), "{claim:?}");
            let wide = match times {
                -1 => RangeClaim::arc(8, 7u128.wrapping_neg(), 14),
                _ => RangeClaim::arc(8, 0, 14),
            };
            let true_claim = DifferenceClaim { range: wide, if_both: true, ..claim };
            assert!(is_accepted(&module, &only(&module, &values, vec![true_claim])));
        }
    }
}

/// A counter without a promise that ends where it meets a parameter.
fn counted(before: &str, first: i32, step: i32, back_in: &str) -> String {
    format!(
        "
define void @run(i8 %bound, i8 %other) {{
entry:
  %has = icmp {before}
  br i1 %has, label %loop, label %end
loop:
  %at = phi i8 [ {first}, %entry ], [ %next, %loop ]{}
  %next = add i8 %at, {step}
  %met = icmp eq i8 %next, %bound
  br i1 %met, label {}, label %loop
{}end:
  ret void
}}
",
        if back_in.is_empty() { "" } else { ", [ 100, %again ]" },
        if back_in.is_empty() { "%end" } else { "%again" },
        back_in,
    )
}

#[test]
fn what_is_decided_where_a_loop_is_entered_holds_within() {
    let accepted = |text: &str, first: u128| {
        let module = module_of(text);
        let (value, base) = (ValueName::Result(2), ValueName::Argument(0));
        let range = RangeClaim::arc(8, 127u128.wrapping_neg(), 126);
        let below = DifferenceClaim { value, base, range, times: -1, if_both: true };
        let claim = RangeClaim::arc(8, first, 126 - first);
        let is_true = seen(&module, 2, &[8, 8]).iter().all(|&word| claim.contains(word));
        let is_accepted = is_accepted(&module, &only(&module, &[(2, claim)], vec![below]));
        assert!(is_true || !is_accepted, "{text}");
        (is_accepted, is_true)
    };
    let text = counted("sgt i8 %bound, 0", 0, 1, "");
    assert_eq!(accepted(&text, 0), (true, true));
    let certificate = certificate_of(&module_of(&text), World::Open);
    assert_eq!(range_of(&certificate, 2).map(ToString::to_string).as_deref(), Some("0..126 of i8"));
    // The test is missing, the other way round, of another parameter, or lets more through.
    for before in ["sgt i8 %other, 0", "sle i8 %bound, 0", "uge i8 %bound, 0", "sge i8 %bound, 0"] {
        assert_eq!(accepted(&counted(before, 0, 1, ""), 0), (false, false), "{before}");
    }
    // It begins above the bound, or passes it by twos, where bounds are odd.
    assert_eq!(accepted(&counted("sgt i8 %bound, 0", 1, 1, ""), 1), (false, false));
    assert_eq!(accepted(&counted("sgt i8 %bound, 0", 0, 2, ""), 0), (false, false));
    // Another way back in, behind the bound.
    let again = "again:\n  %twice = icmp eq i8 %other, 1\n  br i1 %twice, label %loop, label %end\n";
    assert!(!accepted(&counted("sgt i8 %bound, 0", 0, 1, again), 0).0);
}

/// A loop that is entered in two ways: what one of them decides is not decided.
#[test]
fn what_one_of_two_ways_into_a_loop_decides_is_not_known_within() {
    let text = |second: &str| {
        format!(
            "
define i8 @run(i8 %n, i8 %m) {{
entry:
  %small = icmp ult i8 %n, 10
  br i1 %small, label %loop, label %perhaps
perhaps:
  %taken = icmp ult i8 %m, 10
  br i1 %taken, label {second}, label %end
loop:
  %count = phi i8 [ 0, %entry ], {} [ %more, %loop ]
  %plain = add i8 %n, 0
  %more = add i8 %count, 1
  %ends = icmp eq i8 %more, 3
  br i1 %ends, label %end, label %loop
end:
  ret i8 0
}}
",
            if second == "%loop" { "[ 0, %perhaps ]," } else { "" }
        )
    };
    for (second, is_so) in [("%end", true), ("%loop", false)] {
        let module = module_of(&text(second));
        let claim = (5, RangeClaim::arc(8, 0, 9));
        assert_eq!(seen(&module, 5, &[8, 8]).iter().all(|&word| word < 10), is_so);
        assert_eq!(is_accepted(&module, &only(&module, &[claim], Vec::new())), is_so, "{second}");
    }
}

/// The low bits of a product of extensions.
fn product(one: &str, two: &str, less: u32) -> String {
    format!(
        "
define i8 @run(i8 %x) {{
entry:
  %n = and i8 %x, 3
  %less = sub i8 %n, {less}
  %a = {one} i9 i8 %n
  %b = {two} i9 i8 %less
  %product = mul i9 %a, %b
  %low = trunc i8 i9 %product
  ret i8 %low
}}
"
    )
}

#[test]
fn low_bits_of_a_product_follow_from_those_of_its_operands() {
    for how in ["zext", "sext"] {
        let module = module_of(&product("zext", how, 1));
        let certificate = certificate_of(&module, World::Open);
        let low = range_of(&certificate, 5).expect("it is claimed");
        assert!(is_accepted(&module, &certificate));
        assert!(low.contains(253) && low.contains(6) && !low.contains(10), "{how}: {low}");
        let claim = |first: u128, span| {
            only(
                &module,
                &[
                    (0, RangeClaim::arc(8, 0, 3)),
                    (1, RangeClaim::arc(8, 255, 3)),
                    (5, RangeClaim::arc(8, first, span)),
                ],
                vec![],
            )
        };
        assert!(is_accepted(&module, &claim(253, 9)));
        // Without the greatest word that runs show, or with none of them.
        assert!(!is_accepted(&module, &claim(253, 8)));
        assert!(!is_accepted(&module, &claim(253, 2)));
    }
    // Two less: 0 times -2, 1 times -1, 0, and 3; and what no operand was.
    let module = module_of(&product("zext", "zext", 2));
    let claimed = |first, span| {
        let claims = [
            (0, RangeClaim::arc(8, 0, 3)),
            (1, RangeClaim::arc(8, 254, 3)),
            (5, RangeClaim::arc(8, first, span)),
        ];
        is_accepted(&module, &only(&module, &claims, Vec::new()))
    };
    assert!(seen(&module, 5, &[8]).contains(&255));
    assert!(claimed(250, 9) && !claimed(0, 3) && !claimed(250, 4));
}
