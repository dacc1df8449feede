//! Ranges forwards and backwards: what certain accesses demand.

use opcost_ir::{Layout, parse_module};

use super::told_with;
use crate::memory::{MemoryModel, World};
use crate::propagation::{Backwards, Finding, Propagation, RangeOptions};
use opcost_library::Effects;

const BACKWARDS: RangeOptions = RangeOptions {
    memory_is_written_first: false,
    backwards: Backwards::WithinObjects,
    assume_no_overflow: false,
    stepwise: false,
};

#[track_caller]
fn says(options: RangeOptions, text: &str, expected: &[(&str, &str)]) {
    let names: Vec<&str> = expected.iter().map(|&(name, _)| name).collect();
    let told = told_with(text, World::Open, options, &names);
    let told: Vec<(&str, &str)> = names.into_iter().zip(told.iter().map(String::as_str)).collect();
    assert_eq!(told, expected, "{text}");
}

/// Figure 4.8: a2 and a4 are a1 where it is negative, and where it is not.
const FIGURE: &str = "global internal @array type [10 x i32] = { }
declare @see
define i32 @f(i32 %a0) {
entry:
  %a1 = add i32 %a0, 1
  %less = icmp slt i32 %a1, 0
  br i1 %less, label %below, label %above
below:
  %a2 = or i32 %a1, 0
  %a3 = add i32 %a1, 1
  br label %end
above:
  %a4 = or i32 %a1, 0
  br label %end
end:
  %c0 = phi i32 [ %a3, %below ], [ %a4, %above ]
  %i = sext i64 i32 %c0
  %at = getelementptr inbounds [10 x i32] ptr @array, i64 0, i64 %i
  %x = load i32, ptr %at
  ret i32 %x
}
";

#[test]
fn the_fixed_point_of_the_document() {
    let no_overflow = RangeOptions { assume_no_overflow: true, ..BACKWARDS };
    let expected = [
        ("a0", "[-2, 8] 5"),
        ("a1", "[-1, 9] 5"),
        ("a2", "[-1, -1] 0"),
        ("a3", "[0, 0] 0"),
        ("a4", "[0, 9] 4"),
        ("c0", "[0, 9] 4"),
    ];
    says(no_overflow, FIGURE, &expected);
    // Nothing overflows that near to zero, so it need not be assumed.
    says(BACKWARDS, FIGURE, &expected);
    let forwards = RangeOptions { assume_no_overflow: true, ..RangeOptions::default() };
    says(forwards, FIGURE, &[("a1", "[-2147483647, 2147483647] 32"), ("a3", "[-2147483646, 0] 32")]);
}

#[test]
fn what_perhaps_does_not_come_back_stands_between() {
    let all = "[-2147483648, 2147483647] 32";
    let with = |line: &str, at: &str| FIGURE.replace(at, &format!("{line}\n  {at}"));
    let here = "%i = sext";
    says(
        BACKWARDS,
        &with("call void @see()", here),
        &[("a0", all), ("a1", all), ("c0", "[-2147483647, 2147483647] 32")],
    );
    says(BACKWARDS, &with("%v = load volatile i32, ptr @array", here), &[("a0", all)]);
    // In one of the arms only: the other one still ends in the access.
    says(
        BACKWARDS,
        &with("call void @see()", "%a4 ="),
        &[("a1", "[-1, 2147483647] 32"), ("a3", "[0, 0] 0"), ("a4", "[0, 9] 4")],
    );
    // Behind the access it does not matter.
    says(BACKWARDS, &with("call void @see()", "ret i32 %x"), &[("a0", "[-2, 8] 5")]);
    let volatile = FIGURE.replace("= load i32", "= load volatile i32");
    says(BACKWARDS, &volatile, &[("a0", all)]);
    // Without the option nothing is demanded.
    says(RangeOptions::default(), FIGURE, &[("a0", all)]);
}

#[test]
fn an_access_in_one_arm_demands_nothing_before_it() {
    let text = "global internal @array type [10 x i8] = { }
define i8 @f(i64 %i, i1 %c) {
entry:
  %j = add nsw i64 %i, 1
  br i1 %c, label %yes, label %no
yes:
  %k = add nsw i64 %j, 1
  %at = getelementptr inbounds [10 x i8] ptr @array, i64 0, i64 %k
  %x = load i8, ptr %at
  ret i8 %x
no:
  ret i8 0
}
";
    says(BACKWARDS, text, &[("k", "[0, 9] 4"), ("j", "[-9223372036854775807, 9223372036854775807] 64")]);
}

#[test]
fn loops_stand_between_but_their_body_does_not() {
    let text = "global internal @array type [10 x i8] = { }
define i8 @f(i64 %n, i64 %m) {
entry:
  %m1 = add nsw i64 %m, 1
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %i1, %loop ]
  %at = getelementptr inbounds [10 x i8] ptr @array, i64 0, i64 %i
  store i8 1, ptr %at
  %i1 = add nsw i64 %i, 1
  %go = icmp ne i64 %i1, 7
  br i1 %go, label %loop, label %exit
exit:
  %last = getelementptr inbounds [10 x i8] ptr @array, i64 0, i64 %m1
  %x = load i8, ptr %last
  ret i8 %x
}
";
    let any = "[-9223372036854775807, 9223372036854775807] 64";
    says(BACKWARDS, text, &[("i", "[0, 9] 4"), ("i1", "[1, 10] 4"), ("n", "[0, 9] 4"), ("m1", any)]);
}

#[test]
fn inner_arrays_only_on_request() {
    let text = "global internal @array type [4 x [8 x i8]] = { }
define i8 @f(i64 %i, i64 %j) {
  %at = getelementptr inbounds [4 x [8 x i8]] ptr @array, i64 0, i64 %i, i64 %j
  %x = load i8, ptr %at
  ret i8 %x
}
";
    let any = "[-9223372036854775808, 9223372036854775807] 64";
    says(BACKWARDS, text, &[("j", any)]);
    let inner = RangeOptions { backwards: Backwards::WithinArrays, ..BACKWARDS };
    says(inner, text, &[("i", "[0, 3] 2"), ("j", "[0, 7] 3")]);
}

#[test]
fn what_can_never_be_is_found() {
    let text = "global internal @array type [10 x i8] = { }
define i8 @f(i64 %i, i8 %y) {
entry:
  %low = and i64 %i, 7
  %far = add i64 %low, 10
  %at = getelementptr inbounds [10 x i8] ptr @array, i64 0, i64 %far
  %big = icmp ugt i64 %low, 8
  br i1 %big, label %dead, label %end
dead:
  %x = add i64 %low, 3
  %t = trunc i8 i64 %x
  ret i8 %t
end:
  %z = load i8, ptr %at
  ret i8 %z
}
";
    let module = parse_module(text).expect("a module");
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let program = MemoryModel::of(&module, &layout, &effects, World::Open);
    let ranges = Propagation::compute_with(&program, BACKWARDS);
    let (id, function) = module.functions.iter().next().expect("a function");
    let named = |wanted: &str| match function.names.iter().find(|(_, name)| &***name == wanted) {
        Some((opcost_ir::Value::Instruction(at), _)) => *at,
        _ => panic!("no result {wanted}"),
    };
    let findings = ranges.findings();
    assert!(findings.contains(&Finding::NeverInBounds(id, named("z"))), "{findings:?}");
    assert!(ranges.not_closed().is_empty());
    let forwards = Propagation::compute(&program);
    assert_eq!(forwards.findings(), [Finding::NeverReached(id, named("x"))]);
}
