//! Claims that one can follow on paper, and false ones that hold each other up.

use opcost_analysis::memory::World;
use opcost_certificate::{
    Certificate, Checker, ContentsClaim, Misfit, ObjectName, OutsideFacts, RangeClaim, SatSolver, ValueClaim,
    ValueName, fingerprint,
};
use opcost_ir::{Layout, parse_module};

use crate::{certificate_of, certificate_with_hindsight, is_accepted};

pub(crate) const SUMS: &str = "
define i32 @sums() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %more, %loop ]
  %more = add i32 %s, 7
  %next = add i32 %i, 1
  %stays = icmp ult i32 %next, 100
  br i1 %stays, label %loop, label %end
end:
  ret i32 %more
}
";

/// Leading zeros by halves: `found` gains at most a step that is halved.
const HALVES: &str = "
define i32 @zeros(i64 %word) {
entry:
  br label %loop
loop:
  %step = phi i32 [ 32, %entry ], [ %half, %loop ]
  %found = phi i32 [ 0, %entry ], [ %more, %loop ]
  %left = phi i64 [ %word, %entry ], [ %rest, %loop ]
  %down = sub i32 64, %step
  %wide = zext i64 i32 %down
  %high = lshr i64 %left, %wide
  %empty = icmp eq i64 %high, 0
  %by = select i32 i1 %empty, i32 %step, i32 0
  %bywide = zext i64 i32 %by
  %rest = shl i64 %left, %bywide
  %more = add i32 %found, %by
  %half = lshr i32 %step, 1
  %ends = icmp eq i32 %half, 0
  br i1 %ends, label %end, label %loop
end:
  ret i32 %more
}
";

/// Powers of three, below a hundred.
const POWERS: &str = "
define i32 @powers() {
entry:
  br label %loop
loop:
  %power = phi i32 [ 1, %entry ], [ %next, %loop ]
  %count = phi i32 [ 0, %entry ], [ %one_more, %loop ]
  %one_more = add i32 %count, 1
  %next = mul i32 %power, 3
  %stays = icmp ult i32 %next, 100
  br i1 %stays, label %loop, label %end
end:
  ret i32 %one_more
}
";

/// Recursion that returns what it was given by itself, or 5.
const RECURSION: &str = "
define internal i32 @deep(i32 %n) {
entry:
  %ends = icmp eq i32 %n, 0
  br i1 %ends, label %bottom, label %on
bottom:
  ret i32 5
on:
  %less = sub i32 %n, 1
  %found = call i32 @deep(i32 %less)
  ret i32 %found
}
define i32 @main(i32 %n) {
entry:
  %found = call i32 @deep(i32 %n)
  ret i32 %found
}
";

/// A cell whose contents come from itself.
const CELL: &str = "
global internal @cell type i32 = { 0: i32 3 }
define void @turn() {
entry:
  %was = load i32, ptr @cell
  %now = xor i32 %was, 1
  store i32 %now, ptr @cell
  ret void
}
";

/// A parameter that leads into a table, certainly or behind a call.
fn into_a_table(before: &str) -> String {
    format!(
        "
declare void @perhaps()
global internal @table type [5 x i32] constant = {{ 0: i32 1, 4: i32 2, 8: i32 3, 12: i32 4, 16: i32 5 }}
define i32 @look(i32 noundef %n) {{
entry:
  %more = add i32 %n, 1
  {before}
  %at = getelementptr [5 x i32] ptr @table, i64 0, i32 %more
  %found = load i32, ptr %at
  ret i32 %found
}}
"
    )
}

fn claims<'c>(certificate: &'c mut Certificate, name: &str) -> &'c mut opcost_certificate::FunctionClaims {
    certificate.functions.iter_mut().find(|claims| claims.name == name).expect("it has claims")
}

fn set(certificate: &mut Certificate, function: &str, value: ValueName, range: RangeClaim) {
    let values = &mut claims(certificate, function).values;
    values.retain(|claim| claim.value != value);
    values.push(ValueClaim { value, range });
}

#[test]
fn a_sum_is_certified_by_its_turns() {
    let module = parse_module(SUMS).expect("a module");
    let mut certificate = certificate_of(&module, World::Open);
    let sums = claims(&mut certificate, "sums");
    assert_eq!(sums.turns[0].most, 99);
    assert_eq!(sums.returned.as_ref().expect("it is claimed").to_string(), "7..700 of i32, rest 0 of 7");
    assert!(is_accepted(&module, &certificate));
    // One turn less than there are.
    let mut fewer = certificate.clone();
    let sums = claims(&mut fewer, "sums");
    sums.sums[0].turns = 98;
    assert!(!is_accepted(&module, &fewer));
    claims(&mut fewer, "sums").turns[0].most = 98;
    assert!(!is_accepted(&module, &fewer));
}

#[test]
fn turns_are_certified_by_the_highest_bit_of_what_is_halved() {
    let module = parse_module(HALVES).expect("a module");
    let mut certificate = certificate_of(&module, World::Open);
    let zeros = claims(&mut certificate, "zeros");
    assert_eq!((zeros.turns[0].most, zeros.turns[0].scales), (5, true));
    // 64 less twice what is left, and once more what is left.
    assert_eq!(zeros.returned.as_ref().expect("it is claimed").to_string(), "0..63 of i32");
    assert_eq!(zeros.differences.iter().filter(|claim| claim.times == 2).count(), 1);
    assert!(is_accepted(&module, &certificate));
    let mut fewer = certificate.clone();
    let zeros = claims(&mut fewer, "zeros");
    (zeros.turns[0].most, zeros.sums[0].turns) = (4, 4);
    assert!(!is_accepted(&module, &fewer.sealed()), "it turns six times");
    // As if two places were halved in each turn.
    let mut faster = certificate.clone();
    let zeros = claims(&mut faster, "zeros");
    (zeros.turns[0].most, zeros.turns[0].step, zeros.sums[0].turns) = (3, 2, 3);
    assert!(!is_accepted(&module, &faster.sealed()));
    // From zero on no bit is the highest one.
    let mut zero = certificate;
    claims(&mut zero, "zeros").turns[0].range = RangeClaim::arc(32, 0, 32);
    assert!(!is_accepted(&module, &zero.sealed()));
}

#[test]
fn turns_are_certified_by_the_highest_bit_of_what_is_multiplied() {
    let module = parse_module(POWERS).expect("a module");
    let mut certificate = certificate_of(&module, World::Open);
    let powers = claims(&mut certificate, "powers");
    let turns = powers.turns.iter().position(|turns| turns.scales).expect("it is claimed");
    assert!(is_accepted(&module, &certificate));
    // 1, 3, 9, 27: it goes back four times.
    claims(&mut certificate, "powers").turns[turns].most = 3;
    assert!(!is_accepted(&module, &certificate.sealed()));
}

#[test]
fn claims_that_hold_each_other_up_are_rejected() {
    // Each of the two follows from the other, but for where it begins.
    let module = parse_module(RECURSION).expect("a module");
    let mut certificate = certificate_of(&module, World::Closed);
    assert!(is_accepted(&module, &certificate));
    let six = RangeClaim::arc(32, 6, 0);
    claims(&mut certificate, "deep").returned = Some(six.clone());
    set(&mut certificate, "deep", ValueName::Result(3), six);
    assert!(!is_accepted(&module, &certificate));

    let module = parse_module(CELL).expect("a module");
    let mut certificate = certificate_of(&module, World::Closed);
    assert!(is_accepted(&module, &certificate));
    // Even for ever, if it were at the beginning; and so it would keep on.
    let low = RangeClaim::arc(32, 0, 1);
    certificate.contents = vec![ContentsClaim {
        object: ObjectName::data("cell"),
        first: 0,
        step: 0,
        size: 4,
        written_first: false,
        range: low.clone(),
    }];
    set(&mut certificate, "turn", ValueName::Result(0), low.clone());
    set(&mut certificate, "turn", ValueName::Result(1), low);
    assert!(!is_accepted(&module, &certificate));
}

#[test]
fn a_certificate_of_another_module_is_told() {
    let (sums, cell) = (parse_module(SUMS).expect("a module"), parse_module(CELL).expect("a module"));
    let certificate = certificate_of(&sums, World::Open);
    let layout = Layout::of(&cell);
    let checker = Checker::new(
        &cell,
        &layout,
        certificate.clone(),
        OutsideFacts::default(),
        SatSolver::start().expect("z3 is installed"),
    );
    assert!(matches!(checker.err(), Some(Misfit::Module { .. })));
    assert_ne!(fingerprint(&sums), fingerprint(&cell));
    let other = parse_module(&SUMS.replace("add i32 %s, 7", "add i32 %s, 8")).expect("a module");
    assert_ne!(fingerprint(&sums), fingerprint(&other));
    // A value that is not there.
    let mut certificate = certificate;
    set(&mut certificate, "sums", ValueName::Result(77), RangeClaim::arc(32, 0, 1));
    let layout = Layout::of(&sums);
    let solver = SatSolver::start().expect("z3 is installed");
    let checker = Checker::new(&sums, &layout, certificate, OutsideFacts::default(), solver);
    assert!(matches!(checker.err(), Some(Misfit::Unknown(_))));
}

#[test]
fn an_access_tells_of_what_came_before_only_if_it_is_certain() {
    let of = |before: &str| {
        let module = parse_module(&into_a_table(before)).expect("a module");
        let mut certificate = certificate_with_hindsight(&module, World::Open);
        assert!(is_accepted(&module, &certificate));
        let range = |value: ValueName, certificate: &mut Certificate| {
            let values = &claims(certificate, "look").values;
            values.iter().find(|claim| claim.value == value).map(|claim| claim.range.to_string())
        };
        let ranges =
            [ValueName::Argument(0), ValueName::Result(0)].map(|value| range(value, &mut certificate));
        (module, certificate, ranges)
    };
    let (module, mut certificate, ranges) = of("");
    let words = ["{0, 1, 2, 3, 4294967295}", "{0, 1, 2, 3, 4}"].map(|words| Some(words.to_owned()));
    assert_eq!(ranges, words);
    // Of other executions it is not so.
    certificate.hindsight = false;
    assert!(!is_accepted(&module, &certificate.clone().sealed()));
    // Nor is a smaller range shown, nor is one shown by itself.
    certificate.hindsight = true;
    let mut smaller = certificate.clone();
    set(&mut smaller, "look", ValueName::Argument(0), RangeClaim::arc(32, 0, 3));
    assert!(!is_accepted(&module, &smaller.sealed()));
    let (behind, _, ranges) = of("call void @perhaps()");
    assert_eq!(ranges, [None, None]);
    let claimed = fingerprint(&behind).to_string();
    let mut moved = Certificate { module: claimed, ..certificate };
    claims(&mut moved, "look").values.truncate(2);
    assert!(!is_accepted(&behind, &moved.sealed()), "the call may not return");
}
