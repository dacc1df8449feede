//! What Xie (2014) and Antoniadis (2011) assert of loops, one test for each assertion.
//!
//! Document 003 finds `cycle = (End - Start + OneStep·Step) / Step` by assertions
//! about the exit, the comparison, the induction variable and the step; document
//! 004 solves linear sequences in closed form.

mod common;

use common::cells::LocalCells;
use common::{Said, evolutions, solve_one, solve_with};

/// A loop whose latch tests `TEST` and whose counter is `%i`, next `%next`.
fn latch_tested(start: &str, step: &str, test: &str, leaves_if_true: bool) -> String {
    let targets = if leaves_if_true { "%exit, label %loop" } else { "%loop, label %exit" };
    format!(
        "define void @f(i32 %start, i32 %end) {{
entry:
  br label %loop
loop:
  %i = phi i32 [ {start}, %entry ], [ %next, %loop ]
  call void @use(i32 %i)
  %next = add nsw i32 %i, {step}
  %t = icmp {test}
  br i1 %t, label {targets}
exit:
  ret void
}}
declare void @use(i32)
"
    )
}

#[track_caller]
fn says(said: &Said, back_edges: &str, body: &str) {
    assert_eq!((said.back_edges.as_str(), said.body.as_str()), (back_edges, body), "{said:?}");
}

/// The example: `%i2 = %i1 + 1; if (%i2 == 5) goto quit`, start 0. The cycle is
/// 4, not 5: so often it goes back, and the body runs once more.
#[test]
fn next_equal_to_five_goes_back_four_times() {
    says(&solve_one(&latch_tested("0", "1", "eq i32 %next, 5", true)), "4", "5");
}

/// OneStep is -1 where next is compared, 0 where the induction variable is, 1
/// where that leaves behind its end (`i > 5` leaves with 6).
#[test]
fn one_step_is_minus_one_zero_or_one() {
    let cycle = |start: i128, end: i128, step: i128, one_step: i128| (end - start + one_step * step) / step;
    let cases = [("eq i32 %next", -1), ("eq i32 %i", 0), ("sgt i32 %i", 1), ("sgt i32 %next", 0)];
    for (test, one_step) in cases {
        for (start, end, step) in [(0, 5, 1), (2, 17, 1), (0, 12, 3), (1, 31, 5)] {
            if test.starts_with("sgt") && step != 1 {
                continue;
            }
            let text = latch_tested(&start.to_string(), &step.to_string(), &format!("{test}, {end}"), true);
            let said = solve_one(&text);
            assert_eq!(said.back_edges, cycle(start, end, step, one_step).to_string(), "{text}");
        }
    }
    let said = solve_one(&latch_tested("%start", "1", "sgt i32 %i, %end", true));
    assert_eq!(said.back_edges, "max(0, end - start + 1)");
}

/// "The exit on the back edge is the true exit": others leave earlier, so what
/// it says is a bound.
#[test]
fn the_exit_at_the_latch_bounds_the_others() {
    let said = solve_one(
        "define void @f(i32 %end) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %quit = call i1 @quit(i32 %i)
  br i1 %quit, label %exit, label %latch
latch:
  %next = add nsw i32 %i, 1
  %t = icmp eq i32 %next, %end
  br i1 %t, label %exit, label %head
exit:
  ret void
}
declare i1 @quit(i32)
",
    );
    says(&said, "<= (u32)(end - 1)", "<= (u32)(end - 1) + 1");
}

/// "The end is a loop invariant", on whichever side it stands.
#[test]
fn the_bound_may_stand_on_either_side() {
    let left = solve_one(&latch_tested("0", "1", "sgt i32 %end, %next", false));
    let right = solve_one(&latch_tested("0", "1", "slt i32 %next, %end", false));
    assert_eq!((&left.back_edges, &right.back_edges), (&"max(0, end - 1)".into(), &right.back_edges));
}

/// A bound that moves is no bound: nothing is said, or it is solved.
#[test]
fn a_bound_that_moves_with_the_counter() {
    let said = solve_one(
        "define void @f(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %bound = sub nsw i32 %n, %i
  %t = icmp slt i32 %i, %bound
  br i1 %t, label %body, label %exit
body:
  call void @use(i32 %i)
  %next = add nsw i32 %i, 1
  br label %head
exit:
  ret void
}
declare void @use(i32)
",
    );
    assert_eq!(said.back_edges, "max(0, ceil(n / 2))");
}

/// "A phi that is not in the head and has the same value on both sides is the
/// induction variable."
#[test]
fn a_phi_with_equal_arms_is_an_alias() {
    let said = solve_one(
        "define void @f(i32 %end, i1 %c) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  br i1 %c, label %costly, label %join
costly:
  call void @use(i32 %i)
  br label %join
join:
  %alias = phi i32 [ %i, %head ], [ %i, %costly ]
  %next = add nsw i32 %i, 1
  %t = icmp slt i32 %alias, %end
  br i1 %t, label %head, label %exit
exit:
  ret void
}
declare void @use(i32)
",
    );
    says(&said, "max(0, end)", "max(1, end + 1)");
}

/// "Next is a phi, and each arm adds the same constant."
#[test]
fn next_may_be_a_phi_of_equal_steps() {
    let text = |other: &str| {
        format!(
            "define void @f(i32 %end, i1 %c) {{
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  br i1 %c, label %left, label %right
left:
  %a = add nsw i32 %i, 2
  br label %join
right:
  %b = add nsw i32 %i, {other}
  br label %join
join:
  %next = phi i32 [ %a, %left ], [ %b, %right ]
  %t = icmp slt i32 %next, %end
  br i1 %t, label %head, label %exit
exit:
  ret void
}}
"
        )
    };
    let same = solve_one(&text("2"));
    assert_eq!(same.back_edges, "max(0, ceil(end / 2) - 1)", "{same:?}");
    // One of two that no turn changes.
    let differs = solve_one(&text("3"));
    assert_eq!(common::evaluated(&differs, &[13, 1]), Ok(6), "{differs:?}");
    assert_eq!(common::evaluated(&differs, &[13, 0]), Ok(4), "{differs:?}");
}

/// "If there is a predecessor, the start comes from there; if not, all values
/// from outside are equal." Where they are not, the start is what comes in.
#[test]
fn the_start_from_several_sides() {
    let text = |other: &str| {
        format!(
            "define void @f(i32 %end, i32 %k) {{
entry:
  switch i32 %k, label %loop [ i32 0, label %left  i32 1, label %right ]
left:
  br label %loop
right:
  br label %loop
loop:
  %i = phi i32 [ 7, %entry ], [ 7, %left ], [ {other}, %right ], [ %next, %loop ]
  call void @use(i32 %i)
  %next = add nsw i32 %i, 1
  %t = icmp slt i32 %next, %end
  br i1 %t, label %loop, label %exit
exit:
  ret void
}}
declare void @use(i32)
"
        )
    };
    assert_eq!(solve_one(&text("7")).back_edges, "max(0, end - 8)");
    assert_eq!(solve_one(&text("9")).back_edges, "max(0, end - (i32)(i@entry + 1))");
}

/// "If it is a load: one store before the loop gives the start, one in the loop
/// the next." Two loops share the variable.
#[test]
fn a_variable_in_memory_that_two_loops_share() {
    let said = solve_with(
        "define void @f(i32 %n) {
entry:
  %i = alloca i32
  store i32 0, ptr %i
  br label %first
first:
  %a = load i32, ptr %i
  %t = icmp slt i32 %a, %n
  br i1 %t, label %one, label %between
one:
  call void @use(i32 %a)
  %b = load i32, ptr %i
  %c = add nsw i32 %b, 1
  store i32 %c, ptr %i
  br label %first
between:
  store i32 3, ptr %i
  br label %second
second:
  %d = load i32, ptr %i
  %u = icmp slt i32 %d, 10
  br i1 %u, label %two, label %exit
two:
  call void @use(i32 %d)
  %e = load i32, ptr %i
  %g = add nsw i32 %e, 2
  store i32 %g, ptr %i
  br label %second
exit:
  ret void
}
declare void @use(i32)
",
        |module, function| Box::new(LocalCells::new(module, function)),
    );
    assert_eq!((said[0].back_edges.as_str(), said[1].back_edges.as_str()), ("max(0, n)", "4"));
}

/// "Next is an addition of the induction variable and a constant", also a
/// subtraction, and several additions one behind the other.
#[test]
fn steps_add_up() {
    let said = solve_one(
        "define void @f(i32 %end) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 100, %entry ], [ %c, %loop ]
  %a = sub nsw i32 %i, 2
  %b = add nsw i32 %a, -4
  %c = add nsw i32 %b, 1
  %t = icmp sgt i32 %c, 0
  br i1 %t, label %loop, label %exit
exit:
  ret void
}
",
    );
    says(&said, "19", "20");
}

/// "The types of start and end are integers"; where their lengths differ, one is
/// cast.
#[test]
fn starts_and_ends_of_different_widths() {
    let text = |cast: &str, flags: &str| {
        format!(
            "define void @f(i16 %start, i64 %end) {{
entry:
  br label %head
head:
  %i = phi i16 [ %start, %entry ], [ %next, %body ]
  %wide = {cast} i64 %i
  %t = icmp slt i64 %wide, %end
  br i1 %t, label %body, label %exit
body:
  call void @use(i16 %i)
  %next = add {flags} i16 %i, 1
  br label %head
exit:
  ret void
}}
declare void @use(i16)
"
        )
    };
    let said = solve_one(&text("sext", "nsw"));
    assert_eq!(said.back_edges, "max(0, end - start)");
    assert_eq!(said.assumptions, ["next nsw"]);
    let said = solve_one(&text("sext", ""));
    assert_eq!(said.assumptions, ["end <= 32767 else endless"]);
    let said = solve_one(&text("zext", ""));
    assert_eq!(said.back_edges, "max(0, end - (u16)start)");
    assert_eq!(said.assumptions, ["end <= 65535 else endless"]);
    let said = solve_one(
        "define void @f(i64 %end) {
entry:
  %short = trunc i8 %end
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %low = trunc i8 %i
  %t = icmp eq i8 %low, %short
  br i1 %t, label %exit, label %body
body:
  call void @use(i64 %i)
  %next = add i64 %i, 1
  br label %head
exit:
  ret void
}
declare void @use(i64)
",
    );
    assert_eq!(said.back_edges, "(u8)end");
}

/// `use(i)` behind `for (i = 0; i != n; ++i)`: inside the loop i is the turn,
/// behind it it has been added to once more (post-increment).
#[test]
fn inside_the_turn_and_behind_the_last_one() {
    let text = "define i32 @f(i32 %n) {
entry:
  %guard = icmp sgt i32 %n, 0
  br i1 %guard, label %first, label %exit
first:
  %i = phi i32 [ 0, %entry ], [ %i.next, %first ]
  %i.next = add nsw i32 %i, 1
  %t = icmp eq i32 %i.next, %n
  br i1 %t, label %then, label %first
then:
  br label %second
second:
  %j = phi i32 [ 0, %then ], [ %j.next, %second ]
  %j.next = add nsw i32 %j, 1
  %u = icmp slt i32 %j.next, %i.next
  br i1 %u, label %second, label %exit
exit:
  ret i32 0
}
";
    assert_eq!(evolutions(text, 0, &["i", "i.next"]), ["h0", "h0 + 1"]);
    let said = common::solve(text);
    assert_eq!((said[0].back_edges.as_str(), said[1].back_edges.as_str()), ("n - 1", "n - 1"));
}

/// Document 004: i1 = φ(1, i3), i2 = i1 + 2, i3 = i2 + 3, l = t + 4·i3.
#[test]
fn the_linear_sequence_of_the_thesis() {
    let text = "define i64 @f(i64 %t, i64 %n) {
entry:
  br label %loop
loop:
  %i1 = phi i64 [ 1, %entry ], [ %i3, %loop ]
  %i2 = add nsw i64 %i1, 2
  %i3 = add nsw i64 %i2, 3
  %four = mul nsw i64 %i3, 4
  %l = add nsw i64 %t, %four
  %c = icmp slt i64 %i3, 1000
  br i1 %c, label %loop, label %exit
exit:
  ret i64 %l
}
";
    let said = evolutions(text, 0, &["i1", "i2", "i3", "l"]);
    assert_eq!(said[..3], ["5*h0 + 1", "5*h0 + 3", "5*h0 + 6"]);
    // t may be as large as it wants: exact where no addition wraps.
    assert_eq!(said[3], "(i64)(20*h0 + t + 24)");
}

/// The same, the sum of one sequence being another (chains of recurrences), and
/// sequences that are no sums.
#[test]
fn other_sequences() {
    let text = "define void @f(i64 %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %pow = phi i64 [ 3, %entry ], [ %pow.next, %loop ]
  %map = phi i64 [ 1, %entry ], [ %map.next, %loop ]
  %flip = phi i64 [ 4, %entry ], [ %flip.next, %loop ]
  %before = phi i64 [ 5, %entry ], [ %i, %loop ]
  %half = phi i64 [ 1000, %entry ], [ %half.next, %loop ]
  %same = phi i64 [ %a, %entry ], [ %same, %loop ]
  %any = phi i64 [ 0, %entry ], [ %any.next, %loop ]
  %i.next = add nsw i64 %i, 1
  %sum.next = add nsw i64 %sum, %i
  %pow.next = mul nsw i64 %pow, 2
  %triple = mul nsw i64 %map, 3
  %map.next = add nsw i64 %triple, 2
  %flip.next = sub nsw i64 10, %flip
  %half.next = sdiv i64 %half, 2
  %any.next = call i64 @any()
  %c = icmp slt i64 %i.next, 12
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
declare i64 @any()
";
    let values = ["sum", "pow", "map", "flip", "before", "half", "same", "any"];
    let expected = [
        "(h0*h0 - h0) / 2",
        "3 << h0",
        "2*pow(3, h0) - 1",
        "(h0 & 1) == 0 ? 4 : 6",
        "h0 == 0 ? 5 : h0 - 1",
        "1000 >> h0",
        "a",
        "data-dependent: depends on any.next",
    ];
    assert_eq!(evolutions(text, 0, &values), expected);
}
