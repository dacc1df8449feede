//! What is halved and added up, what bits are shifted into, and places in a ring:
//! each with twins that differ in one fact, of which the claim must be refused.

use opcost_analysis::memory::World;
use opcost_certificate::{
    Certificate, DifferenceClaim, FunctionClaims, RangeClaim, ValueClaim, ValueName, fingerprint,
};

use crate::relations::{module_of, only, range_of, seen};
use crate::{certificate_of, is_accepted};

/// What is halved in each turn, and another phi to which it is perhaps added.
fn halves(start: u32, halved: &str, added: &str) -> String {
    format!(
        "
define void @run(i8 %bits) {{
entry:
  br label %loop
loop:
  %sum = phi i8 [ {start}, %entry ], [ %more, %loop ]
  %step = phi i8 [ 32, %entry ], [ %half, %loop ]
  %masked = and i8 %bits, %step
  %isnot = icmp eq i8 %masked, 0
  %by = select i8 i1 %isnot, i8 0, i8 {added}
  %more = add i8 %sum, %by
  %half = lshr i8 %step, {halved}
  %ends = icmp eq i8 %half, 0
  br i1 %ends, label %end, label %loop
end:
  ret void
}}
"
    )
}

#[test]
fn what_is_halved_and_added_up_is_known_by_what_is_left() {
    let accepted = |text: &str, (first, span): (u128, u128), most: u128| {
        let module = module_of(text);
        let (value, base) = (ValueName::Result(1), ValueName::Result(2));
        let range = RangeClaim::arc(8, first, span);
        let twice = DifferenceClaim { value, base, range, times: 2, if_both: true };
        let steps = RangeClaim {
            set: Some([1, 2, 4, 8, 16, 32].map(opcost_certificate::Word).into()),
            ..RangeClaim::anything(8)
        };
        let values = [(1, RangeClaim::arc(8, 0, most)), (2, steps)];
        let is_true = seen(&module, 1, &[8]).iter().all(|&word| word <= most);
        let is_accepted = is_accepted(&module, &only(&module, &values, vec![twice]));
        assert!(is_true || !is_accepted, "{text}");
        (is_accepted, is_true)
    };
    assert_eq!(accepted(&halves(0, "1", "%step"), (0, 64), 62), (true, true));
    // A word less, a later start, and more than is taken away.
    assert_eq!(accepted(&halves(0, "1", "%step"), (0, 64), 61), (false, false));
    assert_eq!(accepted(&halves(0, "1", "%step"), (0, 63), 61), (false, false));
    assert_eq!(accepted(&halves(1, "1", "%step"), (0, 64), 62), (false, false));
    assert_eq!(accepted(&halves(0, "1", "33"), (0, 64), 62), (false, false));
    // Halved by nothing: a loop without an end.
    assert_eq!(accepted(&halves(0, "0", "%step"), (0, 64), 62), (false, false));
    let certificate = certificate_of(&module_of(&halves(0, "1", "%step")), World::Open);
    assert_eq!(range_of(&certificate, 6).map(ToString::to_string).as_deref(), Some("0..63 of i8"));
}

/// A word into which bits are shifted, in so many turns.
fn shifted(start: u32, by: u32, others: u32, turns: u32) -> String {
    format!(
        "
define void @run(i16 %bits) {{
entry:
  br label %loop
loop:
  %word = phi i16 [ {start}, %entry ], [ %next, %loop ]
  %count = phi i16 [ 0, %entry ], [ %more, %loop ]
  %left = lshr i16 %bits, %count
  %low = and i16 %left, {others}
  %moved = shl i16 %word, {by}
  %next = or i16 %moved, %low
  %more = add i16 %count, 1
  %ends = icmp eq i16 %more, {turns}
  br i1 %ends, label %end, label %loop
end:
  ret void
}}
"
    )
}

#[test]
fn bits_that_are_shifted_in_are_claimed_by_turns() {
    let text = shifted(0, 1, 1, 7);
    let module = module_of(&text);
    let certificate = certificate_of(&module, World::Open);
    assert!(is_accepted(&module, &certificate));
    assert_eq!(range_of(&certificate, 1).map(ToString::to_string).as_deref(), Some("0..63 of i16"));
    let of_run = || certificate.functions.iter().find(|claims| claims.name == "run").expect("it has claims");
    let sum = of_run().sums.iter().find(|sum| sum.places > 0).expect("it is claimed").clone();
    assert_eq!((sum.places, sum.turns), (1, 6));
    let accepted = |text: &str, change: &dyn Fn(&mut FunctionClaims)| {
        let module = module_of(text);
        let mut claims = FunctionClaims {
            values: vec![
                ValueClaim { value: ValueName::Result(1), range: RangeClaim::arc(16, 0, 63) },
                ValueClaim { value: ValueName::Result(2), range: RangeClaim::arc(16, 0, 6) },
            ],
            ..of_run().clone()
        };
        claims.differences.clear();
        claims.returned = None;
        change(&mut claims);
        let module_hash = fingerprint(&module).to_string();
        let mutant =
            Certificate { module: module_hash, functions: vec![claims], ..certificate.clone() }.sealed();
        let is_true = seen(&module, 1, &[16]).iter().all(|&word| word < 64);
        let is_accepted = is_accepted(&module, &mutant);
        assert!(is_true || !is_accepted, "{text}");
        is_accepted
    };
    assert!(accepted(&text, &|_| {}));
    // Two places, more than is shifted, one turn more, a start above.
    assert!(!accepted(&shifted(0, 2, 1, 7), &|_| {}));
    assert!(!accepted(&shifted(0, 1, 3, 7), &|_| {}));
    assert!(!accepted(&shifted(0, 1, 1, 8), &|_| {}));
    assert!(!accepted(&shifted(1, 1, 1, 7), &|_| {}));
    // Fewer turns than there are, no turns that are claimed, a start that is not.
    let with = |change: fn(&mut FunctionClaims)| accepted(&text, &change);
    assert!(!with(|claims| claims.sums.iter_mut().for_each(|sum| sum.turns = 5)));
    assert!(!with(|claims| claims.turns.clear()));
    assert!(!with(|claims| {
        claims.values.retain(|claim| claim.value == ValueName::Result(2));
        claims
            .sums
            .iter_mut()
            .filter(|sum| sum.places > 0)
            .for_each(|sum| sum.start = RangeClaim::arc(16, 1, 1));
    }));
}

/// A place in a ring of which a parameter says how long it is.
fn ring(least: u32, start: u32, step: u32, again: &str) -> String {
    format!(
        "
define void @run(i8 %given, i8 %turns) {{
entry:
  %some = and i8 %given, 15
  %length = add nuw nsw i8 %some, {least}
  br label %loop
loop:
  %place = phi i8 [ {start}, %entry ], [ %next, %loop ]
  %count = phi i8 [ %turns, %entry ], [ %less, %loop ]
  %on = add i8 %place, {step}
  %around = icmp eq i8 %on, %length
  %next = select i8 i1 %around, i8 {again}, i8 %on
  %less = sub i8 %count, 1
  %ends = icmp eq i8 %less, 0
  br i1 %ends, label %end, label %loop
end:
  ret void
}}
"
    )
}

#[test]
fn places_in_a_ring_stay_below_its_length() {
    let accepted = |text: &str| {
        let module = module_of(text);
        let base = ValueName::Result(1);
        let claim = |value: u32| {
            let range = RangeClaim::arc(8, 16u128.wrapping_neg(), 15);
            DifferenceClaim { value: ValueName::Result(value), base, range, times: -1, if_both: true }
        };
        let values =
            [(0, RangeClaim::arc(8, 0, 15)), (1, RangeClaim::arc(8, 1, 15)), (3, RangeClaim::arc(8, 0, 15))];
        let is_true = seen(&module, 3, &[8, 8]).iter().all(|&word| word < 16);
        let is_accepted = is_accepted(&module, &only(&module, &values, vec![claim(3), claim(7)]));
        assert!(is_true || !is_accepted, "{text}");
        is_accepted
    };
    let text = ring(1, 0, 1, "0");
    assert!(accepted(&text));
    // The claim is found.
    let certificate = certificate_of(&module_of(&text), World::Open);
    let mut found = certificate.functions.iter().flat_map(|claims| &claims.differences);
    assert!(found.any(|claim| claim.value == ValueName::Result(3) && claim.base == ValueName::Result(1)));
    // It may be empty, begin behind its end, go on by twos, or around to where it may end.
    for text in [ring(0, 0, 1, "0"), ring(1, 1, 1, "0"), ring(1, 0, 2, "0"), ring(1, 0, 1, "5")] {
        assert!(!accepted(&text), "{text}");
    }
}
